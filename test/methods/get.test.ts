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
  it('answers no objects and a state for an empty list of ids', async () => {
    const response = await rig.call('Todo/get', { ids: [] });
    expect(response).toEqual({ accountId: 'a1', state: '3', list: [], notFound: [] });
  });

  it('lists objects in the order of ids, or all in order of creation', async () => {
    const asked = await rig.call('Todo/get', { ids: ids.toReversed() });
    expect(asked.list.map((todo: Json) => todo.text)).toEqual(['c', 'b', 'a']);
    const all = await rig.call('Todo/get', { ids: null });
    expect(all.list.map((todo: Json) => todo.text)).toEqual(['a', 'b', 'c']);
    expect(all.notFound).toEqual([]);
  });

  it('answers each id once', async () => {
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

  it('answers all properties for null, the id for [], and each once', async () => {
    const of = async (properties: Json): Promise<string[]> =>
      Object.keys((await rig.call('Todo/get', { ids: [ids[0]], properties })).list[0]).sort();
    expect(await of(null)).toEqual(['created', 'done', 'id', 'text', 'updated']);
    expect(await of([])).toEqual(['id']);
    expect(await of(['text', 'text'])).toEqual(['id', 'text']);
  });

  it('refuses an unknown property, and names it and the legal ones', async () => {
    const response = await rig.call('Todo/get', { ids: [], properties: ['Text', 'text', 'foo'] });
    expect(response.error).toBe('invalidArguments');
    expect(response.description).toMatch(/"Text".*"foo".*created/);
  });

  it('looks only at the first of hundreds of thousands of unknown properties', async () => {
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

  it('takes snake_case names for a type that opts in, and answers camelCase', async () => {
    const [widget] = await rig.create('Widget', [{ title: 'w' }]);
    const properties = ['rank_number'];
    const { list } = await rig.call('Widget/get', { ids: [widget], properties });
    expect(list).toEqual([{ id: widget, rankNumber: 0 }]);
    const note = await rig.call('Note/get', { ids: [], properties: ['bo_dy'] });
    expect(note.error).toBe('invalidArguments');
  });

  it('refuses more ids than maxObjectsInGet, and counts them as sent', async () => {
    const a = ids[0];
    expect((await rig.call('Todo/get', { ids: [a, a, a, a] })).list).toHaveLength(1);
    expect((await rig.call('Todo/get', { ids: [a, a, a, a, a] })).error).toBe('requestTooLarge');
    await rig.create('Note', [{}, {}, {}, {}]);
    expect((await rig.call('Note/get', { ids: null })).list).toHaveLength(4);
    await rig.create('Note', [{}]);
    expect((await rig.call('Note/get', { ids: null })).error).toBe('requestTooLarge');
  });

  it('does not find an id of another account', async () => {
    const response = await rig.call('Todo/get', { accountId: 'a2', ids });
    expect(response).toMatchObject({ state: '0', list: [], notFound: ids });
  });

  it('answers Unicode text as it was sent', async () => {
    const text = 'é e\u0301 \u{1F469}\u200D\u{1F680} \u202Eabc "\\/';
    const [id] = await rig.create('Note', [{ body: text }]);
    expect((await rig.call('Note/get', { ids: [id] })).list[0].body).toBe(text);
  });
});
