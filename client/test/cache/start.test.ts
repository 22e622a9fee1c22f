import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import { type CacheStore, type LiveQuery, memory } from '../../src/index.js';
import { StoreLostError } from '../../src/persist/store-errors.js';
import { pageStore } from '../support/paged-store.js';
import { openBrowser } from '../support/shared-store.js';
import { useTodos } from '../support/todos.js';

// Clients that start from a store with more objects than it reads in one go.

const served = useTodos({}, ['A2', 'AX']);

/** Objects, rows of a page, and rows of a list. */
const [OBJECTS, PAGE, LIMIT] = [40, 4, 6];
const FIRST = ['todo 40', 'todo 39', 'todo 38', 'todo 37', 'todo 36', 'todo 35'];
const LATEST = { sort: ['-created', '-text'] as const, limit: LIMIT };

beforeAll(async () => {
  const { u1, A1 } = served.fixtures();
  const texts = Array.from(
    { length: OBJECTS },
    (_, at) => `todo ${String(at + 1).padStart(2, '0')}`,
  );
  for (const text of texts) await u1.set('Todo', { accountId: A1, create: { k: { text } } });
});

const textsOf = (list: LiveQuery<{ readonly text: string }>): readonly string[] =>
  list.getSnapshot().rows.map(({ text }) => text);

/** Fills a store by a client that looks at a list. */
async function fill(store: CacheStore, options: object = {}): Promise<void> {
  const client = await served.connect({ store, ...options });
  const list = client.account().Todo.live(LATEST);
  const end = list.subscribe(() => undefined);
  await client.sync.settled();
  await expect.poll(() => list.getSnapshot()).toMatchObject({ complete: true, status: 'live' });
  await client.close();
  end();
}

/** Starts a client from a store, of which the pages but the first are held. */
async function start(options: object = {}, more: object = {}) {
  const kept = memory();
  await fill(kept, more);
  const paged = pageStore(kept, PAGE);
  paged.hold();
  const client = await served.connect({ store: paged.store, username: 'u1', ...more, ...options });
  return { kept, paged, client, Todo: client.account().Todo };
}

describe('a list that the store has seen before', () => {
  it.each([
    ['the client', {}],
    ['the server', { coverage: { Todo: 'known' } }],
  ])('shows its rows at once where %s decides it, and nothing beyond', async (_, more) => {
    const { paged, client, Todo } = await start({}, more);
    expect(paged.countRows()).toBeLessThanOrEqual(PAGE + LIMIT);
    const list = Todo.live(LATEST);
    await expect.poll(() => textsOf(list)).toEqual(FIRST);
    expect(list.getSnapshot()).toMatchObject({
      status: 'loading',
      total: OBJECTS,
      complete: false,
    });
    const before = list.getSnapshot().rows;
    paged.release();
    await client.sync.settled();
    expect(list.getSnapshot()).toMatchObject({ status: 'live', total: OBJECTS, complete: true });
    expect(list.getSnapshot().rows).toBe(before);
  });

  it('is loading with its pending writes until all is there', async () => {
    const { paged, client, Todo } = await start();
    const list = Todo.live({ sort: ['-text'], limit: LIMIT });
    const other = Todo.live(LATEST);
    const made = Todo.create({ text: 'todo 99' });
    expect(await made.saved).toBe(true);
    await expect.poll(() => textsOf(other)).toContain('todo 99');
    expect(list.getSnapshot()).toMatchObject({ status: 'loading', complete: false });
    paged.release();
    await client.sync.settled();
    expect(textsOf(list)).toEqual(['todo 99', ...FIRST.slice(0, -1)]);
    Todo.destroy(made.object.$key);
    await client.sync.settled();
  });

  it('has no row that belongs to it no more', async () => {
    const kept = memory();
    await fill(kept);
    const between = await served.connect({ store: kept });
    const { Todo } = between.account();
    const [row] = Todo.live(LATEST).getSnapshot().rows;
    const list = Todo.live({ filter: { done: false }, sort: ['-text'], limit: LIMIT });
    const end = list.subscribe(() => undefined);
    await between.sync.settled();
    expect(textsOf(list)).toEqual(FIRST);
    end();
    await new Promise((resolve) => setTimeout(resolve, 1200));
    await Todo.update(row?.id as never, { done: true }).result;
    await between.sync.settled();
    await between.close();
    const paged = pageStore(kept, PAGE);
    paged.hold();
    const client = await served.connect({ store: paged.store, username: 'u1' });
    const again = client
      .account()
      .Todo.live({ filter: { done: false }, sort: ['-text'], limit: LIMIT });
    await expect.poll(() => textsOf(again)).toEqual(FIRST.slice(1));
    paged.release();
    await client.sync.settled();
    expect(textsOf(again)).toHaveLength(LIMIT);
    await client.account().Todo.update(row?.id as never, { done: false }).result;
  });
});

