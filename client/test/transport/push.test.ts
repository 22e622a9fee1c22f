import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { makeUser } from '../../../test/support/fixtures.js';
import { eventually } from '../../../test/support/poll.js';
import { startServer } from '../../../test/support/server.js';
import { type Connection, openConnection } from '../../src/call/connection.js';
import { type ConnectOptions, NeedsAuthError } from '../../src/index.js';
import { openPush } from '../../src/transport/open-push.js';
import type { ChangedStates, Push, PushOptions, PushStatus } from '../../src/transport/push.js';
import { webSocket } from '../../src/transport/websocket.js';
import type { Fate } from '../support/faulty-proxy.js';
import { useTodos } from '../support/todos.js';

// Event source and WebSocket tell the same, and come back the same way.

const CHANNELS: readonly (readonly [string, Partial<ConnectOptions>])[] = [
  ['an event source', {}],
  ['a WebSocket', { transport: webSocket({ WebSocket, fallback: false }) }],
];

const SEED = Number(process.env['CLIENT_SEED'] ?? Date.now() % 1_000_000);

const served = useTodos();
const open: (Push | Connection)[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

/** Push that tells a test what it says. */
class Listener {
  readonly states: ChangedStates[] = [];
  readonly statuses: PushStatus[] = [];
  readonly push: Push;

  constructor(connection: Connection, options: Partial<PushOptions> = {}) {
    this.push = openPush(connection, {
      onState: (changed) => this.states.push(changed),
      onStatus: (status) => this.statuses.push(status),
      ...options,
    });
    open.push(this.push);
  }

  get state(): string | undefined {
    return this.statuses.at(-1)?.state;
  }

  /** Resolves once the last states of the user's own account have this one. */
  async hears(type: string, state: string): Promise<void> {
    await eventually(() => {
      const own = this.states.at(-1)?.[served.fixtures().A1];
      expect(own?.[type]).toBe(state);
    }, 20_000);
  }

  async is(state: PushStatus['state']): Promise<void> {
    await eventually(() => expect(this.state).toBe(state), 20_000);
  }
}

async function openClient(options: Partial<ConnectOptions> = {}): Promise<Connection> {
  const { token } = served.fixtures().u1;
  const connection = await openConnection({ url: served.proxy().url, token, ...options });
  open.push(connection);
  return connection;
}

/** Another client writes; resolves to the new state. */
async function write(): Promise<string> {
  const { u1, A1 } = served.fixtures();
  const create = { k: { text: 'written' } };
  const { newState } = await u1.ok('Todo/set', { accountId: A1, create });
  return String(newState);
}

/** Requests that ask for a connection: an event source, or a ticket. */
const askings = () =>
  served.proxy().seen.filter(({ path }) => /^\/jmap\/(eventsource|ticket)/.test(path)).length;

const makeToken = () => served.server().tool('scripts/token', ['create', '--user', 'u1']);

describe.each(CHANNELS)('push by %s', (_, channel) => {
  it('tells all present states, then each change', async () => {
    const before = await write();
    const listener = new Listener(await openClient(channel));
    await listener.hears('Todo', before);
    expect(Object.keys(listener.states[0]?.[served.fixtures().A1] ?? {})).toContain('Note');
    await listener.is('live');
    await listener.hears('Todo', await write());
    expect(listener.states.at(-1)).toEqual({
      [served.fixtures().A1]: { Todo: expect.any(String) },
    });
    expect(listener.statuses).toEqual([{ state: 'connecting' }, { state: 'live' }]);
  });

  it('tells of its types alone', async () => {
    const listener = new Listener(await openClient(channel), { types: ['Todo', 'Note'] });
    await listener.hears('Todo', await write());
    expect(Object.keys(listener.states[0]?.[served.fixtures().A1] ?? {}).sort()).toEqual([
      'Note',
      'Todo',
    ]);
  });

  it('goes on where it was after a connection that was cut', async () => {
    const listener = new Listener(await openClient(channel));
    await listener.hears('Todo', await write());
    served.proxy().cut();
    await listener.is('waiting');
    const state = await write();
    listener.states.length = 0;
    listener.push.retry();
    await listener.hears('Todo', state);
    expect(listener.states).toEqual([{ [served.fixtures().A1]: { Todo: state } }]);
  });

  it('comes back by itself', async () => {
    const listener = new Listener(await openClient(channel));
    await listener.hears('Todo', await write());
    served.proxy().cut();
    await listener.is('waiting');
    await listener.hears('Todo', await write());
  });

  it('ends with close, and tells nothing more', async () => {
    const listener = new Listener(await openClient(channel));
    await listener.hears('Todo', await write());
    const { states, statuses } = listener;
    const count = [states.length, statuses.length];
    listener.push.close();
    const other = new Listener(await openClient(channel));
    await other.hears('Todo', await write());
    expect([states.length, statuses.length]).toEqual(count);
  });

  it('that is closed before it is open asks no more', async () => {
    const connection = await openClient(channel);
    served.proxy().decide(() => 'hang');
    const listener = new Listener(connection);
    listener.push.close();
    await connection.close();
    expect(listener.statuses).toEqual([{ state: 'connecting' }]);
  });

  it('goes on with another token, where the first has ended', async () => {
    const first = await makeToken();
    const tokens = [first, served.fixtures().u1.token];
    const token = () => tokens.shift() ?? '';
    const listener = new Listener(await openClient({ ...channel, token }));
    await listener.hears('Todo', await write());
    await served.server().tool('scripts/token', ['revoke', first]);
    await listener.is('waiting');
    listener.push.retry();
    await listener.is('live');
    await listener.hears('Todo', await write());
    expect(tokens).toEqual([]);
  });

  it('asks no more where the server refuses the token, until it is told to go on', async () => {
    const first = await makeToken();
    let token = first;
    const listener = new Listener(await openClient({ ...channel, token: () => token }));
    await listener.hears('Todo', await write());
    await served.server().tool('scripts/token', ['revoke', first]);
    // The server may tell how long to wait before the request that it refuses.
    await eventually(() => expect(['waiting', 'needsAuth']).toContain(listener.state), 20_000);
    if (listener.state === 'waiting') listener.push.retry();
    await listener.is('needsAuth');
    expect(listener.statuses.at(-1)?.error).toBeInstanceOf(NeedsAuthError);
    const count = askings();
    for (let n = 0; n < 5; n += 1) {
      const { length } = listener.statuses;
      listener.push.retry();
      await eventually(() => expect(listener.statuses.length).toBe(length + 2), 20_000);
    }
    expect(listener.state).toBe('needsAuth');
    expect(askings()).toBe(count);
    token = served.fixtures().u1.token;
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 61_000);
    listener.push.retry();
    await listener.is('live');
  });

  it('tells that the server refuses what it asks for', async () => {
    const listener = new Listener(await openClient(channel), { types: ['Nothing'] });
    await listener.is('refused');
    expect(listener.statuses.at(-1)?.error).toMatchObject({ status: 400 });
  });

  it.each([403, 404])('is refused by a %i', async (status) => {
    const connection = await openClient(channel);
    served.proxy().decide(() => ({ status }));
    const listener = new Listener(connection);
    await listener.is('refused');
    expect(listener.statuses.at(-1)?.error).toMatchObject({ status });
    served.proxy().decide(() => 'pass');
    listener.push.retry();
    await listener.is('live');
  });

  it('comes back by itself after a refusal, later each time', async () => {
    const connection = await openClient(channel);
    const timers = vi.spyOn(globalThis, 'setTimeout');
    served.proxy().decide(() => ({ status: 404 }));
    const listener = new Listener(connection);
    for (let n = 1; n <= 4; n += 1) {
      await eventually(() => expect(listener.statuses.length).toBe(2 * n), 20_000);
      expect(listener.state).toBe('refused');
      const shortest = 3750 * 2 ** n;
      const waits = timers.mock.calls.filter(
        ([, time = 0]) => time >= shortest && time <= 2 * shortest && time % 20_000 !== 0,
      );
      expect(waits).toHaveLength(1);
      timers.mockClear();
      if (n === 4) served.proxy().decide(() => 'pass');
      for (const [end] of waits) end();
    }
    await listener.is('live');
  });

  it.each([429, 503])('waits after a %i as long as the server says', async (status) => {
    const connection = await openClient(channel);
    const waits = vi.spyOn(globalThis, 'setTimeout');
    served.proxy().decide(() => ({ status, headers: { 'retry-after': '7' } }));
    const listener = new Listener(connection);
    await listener.is('waiting');
    expect(waits.mock.calls.map(([, time]) => time)).toContain(7000);
    served.proxy().decide(() => 'pass');
    listener.push.retry();
    await listener.is('live');
  });

  it('ends with the states of the server, whatever happens to its connections', async () => {
    const listener = new Listener(await openClient(channel));
    const steps = fc.sample(fc.constantFrom(...['write', 'cut', 'retry', 'wait', 'drop', 'pass']), {
      numRuns: 60,
      seed: SEED,
    });
    let last = '';
    for (const step of steps) {
      if (step === 'write') last = await write();
      else if (step === 'cut') served.proxy().cut();
      else if (step === 'retry') listener.push.retry();
      else if (step === 'wait') await new Promise((resolve) => setTimeout(resolve, 10));
      else served.proxy().decide(() => step as Fate);
    }
    last = await write();
    served.proxy().decide(() => 'pass');
    listener.push.retry();
    const known = () =>
      Object.assign({}, ...listener.states.map((each) => each[served.fixtures().A1]));
    await eventually(() => expect(known(), `seed ${SEED}`).toMatchObject({ Todo: last }), 60_000);
  });

  it('tries again after a wish that came during a try', async () => {
    const connection = await openClient(channel);
    let tries = 0;
    served.proxy().decide(({ path }) => {
      if (!/^\/jmap\/(eventsource|ticket)/.test(path)) return 'pass';
      tries += 1;
      if (tries > 1) return 'pass';
      listener.push.retry();
      return { status: 403 };
    });
    const listener = new Listener(connection);
    await listener.is('live');
    expect(tries).toBe(2);
  });

  it('waits for an hour at most', async () => {
    const connection = await openClient(channel);
    const waits = vi.spyOn(globalThis, 'setTimeout');
    served.proxy().decide(() => ({ status: 503, headers: { 'retry-after': '3000000' } }));
    await new Listener(connection).is('waiting');
    const times = waits.mock.calls.map(([, time = 0]) => time);
    expect(Math.max(...times)).toBe(3_600_000);
  });

  it('waits where the user has too many requests', async () => {
    const connection = await openClient(channel);
    const body = { type: 'urn:ietf:params:jmap:error:limit', limit: 'maxConcurrentRequests' };
    served.proxy().decide(() => ({ status: 400, body }));
    await new Listener(connection).is('waiting');
  });

  it('ends with its client', async () => {
    const connection = await openClient(channel);
    const listener = new Listener(connection);
    await listener.is('live');
    const { length } = listener.statuses;
    await connection.close();
    const count = askings();
    listener.push.retry();
    const other = new Listener(await openClient(channel));
    await other.hears('Todo', await write());
    expect([listener.statuses.length, askings()]).toEqual([length, count + 1]);
    expect(new Listener(connection).state).toBe('connecting');
  });

  it('waits longer from failure to failure', async () => {
    const connection = await openClient(channel);
    const waits = vi.spyOn(globalThis, 'setTimeout');
    served.proxy().decide(() => ({ status: 500 }));
    const listener = new Listener(connection);
    for (let n = 1; n <= 6; n += 1) {
      await eventually(() => expect(askings()).toBeGreaterThanOrEqual(n), 20_000);
      await listener.is('waiting');
      listener.push.retry();
    }
    const longest = Math.max(...waits.mock.calls.map(([, time = 0]) => time % 20_000));
    expect(longest).toBeGreaterThanOrEqual(4000);
  });
});

