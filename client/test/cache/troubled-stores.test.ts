import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import { memory } from '../../src/index.js';
import { memory as makeStore } from '../../src/persist/memory.js';
import { LeaseRoles } from '../../src/tabs/lease-roles.js';
import { failStore } from '../support/failing-store.js';
import { pageStore } from '../support/paged-store.js';
import { openBrowser } from '../support/shared-store.js';
import { useTodos } from '../support/todos.js';

// Starts and returns of stores in which something goes wrong besides.

const served = useTodos();

async function readTodos(prefix: string) {
  const { u1, A1 } = served.fixtures();
  const { list } = await u1.get('Todo', { accountId: A1, ids: null });
  return list.filter(({ text }) => String(text).startsWith(prefix));
}

describe('a recipe that throws behind a start', () => {
  it('refuses its write, and none behind it', async () => {
    const { u1, A1 } = served.fixtures();
    for (let n = 0; n < 12; n += 1)
      await u1.set('Todo', { accountId: A1, create: { k: { text: `late ${n}` } } });
    const kept = memory();
    const first = await served.connect({ store: kept });
    await first.sync.settled();
    await first.close();
    const paged = pageStore(kept, 3);
    paged.hold();
    const { sync, account } = await served.connect({ store: paged.store, username: 'u1' });
    const { Todo } = account();
    // The store has been read as far as its first page.
    const id = String((await readTodos('late')).at(-1)?.['id']);
    const bad = Todo.update(id, () => {
      throw new Error('no');
    });
    const good = Todo.update(id, (todo) => {
      todo.done = true;
    });
    paged.release();
    expect(await bad.result).toMatchObject({ ok: false, error: { type: 'recipeFailed' } });
    expect(await good.result).toMatchObject({ ok: true });
    await sync.settled();
    expect(Todo.live().getSnapshot()).toMatchObject({ status: 'live', total: 12 });
  });
});

describe('a client that is opened behind a logout', () => {
  it('keeps what it writes where its store opens late', async () => {
    const failing = failStore(memory());
    const first = await served.connect({ store: failing.store });
    await first.sync.settled();
    await first.logout();
    failing.lose();
    const next = await served.connect({ store: failing.store });
    await next.sync.settled();
    expect(next.sync.getSnapshot().storage).toBe('lost');
    failing.find();
    await eventually(() => expect(next.sync.getSnapshot().storage).toBe('kept'));
    const { saved, result } = next.account().Todo.create({ text: 'behind a logout' });
    expect(await saved).toBe(true);
    expect(await result).toMatchObject({ ok: true });
  });
});

describe('a tab that has lost the store', () => {
  it('sends no write again that another one has sent', async () => {
    const openTab = openBrowser();
    const tabs = [openTab(), openTab()] as const;
    const failing = failStore(tabs[0].store);
    let isOnline = true;
    const one = await served.connect({
      store: failing.store,
      fetch: (url, init) =>
        isOnline ? tabs[0].fetch(url, init) : Promise.reject(new TypeError('offline')),
    });
    await one.sync.settled();
    const two = await served.connect({ store: tabs[1].store, fetch: tabs[1].fetch });
    await two.sync.settled();
    served.proxy().decide(() => 'drop');
    isOnline = false;
    const made = one.account().Todo.create({ text: 'once in a lost tab' });
    expect(await made.saved).toBe(true);
    await eventually(() => expect(two.sync.getSnapshot().pending).toBe(1));
    failing.lose();
    expect(await one.account().Todo.create({ text: 'lost' }).saved).toBe(false);
    const later = one.account().Todo.update(made.object.$key, { done: true });
    expect(await later.saved).toBe(false);
    served.proxy().decide(() => 'pass');
    await two.sync.settled();
    failing.find();
    isOnline = true;
    await eventually(() => expect(one.sync.getSnapshot().storage).toBe('kept'));
    await one.sync.settled();
    expect(await later.result).toMatchObject({ ok: true });
    expect(await readTodos('once in a lost')).toMatchObject([{ done: true }]);
  });
});

describe('a lease of a file', () => {
  it('leaves the turn of another tab as it is', async () => {
    const store = await makeStore().open('x');
    const roles = new LeaseRoles(store);
    const { signal } = new AbortController();
    await roles.run(
      'sync',
      async () => {
        const epoch = await store.fence();
        await roles.run('upload A', async () => undefined, signal);
        await store.commit([{ table: 'meta', key: 'k', value: 1 }], { epoch });
      },
      signal,
    );
    expect(await store.load('meta', 'k')).toEqual([['k', 1]]);
  });
});
