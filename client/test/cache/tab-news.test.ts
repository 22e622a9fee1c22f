import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.js';
import { eventually } from '../../../test/support/poll.js';
import { type CachedClient, memory } from '../../src/index.js';
import { TABLES } from '../../src/persist/port.js';
import { nextTask } from '../../src/query/slices.js';
import { failStore } from '../support/failing-store.js';
import type { TodosProject } from '../support/schema.js';
import { openBrowser } from '../support/shared-store.js';
import { useTodos } from '../support/todos.js';
import { guardCalls, wrapStore } from '../support/wrap-store.js';

// News that tabs hear of each other, and a logout that one of them doesn't hear of.

const served = useTodos();

type Client = CachedClient<TodosProject>;

const textsIn = (client: Client): readonly string[] =>
  client
    .account()
    .Todo.live()
    .getSnapshot()
    .rows.map(({ text }) => text);

/** Resolves in a later task of the event loop, however the clock stands. */
async function until(isThere: () => boolean): Promise<void> {
  for (let turn = 0; !isThere(); turn += 1) {
    if (turn > 100_000) throw new Error('It does not come.');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

interface Asked {
  ofStore: number;
  ofNetwork: number;
}

/** Opens tabs that go offline together, and counts what each asks of its store and the network. */
async function openOffline(count: number) {
  const openTab = openBrowser();
  let isOnline = true;
  const opened: { readonly client: Client; readonly asked: Asked }[] = [];
  for (let n = 0; n < count; n += 1) {
    const tab = openTab();
    const asked: Asked = { ofStore: 0, ofNetwork: 0 };
    const client: Client = await served.connect({
      retry: 0,
      store: wrapStore(tab.store, (open) =>
        guardCalls(open, (call) => {
          asked.ofStore += 1;
          return call();
        }),
      ),
      fetch: async (url, init) => {
        asked.ofNetwork += 1;
        if (!isOnline) throw new TypeError('offline');
        return tab.fetch(url, init);
      },
    });
    await client.sync.settled();
    opened.push({ client, asked });
  }
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  isOnline = false;
  opened[0]?.client.sync.wake();
  const isOffline = ({ client }: (typeof opened)[number]): boolean =>
    client.sync.getSnapshot().status === 'offline';
  await vi.advanceTimersByTimeAsync(100);
  await until(() => opened.every(isOffline));
  return opened;
}

describe('a write of a tab that is offline', () => {
  it('shows in the others as soon as it is told, without their store and a timer', async () => {
    const tabs = await openOffline(3);
    const before = tabs.map(({ asked }) => ({ ...asked }));
    const shown = tabs.slice(1).map(({ client, asked }) => {
      const atRow: Asked[] = [];
      client
        .account()
        .Todo.live()
        .subscribe(({ rows }) => {
          if (rows.some(({ text }) => text === 'told')) atRow.push({ ...asked });
        });
      return atRow;
    });
    const write = tabs[0]?.client.account().Todo.create({ text: 'told' });
    await until(() => shown.every((atRow) => atRow.length > 0));
    expect(shown.map(([first]) => first)).toEqual(before.slice(1));
    expect(await write?.saved).toBe(true);
    for (const { client } of tabs) expect(client.sync.getSnapshot().pending).toBe(1);
  });
});

/** Opens tabs of a server whose session has another state at each fetch, once it has moved. */
async function openRestless(count: number) {
  const openTab = openBrowser();
  const server = { hasMoved: false, isTelling: false, fetched: 0 };
  const clients: Client[] = [];
  for (let n = 0; n < count; n += 1) {
    const tab = openTab();
    let known: JsonObject = {};
    const client: Client = await served.connect({
      store: tab.store,
      fetch: async (url, init) => {
        const response = await tab.fetch(url, init);
        const isSession = String(url).endsWith('/.well-known/jmap');
        if (!server.hasMoved || !(isSession || init?.method === 'POST')) return response;
        const answer = (await response.json()) as JsonObject;
        if (server.isTelling) known = { sessionState: 'moved' };
        if (!isSession) return Response.json({ ...answer, ...known });
        server.fetched += 1;
        known = { sessionState: `${server.fetched}` };
        return Response.json({ ...answer, state: `${server.fetched}`, uploadUrl: 'moved' });
      },
    });
    await client.sync.settled();
    clients.push(client);
  }
  return { server, clients };
}

describe('a session that has another state at each fetch', () => {
  it('comes to other tabs while it is news, and is not fetched at rest', async () => {
    const { server, clients } = await openRestless(3);
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'Date'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    Object.assign(server, { hasMoved: true, isTelling: true });
    await clients[0]?.raw([], []);
    server.isTelling = false;
    await until(() => clients.every(({ session }) => session.uploadUrl === 'moved'));
    const passTime = async (): Promise<void> => {
      await vi.advanceTimersByTimeAsync(10_000);
      for (let task = 0; task < 100; task += 1) await nextTask();
    };
    for (let n = 0; n < 5; n += 1) await passTime();
    const { fetched } = server;
    for (let n = 0; n < 5; n += 1) await passTime();
    expect(server.fetched).toBe(fetched);
  });
});

/** Opens a tab that is in use while a closed client of its browser logs out. */
async function openThenLogOut(isLost: boolean) {
  const kept = memory();
  const openTab = openBrowser(kept);
  const [first, second] = [openTab(), openTab()];
  const failing = failStore(first.store);
  const one = await served.connect({ store: failing.store, fetch: first.fetch });
  one.account().Todo.create({ text: 'to be removed' });
  await one.sync.settled();
  const two = await served.connect({ store: second.store, fetch: second.fetch });
  await two.sync.settled();
  await two.close();
  served.proxy().decide(({ method }) => (method === 'POST' ? 'drop' : 'pass'));
  if (isLost) failing.lose();
  if (isLost) expect(await one.account().Todo.create({ text: 'unsent' }).saved).toBe(false);
  await two.logout({ discard: true });
  return { kept, openTab, one, failing };
}

/** Has the tab look at its store: by a write, or by opening it again. */
async function look({ one, failing }: Awaited<ReturnType<typeof openThenLogOut>>): Promise<void> {
  failing.find();
  const late = one.account().Todo.create({ text: 'late' });
  expect(await late.saved).toBe(false);
  await eventually(() => expect(one.sync.getSnapshot().status).toBe('replaced'));
  expect(await late.result).toMatchObject({ ok: false, error: { type: 'closed' } });
}

describe.each([
  ['has its store', false],
  ['has lost its store', true],
])('a tab that %s and has not heard of a logout', (_, isLost) => {
  it('brings nothing back, and ends', async () => {
    const opened = await openThenLogOut(isLost);
    await look(opened);
    const data = await opened.kept.open([new URL(served.proxy().url).href, 'u1', 1].join(' '));
    const rows = await Promise.all(TABLES.map(async (table) => [table, await data.load(table)]));
    expect(Object.fromEntries(rows)).toEqual({
      ...Object.fromEntries(TABLES.map((table) => [table, []])),
      meta: [['life', { id: null, isAfterLogout: true }]],
    });
  });

  it('leaves the data of the next client alone, and ends', async () => {
    const opened = await openThenLogOut(isLost);
    const { store, fetch } = opened.openTab();
    const next = await served.connect({ store, fetch });
    expect(textsIn(next)).toEqual([]);
    expect(await next.account().Todo.create({ text: 'of the next' }).saved).toBe(true);
    await look(opened);
    expect(textsIn(next)).toEqual(['of the next']);
    await next.close();
    const again = await served.connect({ ...{ store, fetch }, username: 'u1' });
    expect(textsIn(again)).toEqual(['of the next']);
    expect(again.sync.getSnapshot()).toMatchObject({ pending: 1, storage: 'kept' });
    await again.logout({ discard: true });
  });
});
