import { expect } from 'expect';
import { typeChecks } from '../check.js';
import { at } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import {
  cacheQuery,
  query,
  queryAll,
  queryChanges,
  sortByText,
  spliceChanges,
} from '../subject/queries.js';
import {
  buildMutableQueries,
  expectSpliced,
  NEEDS,
  needMutableQuery,
  update,
} from './query-follow.js';

/**
 * RFC 8620 5.6: /queryChanges for clients that hold a part of the results, by upToId or without it.
 */

export const queryChangesUpToChecks = typeChecks('5.6', NEEDS, [
  {
    id: 'query-changes-sparse',
    level: 'must',
    rule:
      'A client that holds the first ids and not those behind them applies what is told to what ' +
      'it holds: that is what the new results begin with.',
    needs: { room: 32 },
    applies: needMutableQuery,
    /**
     * Holds the first 5, 10 and 29 ids and nothing behind them, then applies the answer to each.
     * Only the known beginning is compared.
     */
    async run(subject) {
      await subject.empty(subject.A1);
      const texts = Array.from(
        { length: 30 },
        (_, index) => `in ${String(index).padStart(2, '0')}`,
      );
      const ids = await subject.make(subject.A1, ...texts);
      const name = subject.profile.textFilter;
      const args = {
        ...(name === undefined ? {} : { filter: { [name]: 'in' } }),
        sort: sortByText(subject),
      };
      const before = await cacheQuery(subject, args);
      await update(subject, at(ids, 3), 'in 99');
      await update(subject, at(ids, 25), 'in 00b');
      await subject.set({ destroy: [at(ids, 7), at(ids, 20)] });
      await subject.make(subject.A1, 'in 05b', 'in 28b');
      const answer = await queryChanges(subject, before, { calculateTotal: true });
      const fresh = await queryAll(subject, args);
      expect(answer.total).toBe(fresh.length);
      for (const count of [5, 10, 29]) {
        const held = before.ids.map((id, index) => (index < count ? id : null));
        const after = spliceChanges(held, answer);
        const known = after.indexOf(null);
        expect(known).toBeGreaterThan(count - 4);
        expect({ count, ids: after.slice(0, known) }).toEqual({
          count,
          ids: fresh.slice(0, known),
        });
      }
    },
  },
  {
    id: 'query-changes-up-to-id',
    level: 'must',
    rule:
      'With upToId a client that holds the results up to that id has the new ones up to it, ' +
      'whatever is sorted by.',
    needs: { room: 9 },
    /**
     * Keeps the results up to one id and applies the answer to them. The new results must be right
     * up to where that id is now.
     */
    async run(subject) {
      for (const args of [{}, ...buildMutableQueries(subject, '')]) {
        await subject.empty(subject.A1);
        const made = await subject.make(subject.A1, ...'bdfhj');
        const before = await cacheQuery(subject, args);
        const upToId = at(before.ids, 3);
        const held = before.ids.slice(0, 4);
        const others = made.filter((id) => id !== upToId);
        await update(subject, at(others, 0), 'ee');
        await subject.set({ destroy: [at(others, 1)] });
        await subject.make(subject.A1, 'a', 'ff', 'k');
        const answer = await queryChanges(subject, before, { upToId });
        const after = spliceChanges(held, answer);
        const fresh = await queryAll(subject, args);
        const end = fresh.indexOf(upToId) + 1;
        expect(end).toBeGreaterThan(0);
        expect({ args, ids: after.slice(0, end) }).toEqual({ args, ids: fresh.slice(0, end) });
      }
    },
  },
  {
    id: 'query-changes-up-to-id-ignored',
    level: 'must',
    rule:
      'Where the filter or sort looks at a mutable property upToId is ignored: all changes are ' +
      'told.',
    needs: { room: 4 },
    applies: needMutableQuery,
    async run(subject) {
      await subject.empty(subject.A1);
      const [a = '', b = ''] = await subject.make(subject.A1, 'in a', 'in b', 'in c');
      for (const args of buildMutableQueries(subject, 'in')) {
        const before = await cacheQuery(subject, args);
        await update(subject, b, `in b${String(before.ids.length)}`);
        const id = await subject.makeOne(subject.A1, 'in z');
        // A second answer may differ: `removed` may have more ids than it must, others each time
        // (5.6).
        await expectSpliced(subject, before, await queryChanges(subject, before, { upToId: a }));
        await subject.set({ destroy: [id] });
      }
    },
  },
  {
    id: 'query-changes-up-to-id-cuts',
    level: 'should',
    rule:
      'Where filter and sort look at immutable properties alone, what was added or removed ' +
      'behind upToId is left out.',
    needs: { room: 6 },
    applies: ({ described }) =>
      described.sorts.some(({ name, property }) => name === 'created' && property.role === name)
        ? null
        : 'The type declares no sort by the time of creation.',
    async run(subject) {
      await subject.make(subject.A1, 'a', 'b', 'c', 'd');
      const args = { sort: [{ property: 'created' }] };
      const before = await cacheQuery(subject, args);
      const [upToId, last] = [at(before.ids, 1), at(subject.pickOwn(before.ids), -1)];
      const id = await subject.makeOne(subject.A1, 'new');
      await subject.set({ destroy: [last] });
      if ((await queryAll(subject, args)).indexOf(id) < 2)
        throw new NotApplicable('A later object doesn’t come later by created.');
      const answer = await queryChanges(subject, before, { upToId });
      expect([answer.removed, answer.added]).toEqual([[], []]);
      expect(answer.newQueryState).toBe((await query(subject, args)).queryState);
    },
  },
]);
