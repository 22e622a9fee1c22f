import { describe, expect, it } from 'vitest';
import { memory } from '../../src/index.js';
import { useTodos } from '../support/todos.js';

// A client with a store, on a real server, behind a proxy that loses what a test says.

const served = useTodos({}, ['AR', 'u3']);
const open = (store = memory()) => served.connect({ store });

/** Resolves to the object of a write that has been made. */
async function made<Object>(write: {
  readonly result: Promise<
    | { readonly ok: true; readonly object: Object }
    | { readonly ok: false; readonly error: { readonly type: string } }
  >;
}): Promise<Object> {
  const answer = await write.result;
  if (!answer.ok) throw new Error(answer.error.type);
  return answer.object;
}

describe('a write', () => {
  it('keeps texts that look like keys of objects made here', async () => {
    const jmap = await served.connect({ store: memory() });
    const { Todo } = jmap.account();
    const texts = ['~5 minutes', '~/docs', `~${crypto.randomUUID()}`];
    const writes = texts.map((text) => Todo.create({ text }));
    for (const [at, write] of writes.entries())
      expect(await write.result).toMatchObject({ ok: true, object: { text: texts[at] } });
    await Todo.update(writes[0]?.object.id ?? '', { text: '~1 hour' }).result;
    await jmap.sync.settled();
    const { list } = await Todo.get();
    const stored = list.map(({ text }) => text);
    expect(stored).toEqual(expect.arrayContaining(['~1 hour', ...texts.slice(1)]));
    expect(stored.filter((text) => text.startsWith('#'))).toEqual([]);
  });

  it('is on screen at once, and on the server after it', async () => {
    const me = (await open()).account();
    const write = me.Todo.create({ text: 'Tea' });
    expect(write.object).toMatchObject({ text: 'Tea', done: false, $pending: true });
    expect(Date.parse(write.object.created)).toBeLessThanOrEqual(Date.now());
    expect(await write.saved).toBe(true);
    const object = await made(write);
    expect(object).toMatchObject({ text: 'Tea', $key: write.object.$key, $pending: false });
    const { list } = await me.Todo.get({ ids: [object.id] });
    expect(list).toMatchObject([{ text: 'Tea', done: false }]);
  });

  it('of a recipe changes what the recipe changed, under the key or the id', async () => {
    const me = (await open()).account();
    const write = me.Todo.create({ text: 'Tea' });
    const { id } = await made(write);
    const update = me.Todo.update(write.object.$key, (todo) => {
      todo.done = true;
    });
    expect(update.object).toMatchObject({ text: 'Tea', done: true, $pending: true });
    await made(update);
    const sent = served
      .proxy()
      .api()
      .flatMap(({ methodCalls }) => methodCalls);
    const sets = sent.filter(([name]) => name === 'Todo/set').map(([, args]) => args);
    expect(sets.at(-1)).toMatchObject({ update: { [id]: { done: true } } });
    await made(me.Todo.destroy(id));
    expect((await me.Todo.get({ ids: [id] })).notFound).toEqual([id]);
  });

  it('of a recipe that changes nothing is made without the server', async () => {
    const jmap = await open();
    const me = jmap.account();
    const write = me.Todo.create({ text: 'Tea' });
    await made(write);
    await jmap.sync.settled();
    const before = served.proxy().api().length;
    const update = me.Todo.update(write.object.$key, (todo) => {
      todo.text = 'Tea';
    });
    expect(await update.saved).toBe(true);
    expect(await made(update)).toMatchObject({ text: 'Tea', $pending: false });
    expect(served.proxy().api()).toHaveLength(before);
  });

  it('that is refused leaves the screen, and tells its error', async () => {
    const jmap = await open();
    const me = jmap.account();
    const write = me.Todo.create({ text: 'x'.repeat(600) });
    expect(await write.result).toMatchObject({
      ok: false,
      error: { type: 'invalidProperties', properties: ['text'] },
    });
    expect(me.Todo.live().getSnapshot().rows).not.toContainEqual(
      expect.objectContaining({ $key: write.object.$key }),
    );
    expect(jmap.problems.getSnapshot()).toEqual([]);
  });

  it('that nobody waited for is a problem when it is refused', async () => {
    const store = memory();
    const jmap = await open(store);
    const me = jmap.account();
    const { object } = me.Todo.create({ text: 'x'.repeat(600) });
    await jmap.sync.settled();
    const [problem] = jmap.problems.getSnapshot();
    expect(problem).toMatchObject({
      ...{ type: 'Todo', kind: 'create', key: object.$key, values: { text: 'x'.repeat(600) } },
      error: { type: 'invalidProperties' },
    });
    await jmap.close();
    const again = await open(store);
    expect(again.problems.getSnapshot()).toHaveLength(1);
    again.problems.getSnapshot()[0]?.retry();
    expect(again.problems.getSnapshot()).toEqual([]);
    await again.sync.settled();
    expect(again.problems.getSnapshot()).toHaveLength(1);
    again.problems.getSnapshot()[0]?.discard();
    await again.close();
    expect((await open(store)).problems.getSnapshot()).toEqual([]);
  });

  it('that was refused is sent once more with other values, under its key', async () => {
    const jmap = await open();
    const { Todo } = jmap.account();
    const { object } = Todo.create({ text: 'x'.repeat(600) });
    await jmap.sync.settled();
    const [problem] = jmap.problems.getSnapshot();
    problem?.edit({ ...problem.values, text: 'brief' });
    expect(jmap.problems.getSnapshot()).toEqual([]);
    const all = Todo.live();
    expect(all.getSnapshot().rows).toContainEqual(
      expect.objectContaining({ $key: object.$key, text: 'brief', $pending: true }),
    );
    await jmap.sync.settled();
    const made = all.getSnapshot().rows.find(({ $key }) => $key === object.$key);
    expect(made).toMatchObject({ text: 'brief', $pending: false });
    const id = made?.id ?? '';
    Todo.update(id, { text: 'y'.repeat(600) });
    await jmap.sync.settled();
    jmap.problems.getSnapshot()[0]?.edit({ done: true });
    problem?.edit({ text: 'of a problem that is gone' });
    await jmap.sync.settled();
    expect(jmap.problems.getSnapshot()).toEqual([]);
    expect((await Todo.get({ ids: [id] })).list).toMatchObject([{ text: 'brief', done: true }]);
  });

  it('that would be too large with other values stays a problem', async () => {
    const jmap = await open();
    jmap.account().Todo.create({ text: 'x'.repeat(600) });
    await jmap.sync.settled();
    const [problem] = jmap.problems.getSnapshot();
    problem?.edit({ text: 'x'.repeat(20_000_000) });
    expect(jmap.problems.getSnapshot()).toEqual([problem]);
  });

  it('that was refused is no problem any more once its result is read', async () => {
    const jmap = await open();
    const write = jmap.account().Todo.create({ text: 'x'.repeat(600) });
    await jmap.sync.settled();
    expect(jmap.problems.getSnapshot()).toHaveLength(1);
    expect(await write.result).toMatchObject({ ok: false });
    expect(jmap.problems.getSnapshot()).toEqual([]);
  });

  it('that became one with another is a problem if only the other was asked for', async () => {
    const jmap = await open();
    await jmap.sync.settled();
    const { Todo } = jmap.account();
    served.proxy().decide(({ method }) => (method === 'POST' ? 'drop' : 'pass'));
    Todo.create({ text: 'sent' });
    await expect.poll(() => jmap.sync.getSnapshot().status).toBe('offline');
    const create = Todo.create({ text: 'x'.repeat(600) });
    const update = Todo.update(create.object.$key, { done: true });
    const { result } = update;
    served.proxy().decide(() => 'pass');
    await jmap.sync.settled();
    expect(await result).toMatchObject({ ok: false });
    expect(jmap.problems.getSnapshot()).toMatchObject([{ kind: 'create', values: { done: true } }]);
    expect(await create.result).toMatchObject({ ok: false });
    expect(jmap.problems.getSnapshot()).toEqual([]);
  });

  it('of an object that was never sent takes the create with it', async () => {
    const jmap = await open();
    await jmap.sync.settled();
    const me = jmap.account();
    served.proxy().decide(({ method }) => (method === 'POST' ? 'drop' : 'pass'));
    const blocked = me.Todo.create({ text: 'first' });
    await expect.poll(() => served.proxy().api().length).toBeGreaterThan(1);
    const create = me.Todo.create({ text: 'short' });
    const destroy = me.Todo.destroy(create.object.$key);
    expect(await create.result).toMatchObject({ ok: true });
    expect(await destroy.result).toMatchObject({ ok: true });
    served.proxy().decide(() => 'pass');
    await made(blocked);
    await jmap.sync.settled();
    const { list } = await me.Todo.get();
    expect(list.map(({ text }) => text)).not.toContain('short');
  });

  it('in an account that the user may only read is refused at once', async () => {
    const jmap = await open();
    const shared = jmap.account(served.fixtures().AR);
    const write = shared.Todo.create({ text: 'Tea' });
    expect(await write.saved).toBe(false);
    expect(await write.result).toMatchObject({ ok: false, error: { type: 'accountReadOnly' } });
    expect(shared.Todo.live().getSnapshot().rows).toEqual([]);
    expect(jmap.sync.getSnapshot().pending).toBe(0);
  });

  it('before the network is there is shown, saved, and sent once it is', async () => {
    const jmap = await open();
    await jmap.sync.settled();
    const me = jmap.account();
    served.proxy().decide(() => 'drop');
    const write = me.Todo.create({ text: 'offline' });
    expect(await write.saved).toBe(true);
    await expect
      .poll(() => jmap.sync.getSnapshot())
      .toMatchObject({
        status: 'offline',
        pending: 1,
      });
    expect(me.Todo.live().getSnapshot().rows).toContainEqual(
      expect.objectContaining({ text: 'offline', $pending: true }),
    );
    served.proxy().decide(() => 'pass');
    await jmap.sync.settled();
    expect(await made(write)).toMatchObject({ text: 'offline', $pending: false });
    expect(jmap.sync.getSnapshot()).toMatchObject({ status: 'live', pending: 0 });
  });
});

