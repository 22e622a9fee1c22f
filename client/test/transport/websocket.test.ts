import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../../../test/support/poll.js';
import { openConnection } from '../../src/call/connection.js';
import type { ConnectOptions } from '../../src/index.js';
import { openPush } from '../../src/transport/open-push.js';
import type { ChangedStates, PushStatus } from '../../src/transport/push.js';
import { webSocket } from '../../src/transport/websocket.js';
import { useTodos } from '../support/todos.js';

const served = useTodos();
afterEach(() => {
  vi.unstubAllGlobals();
});

const alone = { transport: webSocket({ WebSocket, fallback: false }) };
const both = { transport: webSocket({ WebSocket }) };

const posts = (path: string) =>
  served.proxy().seen.filter((one) => one.method === 'POST' && one.path === path);
const tickets = () => posts('/jmap/ticket').length;
/** Requests to the API that went by HTTP. */
const byHttp = () => posts('/jmap').filter(({ headers }) => 'host' in headers).length;

function usedTickets(): readonly (string | null)[] {
  const urls = served
    .proxy()
    .handshakes()
    .map(({ path }) => new URL(path, 'http://server'));
  return urls.map(({ searchParams }) => searchParams.get('ticket'));
}

/** Opens push of the user's own account. */
async function listen(options: Partial<ConnectOptions>) {
  const { token } = served.fixtures().u1;
  const connection = await openConnection({ url: served.proxy().url, token, ...options });
  const states: ChangedStates[] = [];
  const statuses: PushStatus[] = [];
  const push = openPush(connection, {
    onState: (changed) => states.push(changed),
    onStatus: (status) => statuses.push(status),
  });
  const is = (state: PushStatus['state']) =>
    eventually(() => expect(statuses.at(-1)?.state).toBe(state), 20_000);
  return { connection, states, statuses, push, is };
}

describe('calls by a WebSocket', () => {
  it('go by one socket, which opens with the first of them', async () => {
    const me = (await served.connect(alone)).account();
    expect(served.proxy().seen.length).toBe(1);
    await Promise.all([
      me.Todo.get(),
      me.Note.get(),
      me.Todo.set({ create: { k: { text: 'x' } } }),
    ]);
    await me.Todo.get();
    expect([tickets(), served.proxy().handshakes().length, byHttp()]).toEqual([1, 1, 0]);
    expect(posts('/jmap').length).toBe(4);
  });

  it('use a ticket once: each connection has one of its own', async () => {
    const me = (await served.connect(alone)).account();
    for (let n = 0; n < 3; n += 1) {
      await me.Todo.get();
      served.proxy().cut();
    }
    await me.Todo.get();
    const used = usedTickets();
    expect(used.length).toBe(4);
    expect(new Set(used).size).toBe(4);
    expect(used).not.toContain(null);
    expect(tickets()).toBe(4);
  });

  it('that wait when the socket breaks reject, or are sent again if they read', async () => {
    const me = (await served.connect(alone)).account();
    await me.Note.get();
    served.proxy().decideNext('hang', 'hang');
    const reading = me.Todo.get();
    const writing = me.Todo.set({ create: { k: { text: 'x' } } });
    const rejected = expect(writing).rejects.toMatchObject({ type: 'transport' });
    await eventually(() => expect(posts('/jmap').length).toBe(3), 20_000);
    served.proxy().cut();
    await rejected;
    expect((await reading).state).toEqual(expect.any(String));
    expect(posts('/jmap').length).toBe(4);
  });

  it('reject where there can be no socket', async () => {
    served.proxy().decide(({ path }) => (path.startsWith('/jmap/ws') ? { status: 403 } : 'pass'));
    const me = (await served.connect({ ...alone, retry: 0 })).account();
    await expect(me.Todo.get()).rejects.toMatchObject({ type: 'transport' });
  });

  it('reject where the server has none', async () => {
    const client = await served.connect();
    const body = { ...client.session, capabilities: {} };
    served
      .proxy()
      .decide(({ path }) => (path === '/.well-known/jmap' ? { status: 200, body } : 'pass'));
    const me = (await served.connect({ ...alone, retry: 0 })).account();
    await expect(me.Todo.get()).rejects.toMatchObject({ type: 'transport' });
    const other = (await served.connect(both)).account();
    expect((await other.Todo.get()).state).toEqual(expect.any(String));
  });

  it('reject with the reason where the server gives no tickets', async () => {
    served.proxy().decide(({ path }) => (path.endsWith('ticket') ? { status: 404 } : 'pass'));
    const me = (await served.connect({ ...alone, retry: 0 })).account();
    await expect(me.Todo.get()).rejects.toMatchObject({
      ...{ type: 'http', status: 404, message: expect.stringContaining('no tickets') },
    });
    const other = (await served.connect(both)).account();
    expect((await other.Todo.get()).state).toEqual(expect.any(String));
  });

  it('reject where the platform has no WebSocket, without a ticket', async () => {
    vi.stubGlobal('WebSocket', undefined);
    const transport = webSocket({ fallback: false });
    const me = (await served.connect({ transport, retry: 0 })).account();
    await expect(me.Todo.get()).rejects.toMatchObject({
      ...{ type: 'transport', message: expect.stringContaining('no WebSocket') },
    });
    expect(tickets()).toBe(0);
  });

  it('reject where a socket can’t even be made', async () => {
    const cause = new Error('SecurityError');
    const Broken = class {
      constructor() {
        throw cause;
      }
    };
    const transport = webSocket({ WebSocket: Broken as never, fallback: false });
    const me = (await served.connect({ transport, retry: 0 })).account();
    await expect(me.Todo.get()).rejects.toMatchObject({ type: 'transport', cause });
  });

  it('reject with a NeedsAuthError where the token has ended', async () => {
    const token = await served.server().tool('scripts/token', ['create', '--user', 'u1']);
    const me = (await served.connect({ ...alone, token })).account();
    await me.Todo.get();
    await served.server().tool('scripts/token', ['revoke', token]);
    await eventually(
      () => expect(me.Todo.get()).rejects.toMatchObject({ type: 'needsAuth' }),
      20_000,
    );
    const count = tickets();
    await expect(me.Todo.get()).rejects.toMatchObject({ type: 'needsAuth' });
    expect(tickets()).toBe(count);
  });

  it('end a socket that doesn’t answer any more', async () => {
    const transport = webSocket({ WebSocket, fallback: false, silence: 500 });
    const me = (await served.connect({ transport })).account();
    await me.Note.get();
    served.proxy().mute();
    expect((await me.Todo.get()).state).toEqual(expect.any(String));
    expect(served.proxy().handshakes().length).toBe(2);
  });

  it('keep a socket that answers, however long a call takes', async () => {
    const transport = webSocket({ WebSocket, fallback: false, silence: 500 });
    const client = await served.connect({ transport });
    await client.account().Note.get();
    served.proxy().decideNext('hang');
    const waiting = client.account().Todo.get();
    const echoes = () =>
      served
        .proxy()
        .api()
        .filter(({ using }) => using.length === 1).length;
    await eventually(() => expect(echoes()).toBeGreaterThan(1), 20_000);
    expect(served.proxy().handshakes().length).toBe(1);
    const rejected = expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    await client.close();
    await rejected;
  });

  it('ask for no sign of life while nothing waits', async () => {
    const silence = 54_321;
    const begun = vi.spyOn(globalThis, 'setTimeout');
    const ended = vi.spyOn(globalThis, 'clearTimeout');
    const transport = webSocket({ WebSocket, fallback: false, silence });
    await (await served.connect({ transport })).account().Note.get();
    const timers = begun.mock.calls.flatMap(([, time], index) =>
      time === silence ? begun.mock.results[index]?.value : [],
    );
    expect(timers.length).toBeGreaterThan(0);
    expect(ended.mock.calls.map(([timer]) => timer)).toEqual(expect.arrayContaining(timers));
  });
});

