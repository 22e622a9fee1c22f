import { expect } from 'expect';
import { typeChecks } from '../check.js';
import { anyString, at, sameMembers, satisfying } from '../expected.js';
import { populate } from '../subject/populated.js';
import { buildSorts, query, queryAll, sortByText, tryQuery } from '../subject/queries.js';
import type { Subject } from '../subject/subject.js';

/** RFC 8620 5.5: the window of /query, and its anchor. */

/**
 * Makes six objects beside those that were there before. Returns the ids of all as /query orders
 * them, for windows to be cut from.
 */
export async function makeSix(subject: Subject): Promise<string[]> {
  await subject.empty(subject.A1);
  const ids = await subject.make(subject.A1, ...'abcdef');
  const order = await queryAll(subject);
  expect(order).toEqual(sameMembers(subject.addForeign(ids)));
  return order;
}

/** Pages that a list is cut into, however long it is. */
const MOST_PAGES = 50;

/** Matches a number that a JSON reader holds exactly (RFC 8620 1.3). */
const unsigned = satisfying('an UnsignedInt', (value) => Number.isSafeInteger(value));

export const queryWindowChecks = typeChecks('5.5', { methods: ['get', 'set', 'query'], room: 6 }, [
  {
    id: 'query-window-response',
    level: 'must',
    rule:
      'The response has accountId, queryState, canCalculateChanges, position and ids; limit only ' +
      'where the server set it, total only where it was asked for.',
    /**
     * Compares all members only where the server describes itself. Any other server may add members
     * of its own.
     */
    async run(subject) {
      await subject.empty(subject.A1);
      const ids = await subject.make(subject.A1, ...'abcdef');
      const answer = await query(subject);
      const { limit, ...rest } = answer;
      if (limit !== undefined) expect(limit).toEqual(unsigned);
      const all = subject.addForeign(ids);
      const members = {
        accountId: subject.A1,
        queryState: anyString,
        canCalculateChanges: satisfying('a Boolean', (value) => typeof value === 'boolean'),
        position: 0,
        ids: (limit ?? all.length) < all.length ? expect.any(Array) : sameMembers(all),
      };
      expect(rest).toMatchObject(members);
      expect(answer).not.toHaveProperty('total');
      // A server that doesn't describe itself may have members of its own.
      const more = subject.pickDeclared('query', answer);
      if (subject.isSelfDescribed) expect(rest).toEqual({ ...more, ...members });
    },
  },
  {
    id: 'query-window-null-arguments',
    level: 'must',
    rule:
      'A filter, sort, anchor or limit of null counts as left out. Left out, position and ' +
      'anchorOffset are 0, and calculateTotal is false.',
    async run(subject) {
      await makeSix(subject);
      const plain = await query(subject);
      const nulls = { filter: null, sort: null, anchor: null, limit: null };
      expect(await query(subject, nulls)).toEqual(plain);
      const defaults = { position: 0, anchorOffset: 0, calculateTotal: false };
      expect(await query(subject, defaults)).toEqual(plain);
    },
  },
  {
    id: 'query-window-position',
    level: 'must',
    rule:
      'position is the index of the first id, limit how many there are at most; the response ' +
      'tells the position.',
    async run(subject) {
      const ids = await makeSix(subject);
      for (const position of [0, 1, ids.length - 1])
        for (const limit of [1, 2, 9]) {
          const answer = await query(subject, { position, limit });
          expect([answer.position, answer.ids]).toEqual([
            position,
            ids.slice(position, position + limit),
          ]);
        }
    },
  },
  {
    id: 'query-window-negative-position',
    level: 'must',
    rule:
      'A negative position counts from the end of the list; the response tells the index that it ' +
      'comes to.',
    async run(subject) {
      const ids = await makeSix(subject);
      for (const [position, limit] of [
        [-2, 9],
        [-2, 1],
        [-1, 1],
        [-ids.length, 2],
      ] as const) {
        const index = ids.length + position;
        expect(await query(subject, { position, limit })).toMatchObject({
          position: index,
          ids: ids.slice(index, index + limit),
        });
      }
    },
  },
  {
    id: 'query-window-position-clamped',
    level: 'must',
    rule: 'A position further from the end than there are results is 0.',
    /** Goes far below the first index, down to the least Int of RFC 8620 1.3. */
    async run(subject) {
      const ids = await makeSix(subject);
      for (const position of [-ids.length - 1, -ids.length - 999, -(2 ** 53) + 1]) {
        const answer = await query(subject, { position });
        const { length } = answer.limit === undefined ? ids : answer.ids;
        expect(answer).toMatchObject({ position: 0, ids: ids.slice(0, length) });
      }
    },
  },
  {
    id: 'query-window-behind-end',
    level: 'must',
    rule: 'A position at or behind the end of the list gives no ids and is no error.',
    async run(subject) {
      const { length: total } = await makeSix(subject);
      // The response's position is the index of the first id: of no ids it may be any (5.5).
      for (const position of [total, total + 1, 2 ** 53 - 1]) {
        const { ids } = await query(subject, { position });
        expect({ position, ids }).toEqual({ position, ids: [] });
      }
    },
  },
  {
    id: 'query-window-limit-negative',
    level: 'must',
    rule: 'A negative limit is invalidArguments.',
    needs: { room: 0 },
    async run(subject) {
      for (const limit of [-1, -(2 ** 53) + 1])
        expect(await tryQuery(subject, { limit })).toEqual(
          subject.matchError('invalidArguments', 'limit'),
        );
    },
  },
  {
    id: 'query-window-limit-zero',
    level: 'must',
    rule: 'A limit of 0 is legal and gives no ids; position and total are told all the same.',
    /** Asks for the total with no ids: a client counts results in this way without reading any. */
    async run(subject) {
      const { length: total } = await makeSix(subject);
      const answer = await query(subject, { limit: 0, position: 1, calculateTotal: true });
      expect(answer).toMatchObject({ ids: [], position: 1, total });
      expect(answer).not.toHaveProperty('limit');
    },
  },
  {
    id: 'query-window-limit-told',
    level: 'must',
    rule:
      'The server may have a limit of its own, which is lower than the one that was asked for, ' +
      'and which it tells. Otherwise limit is left out and as many ids come as were asked for.',
    /**
     * Computes how many ids must come from the limit that was asked for, the limit that the server
     * tells, and the total.
     */
    async run(subject) {
      const { length: total } = await makeSix(subject);
      for (const limit of [1, 3, total, 1_000_000, 2 ** 53 - 1, null]) {
        const answer = await query(subject, { limit });
        const asked = limit ?? Number.POSITIVE_INFINITY;
        if (answer.limit !== undefined) {
          expect(answer.limit).toEqual(unsigned);
          expect(answer.limit).toBeLessThan(asked);
        }
        expect(answer.ids).toHaveLength(Math.min(asked, answer.limit ?? asked, total));
      }
    },
  },
  {
    id: 'query-window-total',
    level: 'must',
    rule:
      'total is how many match, whatever the window, and is there only where calculateTotal is ' +
      'true.',
    async run(subject) {
      const { length } = await makeSix(subject);
      const windows = [
        { position: 2, limit: 1 },
        { position: -1 },
        { position: 999 },
        { limit: 0 },
        {},
      ];
      for (const window of windows) {
        expect((await query(subject, { ...window, calculateTotal: true })).total).toBe(length);
        const unasked = await query(subject, { ...window, calculateTotal: false });
        expect(unasked).not.toHaveProperty('total');
        expect(await query(subject, window)).not.toHaveProperty('total');
      }
    },
  },
  {
    id: 'query-window-pages',
    level: 'must',
    rule:
      'Pages join to the whole list, in every order and with filters: each id comes once, by ' +
      'positions, by anchors, and from the end.',
    needs: { room: 3 },
    /**
     * Walks the list in four ways at once: forwards, backwards from the end, by anchors, and whole.
     * Long lists are cut into MOST_PAGES pages.
     */
    async run(subject) {
      await populate(subject, async (items) => {
        for (const sort of buildSorts(subject)) {
          const ids = await queryAll(subject, { sort });
          expect(ids).toEqual(sameMembers(subject.addForeign(items.map(({ id }) => id))));
          const limit = Math.max(4, Math.ceil(ids.length / MOST_PAGES));
          const forwards: string[] = [];
          const backwards: string[] = [];
          const anchored = ids.slice(0, 1);
          for (let position = 0; position < ids.length; position += limit) {
            forwards.push(...(await query(subject, { sort, position, limit })).ids);
            const left = ids.length - position;
            const back = { sort, position: -position - limit, limit: Math.min(limit, left) };
            backwards.unshift(...(await query(subject, back)).ids);
            const anchor = at(anchored, -1);
            anchored.push(...(await query(subject, { sort, anchor, anchorOffset: 1, limit })).ids);
          }
          expect({ sort, forwards, backwards, anchored }).toEqual({
            sort,
            forwards: ids,
            backwards: ids,
            anchored: ids,
          });
        }
      });
    },
  },
  {
    id: 'query-window-pages-filtered',
    level: 'must',
    rule: 'Pages of a query with a filter and a sort join to its whole list.',
    needs: { text: true, repeats: true, room: 23 },
    applies: ({ profile }) =>
      profile.textFilter === undefined ? 'The type declares no filter on its text.' : null,
    /**
     * Makes many objects with equal sort values, where an unstable order repeats or loses ids
     * between two pages.
     */
    async run(subject) {
      await subject.empty(subject.A1);
      const texts = Array.from({ length: 23 }, (_, index) => `t${(index * 7) % 5} ${index % 3}`);
      await subject.make(subject.A1, ...texts);
      const args = {
        filter: { [subject.profile.textFilter ?? '']: '1' },
        sort: sortByText(subject, false),
      };
      const ids = await queryAll(subject, args);
      const pages: string[] = [];
      for (let position = 0; position < ids.length; position += 4)
        pages.push(...(await query(subject, { ...args, position, limit: 4 })).ids);
      expect(pages).toEqual(ids);
      expect(new Set(ids).size).toBe(ids.length);
      const { total } = await query(subject, { ...args, limit: 1, calculateTotal: true });
      expect(total).toBe(ids.length);
    },
  },
  {
    id: 'query-window-invalid',
    level: 'must',
    rule:
      'A position or anchorOffset that is no Int is invalidArguments. So is a limit that is no ' +
      'UnsignedInt or null, an anchor that is no string or null, and a calculateTotal that is no ' +
      'Boolean.',
    needs: { room: 0 },
    async run(subject) {
      const wrong: readonly (readonly [string, readonly unknown[]])[] = [
        ['position', [1.5, '0', null, true, [], 2 ** 53]],
        ['anchorOffset', [0.5, '0', null, false, {}]],
        ['limit', [1.5, '1', true, []]],
        ['anchor', [5, true, {}, []]],
        ['calculateTotal', ['true', 1, null, {}]],
      ];
      for (const [name, values] of wrong)
        for (const value of values) {
          const answer = await tryQuery(subject, { [name]: value });
          expect({ name, value, answer }).toEqual({
            name,
            value,
            answer: subject.matchError('invalidArguments', name),
          });
        }
    },
  },
]);
