import { expect } from 'expect';
import { typeChecks } from '../check.js';
import { cacheQuery, queryAll, queryChanges, queryOwn, sortByText } from '../subject/queries.js';
import { needTextFilter } from './applies.js';
import { expectFollows, NEEDS, update } from './query-follow.js';

/** RFC 8620 5.6: what /queryChanges tells a client that holds the whole results. */

export const queryChangesChecks = typeChecks('5.6', NEEDS, [
  {
    id: 'query-changes-none',
    level: 'must',
    rule:
      'Where nothing changed, oldQueryState and newQueryState are sinceQueryState and both lists ' +
      'are empty; no total is there that wasn’t asked for.',
    /**
     * Repeats the call with null for each optional argument, which must change nothing. A server
     * that describes itself has no further members.
     */
    async run(subject) {
      await subject.make(subject.A1, 'a', 'b');
      const before = await cacheQuery(subject);
      const { queryState } = before;
      const answer = await queryChanges(subject, before);
      const members = {
        accountId: subject.A1,
        oldQueryState: queryState,
        newQueryState: queryState,
        removed: [],
        added: [],
      };
      expect(answer).toMatchObject(members);
      expect(answer).not.toHaveProperty('total');
      // A server that doesn't describe itself may have members of its own.
      const more = subject.pickDeclared('queryChanges', answer);
      if (subject.isSelfDescribed) expect(answer).toEqual({ ...more, ...members });
      const nulls = { filter: null, sort: null, maxChanges: null, upToId: null };
      expect(await queryChanges(subject, before, nulls)).toEqual(answer);
    },
  },
  {
    id: 'query-changes-created',
    level: 'must',
    rule:
      'A created object that matches is added at the index that it has in the new results; the ' +
      'response is in the new state.',
    /**
     * Creates an object that belongs between two others, so that its index is neither the first nor
     * the last.
     */
    async run(subject) {
      await subject.empty(subject.A1);
      await subject.make(subject.A1, 'a', 'c');
      const sort = sortByText(subject);
      const before = await cacheQuery(subject, { sort });
      const id = await subject.makeOne(subject.A1, 'b');
      const answer = await expectFollows(subject, before);
      expect(answer.added).toContainEqual({
        id,
        index: (await queryAll(subject, { sort })).indexOf(id),
      });
      expect(answer.total).toBe(subject.listForeign().size + 3);
    },
  },
  {
    id: 'query-changes-destroyed',
    level: 'must',
    rule: 'A destroyed object that was in the results is removed.',
    async run(subject) {
      const [, id = ''] = await subject.make(subject.A1, 'a', 'b', 'c');
      const before = await cacheQuery(subject);
      await subject.set({ destroy: [id] });
      const answer = await expectFollows(subject, before);
      expect(answer.removed).toContain(id);
      expect(answer.added.map((item) => item.id)).not.toContain(id);
    },
  },
  {
    id: 'query-changes-total',
    level: 'must',
    rule:
      'total is how many are in the new results, and is there only where ' +
      'calculateTotal is true.',
    async run(subject) {
      const [id = ''] = await subject.make(subject.A1, 'a', 'b', 'c');
      const before = await cacheQuery(subject);
      await subject.set({ destroy: [id] });
      const { length } = await queryAll(subject);
      expect((await queryChanges(subject, before, { calculateTotal: true })).total).toBe(length);
      for (const more of [{}, { calculateTotal: false }])
        expect(await queryChanges(subject, before, more)).not.toHaveProperty('total');
    },
  },
  {
    id: 'query-changes-created-and-destroyed',
    level: 'must',
    rule: 'An object that was created and destroyed since is not added.',
    /**
     * Accepts the id in removed, where RFC 8620 5.6 lets a server list more than there was. In
     * added it would lead to an object that is gone.
     */
    async run(subject) {
      await subject.make(subject.A1, 'a');
      const before = await cacheQuery(subject);
      const id = await subject.makeOne(subject.A1);
      await subject.set({ destroy: [id] });
      const answer = await expectFollows(subject, before);
      expect(answer.added.map((item) => item.id)).not.toContain(id);
    },
  },
  {
    id: 'query-changes-added-in-order',
    level: 'must',
    rule:
      'added is sorted by index, lowest first, so that inserting one by one gives the new ' +
      'results.',
    needs: { room: 6 },
    async run(subject) {
      await subject.make(subject.A1, 'b', 'd', 'f');
      const before = await cacheQuery(subject, { sort: sortByText(subject) });
      const ids = await subject.make(subject.A1, 'e', 'a', 'c');
      const { added } = await expectFollows(subject, before);
      expect(added.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    },
  },
  {
    id: 'query-changes-around-filter',
    level: 'must',
    rule:
      'An update that takes an object out of the filter removes it, and one that brings it in ' +
      'adds it. A result whose filtered or sorted values changed is in both lists.',
    needs: { room: 7 },
    applies: needTextFilter,
    /**
     * Moves objects over the edge of the filter in every direction in one step: in, out, within,
     * outside, and new ones of both kinds.
     */
    async run(subject) {
      await subject.empty(subject.A1);
      const texts = ['keep in', 'in leaves', 'out enters', 'out stays out', 'in untouched'];
      const made = await subject.make(subject.A1, ...texts);
      const [keep = '', leaves = '', enters = '', out = ''] = made;
      const filter = { [subject.profile.textFilter ?? '']: 'in' };
      const before = await cacheQuery(subject, { filter });
      await update(subject, keep, 'still in');
      await update(subject, leaves, 'gone');
      await update(subject, enters, 'now in');
      await update(subject, out, 'still not');
      const created = await subject.makeOne(subject.A1, 'new in');
      const never = await subject.makeOne(subject.A1, 'new, but no');
      const answer = await expectFollows(subject, before);
      const added = answer.added.map(({ id }) => id);
      expect(answer.removed).toEqual(expect.arrayContaining([keep, leaves]));
      expect(added).toEqual(expect.arrayContaining([keep, enters, created]));
      for (const id of [leaves, out, never]) expect(added).not.toContain(id);
      expect(await queryOwn(subject, { filter })).toHaveLength(4);
      expect(answer.total).toBe((await queryAll(subject, { filter })).length);
    },
  },
  {
    id: 'query-changes-moved',
    level: 'must',
    rule:
      'An object whose value of a property that is sorted by changed is in removed and in added ' +
      'with its new index, also where it stays where it was.',
    applies: (subject) =>
      subject.profile.textSort ? null : 'The type declares no sort by its text.',
    /**
     * Moves one object to the end and changes another that keeps its place. Both need an entry, for
     * a client can't know the order itself.
     */
    async run(subject) {
      await subject.empty(subject.A1);
      const [a = '', b = ''] = await subject.make(subject.A1, 'a', 'b', 'c');
      for (const [id, value] of [
        [a, 'zz'],
        [b, 'ba'],
      ] as const) {
        const before = await cacheQuery(subject, { sort: sortByText(subject) });
        await update(subject, id, value);
        const answer = await expectFollows(subject, before);
        expect(answer.removed).toContain(id);
        expect(answer.added.map((item) => item.id)).toContain(id);
      }
    },
  },
]);
