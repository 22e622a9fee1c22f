import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { needTextFilter } from '../../../conform/src/checks/applies.js';
import { expectChangesRefused, NEEDS, update } from '../../../conform/src/checks/query-follow.js';
import { sameMembers } from '../../../conform/src/expected.js';
import { cacheQuery, query, queryAll, queryChanges } from '../../../conform/src/subject/queries.js';

export const queryChangesDecisions = typeChecks('5.6', NEEDS, [
  {
    id: 'query-changes-exact',
    level: 'must',
    rule:
      'removed are the ids that changed or were destroyed since, less those created since, and ' +
      'added those of the changed that match now: no more.',
    needs: { room: 4 },
    async run(subject) {
      await subject.empty(subject.A1);
      const [, b = ''] = await subject.make(subject.A1, 'a', 'b', 'c');
      const first = await cacheQuery(subject);
      await subject.set({ destroy: [b] });
      const gone = await queryChanges(subject, first);
      expect([gone.removed, gone.added]).toEqual([[b], []]);
      const second = await cacheQuery(subject);
      const brief = await subject.makeOne(subject.A1, 'brief');
      await subject.set({ destroy: [brief] });
      const nothing = await queryChanges(subject, second);
      expect([nothing.removed, nothing.added]).toEqual([[], []]);
    },
  },
  {
    id: 'query-changes-around-filter-exact',
    level: 'must',
    rule:
      'All that changed since and was there before is in removed, whether it was in the results ' +
      'or not; only those of it that match now are added.',
    needs: { room: 6 },
    applies: needTextFilter,
    async run(subject) {
      await subject.empty(subject.A1);
      const made = await subject.make(subject.A1, 'keep in', 'in leaves', 'enters', 'out', 'in');
      const [keep = '', leaves = '', enters = '', out = ''] = made;
      const filter = { [subject.profile.textFilter ?? '']: 'in' };
      const before = await cacheQuery(subject, { filter });
      for (const [id, value] of [
        [keep, 'still in'],
        [leaves, 'gone'],
        [enters, 'now in'],
        [out, 'still not'],
      ] as const)
        await update(subject, id, value);
      const created = await subject.makeOne(subject.A1, 'new in');
      const ids = await queryAll(subject, { filter });
      expect(subject.pickOwn(ids)).toHaveLength(4);
      const answer = await queryChanges(subject, before, { calculateTotal: true });
      expect(answer).toEqual({
        ...subject.pickDeclared('queryChanges', answer),
        accountId: subject.A1,
        oldQueryState: before.queryState,
        newQueryState: (await query(subject, { filter })).queryState,
        total: ids.length,
        removed: sameMembers([keep, leaves, enters, out]),
        added: [keep, enters, created].map((id) => ({ id, index: ids.indexOf(id) })),
      });
    },
  },
  {
    id: 'query-changes-max-changes-zero',
    level: 'must',
    rule: 'A maxChanges of 0 is fine where nothing changed and tooManyChanges otherwise.',
    async run(subject) {
      await subject.make(subject.A1, 'a');
      const before = await cacheQuery(subject);
      expect((await queryChanges(subject, before, { maxChanges: 0 })).added).toEqual([]);
      await subject.makeOne(subject.A1, 'b');
      const since = { sinceQueryState: before.queryState, maxChanges: 0 };
      await expectChangesRefused(subject, since, subject.matchError('tooManyChanges'));
    },
  },
  {
    id: 'query-changes-unsupported-first',
    level: 'must',
    rule: 'An unsupported filter or sort is told before the state is looked at.',
    needs: { room: 0 },
    async run(subject) {
      const since = { sinceQueryState: 'never issued' };
      const filtered = { ...since, filter: { nope: 1 } };
      await expectChangesRefused(subject, filtered, subject.matchError('unsupportedFilter'));
      const sorted = { ...since, sort: [{ property: 'nope' }] };
      await expectChangesRefused(subject, sorted, subject.matchError('unsupportedSort'));
    },
  },
  {
    id: 'query-changes-other-query',
    level: 'must',
    rule:
      'A state of another filter, sort or type, ahead of the counter or cut short is ' +
      'cannotCalculateChanges.',
    async run(subject) {
      const { queryState } = await cacheQuery(subject);
      const number = /^\d+/.exec(queryState)?.[0] ?? '';
      const nothing = { filter: { operator: 'OR', conditions: [] } };
      const another = [...subject.world.keys()].find((name) => {
        const other = subject.selectType(name);
        return name !== subject.type && other.has('query', 'queryChanges');
      });
      const states = [
        '0',
        number,
        `${Number(number) + 1}${queryState.slice(number.length)}`,
        queryState.slice(0, -1),
        (await query(subject, nothing)).queryState,
        ...(another === undefined ? [] : [(await query(subject.selectType(another))).queryState]),
      ];
      const error = subject.matchError('cannotCalculateChanges');
      for (const sinceQueryState of states)
        await expectChangesRefused(subject, { sinceQueryState }, error);
      const sorts = subject.profile.sorts.map((property) => ({ sort: [{ property }] }));
      for (const args of [nothing, ...sorts])
        await expectChangesRefused(subject, { ...args, sinceQueryState: queryState }, error);
    },
  },
  {
    id: 'query-changes-same-query',
    level: 'must',
    rule: 'The same filter and sort written otherwise have the same state.',
    async run(subject) {
      const before = await cacheQuery(subject);
      await subject.makeOne(subject.A1);
      for (const args of [{ filter: null, sort: null }, { filter: {}, sort: [] }, { sort: [] }]) {
        const { queryState } = before;
        expect(await queryChanges(subject, { args, queryState })).toEqual(
          await queryChanges(subject, before),
        );
      }
    },
  },
]);
