import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { todoType } from '../../generated/todos/Todo.definition.js';
import { indexOf, propertiesNamed } from '../../src/methods/type-index.js';
import { type Json, Rig } from './rig.js';

let rig: Rig;
let ids: string[];

beforeAll(async () => {
  rig = new Rig({ maxObjectsInGet: 4 });
  ids = await rig.create('Todo', [{ text: 'a' }, { text: 'b' }, { text: 'c' }]);
});
afterAll(() => rig.close());

describe('RFC 8620 5.1: /get', () => {
  it('163: no ids is nothing, with a state', async () => {
    const response = await rig.call('Todo/get', { ids: [] });
    expect(response).toEqual({ accountId: 'a1', state: '3', list: [], notFound: [] });
  });

  it('lists in the order asked; null is all in order of creation', async () => {
    const asked = await rig.call('Todo/get', { ids: ids.toReversed() });
    expect(asked.list.map((todo: Json) => todo.text)).toEqual(['c', 'b', 'a']);
    const all = await rig.call('Todo/get', { ids: null });
    expect(all.list.map((todo: Json) => todo.text)).toEqual(['a', 'b', 'c']);
    expect(all.notFound).toEqual([]);
  });

  it('165, 166: each id is answered once', async () => {
    const a = ids[0];
    expect(await rig.call('Todo/get', { ids: [a, 'x', a, 'x'] })).toMatchObject({
      list: [{ id: a }],
      notFound: ['x'],
    });
    expect(await rig.call('Todo/get', { ids: ['x', 'not an id!'] })).toMatchObject({
      list: [],
      notFound: ['x', 'not an id!'],
    });
  });

  it('168, 170, 171: properties null is all, [] is the id, twice is once', async () => {
    const of = async (properties: Json): Promise<string[]> =>
      Object.keys((await rig.call('Todo/get', { ids: [ids[0]], properties })).list[0]).sort();
    expect(await of(null)).toEqual(['created', 'done', 'id', 'text', 'updated']);
    expect(await of([])).toEqual(['id']);
    expect(await of(['text', 'text'])).toEqual(['id', 'text']);
  });

  it('173: an unknown property is invalidArguments that names it and what is legal', async () => {
    const response = await rig.call('Todo/get', { ids: [], properties: ['Text', 'text', 'foo'] });
    expect(response.error).toBe('invalidArguments');
    expect(response.description).toMatch(/"Text".*"foo".*created/);
  });

  it('of hundreds of thousands of unknown properties only the first are looked at', async () => {
    const properties = Array.from({ length: 300_000 }, (_, n) => `p${n}`);
    const response = await rig.call('Todo/get', { ids: [], properties });
    expect(response.error).toBe('invalidArguments');
    expect(response.description).toMatch(/"p0".*the first 1000 unknown ones.*created/);
    let reads = 0;
    const counted = new Proxy(properties, {
      get(target, name, receiver) {
        reads += 1;
        return Reflect.get(target, name, receiver);
      },
    });
    expect(propertiesNamed(indexOf(todoType), counted).unknown).toHaveLength(1000);
    expect(reads).toBeLessThan(10_000);
  });

  it('snake_case names for a type that opts in; the answer is camelCase', async () => {
    const [widget] = await rig.create('Widget', [{ title: 'w' }]);
    const properties = ['rank_number'];
    const { list } = await rig.call('Widget/get', { ids: [widget], properties });
    expect(list).toEqual([{ id: widget, rankNumber: 0 }]);
    const note = await rig.call('Note/get', { ids: [], properties: ['bo_dy'] });
    expect(note.error).toBe('invalidArguments');
  });

  it('175, 176: more than maxObjectsInGet, as sent, is requestTooLarge', async () => {
    const a = ids[0];
    expect((await rig.call('Todo/get', { ids: [a, a, a, a] })).list).toHaveLength(1);
    expect((await rig.call('Todo/get', { ids: [a, a, a, a, a] })).error).toBe('requestTooLarge');
    await rig.create('Note', [{}, {}, {}, {}]);
    expect((await rig.call('Note/get', { ids: null })).list).toHaveLength(4);
    await rig.create('Note', [{}]);
    expect((await rig.call('Note/get', { ids: null })).error).toBe('requestTooLarge');
  });

  it('180: an id of another account is not found', async () => {
    const response = await rig.call('Todo/get', { accountId: 'a2', ids });
    expect(response).toMatchObject({ state: '0', list: [], notFound: ids });
  });

  it('185: Unicode comes back as it went', async () => {
    const text = 'é e\u0301 \u{1F469}\u200D\u{1F680} \u202Eabc "\\/';
    const [id] = await rig.create('Note', [{ body: text }]);
    expect((await rig.call('Note/get', { ids: [id] })).list[0].body).toBe(text);
  });
});