describe('a client whose server is away behind a proxy', () => {
  it.each([429, 502, 503, 504])('is offline at %i, and live afterwards', async (status) => {
    const jmap = await served.connect({ store: memory(), retry: 0 });
    await jmap.sync.settled();
    const list = jmap.account().Todo.live();
    served.proxy().decide(() => ({ status }));
    jmap.sync.wake();
    await expect.poll(() => jmap.sync.getSnapshot().status).toBe('offline');
    expect(list.getSnapshot().status).toBe('offline');
    served.proxy().decide(() => 'pass');
    await jmap.sync.settled();
    expect(jmap.sync.getSnapshot().status).toBe('live');
  });

  it('is in error where the server fails itself', async () => {
    const jmap = await served.connect({ store: memory(), retry: 0 });
    await jmap.sync.settled();
    served.proxy().decide(() => ({ status: 500 }));
    jmap.sync.wake();
    await expect.poll(() => jmap.sync.getSnapshot().status).toBe('error');
  });
});

describe('a client that is closed', () => {
  it('tells those who look at its lists, which keep their rows', async () => {
    const jmap = await served.connect({ store: memory() });
    const { Todo } = jmap.account();
    await Todo.create({ text: 'kept on screen' }).result;
    await jmap.sync.settled();
    const list = Todo.live({ limit: 1 });
    const statuses: string[] = [];
    list.subscribe(({ status }) => statuses.push(status));
    await jmap.sync.settled();
    await jmap.close();
    expect(statuses).toEqual(['live', 'error']);
    expect(list.rows).toHaveLength(1);
    expect(Todo.live().getSnapshot().status).toBe('error');
    expect(jmap.sync.getSnapshot().status).toBe('error');
  });

  it('since another one has the store is in error, and replaced', async () => {
    const store = memory();
    const first = await served.connect({ store });
    await first.sync.settled();
    const list = first.account().Todo.live();
    const statuses: string[] = [];
    list.subscribe(({ status }) => statuses.push(status));
    await served.connect({ store });
    first.account().Todo.create({ text: 'of nobody' });
    await expect.poll(() => statuses.at(-1)).toBe('error');
    expect(first.sync.getSnapshot().status).toBe('replaced');
  });
});

