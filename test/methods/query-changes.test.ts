import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { todoType } from '../../generated/todos/Todo.definition.js';
import type { FilterDefinition, PropertyDefinition } from '../../src/capability/definition.js';
import { compileQuery, isStable } from '../../src/methods/query/query-plan.js';
import { indexOf } from '../../src/methods/type-index.js';
import { Random } from '../support/random.js';
import { type Json, Rig } from './rig.js';

let rig: Rig;

beforeEach(() => {
  rig = new Rig({ queryChangesMax: 50 });
});
afterEach(() => rig.close());

const BY_TEXT = { filter: { done: false }, sort: [{ property: 'text' }] };

async function query(args: object = BY_TEXT): Promise<Json> {
  return rig.call('Todo/query', { ...args, calculateTotal: true });
}

async function changes(
  sinceQueryState: string,
  more: object = {},
  of: object = BY_TEXT,
): Promise<Json> {
  return rig.call('Todo/queryChanges', { ...of, sinceQueryState, ...more });
}

async function set(args: object): Promise<Json> {
  return rig.call('Todo/set', args);
}

describe('RFC 8620 5.6: /queryChanges', () => {
  it('lists nothing if nothing has changed', async () => {
    const { queryState } = await query();
    expect(await changes(queryState, { calculateTotal: true, maxChanges: 0 })).toEqual({
      accountId: 'a1',
      oldQueryState: queryState,
      newQueryState: queryState,
      total: 0,
      removed: [],
      added: [],
    });
  });

  it('lists objects that come into the results, leave them or move in them', async () => {
    const [a, b, c, d] = await rig.create('Todo', [
      { text: 'a' },
      { text: 'b' },
      { text: 'c' },
      { text: 'd', done: true },
    ]);
    const { queryState } = await query();
    const update = {
      [a ?? '']: { text: 'z' },
      [b ?? '']: { done: true },
      [d ?? '']: { done: false },
    };
    const made = await set({ create: { k: { text: 'bb' }, gone: { text: 'x' } }, update });
    await set({ destroy: [c, made.created.gone.id] });
    const response = await changes(queryState);
    expect(response.removed.toSorted()).toEqual([a, b, c, d].toSorted());
    expect(response.added).toEqual([
      { id: made.created.k.id, index: 0 },
      { id: d, index: 1 },
      { id: a, index: 2 },
    ]);
    expect(response).not.toHaveProperty('total');
    expect(response.newQueryState).toBe((await query()).queryState);
  });

  it('counts each removed and each added item towards maxChanges', async () => {
    const { queryState } = await query();
    await rig.create('Todo', [{ text: 'a' }, { text: 'b' }]);
    expect((await changes(queryState, { maxChanges: 1 })).error).toBe('tooManyChanges');
    expect((await changes(queryState, { maxChanges: 0 })).error).toBe('tooManyChanges');
    expect((await changes(queryState, { maxChanges: 2 })).added).toHaveLength(2);
    expect((await changes(queryState, { maxChanges: -1 })).error).toBe('invalidArguments');
  });

  it('refuses a state of another query, of the future or of nobody', async () => {
    await rig.create('Todo', [{ text: 'a' }]);
    const { queryState } = await query();
    const [number, hash] = queryState.split('.');
    const future = `${Number(number) + 1}.${hash}`;
    const other = (await query({})).queryState;
    const note = (await rig.call('Note/query')).queryState;
    for (const state of [future, other, note, '', 'x', number, `0${number}.${hash}`, `.${hash}`]) {
      expect((await changes(state)).error).toBe('cannotCalculateChanges');
    }
  });

  it('refuses an unsupported filter or sort before it looks at the state', async () => {
    expect((await changes('x', { filter: { foo: 1 } })).error).toBe('unsupportedFilter');
    expect((await changes('x', { sort: [{ property: 'foo' }] })).error).toBe('unsupportedSort');
  });

  it('refuses more changed ids than QUERY_CHANGES_MAX, and counts each id once', async () => {
    const { queryState } = await query();
    const texts = Array.from({ length: 50 }, (_, index) => ({ text: `${index}` }));
    const ids = await rig.create('Todo', texts);
    for (let round = 0; round < 3; round += 1) {
      await set({ update: Object.fromEntries(ids.map((id) => [id, { text: `r${round}` }])) });
    }
    expect((await changes(queryState)).added).toHaveLength(50);
    await rig.create('Todo', [{ text: 'one more' }]);
    expect((await changes(queryState)).error).toBe('cannotCalculateChanges');
  });

  it('upToId leaves out changes behind it if nothing can move', async () => {
    const plain = {};
    const [a, b, c] = await rig.create('Todo', [{ text: 'a' }, { text: 'b' }, { text: 'c' }]);
    const { queryState } = await query(plain);
    const [d] = await rig.create('Todo', [{ text: 'd' }]);
    await set({ destroy: [a, c] });
    const all = await changes(queryState, {}, plain);
    expect(all).toMatchObject({ removed: [a, c], added: [{ id: d, index: 1 }] });
    const some = await changes(queryState, { upToId: b }, plain);
    expect(some).toMatchObject({ removed: [a], added: [] });
    const gone = await changes(queryState, { upToId: a }, plain);
    expect(gone).toMatchObject({ removed: [a, c], added: [{ id: d, index: 1 }] });
  });

  it('leaves out an update of properties that the query does not read', async () => {
    const [a = '', b = ''] = await rig.create('Todo', [{ text: 'a' }, { text: 'b' }]);
    const orders = [{}, { sort: [{ property: 'created', isAscending: false }] }];
    for (const of of orders) {
      const { queryState } = await query(of);
      await set({ update: { [a]: { done: true }, [b]: { text: `c${orders.indexOf(of)}` } } });
      const none = await changes(queryState, { maxChanges: 0, calculateTotal: true }, of);
      expect(none).toMatchObject({ removed: [], added: [], total: 2 });
      expect(none.newQueryState).toBe((await query(of)).queryState);
      expect(await changes(queryState, { upToId: a }, of)).toMatchObject({
        removed: [],
        added: [],
      });
    }
    // A sort by what was updated has it in both: it may have moved.
    const sort = [{ property: 'done' }, { property: 'created' }];
    const { queryState } = await query({ sort });
    await set({ update: { [b]: { text: 'd' } }, destroy: [a] });
    const moved = await changes(queryState, {}, { sort });
    expect(new Set(moved.removed)).toEqual(new Set([a, b]));
    expect(moved.added).toEqual([{ id: b, index: 0 }]);
  });

  it('a search in a property that can change makes the results unstable', () => {
    const [text] = todoType.properties.filter(({ name }) => name === 'text');
    const property: PropertyDefinition = { ...(text as PropertyDefinition), access: 'immutable' };
    const isStableOver = (...columns: readonly string[]): boolean => {
      const words = { name: 'words', property, operator: 'text', column: 'text' } as const;
      const filters: readonly FilterDefinition[] = [{ ...words, columns }];
      const type = { ...todoType, filters };
      const validate = { ...todoType.validate, filter: () => true } as typeof todoType.validate;
      return isStable(compileQuery(indexOf({ ...type, validate }), { words: 'a' }, null).plan);
    };
    expect(isStableOver('text')).toBe(true);
    expect(isStableOver('text', 'note')).toBe(false);
  });

  it('ignores upToId if filter or sort read a property that may change', async () => {
    const [a] = await rig.create('Todo', [{ text: 'a' }]);
    const { queryState } = await query();
    await rig.create('Todo', [{ text: 'b' }]);
    expect((await changes(queryState, { upToId: a })).added).toHaveLength(1);
  });

  it('a sparse copy that is spliced by it agrees with a fresh query', async () => {
    const random = Random.fromEnvironment();
    const live: string[] = [];
    const letters = [...'abcdeÄöZ'];
    for (let round = 0; round < 30; round += 1) {
      const before = await query();
      const held: (string | null)[] = before.ids.map((id: string) =>
        random.chance(0.7) ? id : null,
      );
      for (let call = 0; call < random.integer(1, 2); call += 1) {
        const count = random.integer(0, 3);
        const create = Object.fromEntries(
          Array.from({ length: count }, (_, n) => [`k${n}`, { text: random.pick(letters) }]),
        );
        const destroy = live.filter(() => random.chance(0.15));
        const update = Object.fromEntries(
          live
            .filter((id) => !destroy.includes(id) && random.chance(0.25))
            .map((id) => [id, { text: random.pick(letters), done: random.chance(0.4) }]),
        );
        const response = await set({ create, update, destroy });
        const made = Object.values<Json>(response.created ?? {}).map(({ id }) => id);
        live.splice(0, live.length, ...live.filter((id) => !destroy.includes(id)), ...made);
      }
      const { removed, added, total } = await changes(before.queryState, { calculateTotal: true });
      const spliced = held.filter((id) => id === null || !removed.includes(id));
      // A removed id that the copy doesn't hold takes an unknown place: the copy is whole up to
      // there.
      const whole =
        held.length - spliced.length ===
        removed.filter((id: string) => before.ids.includes(id)).length;
      let last = -1;
      for (const { id, index } of added) {
        expect(index).toBeGreaterThan(last);
        last = index;
        spliced.splice(index, 0, id);
      }
      const after = await query();
      expect(total).toBe(after.total);
      for (const { id, index } of added) expect(after.ids[index]).toBe(id);
      if (!whole) continue;
      expect(spliced, `TEST_SEED=${random.seed}`).toHaveLength(after.total);
      for (const [index, id] of spliced.entries())
        if (id !== null) expect(after.ids[index]).toBe(id);
    }
  });

  it('/queryChanges, /changes and /get of one request agree', async () => {
    const { queryState } = await query();
    const { state } = await rig.call('Todo/get', { ids: [] });
    await rig.create('Todo', [{ text: 'a' }, { text: 'b' }]);
    const since = { accountId: 'a1', sinceState: state };
    const answers = await rig.calls([
      ['Todo/changes', since, 'c'],
      ['Todo/queryChanges', { accountId: 'a1', ...BY_TEXT, sinceQueryState: queryState }, 'q'],
      [
        'Todo/get',
        {
          accountId: 'a1',
          '#ids': { resultOf: 'q', name: 'Todo/queryChanges', path: '/added/*/id' },
        },
      ],
    ]);
    expect(answers[2]?.[1].list.map((todo: Json) => todo.id)).toEqual(answers[0]?.[1].created);
    expect(answers[1]?.[1].newQueryState.split('.')[0]).toBe(answers[0]?.[1].newState);
  });
});
