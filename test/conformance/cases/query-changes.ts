import { expect } from 'vitest';
import type { Call } from '../../support/client.js';
import { at, err, sameMembers } from '../../support/expected.js';
import type { Suite } from '../suite.js';

/** Section O of cases.md: /queryChanges (RFC 8620 5.6, decision 16). */
export function queryChangesCases(suite: Suite): void {
  const { profile, describe, it } = suite;
  const { name, text } = profile;
  const query = (more: object = {}) => suite.client.query(name, { accountId: suite.A1, ...more });
  const changes = (sinceQueryState: string, more: object = {}) =>
    suite.client.queryChanges(name, { accountId: suite.A1, sinceQueryState, ...more });
  const refused = (sinceQueryState: unknown, more: object = {}) =>
    suite.client.call(`${name}/queryChanges`, { accountId: suite.A1, sinceQueryState, ...more });
  const update = (id: string, value: string) =>
    suite.client.set(name, { accountId: suite.A1, update: { [id]: { [text]: value } } });
  const destroy = (...ids: string[]) =>
    suite.client.set(name, { accountId: suite.A1, destroy: ids });

  /** Another query than that of everything. */
  const nothing = { filter: { operator: 'OR', conditions: [] } };
  const byCreation = profile.sorts.includes('created') ? [{ property: 'created' }] : null;

  if (!suite.has('queryChanges')) return;

  describe(`${name}: O. /queryChanges`, () => {
    it('5.6: the whole response where nothing changed', async () => {
      const { queryState } = await query();
      expect(await changes(queryState)).toEqual({
        accountId: suite.A1,
        oldQueryState: queryState,
        newQueryState: queryState,
        removed: [],
        added: [],
      });
    });

    it('case 368, 5.6: a created record is added at its index', async () => {
      await suite.clear(suite.A1);
      await suite.make(suite.A1, 'a', 'c');
      const sort = profile.textSort ? [{ property: text }] : null;
      const { queryState } = await query({ sort });
      const id = await suite.one(suite.A1, 'b');
      expect(await changes(queryState, { sort, calculateTotal: true })).toEqual({
        accountId: suite.A1,
        oldQueryState: queryState,
        newQueryState: (await query({ sort })).queryState,
        total: 3,
        removed: [],
        added: [{ id, index: profile.textSort ? 1 : 2 }],
      });
    });

    it('case 370, 5.6: a destroyed record is removed', async () => {
      await suite.clear(suite.A1);
      const [, b = ''] = await suite.make(suite.A1, 'a', 'b', 'c');
      const { queryState } = await query();
      await destroy(b);
      const answer = await changes(queryState);
      expect([answer.removed, answer.added]).toEqual([[b], []]);
      expect(answer).not.toHaveProperty('total');
    });

    it('case 375, 5.6: created and destroyed since: not added', async () => {
      await suite.clear(suite.A1);
      const { queryState } = await query();
      const id = await suite.one(suite.A1);
      await destroy(id);
      const answer = await changes(queryState);
      expect(answer.added).toEqual([]);
      expect(answer.newQueryState).toBe((await query()).queryState);
    });

    it('case 376, 5.6: added is in order of index', async () => {
      await suite.clear(suite.A1);
      await suite.make(suite.A1, 'b', 'd', 'f');
      const sort = profile.textSort ? [{ property: text }] : null;
      const before = await query({ sort });
      await suite.make(suite.A1, 'e', 'a', 'c');
      const answer = await changes(before.queryState, { sort });
      const indexes = answer.added.map(({ index }) => index);
      expect(indexes).toEqual(profile.textSort ? [0, 2, 4] : [3, 4, 5]);
      const ids = [...before.ids];
      for (const { id, index } of answer.added) ids.splice(index, 0, id);
      expect(ids).toEqual((await query({ sort })).ids);
    });

    it('cases 380 and 381, 5.6: each removed and each added item counts for maxChanges', async () => {
      await suite.clear(suite.A1);
      const [a = ''] = await suite.make(suite.A1, 'a', 'b');
      const { queryState } = await query();
      expect((await changes(queryState, { maxChanges: 0 })).added).toEqual([]);
      await destroy(a);
      await suite.one(suite.A1, 'c');
      expect(await refused(queryState, { maxChanges: 1 })).toEqual(err('tooManyChanges'));
      expect(await refused(queryState, { maxChanges: 0 })).toEqual(err('tooManyChanges'));
      const answer = await changes(queryState, { maxChanges: 2 });
      expect([answer.removed.length, answer.added.length]).toEqual([1, 1]);
      for (const maxChanges of [-1, 1.5, '1']) {
        expect(await refused(queryState, { maxChanges })).toEqual(
          err('invalidArguments', 'maxChanges'),
        );
      }
    });

    it('decision 16: without mutable properties upToId cuts off what comes behind it', async () => {
      await suite.clear(suite.A1);
      const [, b = '', , d = ''] = await suite.make(suite.A1, 'a', 'b', 'c', 'd');
      for (const sort of [null, byCreation]) {
        const before = await query({ sort });
        const added = await suite.one(suite.A1, 'new');
        expect((await changes(before.queryState, { sort })).added.map(({ id }) => id)).toEqual([
          added,
        ]);
        expect(await changes(before.queryState, { sort, upToId: b })).toEqual({
          accountId: suite.A1,
          oldQueryState: before.queryState,
          newQueryState: (await query({ sort })).queryState,
          removed: [],
          added: [],
        });
        // An id that is not in the results cuts off nothing.
        expect((await changes(before.queryState, { sort, upToId: 'x1' })).added).toHaveLength(1);
      }
      const before = await query();
      await destroy(d);
      expect((await changes(before.queryState)).removed).toEqual([d]);
      expect((await changes(before.queryState, { upToId: b })).removed).toEqual([]);
    });

    it('case 385, decision 16: a state of something else is cannotCalculateChanges', async () => {
      const { queryState } = await query();
      const number = /^\d+/.exec(queryState)?.[0] ?? '';
      const other = await query(nothing);
      const another = name === 'Todo' ? 'Note' : 'Todo';
      const otherType = await suite.fixtures().u1.query(another, { accountId: suite.A1 });
      const wrong = [
        '',
        'garbage',
        '0',
        number,
        `${Number(number) + 1}${queryState.slice(number.length)}`,
        `${queryState}x`,
        queryState.slice(0, -1),
        other.queryState,
        otherType.queryState,
      ];
      for (const state of wrong) {
        expect({ state, answer: await refused(state) }).toEqual({
          state,
          answer: err('cannotCalculateChanges'),
        });
      }
      const others = profile.sorts.map((property) => ({
        sort: [{ property, isAscending: false }],
      }));
      for (const more of [nothing, ...others])
        expect(await refused(queryState, more)).toEqual(err('cannotCalculateChanges'));
    });

    it('decision 16: the same filter and sort written otherwise have the same state', async () => {
      const { queryState } = await query();
      for (const same of [
        { filter: null, sort: null },
        { filter: {}, sort: [] },
      ]) {
        expect(await changes(queryState, same)).toEqual(await changes(queryState));
      }
    });

    it('case 386, 5.6: sinceQueryState is required', async () => {
      expect(await refused(undefined)).toEqual(err('invalidArguments', 'sinceQueryState'));
      expect(await refused(null)).toEqual(err('invalidArguments', 'sinceQueryState'));
    });

    it('decision 16: an unsupported filter or sort is told before the state is looked at', async () => {
      expect(await refused('garbage', { filter: { nope: 1 } })).toEqual(err('unsupportedFilter'));
      expect(await refused('garbage', { sort: [{ property: 'nope' }] })).toEqual(
        err('unsupportedSort'),
      );
    });

    it('case 390, 5.7: a client syncs in one request', async () => {
      await suite.clear(suite.A1);
      const [a = '', b = ''] = await suite.make(suite.A1, 'a', 'b');
      const state = await suite.state(suite.A1);
      const { queryState } = await query();
      const c = await suite.one(suite.A1, 'c');
      await update(a, 'a changed');
      await destroy(b);
      const reference = (resultOf: string, responseName: string, path: string) => ({
        resultOf,
        name: responseName,
        path,
      });
      const calls: Call[] = [
        [`${name}/queryChanges`, { accountId: suite.A1, sinceQueryState: queryState }, '0'],
        [`${name}/changes`, { accountId: suite.A1, sinceState: state }, '1'],
        [
          `${name}/get`,
          { accountId: suite.A1, '#ids': reference('1', `${name}/changes`, '/created') },
          '2',
        ],
        [
          `${name}/get`,
          {
            accountId: suite.A1,
            '#ids': reference('1', `${name}/changes`, '/updated'),
            properties: [text],
          },
          '3',
        ],
      ];
      const { methodResponses } = await suite.client.api(calls);
      expect(at(methodResponses, 0)[1]['removed']).toEqual(expect.arrayContaining([b]));
      expect(at(methodResponses, 0)[1]['added']).toContainEqual({ id: c, index: 1 });
      expect(at(methodResponses, 1)[1]).toEqual(
        expect.objectContaining({ created: [c], updated: [a], destroyed: [b] }),
      );
      expect(at(methodResponses, 2)[1]['list']).toEqual([expect.objectContaining({ id: c })]);
      expect(at(methodResponses, 3)[1]['list']).toEqual([{ id: a, [text]: 'a changed' }]);
      expect(at(methodResponses, 2)[1]['state']).toBe(at(methodResponses, 1)[1]['newState']);
    });

    suite.needsRoom(17)(
      'case 391, 5.6: beside a busy writer the new state belongs to the lists',
      async () => {
        await suite.clear(suite.A1);
        await suite.make(suite.A1, 'a', 'b');
        let cached = await query();
        const writer = (async () => {
          for (let round = 0; round < 15; round += 1) await suite.make(suite.A1, `w${round}`);
        })();
        for (let round = 0; round < 15; round += 1) {
          const answer = await changes(cached.queryState);
          const ids = cached.ids.filter((id) => !answer.removed.includes(id));
          for (const { id, index } of answer.added) ids.splice(index, 0, id);
          cached = { ...cached, ids, queryState: answer.newQueryState };
        }
        await writer;
        const last = await changes(cached.queryState);
        const ids = cached.ids.filter((id) => !last.removed.includes(id));
        for (const { id, index } of last.added) ids.splice(index, 0, id);
        expect(ids).toEqual((await query()).ids);
      },
    );

    const { textFilter } = profile;
    if (textFilter === undefined) return;

    it('cases 371 and 373, decision 16: updates around a filter', async () => {
      await suite.clear(suite.A1);
      const texts = ['keep in', 'in leaves', 'out enters', 'out stays out', 'in untouched'];
      const [keep = '', leaves = '', enters = '', out = ''] = await suite.make(suite.A1, ...texts);
      const filter = { [textFilter]: 'in' };
      const before = await query({ filter });
      await update(keep, 'still in');
      await update(leaves, 'gone');
      await update(enters, 'now in');
      await update(out, 'still not');
      const created = await suite.one(suite.A1, 'new in');
      await suite.one(suite.A1, 'new, but no');
      const answer = await changes(before.queryState, { filter, calculateTotal: true });
      const after = await query({ filter });
      expect(answer).toEqual({
        accountId: suite.A1,
        oldQueryState: before.queryState,
        newQueryState: after.queryState,
        total: 4,
        removed: sameMembers([keep, leaves, enters, out]),
        added: [keep, enters, created].map((id) => ({ id, index: after.ids.indexOf(id) })),
      });
    });

    const sorted = profile.textSort ? it : () => undefined;
    sorted('case 378, 5.6: a sparse cache agrees with a fresh query after splicing', async () => {
      await suite.clear(suite.A1);
      const ids = await suite.make(
        suite.A1,
        ...Array.from({ length: 30 }, (_, index) => `in ${String(index).padStart(2, '0')}`),
      );
      const args = { filter: { [textFilter]: 'in' }, sort: [{ property: text }] };
      const before = await query({ ...args, limit: 10 });
      await update(at(ids, 3), 'in 99');
      await update(at(ids, 25), 'in 00b');
      await destroy(at(ids, 7), at(ids, 20));
      await suite.make(suite.A1, 'in 05b', 'in 28b');
      const answer = await changes(before.queryState, { ...args, calculateTotal: true });
      const cache: (string | null)[] = [...before.ids, ...Array.from({ length: 20 }, () => null)];
      for (const id of answer.removed) {
        const index = cache.indexOf(id);
        if (index !== -1) cache.splice(index, 1);
      }
      for (const { id, index } of answer.added) cache.splice(index, 0, id);
      cache.length = answer.total ?? 0;
      const fresh = await query(args);
      expect(fresh.ids).toHaveLength(answer.total ?? -1);
      const held = cache.slice(0, 9);
      expect(held).not.toContain(null);
      expect(fresh.ids.slice(0, 9)).toEqual(held);
    });

    it('case 383, 5.6: with a mutable filter or sort upToId is ignored', async () => {
      await suite.clear(suite.A1);
      const [a = ''] = await suite.make(suite.A1, 'in a', 'in b');
      const sorts = profile.textSort ? [{ sort: [{ property: text }] }] : [];
      for (const args of [{ filter: { [textFilter]: 'in' } }, ...sorts]) {
        const before = await query(args);
        const id = await suite.one(suite.A1, 'in z');
        const answer = await changes(before.queryState, { ...args, upToId: a });
        expect(answer.added.map((item) => item.id)).toEqual([id]);
      }
    });
  });
}