describe('push by each channel', () => {
  it('comes back when the server does', async () => {
    const server = await startServer();
    let last = server;
    try {
      const { token, accountId, client } = await makeUser(server);
      const listeners: Listener[] = [];
      for (const [, channel] of CHANNELS) {
        const connection = await openConnection({ url: server.url, token, ...channel });
        open.push(connection);
        listeners.push(new Listener(connection));
      }
      for (const listener of listeners) await listener.is('live');
      last = await server.restart();
      for (const listener of listeners) await listener.is('live');
      const create = { k: { text: 'later' } };
      const { newState } = await client.ok('Todo/set', { accountId, create });
      for (const { states, statuses } of listeners) {
        await eventually(() => expect(states.at(-1)?.[accountId]?.['Todo']).toBe(newState), 60_000);
        const waits = statuses.filter(({ state }) => state === 'waiting');
        expect(waits[0]).toEqual({ state: 'waiting' });
      }
    } finally {
      await last.remove();
    }
  });
});

describe('an event source', () => {
  const streams = () => served.proxy().seen.filter(({ path }) => path.includes('eventsource'));
  const ids = () => streams().map(({ headers }) => headers['last-event-id']);

  it('asks with the token, and then with the last id', async () => {
    const connection = await openClient();
    const stream = 'retry: 10\nid: x1\n\n';
    served
      .proxy()
      .decide(({ path }) => (path.includes('eventsource') ? { stream, ends: true } : 'pass'));
    const listener = new Listener(connection, { types: ['Todo', 'Note'] });
    await eventually(() => expect(streams().length).toBeGreaterThan(2), 20_000);
    listener.push.close();
    expect(streams()[0]?.path).toBe('/jmap/eventsource?types=Todo%2CNote&closeafter=no&ping=30');
    const { authorization, accept } = streams()[0]?.headers ?? {};
    expect([authorization, accept]).toEqual([
      `Bearer ${served.fixtures().u1.token}`,
      'text/event-stream',
    ]);
    expect(ids().slice(0, 3)).toEqual(['0', 'x1', 'x1']);
  });

  it('names no id that a server without ids has not told', async () => {
    const { session } = await served.connect();
    const { 'urn:jmapsmith:push': _, ...capabilities } = session.capabilities;
    let stream = 'retry: 10\n\n';
    served.proxy().decide(({ path }) => {
      if (path.includes('eventsource')) return { stream, ends: true };
      return { status: 200, body: { ...session, capabilities } };
    });
    const listener = new Listener(await openClient());
    await eventually(() => expect(streams().length).toBeGreaterThan(1), 20_000);
    expect(new Set(ids())).toEqual(new Set([undefined]));
    stream = 'retry: 10\nid: x2\n\n';
    await eventually(() => expect(ids()).toContain('x2'), 20_000);
    listener.push.close();
  });

  it('reads no events but its own', async () => {
    const connection = await openClient();
    const changed = { A: { Todo: '2' } };
    const state = `event: state\ndata: ${JSON.stringify({ changed })}\n\n`;
    const stream = `data: hello\n\nevent: calendarAlert\ndata: now\n\n${state}`;
    served.proxy().decide(() => ({ stream }));
    const listener = new Listener(connection);
    await eventually(() => expect(listener.states).toEqual([changed]), 20_000);
    expect(listener.statuses).toEqual([{ state: 'connecting' }, { state: 'live' }]);
  });

  it('that asks for weeks of wait is opened again after an hour', async () => {
    const connection = await openClient();
    const waits = vi.spyOn(globalThis, 'setTimeout');
    served.proxy().decide(() => ({ stream: 'retry: 3000000000\n\n', ends: true }));
    await new Listener(connection).is('waiting');
    const times = waits.mock.calls.map(([, time = 0]) => time);
    expect(Math.max(...times)).toBe(3_600_000);
  });

  it('that is told to try again while it is live waits later as the server says', async () => {
    const connection = await openClient();
    const waits = vi.spyOn(globalThis, 'setTimeout');
    const stream = 'retry: 7000\nevent: state\ndata: {"changed":{}}\n\n';
    served.proxy().decide(() => ({ stream }));
    const listener = new Listener(connection);
    await eventually(() => expect(listener.states).toEqual([{}]), 20_000);
    listener.push.retry();
    served.proxy().cut();
    await eventually(() => expect(listener.statuses.length).toBeGreaterThan(2), 20_000);
    expect(waits.mock.calls.map(([, time]) => time)).toContain(7000);
  });

  it('that misses two pings is opened again', async () => {
    const connection = await openClient();
    const stream = 'retry: 1\nevent: ping\ndata: {"interval":0.01}\n\n';
    let count = 0;
    served.proxy().decide(() => {
      count += 1;
      return count < 3 ? { stream } : 'pass';
    });
    const listener = new Listener(connection);
    await listener.hears('Todo', await write());
    expect(listener.statuses.map(({ state }) => state)).toEqual([
      ...['connecting', 'live', 'waiting', 'connecting', 'live', 'waiting'],
      ...['connecting', 'live'],
    ]);
    expect(listener.statuses[2]?.error?.message).toContain('silent');
  });

  it('of a server that tells of nothing is refused', async () => {
    const connection = await openClient();
    served.proxy().decide(() => ({ status: 204 }));
    const listener = new Listener(connection);
    await listener.is('refused');
    expect(listener.statuses.at(-1)?.error).toMatchObject({ status: 204 });
  });

  it('that is answered by something else is opened again', async () => {
    const connection = await openClient();
    served.proxy().decide(() => ({ status: 200, body: { hello: 'portal' } }));
    const listener = new Listener(connection);
    await listener.is('waiting');
    expect(listener.statuses.at(-1)?.error).toMatchObject({ type: 'transport' });
    served.proxy().decide(() => 'pass');
    listener.push.retry();
    await listener.is('live');
  });
});
