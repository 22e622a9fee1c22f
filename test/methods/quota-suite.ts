import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeTerms, checkUsage, keepQuotas } from '../../src/methods/quota/keep-quotas.js';
import { conductor } from '../support/conductor.js';
import {
  BOARDS,
  BOARDS_YAML,
  type Json,
  makeProject,
  PLAIN,
  PLAIN_YAML,
  QUOTA,
  type QuotaRig,
  serveQuotas,
} from './quota-rig.js';

/** The tests of quotas on one database; `open` resolves to the URL of a new one. */
export function quotaSuite(database: string, open: () => Promise<string | undefined>): void {
  describe(`quotas on ${database}`, () => {
    let project: Awaited<ReturnType<typeof makeProject>>;
    let rig: QuotaRig;
    beforeAll(async () => {
      project = await makeProject({ 'boards.yaml': BOARDS_YAML, 'plain.yaml': PLAIN_YAML });
    });
    afterAll(() => project.remove());
    beforeEach(async () => {
      rig = await serveQuotas(project.root, await open());
    });
    afterEach(() => rig.served.close());
    const keeping = () => {
      const { store, registry } = rig.served;
      if (registry.quotas === null) throw new Error('There are no quotas.');
      return { store, conductor, quotas: registry.quotas };
    };
    const soon = () => ({ deadline: performance.now() + 60_000 });

    it('a new account has all quotas, and uses nothing', async () => {
      const { list, notFound } = await rig.call('Quota/get', { ids: null });
      expect(notFound).toEqual([]);
      expect(list.map(({ name }: Json) => name).sort()).toEqual([
        ...['boards', 'cards', 'plains', 'storage'],
      ]);
      expect(await rig.quota('cards')).toEqual({
        id: expect.any(String),
        name: 'cards',
        description: 'Cards of this account.',
        resourceType: 'count',
        scope: 'account',
        types: ['Card'],
        used: 0,
        hardLimit: 10,
        softLimit: 8,
        warnLimit: 5,
      });
      const { id } = await rig.quota('cards');
      const found = await rig.call('Quota/get', { ids: [id, 'qx'], properties: ['used'] });
      expect(found).toMatchObject({ list: [{ id, used: 0 }], notFound: ['qx'] });
      // Only the first call made them.
      const { state } = await rig.call('Quota/get', { ids: null });
      expect((await rig.call('Quota/get', { ids: [] })).state).toBe(state);
    });

    it('creates, updates, destroys and cascades are counted exactly', async () => {
      const boards = await rig.call('Board/set', { create: { b: { name: 'plans' } } });
      const boardId = boards.created.b.id;
      const made = await rig.call('Card/set', {
        create: { a: { text: 'x', boardId }, b: { text: 'é', boardId }, c: { text: '"' } },
      });
      expect((await rig.quota('storage')).used).toBe(await rig.octets());
      await rig.call('Card/set', { update: { [made.created.a.id]: { text: 'longer text' } } });
      expect((await rig.quota('storage')).used).toBe(await rig.octets());
      expect((await rig.quota('cards')).used).toBe(3);
      await rig.call('Board/set', { destroy: [boardId] });
      expect((await rig.quota('cards')).used).toBe(1);
      expect((await rig.quota('boards')).used).toBe(0);
      expect((await rig.quota('storage')).used).toBe(await rig.octets());
    });

    it('of ten creates with room for three, the first three succeed', async () => {
      await rig.cards(...'1234567');
      const { created, notCreated } = await rig.cards(...'abcdefghij');
      expect(Object.keys(created)).toEqual(['k0', 'k1', 'k2']);
      expect(Object.keys(notCreated)).toHaveLength(7);
      expect(notCreated.k3).toEqual({
        type: 'overQuota',
        description:
          'The quota "cards" allows 10 objects, and 7 are used: there is no room for 1 more.',
      });
      expect((await rig.quota('cards')).used).toBe(10);
    });

    it('destroys of a call make room for its creates', async () => {
      const { created } = await rig.cards(...'1234567890');
      const destroy = [created.k0.id, created.k1.id];
      const create = { a: { text: 'a' }, b: { text: 'b' }, c: { text: 'c' } };
      const answer = await rig.call('Card/set', { create, destroy });
      expect(Object.keys(answer.created)).toEqual(['a', 'b']);
      expect(answer.destroyed).toEqual(destroy);
      expect((await rig.quota('cards')).used).toBe(10);
    });

    it('an update over the limit may shrink an object, and not let it grow', async () => {
      const { created } = await rig.cards('x'.repeat(1500), 'y'.repeat(1500));
      const { k0, k1 } = created;
      await changeTerms(keeping(), 'a1', soon(), (_, terms) => ({ ...terms, plan: 'small' }));
      expect(await rig.quota('storage')).toMatchObject({ hardLimit: 1000 });
      const grows = await rig.call('Card/set', { update: { [k0.id]: { text: 'x'.repeat(1501) } } });
      expect(grows.notUpdated[k0.id].type).toBe('overQuota');
      const shrinks = await rig.call('Card/set', { update: { [k0.id]: { text: 'x' } } });
      expect(shrinks.notUpdated).toBeNull();
      expect(await rig.call('Card/get', { ids: [k1.id] })).toMatchObject({ notFound: [] });
      const gone = await rig.call('Card/set', { destroy: [k1.id] });
      expect(gone.destroyed).toEqual([k1.id]);
      expect((await rig.quota('storage')).used).toBe(await rig.octets());
    });

    it('changes of the use alone are told as such, other changes are not', async () => {
      const { state } = await rig.call('Quota/get', { ids: null });
      await rig.cards('a');
      const { id } = await rig.quota('cards');
      const first = await rig.call('Quota/changes', { sinceState: state });
      expect(first).toMatchObject({ created: [], destroyed: [], updatedProperties: ['used'] });
      expect(first.updated).toContain(id);
      await changeTerms(keeping(), 'a1', soon(), (_, terms) => ({ ...terms, plan: 'large' }));
      const next = await rig.call('Quota/changes', { sinceState: first.newState });
      expect(next.updatedProperties).not.toEqual(['used']);
      expect(await rig.quota('cards')).toMatchObject({ hardLimit: 1000, warnLimit: 500 });
    });

    it('the two calls of RFC 9425 5.2 read what has changed', async () => {
      const { state } = await rig.call('Quota/get', { ids: null });
      await rig.cards('a');
      const reference = { resultOf: '0', name: 'Quota/changes' };
      const [, [, found]] = await rig.served.request([
        ['Quota/changes', { accountId: 'a1', sinceState: state, maxChanges: 20 }, '0'],
        [
          'Quota/get',
          {
            accountId: 'a1',
            '#ids': { ...reference, path: '/updated' },
            '#properties': { ...reference, path: '/updatedProperties' },
          },
          '1',
        ],
      ]);
      const { id } = await rig.quota('cards');
      expect(found.list).toContainEqual({ id, used: 1 });
    });

    it('a query filters by name, scope, resource and type, and sorts by name and use', async () => {
      await rig.cards('a', 'b');
      const names = async (args: object): Promise<string[]> => {
        const { ids } = await rig.call('Quota/query', args);
        const { list } = await rig.call('Quota/get', { ids });
        return list.map(({ name }: Json) => name);
      };
      const sort = [{ property: 'name' }];
      expect(await names({ filter: { name: 'AR' }, sort })).toEqual(['boards', 'cards']);
      expect(await names({ filter: { scope: 'global' } })).toEqual([]);
      expect(await names({ filter: { resourceType: 'octets' } })).toEqual(['storage']);
      expect(await names({ filter: { type: 'Board' }, sort })).toEqual(['boards', 'storage']);
      const byUse = await names({ sort: [{ property: 'used', isAscending: false }] });
      expect(byUse.slice(0, 2)).toEqual(['storage', 'cards']);
    });

    it('queryChanges follows the use', async () => {
      const sort = [{ property: 'used', isAscending: false }];
      await rig.call('Board/set', { create: { b: {} } });
      const { queryState, ids } = await rig.call('Quota/query', { sort });
      await rig.cards('a', 'b');
      const { removed, added } = await rig.call('Quota/queryChanges', {
        ...{ sort, sinceQueryState: queryState },
      });
      const left = ids.filter((id: string) => !removed.includes(id));
      for (const { id, index } of added) left.splice(index, 0, id);
      expect(left).toEqual((await rig.call('Quota/query', { sort })).ids);
    });

    it('a client sees the types of capabilities that it names, and no other quota', async () => {
      const using = ['urn:ietf:params:jmap:core', QUOTA, PLAIN].filter((urn) =>
        rig.served.registry.capabilities.has(urn),
      );
      const calls = [
        ['Quota/get', { accountId: 'a1', ids: null }, 'g'],
        ['Quota/query', { accountId: 'a1' }, 'q'],
        ['Quota/query', { accountId: 'a1', filter: { type: 'Card' } }, 't'],
      ];
      const [[, get], [, query], [, byType]] = await rig.served.request(calls, using);
      expect(get.list).toMatchObject([{ name: 'plains', types: ['Plain'] }]);
      expect(query.ids).toEqual([get.list[0].id]);
      expect(byType.ids).toEqual([]);
      const [[, all]] = await rig.served.request(calls.slice(0, 1), [...using, BOARDS]);
      expect(all.list).toHaveLength(4);
    });

    it('a type that no quota names makes the same statements as in a project without', async () => {
      const { statements } = rig.served;
      await rig.call('Free/set', { create: { a: { text: 'a' } } });
      statements.length = 0;
      await rig.call('Free/set', { create: { a: { text: 'a' } } });
      expect(statements.some((sql) => sql.includes('Quota'))).toBe(false);
    });

    it('random calls leave the use exact', async () => {
      const ids: string[] = [];
      for (let round = 0; round < 60; round += 1) {
        const create = { a: { text: 'x'.repeat((round * 37) % 300) } };
        const destroy = round % 3 === 0 ? ids.splice(0, 2) : [];
        const [target] = ids.slice(-1);
        const update = target && round % 2 === 0 ? { [target]: { text: `u${round}` } } : {};
        const { created } = await rig.call('Card/set', { create, update, destroy });
        if (created?.a !== undefined) ids.push(created.a.id);
      }
      for (const { used, counted } of await checkUsage(keeping(), 'a1', soon()))
        expect(used).toBe(counted);
      expect((await rig.quota('cards')).used).toBe(ids.length);
      expect((await rig.quota('storage')).used).toBe(await rig.octets());
    });

    it('many writers at once create as many objects as there is room for', async () => {
      await rig.call('Quota/get', { ids: null });
      const answers = await Promise.all(Array.from({ length: 32 }, () => rig.cards('a')));
      expect(answers.filter(({ created }) => created?.k0 !== undefined)).toHaveLength(10);
      expect((await rig.quota('cards')).used).toBe(10);
    });

    it('a recount corrects what is wrong', async () => {
      await rig.cards('a', 'b');
      const { quotas, store } = keeping();
      await store.write('a1', soon(), async (transaction) => {
        const rows = await transaction.get(quotas.type, { first: 10 }, quotas.type.properties);
        const wrong = rows.map((row) => ({ ...row, used: 77 }));
        await transaction.writeRows('update', quotas.type, wrong);
        await transaction.record(
          quotas.type,
          rows.map(({ id }) => ({ objectId: id, kind: 'updated' as const })),
        );
      });
      const checked = await checkUsage(keeping(), 'a1', soon());
      expect(checked.every(({ used, counted }) => used !== counted)).toBe(true);
      await keepQuotas(keeping(), 'a1', soon(), 'all');
      expect((await rig.quota('cards')).used).toBe(2);
      expect((await rig.quota('storage')).used).toBe(await rig.octets());
    });
  });
}