describe('a client whose token is refused', () => {
  it('says so, and keeps what it wrote', async () => {
    const jmap = await open();
    await jmap.sync.settled();
    served.proxy().decide(() => ({ status: 401 }));
    const write = jmap.account().Todo.create({ text: 'kept' });
    expect(await write.saved).toBe(true);
    await expect
      .poll(() => jmap.sync.getSnapshot())
      .toMatchObject({ status: 'needsAuth', pending: 1 });
    expect(jmap.account().Todo.live().getSnapshot().status).toBe('error');
  });
});

describe('a log of large writes', () => {
  it('is sent in requests that the server takes, without what is too large for one', async () => {
    const jmap = await open();
    await jmap.sync.settled();
    const { Todo } = jmap.account();
    served.proxy().decide(() => 'drop');
    Todo.create({ text: 'first of large ones' });
    const large = Array.from({ length: 5 }, () => Todo.create({ text: 'x'.repeat(3_000_000) }));
    const huge = Todo.create({ text: 'x'.repeat(9_000_000) });
    expect(await huge.saved).toBe(false);
    expect(await huge.result).toMatchObject({ ok: false, error: { type: 'tooLarge' } });
    served.proxy().decide(() => 'pass');
    const results = large.map(({ result }) => result);
    await jmap.sync.settled();
    for (const result of results)
      expect(await result).toMatchObject({ ok: false, error: { type: 'invalidProperties' } });
    expect(jmap.sync.getSnapshot()).toMatchObject({ status: 'live', pending: 0 });
  });
});
