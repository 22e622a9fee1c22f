import { expect } from 'vitest';
import { at, err } from '../../support/expected.js';
import type { Suite } from '../suite.js';

/** Section N of cases.md: the window of /query (RFC 8620 5.5). */
export function queryWindowCases(suite: Suite): void {
  const { profile, describe, it } = suite;
  const { name, text } = profile;
  const query = (more: object = {}) => suite.client.query(name, { accountId: suite.A1, ...more });
  const refused = (more: object) =>
    suite.client.call(`${name}/query`, { accountId: suite.A1, ...more });
  const six = async (): Promise<string[]> => {
    await suite.clear(suite.A1);
    return suite.make(suite.A1, ...'abcdef');
  };

  if (!suite.has('query')) return;

  describe(`${name}: N. the window`, () => {
    it('5.5: the whole response', async () => {
      const ids = await six();
      const { more } = suite;
      const answer = await query();
      expect(answer).toEqual({
        ...more('query', answer),
        accountId: suite.A1,
        queryState: expect.any(String),
        canCalculateChanges: true,
        position: 0,
        ids,
        limit: 5000,
      });
      const three = await query({ limit: 3 });
      expect(three).toEqual({
        ...more('query', three),
        accountId: suite.A1,
        queryState: answer.queryState,
        canCalculateChanges: true,
        position: 0,
        ids: ids.slice(0, 3),
      });
    });

    it('cases 345 and 346, 5.5: a negative position counts from the end and stops at 0', async () => {
      const ids = await six();
      expect(await query({ position: -2, limit: 9 })).toEqual(
        expect.objectContaining({ position: 4, ids: ids.slice(4) }),
      );
      expect(await query({ position: -2, limit: 1 })).toEqual(
        expect.objectContaining({ position: 4, ids: ids.slice(4, 5) }),
      );
      expect(await query({ position: -999 })).toEqual(
        expect.objectContaining({ position: 0, ids }),
      );
    });

    it('case 348, 5.5: a position behind the end gives no ids and is no error', async () => {
      await six();
      for (const position of [6, 7, 2 ** 53 - 1]) {
        expect(await query({ position, calculateTotal: true })).toEqual(
          expect.objectContaining({ position, ids: [], total: 6 }),
        );
      }
    });

    it('case 350, 5.5: a negative limit is invalidArguments; 0 is none', async () => {
      const ids = await six();
      expect(await refused({ limit: -1 })).toEqual(err('invalidArguments', 'limit'));
      const answer = await query({ limit: 0, position: 1, calculateTotal: true });
      expect(answer).toEqual(expect.objectContaining({ ids: [], position: 1, total: ids.length }));
      expect(answer).not.toHaveProperty('limit');
    });

    it("case 351, 5.5: the server's own limit is told where it is the one that holds", async () => {
      await six();
      expect((await query({ limit: 5001 })).limit).toBe(5000);
      expect((await query({ limit: null })).limit).toBe(5000);
      expect(await query({ limit: 5000 })).not.toHaveProperty('limit');
    });

    it('case 353, 5.5: total is there when asked for, whatever the window', async () => {
      await six();
      const window = { position: 2, limit: 1 };
      expect((await query({ ...window, calculateTotal: true })).total).toBe(6);
      expect(await query({ ...window, calculateTotal: false })).not.toHaveProperty('total');
      expect(await query(window)).not.toHaveProperty('total');
    });

    it('cases 355 to 358, 5.5: anchor and anchorOffset', async () => {
      const ids = await six();
      const anchor = at(ids, 2);
      const from = async (more: object) => {
        const { position, ids: found } = await query({ anchor, limit: 2, ...more });
        return { position, found };
      };
      expect(await from({})).toEqual({ position: 2, found: ids.slice(2, 4) });
      expect(await from({ anchorOffset: 1 })).toEqual({ position: 3, found: ids.slice(3, 5) });
      expect(await from({ anchorOffset: -1 })).toEqual({ position: 1, found: ids.slice(1, 3) });
      expect(await from({ anchorOffset: -99 })).toEqual({ position: 0, found: ids.slice(0, 2) });
      expect(await from({ anchorOffset: 99 })).toEqual({ position: 101, found: [] });
      expect(await from({ position: 4 })).toEqual({ position: 2, found: ids.slice(2, 4) });
      expect(await from({ position: -1 })).toEqual({ position: 2, found: ids.slice(2, 4) });
    });

    it('5.5: anchorOffset without an anchor is ignored', async () => {
      const ids = await six();
      expect(await query({ anchorOffset: 3, position: 1, limit: 1 })).toEqual(
        expect.objectContaining({ position: 1, ids: [ids[1]] }),
      );
    });

    it('case 360, 5.5: an anchor that is not in the results is anchorNotFound', async () => {
      const ids = await six();
      const foreign = await suite.one(suite.A2);
      for (const anchor of ['x1', '', foreign]) {
        expect(await refused({ anchor })).toEqual(err('anchorNotFound'));
      }
      const { textFilter } = profile;
      if (textFilter !== undefined) {
        const filter = { [textFilter]: 'b' };
        expect(await refused({ anchor: at(ids, 0), filter })).toEqual(err('anchorNotFound'));
        expect((await query({ anchor: at(ids, 1), filter })).position).toBe(0);
      }
      await suite.client.set(name, { accountId: suite.A1, destroy: [at(ids, 0)] });
      expect(await refused({ anchor: at(ids, 0) })).toEqual(err('anchorNotFound'));
    });

    it('case 361: a creation id as anchor is resolved, or it is anchorNotFound', async () => {
      const ids = await six();
      const { methodResponses } = await suite.client.api(
        [[`${name}/query`, { accountId: suite.A1, anchor: '#k', limit: 1 }, 'q']],
        { createdIds: { k: at(ids, 2) } },
      );
      const [answer, args] = at(methodResponses, 0);
      if (answer === 'error') expect(args['type']).toBe('anchorNotFound');
      else expect(args['ids']).toEqual([at(ids, 2)]);
    });

    suite.with('queryChanges')(
      'cases 365 and 388, decision 16: changes can be calculated for every filter and sort',
      async () => {
        await six();
        const { textFilter } = profile;
        const condition = textFilter === undefined ? {} : { [textFilter]: 'a' };
        const sorts = profile.sorts.map((property) => [{ property, isAscending: false }]);
        const filters = [null, condition, { operator: 'NOT', conditions: [condition] }];
        for (const sort of [null, ...sorts]) {
          for (const filter of filters) {
            const args = { filter, sort };
            const { canCalculateChanges, queryState } = await query(args);
            expect(canCalculateChanges).toBe(true);
            const changes = await suite.client.queryChanges(name, {
              accountId: suite.A1,
              ...args,
              sinceQueryState: queryState,
            });
            expect([changes.removed, changes.added]).toEqual([[], []]);
          }
        }
      },
    );

    it('case 363, 5.5: queryState stays while nothing changes and moves with ids or order', async () => {
      const ids = await six();
      const sort = profile.textSort ? [{ property: text }] : null;
      const states = [(await query({ sort })).queryState];
      expect((await query({ sort })).queryState).toBe(states[0]);
      expect((await query({ sort, position: 3, limit: 1, calculateTotal: true })).queryState).toBe(
        states[0],
      );
      await suite.one(suite.A1, 'g');
      states.push((await query({ sort })).queryState);
      if (profile.textSort) {
        await suite.client.set(name, {
          accountId: suite.A1,
          update: { [at(ids, 0)]: { [text]: 'zzz' } },
        });
        states.push((await query({ sort })).queryState);
      }
      await suite.client.set(name, { accountId: suite.A1, destroy: [at(ids, 1)] });
      states.push((await query({ sort })).queryState);
      expect(new Set(states).size).toBe(states.length);
    });

    it('case 366, 5.5: a position that is no Int is invalidArguments', async () => {
      for (const position of [1.5, '0', null, true, [], 2 ** 53]) {
        expect(await refused({ position })).toEqual(err('invalidArguments', 'position'));
      }
      for (const wrong of [
        { anchorOffset: null },
        { anchorOffset: 0.5 },
        { calculateTotal: null },
      ]) {
        expect(await refused(wrong)).toEqual(err('invalidArguments', at(Object.keys(wrong), 0)));
      }
    });
  });
}
