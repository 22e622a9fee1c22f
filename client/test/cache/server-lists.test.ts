import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.js';
import type { LiveQuery } from '../../src/index.js';
import { memory } from '../../src/index.js';
import { useTodos } from '../support/todos.js';

// Lists of a type of which the client keeps a part: the server decides them.

const served = useTodos({ env: { QUERY_CHANGES_MAX: '5' } });

async function api(method: string, args: JsonObject): Promise<JsonObject> {
  const { u1, A1 } = served.fixtures();
  return (await u1.ok(method as 'Todo/set', { accountId: A1, ...args } as never)) as JsonObject;
}

const create = (...texts: readonly string[]) =>
  api('Todo/set', { create: Object.fromEntries(texts.map((text, at) => [`k${at}`, { text }])) });

const find = async (args: JsonObject): Promise<readonly string[]> =>
  (await api('Todo/query', args))['ids'] as readonly string[];

const known = (options: object = {}) =>
  served.connect({ store: memory(), coverage: { Todo: 'known' }, ...options });

/** Looks at a list, and tells what it has shown. */
function watch<Row extends { readonly id: string; readonly text: string }>(list: LiveQuery<Row>) {
  const frames: string[][] = [];
  const end = list.subscribe(({ rows }) => frames.push(rows.map(({ text }) => text)));
  return {
    frames,
    end,
    texts: () => list.getSnapshot().rows.map(({ text }) => text),
    ids: () => list.getSnapshot().rows.map(({ id }) => id),
  };
}

const BY_TEXT = { filter: { text: 'tea' }, sort: ['text'] as const, limit: 3 };

beforeAll(async () => {
  await create('tea 1', 'tea 2', 'tea 3', 'tea 4', 'coffee');
});

