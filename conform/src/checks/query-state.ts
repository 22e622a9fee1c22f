import { expect } from 'expect';
import { typeChecks } from '../check.js';
import { populate } from '../subject/populated.js';
import { buildSorts, query, queryAll, queryChanges, sortByText } from '../subject/queries.js';
import type { Subject } from '../subject/subject.js';
import { buildFilters } from '../subject/trees.js';
import { expectChangesRefused } from './query-follow.js';

/** RFC 8620 5.5: queryState and canCalculateChanges. */

/** Returns every order without a filter, and every filter without an order. */
export const buildQueries = (subject: Subject, items: Parameters<typeof buildFilters>[1]) => [
  ...buildSorts(subject).map((sort) => ({ sort, filter: null })),
  ...buildFilters(subject, items).map((filter) => ({ sort: null, filter })),
];

export const queryStateChecks = typeChecks('5.5', { methods: ['get', 'set', 'query'], room: 3 }, [
  {
    id: 'query-state-same',
    level: 'must',
    rule:
      'While nothing changes, a query has the same queryState call after call, whatever the ' +
      'window is.',
    /**
     * Varies only the window, since RFC 8620 5.5 binds queryState to the list and not to the part
     * that is shown.
     */
    async run(subject) {
      await subject.make(subject.A1, 'a', 'b', 'c');
      for (const sort of buildSorts(subject)) {
        const { queryState } = await query(subject, { sort });
        const windows = [{}, { position: 1, limit: 1 }, { position: -1 }, { calculateTotal: true }];
        for (const window of windows)
          expect((await query(subject, { sort, ...window })).queryState).toBe(queryState);
      }
    },
  },
  {
    id: 'query-state-moves',
    level: 'must',
    rule: 'queryState changes when the ids that match or their order change.',
    needs: { room: 4 },
    /**
     * Reads the whole list beside each state. Where an order happens to stay, the check would
     * otherwise demand a new state for nothing.
     */
    async run(subject) {
      await subject.clear(subject.A1);
      const [first = '', second = ''] = await subject.make(subject.A1, 'a', 'b', 'c');
      const sort = sortByText(subject);
      const states: string[] = [];
      const lists: string[] = [];
      const look = async (): Promise<void> => {
        states.push((await query(subject, { sort, limit: 1 })).queryState);
        lists.push((await queryAll(subject, { sort })).join());
      };
      await look();
      await subject.makeOne(subject.A1, 'd');
      await look();
      if (sort !== null) {
        await subject.update(first, { [subject.profile.text]: 'zzz' });
        await look();
      }
      await subject.set({ destroy: [second] });
      await look();
      expect(new Set(lists).size).toBe(lists.length);
      expect(new Set(states).size).toBe(states.length);
    },
  },
  {
    id: 'query-state-enters-filter',
    level: 'must',
    rule:
      'queryState changes when an object that is there already comes to match the filter, or ' +
      'ceases to.',
    needs: { text: true },
    applies: ({ profile }) =>
      profile.textFilter === undefined ? 'The type declares no filter on its text.' : null,
    /**
     * Changes one object so that it leaves the filter and comes back, without a create or a
     * destroy.
     */
    async run(subject) {
      const [id = ''] = await subject.make(subject.A1, 'word', 'other');
      const { text, textFilter = '' } = subject.profile;
      const readState = async () =>
        (await query(subject, { filter: { [textFilter]: 'word' } })).queryState;
      const states = [await readState()];
      for (const value of ['none', 'word again']) {
        await subject.update(id, { [text]: value });
        states.push(await readState());
      }
      expect(states[1]).not.toBe(states[0]);
      expect(states[2]).not.toBe(states[1]);
    },
  },
  {
    id: 'query-can-calculate-changes',
    level: 'must',
    rule:
      'canCalculateChanges is true exactly for a filter and sort that /queryChanges supports: ' +
      'asked at once it tells that nothing changed; where it is false it answers ' +
      'cannotCalculateChanges.',
    /**
     * Asks /queryChanges at once for each query. RFC 8620 5.5 lets a server say no, but then it
     * must say no here as well.
     */
    async run(subject) {
      await populate(subject, async (items) => {
        for (const args of buildQueries(subject, items)) {
          const { queryState, canCalculateChanges } = await query(subject, args);
          if (!subject.has('queryChanges')) {
            expect(canCalculateChanges).toBe(false);
          } else if (canCalculateChanges) {
            const answer = await queryChanges(subject, { args, queryState });
            expect({ args, removed: answer.removed, added: answer.added }).toEqual({
              args,
              removed: [],
              added: [],
            });
          } else {
            const error = subject.matchError('cannotCalculateChanges');
            await expectChangesRefused(subject, { ...args, sinceQueryState: queryState }, error);
          }
        }
      });
    },
  },
]);
