import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fill } from '../../src/methods/changes/changes-page.js';
import { Random } from '../support/random.js';
import { type Json, Rig } from './rig.js';

let rig: Rig;

beforeEach(() => {
  rig = new Rig({ changesKeep: 60_000 });
});
afterEach(() => rig.close());

async function set(args: object): Promise<Json> {
  return rig.call('Todo/set', args);
}

async function changes(sinceState: string, more: object = {}): Promise<Json> {
  return rig.call('Todo/changes', { sinceState, ...more });
}

describe('RFC 8620 5.2: /changes', () => {
  it('lists nothing if nothing has changed', async () => {
    expect(await changes('0')).toEqual({
      accountId: 'a1',
      oldState: '0',
      newState: '0',
      hasMoreChanges: false,
      created: [],
      updated: [],
      destroyed: [],
      updatedProperties: null,
    });
  });

  it('lists each object once, by what became of it', async () => {
    const [a, b, c] = await rig.create('Todo', [{ text: 'a' }, { text: 'b' }, { text: 'c' }]);
    const since = (await rig.call('Todo/get', { ids: [] })).state;
    const [d, e] = await rig.create('Todo', [{ text: 'd' }, { text: 'e' }]);
    const update = Object.fromEntries([a, b, d].map((id) => [id, { done: true }]));
    await set({ update });
    await set({ destroy: [b, c, e] });
    const response = await changes(since);
    expect(response).toMatchObject({ created: [d], updated: [a], destroyed: [b, c] });
    expect(response.newState).toBe((await rig.call('Todo/get', { ids: [] })).state);
  });

  it('leaves out an object that one call created and destroyed', async () => {
    const { created, destroyed } = await set({ create: { k: { text: 'a' } }, destroy: ['#k'] });
    expect(destroyed).toEqual([created.k.id]);
    expect(await changes('0')).toMatchObject({
      newState: '2',
      created: [],
      updated: [],
      destroyed: [],
    });
  });

  it('pages have at most maxChanges ids and end exactly', async () => {
    await rig.create(
      'Todo',
      Array.from({ length: 7 }, () => ({ text: 'x' })),
    );
    const seen: string[] = [];
    let state = '0';
    const sizes: number[] = [];
    for (let more = true; more; ) {
      const page = await changes(state, { maxChanges: 3 });
      sizes.push(page.created.length);
      seen.push(...page.created);
      state = page.newState;
      more = page.hasMoreChanges;
    }
    expect(sizes).toEqual([3, 3, 1]);
    expect(new Set(seen).size).toBe(7);
    expect(state).toBe((await rig.call('Todo/get', { ids: [] })).state);
    expect(await changes('0', { maxChanges: 7 })).toMatchObject({ hasMoreChanges: false });
    expect(await changes('0', { maxChanges: null })).toMatchObject({ hasMoreChanges: false });
  });

  it.each(['1', '-1', '00', '01', '+0', '0.0', '', 'x', '9'.repeat(30), '1e0', ' 0'])(
    'refuses %j as a state to start from',
    async (state) => {
      expect((await changes(state)).error).toBe('cannotCalculateChanges');
    },
  );

  it('a state is refused once the record after it is too old, swept or not', async () => {
    rig.time = 1_000_000;
    await set({ create: { k: { text: 'a' } } });
    rig.time += 60_000;
    await set({ create: { k: { text: 'b' } } });
    expect(await changes('0')).toMatchObject({ newState: '2' });
    rig.time += 1;
    expect((await changes('0')).error).toBe('cannotCalculateChanges');
    expect(await changes('1')).toMatchObject({ newState: '2' });
    expect(await changes('2')).toMatchObject({ newState: '2' });
    rig.time += 60_000;
    expect((await changes('1')).error).toBe('cannotCalculateChanges');
    expect(await changes('2')).toMatchObject({ newState: '2', hasMoreChanges: false });
  });

  it('a state whose records are gone is refused', async () => {
    await rig.create('Todo', [{ text: 'a' }, { text: 'b' }]);
    expect(await rig.services.store.pruneChanges(Date.now() + 10_000, 1)).toBeGreaterThan(0);
    expect((await changes('0')).error).toBe('cannotCalculateChanges');
  });

  it('after a reset an earlier state is refused, even while its records still go', async () => {
    await rig.create(
      'Todo',
      Array.from({ length: 9 }, () => ({ text: 'a' })),
    );
    rig.run('UPDATE "JmapState" SET "number" = "number" + 1000000000');
    await rig.create('Todo', [{ text: 'b' }]);
    for (const state of ['0', '3', '8', '9', '10', '999999999', '1000000008'])
      for (const more of [{}, { maxChanges: 1 }, { maxChanges: 3 }])
        expect((await changes(state, more)).error, state).toBe('cannotCalculateChanges');
    expect(await changes('1000000009')).toMatchObject({ newState: '1000000010' });
  });

  it('pages applied to a copy rebuild what /get shows', async () => {
    const random = Random.fromEnvironment();
    const live: string[] = [];
    const copy = new Set<string>();
    let state = '0';
    const sync = async (maxChanges: number, pages: number): Promise<void> => {
      for (let index = 0; index < pages; index += 1) {
        const page = await changes(state, { maxChanges });
        expect(page.created.length + page.updated.length + page.destroyed.length).toBeLessThan(
          maxChanges + 1,
        );
        for (const id of page.created) copy.add(id);
        for (const id of [...page.updated, ...page.destroyed]) expect(copy).toContain(id);
        for (const id of page.destroyed) copy.delete(id);
        state = page.newState;
        if (!page.hasMoreChanges) return;
      }
    };
    for (let round = 0; round < 25; round += 1) {
      const create = Object.fromEntries(
        Array.from({ length: random.integer(0, 4) }, (_, index) => [`k${index}`, { text: 't' }]),
      );
      const update = Object.fromEntries(
        live.filter(() => random.chance(0.2)).map((id) => [id, { text: `${round}` }]),
      );
      const destroy = live.filter((id) => !(id in update) && random.chance(0.2));
      if (random.chance(0.3) && 'k0' in create) destroy.push('#k0');
      const response = await set({ create, update, destroy });
      const gone: string[] = response.destroyed ?? [];
      const made = Object.values<Json>(response.created ?? {}).map((made) => made.id);
      const left = [...live, ...made].filter((id) => !gone.includes(id));
      live.splice(0, live.length, ...left);
      await sync(random.integer(1, 5), random.integer(0, 3));
    }
    await sync(3, 1000);
    expect([...copy].sort(), `TEST_SEED=${random.seed}`).toEqual(live.toSorted());
  });
});

describe('fill', () => {
  const record = (number: number, objectId: string, kind: Json): Json => ({
    number,
    objectId,
    kind,
  });

  it('goes on past a creation that a destruction takes back', () => {
    const records = [
      record(1, 'a', 'created'),
      record(2, 'b', 'created'),
      record(3, 'b', 'destroyed'),
      record(4, 'c', 'created'),
    ];
    expect(fill(records, 1)).toMatchObject({ end: 3, created: ['a'], destroyed: [] });
    expect(fill(records, 2)).toMatchObject({ end: 4, created: ['a', 'c'] });
  });

  it('keeps an update of an earlier page apart from its destruction', () => {
    const records = [
      record(5, 'a', 'updated'),
      record(6, 'b', 'updated'),
      record(7, 'a', 'destroyed'),
    ];
    expect(fill(records, 1)).toMatchObject({ end: 5, updated: ['a'], destroyed: [] });
    expect(fill(records, 2)).toMatchObject({ end: 7, updated: ['b'], destroyed: ['a'] });
  });
});