describe('a list of a type that the client keeps in part', () => {
  it('has the first rows that the server finds, and their number', async () => {
    const client = await known();
    const list = client.account().Todo.live(BY_TEXT);
    const shown = watch(list);
    await client.sync.settled();
    await expect.poll(shown.texts).toEqual(['tea 1', 'tea 2', 'tea 3']);
    expect(list.getSnapshot()).toMatchObject({ total: 4, status: 'live', complete: true });
    const back = watch(client.account().Todo.live({ ...BY_TEXT, position: 2, limit: 5 }));
    await expect.poll(back.texts).toEqual(['tea 3', 'tea 4']);
  });

  it('follows what others change, and keeps only what it shows', async () => {
    const client = await known();
    const shown = watch(client.account().Todo.live({ ...BY_TEXT, sort: ['-text'], limit: 2 }));
    await expect.poll(shown.texts).toEqual(['tea 4', 'tea 3']);
    const { created } = await create('tea 9', 'milk');
    await expect.poll(shown.texts).toEqual(['tea 9', 'tea 4']);
    const { k0, k1 } = created as Readonly<Record<string, { readonly id: string }>>;
    const [tea = '', milk = ''] = [k0?.id, k1?.id];
    await api('Todo/set', { update: { [tea]: { text: 'tea 35' }, [milk]: { done: true } } });
    await expect.poll(shown.texts).toEqual(['tea 4', 'tea 35']);
    await api('Todo/set', { destroy: [tea, milk] });
    await expect.poll(shown.texts).toEqual(['tea 4', 'tea 3']);
    await client.sync.settled();
    const gets = served.proxy().seen.filter(({ text }) => text.includes('Todo/get'));
    expect(gets.some(({ text }) => text.includes(tea))).toBe(true);
    expect(gets.some(({ text }) => text.includes(milk))).toBe(false);
    expect(gets.some(({ text }) => text.includes('"Todo/changes","path"'))).toBe(false);
  });

  it('shows writes at once where they belong, and no frame without them', async () => {
    const client = await known();
    const { Todo } = client.account();
    const shown = watch(Todo.live(BY_TEXT));
    await expect.poll(shown.texts).toEqual(['tea 1', 'tea 2', 'tea 3']);
    const write = Todo.create({ text: 'tea 15' });
    expect(shown.texts()).toEqual(['tea 1', 'tea 15', 'tea 2']);
    const first = shown.frames.length - 1;
    expect((await write.result).ok).toBe(true);
    await client.sync.settled();
    expect(shown.frames.slice(first).every((frame) => frame.includes('tea 15'))).toBe(true);
    expect(shown.texts()).toEqual(['tea 1', 'tea 15', 'tea 2']);
    Todo.destroy(write.object.$key);
    expect(shown.texts()).toEqual(['tea 1', 'tea 2']);
    await client.sync.settled();
    await expect.poll(shown.texts).toEqual(['tea 1', 'tea 2', 'tea 3']);
  });

  it('goes on after more changes than the server tells, without an empty frame', async () => {
    const client = await known();
    const shown = watch(client.account().Todo.live({ filter: { text: 'cup' }, sort: ['text'] }));
    await client.sync.settled();
    await create('cup 0');
    await expect.poll(shown.texts).toEqual(['cup 0']);
    const before = shown.frames.length;
    await create(
      ...Array.from({ length: 20 }, (_, at) => `cup ${String(at + 1).padStart(2, '0')}`),
    );
    await expect.poll(() => shown.texts().length).toBe(21);
    expect(shown.frames.slice(before - 1).every((frame) => frame.length > 0)).toBe(true);
    expect(shown.ids()).toEqual(
      await find({ filter: { text: 'cup' }, sort: [{ property: 'text' }] }),
    );
  });

  it('shows what its store has, offline too', async () => {
    const store = memory();
    const first = await known({ store });
    await expect.poll(watch(first.account().Todo.live(BY_TEXT)).texts).toHaveLength(3);
    await first.close();
    served.proxy().decide(() => 'drop');
    const second = await known({ store, username: 'u1' });
    const list = second.account().Todo.live(BY_TEXT);
    const shown = watch(list);
    // The rules of texts are loaded meanwhile.
    await expect.poll(() => list.getSnapshot().complete).toBe(true);
    expect(shown.texts()).toEqual(['tea 1', 'tea 2', 'tea 3']);
    const draft = second.account().Todo.create({ text: 'tea 12' });
    expect(shown.texts()).toEqual(['tea 1', 'tea 12', 'tea 2']);
    served.proxy().decide(() => 'pass');
    await second.sync.settled();
    expect((await draft.result).ok).toBe(true);
    await expect.poll(shown.texts).toEqual(['tea 1', 'tea 12', 'tea 2']);
    second.account().Todo.destroy(draft.object.$key);
    await second.sync.settled();
  });

  it('is asked for while somebody looks at it, and rests otherwise', async () => {
    const client = await known();
    const { Todo } = client.account();
    const shown = watch(Todo.live(BY_TEXT));
    await expect.poll(shown.texts).toHaveLength(3);
    shown.end();
    const queries = () =>
      served.proxy().seen.filter(({ text }) => text.includes('Todo/query')).length;
    const before = queries();
    await create('tea 0');
    await client.sync.settled();
    expect(queries()).toBe(before);
    expect(Todo.live(BY_TEXT).getSnapshot().rows).toHaveLength(3);
    watch(Todo.live(BY_TEXT));
    await expect.poll(shown.texts).toEqual(['tea 0', 'tea 1', 'tea 2']);
  });

  it('goes on for one of two that look at it, after the other has ended', async () => {
    const client = await known();
    const { Todo } = client.account();
    const shown = watch(Todo.live({ filter: { text: 'jam' } }));
    const other = watch(Todo.live({ filter: { text: 'jam' }, limit: 1000 }));
    await client.sync.settled();
    other.end();
    await create('jam');
    await expect.poll(shown.texts).toEqual(['jam']);
  });

  it('has what was written while nobody looked at it', async () => {
    const client = await known();
    const { Todo } = client.account();
    const list = Todo.live({ filter: { text: 'pie' } });
    const first = watch(list);
    await client.sync.settled();
    first.end();
    expect((await Todo.create({ text: 'pie' }).result).ok).toBe(true);
    served.proxy().decide(() => 'drop');
    const shown = watch(list);
    expect(shown.texts()).toEqual(['pie']);
  });

  it('is loading until the server has answered', async () => {
    const client = await known();
    await client.sync.settled();
    const list = client.account().Todo.live({ filter: { text: 'tea' } });
    const states: string[] = [];
    list.subscribe(({ status, rows }) => states.push(`${status} ${rows.length > 0}`));
    await client.sync.settled();
    expect(states[0]).toBe('loading false');
    expect(states).not.toContain('live false');
    expect(states.at(-1)).toBe('live true');
  });

  it('becomes one that the client decides where the program wants to keep all', async () => {
    const store = memory();
    const first = await known({ store });
    await expect.poll(watch(first.account().Todo.live(BY_TEXT)).texts).toHaveLength(3);
    await first.close();
    const second = await known({ store, coverage: { Todo: 'all' } });
    const all = second.account().Todo.live();
    await second.sync.settled();
    expect(all.getSnapshot()).toMatchObject({ complete: true, status: 'live' });
    expect([...all.getSnapshot().rows.map(({ id }) => id)].sort()).toEqual(
      [...(await find({ limit: 100 }))].sort(),
    );
    await second.close();
    const third = await known({ store });
    const part = watch(third.account().Todo.live(BY_TEXT));
    await third.sync.settled();
    await expect.poll(part.texts).toHaveLength(3);
  });
});

describe('a list that the client can judge by nothing', () => {
  it('is the one that the server decides, or an error where the server refuses it', async () => {
    const client = await served.connect({ store: memory() });
    const query = client.account().Todo.live({ filter: { unknown: 1 } as object });
    query.subscribe(() => undefined);
    await expect.poll(() => query.getSnapshot().status).toBe('error');
    expect(query.getSnapshot()).toMatchObject({ rows: [], complete: false });
  });
});
