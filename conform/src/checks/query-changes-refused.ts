import { expect } from 'expect';
import { typeChecks } from '../check.js';
import type { QueryChangesAnswer } from '../client/answers.js';
import { matchAnyError } from '../subject/limits.js';
import { cacheQuery, queryChanges, sortRemoved } from '../subject/queries.js';
import { expectChangesRefused, NEEDS } from './query-follow.js';

/** RFC 8620 5.6: what /queryChanges refuses. */

/** Counts the items of an answer: maxChanges bounds both lists together (RFC 8620 5.6). */
const countItems = ({ removed, added }: QueryChangesAnswer): number =>
  removed.length + added.length;

export const queryChangesRefusedChecks = typeChecks('5.6', NEEDS, [
  {
    id: 'query-changes-max-changes',
    level: 'must',
    rule:
      'Each removed and each added item counts as a change: with as many as maxChanges all are ' +
      'told, with more it is tooManyChanges.',
    /**
     * Counts the changes that the server tells first, since it may list more than there were. The
     * bound is set around that count.
     */
    async run(subject) {
      const [a = ''] = await subject.make(subject.A1, 'a', 'b');
      const before = await cacheQuery(subject);
      const { args, queryState: sinceQueryState } = before;
      await subject.set({ destroy: [a] });
      await subject.makeOne(subject.A1, 'c');
      const all = await queryChanges(subject, before);
      expect(countItems(all)).toBeGreaterThanOrEqual(2);
      for (const maxChanges of [countItems(all), countItems(all) + 1, 2 ** 53 - 1])
        expect(sortRemoved(await queryChanges(subject, before, { maxChanges }))).toEqual(
          sortRemoved(all),
        );
      const maxChanges = countItems(all) - 1;
      const since = { ...args, sinceQueryState, maxChanges };
      await expectChangesRefused(subject, since, subject.matchError('tooManyChanges'));
    },
  },
  {
    id: 'query-changes-invalid',
    level: 'must',
    rule:
      'A maxChanges that is no UnsignedInt or null, an upToId that is no string or null, and a ' +
      'calculateTotal that is no Boolean are invalidArguments. So is a sinceQueryState that is ' +
      'missing or null.',
    async run(subject) {
      const { queryState: sinceQueryState } = await cacheQuery(subject);
      const wrong: readonly (readonly [string, readonly unknown[]])[] = [
        ['maxChanges', [-1, 1.5, '1', true]],
        ['upToId', [5, true, {}]],
        ['calculateTotal', ['true', 1, null]],
        ['sinceQueryState', [undefined, null, 5, {}]],
      ];
      for (const [name, values] of wrong)
        for (const value of values) {
          const args = { sinceQueryState, [name]: value };
          await expectChangesRefused(subject, args, subject.matchError('invalidArguments', name));
        }
    },
  },
  {
    id: 'query-changes-malformed-query',
    level: 'must',
    rule: 'A filter or sort that is malformed is refused as it is in /query: invalidArguments.',
    async run(subject) {
      const { queryState: sinceQueryState } = await cacheQuery(subject);
      for (const [name, value] of [
        ['filter', { operator: 'XOR', conditions: [] }],
        ['filter', { operator: 'AND' }],
        ['sort', [{}]],
        ['sort', 'text'],
      ] as const)
        await expectChangesRefused(
          subject,
          { sinceQueryState, [name]: value },
          subject.matchError('invalidArguments', name),
        );
    },
  },
  {
    id: 'query-changes-unknown-state',
    level: 'must',
    rule:
      'From a state that the server never issued changes can’t be calculated: ' +
      'cannotCalculateChanges, or invalidArguments of what no state looks like, never lists that ' +
      'are silently wrong.',
    async run(subject) {
      const { queryState } = await cacheQuery(subject);
      const refused = matchAnyError(subject, 'cannotCalculateChanges', 'invalidArguments');
      for (const sinceQueryState of ['', 'never issued', `${queryState}x`, 'x'.repeat(300), '٣'])
        await expectChangesRefused(subject, { sinceQueryState }, refused);
    },
  },
]);