describe('a client whose store is not read to its end', () => {
  it('asks the server for nothing before', async () => {
    const { paged, client } = await start();
    const { length } = served.proxy().api();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(served.proxy().api()).toHaveLength(length);
    paged.release();
    await client.sync.settled();
    const asked = served.proxy().api().slice(length);
    expect(asked.flatMap(({ methodCalls }) => methodCalls.map(([name]) => name))).not.toContain(
      'Todo/query',
    );
  });

  it('makes writes of objects that are not here behind it, in their order', async () => {
    const { paged, Todo } = await start();
    const all = Todo.live();
    const { list } = await Todo.get();
    const id = list.find(({ text }) => text === 'todo 20')?.id as never;
    const first = Todo.update(id, (todo) => {
      todo.text = `${todo.text} and one`;
    });
    const second = Todo.update(id, { text: 'two' });
    const third = Todo.update(id, (todo) => {
      todo.text = `${todo.text} and three`;
    });
    const made = Todo.create({ text: 'made behind' });
    let saved: boolean | null = null;
    void first.saved.then((isSaved) => {
      saved = isSaved;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(saved).toBe(null);
    expect(made.object).toMatchObject({ text: 'made behind' });
    paged.release();
    for (const write of [first, second, third, made]) expect(await write.saved).toBe(true);
    expect(await first.result).toMatchObject({ ok: true });
    expect(await third.result).toMatchObject({ ok: true, object: { text: 'two and three' } });
    expect(textsOf(all)).toContain('two and three');
    await Todo.update(id, { text: 'todo 20' }).result;
    await Todo.destroy(made.object.$key).result;
  });

  it('makes writes together that need such an object', async () => {
    const { paged, client, Todo } = await start();
    const { list } = await Todo.get();
    const id = list.find(({ text }) => text === 'todo 21')?.id as never;
    const shared = client.account().write((tx) => {
      tx.Todo.create({ text: 'of the group' });
      tx.Todo.update(id, (todo) => {
        todo.done = true;
      });
    });
    paged.release();
    expect(await shared.saved).toBe(true);
    expect(await shared.result).toMatchObject({ ok: true });
    const texts = textsOf(Todo.live({ filter: { done: true } }));
    expect(texts).toEqual(['todo 21']);
    expect(textsOf(Todo.live())).toContain('of the group');
    await Todo.update(id, { done: false }).result;
    const made = Todo.live()
      .getSnapshot()
      .rows.find(({ text }) => text === 'of the group');
    await Todo.destroy(made?.id as never).result;
  });

  it('ends what waits when it is closed', async () => {
    const { paged, client, Todo } = await start();
    const { list } = await Todo.get();
    const id = list.find(({ text }) => text === 'todo 21')?.id as never;
    const write = Todo.update(id, (todo) => {
      todo.done = true;
    });
    const closed = client.close();
    paged.release();
    await closed;
    expect(await write.saved).toBe(false);
    expect(await write.result).toMatchObject({ ok: false, error: { type: 'closed' } });
  });

  it('asks for all anew where the rest can not be read, and writes nothing over it', async () => {
    const { kept, paged, client, Todo } = await start();
    paged.fail(new StoreLostError('The store is lost.'));
    paged.release();
    await client.sync.settled();
    expect(client.sync.getSnapshot()).toMatchObject({ storage: 'lost' });
    const list = Todo.live();
    expect(list.getSnapshot()).toMatchObject({ total: OBJECTS, complete: true, status: 'live' });
    const made = Todo.create({ text: 'in memory' });
    expect(await made.saved).toBe(false);
    expect(await made.result).toMatchObject({ ok: true });
    await client.close();
    served.proxy().decide(() => 'drop');
    const next = await served.connect({ store: kept, username: 'u1' });
    expect(next.account().Todo.live().getSnapshot()).toMatchObject({
      total: OBJECTS,
      complete: true,
    });
    served.proxy().decide(() => 'pass');
    const { u1, A1 } = served.fixtures();
    const result = await made.result;
    const id = result.ok ? result.object?.id : '';
    await u1.set('Todo', { accountId: A1, destroy: [id ?? ''] });
    await next.sync.settled();
  });
});

describe('an account that the user has lost', () => {
  it('is taken away whole, once its rows are read', async () => {
    const run = (...args: readonly string[]) => served.server().tool('scripts/account', args);
    const id = await run('create', '--name', 'Lost', '--user', 'u1');
    const kept = memory();
    const first = await served.connect({ store: kept });
    for (let at = 0; at < 3 * PAGE; at += 1)
      first.account(id as never).Todo.create({ text: `lost ${at}` });
    await first.sync.settled();
    await first.close();
    await run('revoke', id, '--user', 'u1');
    const paged = pageStore(kept, PAGE);
    paged.hold();
    await served.connect({ store: paged.store });
    const data = await kept.open([new URL(served.proxy().url).href, 'u1', 1].join(' '));
    expect(await data.load('objects', `${id} `)).toHaveLength(3 * PAGE);
    paged.release();
    await eventually(async () => {
      for (const table of ['objects', 'types', 'log', 'lists', 'aliases'] as const)
        expect(await data.load(table, `${id} `)).toEqual([]);
    });
    await data.close();
  });
});

describe('a tab that starts', () => {
  it('keeps what others tell over the rows that it reads late', async () => {
    const shared = memory();
    const openTab = openBrowser(shared);
    const tab = openTab();
    const one = await served.connect({ store: tab.store, fetch: tab.fetch });
    await one.sync.settled();
    const { Todo } = one.account();
    const { rows } = Todo.live().getSnapshot();
    // The ones of a page that is read before they change, and of one that is read behind that.
    const byId = [...rows].sort((row, other) => (row.id < other.id ? -1 : 1));
    const changed = [byId[PAGE], byId[2 * PAGE]];
    const gone = [byId[PAGE + 1], byId[2 * PAGE + 1]];
    const late = openTab();
    const paged = pageStore(late.store, PAGE);
    paged.hold();
    const two = await served.connect({ store: paged.store, fetch: late.fetch });
    const list = two.account().Todo.live();
    for (const row of changed)
      await Todo.update(row?.id as never, { text: `${row?.text} changed` }).result;
    for (const row of gone) await Todo.destroy(row?.id as never).result;
    await one.sync.settled();
    expect(list.getSnapshot()).toMatchObject({ status: 'loading', complete: false });
    paged.release();
    await eventually(() => {
      expect(list.getSnapshot()).toMatchObject({ total: OBJECTS - 2, complete: true });
    });
    const lost = new Set([...changed, ...gone].map((row) => row?.text));
    const kept = rows.filter(({ text }) => !lost.has(text)).map(({ text }) => text);
    const expected = [...kept, ...changed.map((row) => `${row?.text} changed`)];
    expect([...textsOf(list)].sort()).toEqual(expected.sort());
  });
});