describe('calls by both', () => {
  it('go by HTTP until there is a socket, and again once it is lost', async () => {
    const me = (await served.connect(both)).account();
    await me.Todo.get();
    expect(byHttp()).toBe(1);
    await eventually(async () => {
      const before = byHttp();
      await me.Todo.get();
      expect(byHttp()).toBe(before);
    }, 20_000);
    served.proxy().decide(({ path }) => (path.startsWith('/jmap/ws') ? 'drop' : 'pass'));
    served.proxy().cut();
    const before = byHttp();
    for (let n = 0; n < 5; n += 1) await me.Todo.get();
    expect(byHttp()).toBeGreaterThan(before);
    // It waits longer from failure to failure, and no call waits for the socket.
    expect(served.proxy().handshakes().length).toBeLessThan(5);
  });

  it('hear of changes by an event source where there is no ticket', async () => {
    served.proxy().decide(({ path }) => (path.endsWith('ticket') ? { status: 404 } : 'pass'));
    const { connection, is } = await listen(both);
    await is('live');
    await connection.close();
  });

  it('hear of changes by an event source where there can be no socket', async () => {
    served.proxy().decide(({ path }) => (path.startsWith('/jmap/ws') ? 'drop' : 'pass'));
    const { connection, states, is } = await listen(both);
    await is('live');
    await eventually(() => expect(states.length).toBe(1), 20_000);
    expect(served.proxy().seen.at(-1)?.path).toContain('/jmap/eventsource');
    await connection.close();
  });
});

describe('a socket that the server closes with 1008', () => {
  it('twice is not opened a third time', async () => {
    const { connection, push, statuses, is } = await listen(alone);
    await is('live');
    served.proxy().closeSockets(1008);
    await is('waiting');
    push.retry();
    await is('live');
    expect(tickets()).toBe(2);
    served.proxy().closeSockets(1008);
    await is('needsAuth');
    expect(statuses.at(-1)?.error).toMatchObject({ name: 'NeedsAuthError' });
    for (let n = 0; n < 5; n += 1) {
      const { length } = statuses;
      push.retry();
      await eventually(() => expect(statuses.length).toBe(length + 2), 20_000);
    }
    expect([tickets(), served.proxy().handshakes().length]).toEqual([2, 2]);

    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 61_000);
    push.retry();
    await is('live');
    push.close();
    await connection.close();
  });
});

it('a push that hears nothing any more is opened again', async () => {
  const transport = webSocket({ WebSocket, fallback: false, silence: 500 });
  const { connection, push, statuses, is } = await listen({ transport });
  await is('live');
  served.proxy().mute();
  await is('waiting');
  expect(statuses.at(-1)?.error).toMatchObject({ type: 'transport' });
  push.retry();
  await is('live');
  push.close();
  await connection.close();
});
