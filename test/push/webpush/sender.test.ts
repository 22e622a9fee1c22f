import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../support/poll.js';
import { makeRig } from './sender-rig.js';
import type { Respond } from './sink.js';

/** Holds the answers to requests until they are let go. */
function makeGate(): { respond: Respond; open: () => void; readonly held: number } {
  const held: (() => void)[] = [];
  let isOpen = false;
  return {
    respond: (_, response) => {
      const answer = (): void => void response.writeHead(201).end();
      if (isOpen) answer();
      else held.push(answer);
    },
    open: () => {
      isOpen = true;
      for (const answer of held.splice(0)) answer();
    },
    get held() {
      return held.length;
    },
  };
}

/** Fakes timers; connections need real time, whatever the timers say. */
function fakeTimers(rig: Awaited<ReturnType<typeof makeRig>>) {
  const { setTimeout: setRealTimeout } = globalThis;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const wait = (): Promise<void> => new Promise((resolve) => setRealTimeout(resolve, 2));
  return {
    /** Lets time pass, and what follows from it. */
    pass: async (ms: number): Promise<void> => {
      vi.advanceTimersByTime(ms);
      for (let count = 0; count < 20; count += 1) await wait();
    },
    reach: async (pushes: number, failures: number): Promise<void> => {
      const end = performance.now() + 60_000;
      while (rig.received.length < pushes || rig.failures.length < failures) {
        if (performance.now() > end) throw new Error(`${rig.received.length} pushes came.`);
        // For the pause of the notes and the throttle, not for the wait after a failure.
        vi.advanceTimersByTime(1);
        await wait();
      }
    },
  };
}

/** Long enough for a push that must not come: the throttle of the rig many times over. */
const LONG = 150;

afterEach(() => {
  vi.useRealTimers();
});

describe('a verified subscription', () => {
  it('is sent what changes: encrypted, signed, and with what RFC 8030 asks for', async () => {
    const rig = await makeRig();
    rig.subscribeWithKeys('one', { vapidKey: 'key1' });
    await rig.start();
    rig.commit('Todo', 'Note');
    await eventually(() => expect(rig.received.length).toBe(1));
    const changed = { account: { Todo: '1', Note: '1' } };
    const text = rig.textsOf('one')[0] ?? '';
    expect(JSON.parse(text)).toEqual({ '@type': 'StateChange', changed });
    expect(rig.received[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-encoding': 'aes128gcm',
      ttl: '86400',
      urgency: 'normal',
      topic: expect.stringMatching(/^[\w-]{32}$/),
      authorization: `vapid key1 ${rig.sink.url('/').origin}`,
    });
    await eventually(() => expect(rig.rows.get('one')?.lastId).toBe('{"Todo":1,"Note":1}'));
    await delay(LONG);
    expect(rig.received.length).toBe(1);
  });

  it('without keys is sent plain JSON', async () => {
    const rig = await makeRig();
    rig.subscribe('one');
    await rig.start();
    rig.commit('Todo');
    await eventually(() => expect(rig.statesOf('one')).toEqual([{ Todo: '1' }]));
    expect(rig.received[0]?.headers).not.toHaveProperty('content-encoding');
    expect(rig.received[0]?.headers).not.toHaveProperty('authorization');
  });

  it('is told at once of changes before it was verified, and before a start', async () => {
    const rig = await makeRig();
    rig.subscribe('before');
    rig.commit('Todo');
    const sender = await rig.start();
    await eventually(() => expect(rig.statesOf('before')).toEqual([{ Todo: '1' }]));
    rig.subscribe('later', { lastId: '{}' });
    await sender.changed('later');
    await eventually(() => expect(rig.statesOf('later')).toEqual([{ Todo: '1' }]));
  });

  it('is sent the newest states alone, and few pushes, where much changes', async () => {
    const rig = await makeRig();
    rig.subscribe('one');
    const pauses = { throttle: 300, slowThrottle: 300, spread: 0, notes: 10, retry: 30 };
    await rig.start({ pauses });
    const began = performance.now();
    for (let index = 0; index < 100; index += 1) {
      rig.commit('Todo');
      await delay(1);
    }
    await eventually(() => expect(rig.statesOf('one').at(-1)).toEqual({ Todo: '100' }));
    const most = 1 + Math.ceil((performance.now() - began) / pauses.throttle);
    expect(rig.received.length).toBeLessThanOrEqual(most);
  });

  it('has one push under way; what changes meanwhile is in the next', async () => {
    const rig = await makeRig();
    const gate = makeGate();
    rig.fates.set('one', gate.respond);
    rig.subscribe('one');
    await rig.start();
    rig.commit('Todo');
    await eventually(() => expect(gate.held).toBe(1));
    for (let index = 0; index < 20; index += 1) rig.commit('Todo', 'Note');
    await delay(LONG);
    expect(rig.received.length).toBe(1);
    gate.open();
    const states = [{ Todo: '1' }, { Todo: '21', Note: '20' }];
    await eventually(() => expect(rig.statesOf('one')).toEqual(states));
    expect(rig.most).toBe(1);
  });

  it('goes by its row as it is before each push', async () => {
    const rig = await makeRig();
    rig.subscribe('one', { types: ['Todo'] });
    rig.subscribe('two');
    const sender = await rig.start();
    const row = rig.rows.get('one');
    if (row !== undefined) rig.rows.set('one', { ...row, types: ['Note'] });
    await sender.changed('one');
    rig.rows.delete('two');
    rig.commit('Todo', 'Note');
    await eventually(() => expect(rig.statesOf('one')).toEqual([{ Note: '1' }]));
    await delay(LONG);
    expect(rig.statesOf('two')).toEqual([]);
    expect(sender.counts().served).toBe(1);
  });

  it('goes by its new row also where it changes while the old one is read', async () => {
    const rig = await makeRig();
    rig.subscribe('one', { types: ['Todo'], lastId: null });
    const sender = await rig.start();
    rig.onRead = () => {
      rig.onRead = () => undefined;
      const row = rig.rows.get('one');
      if (row !== undefined) rig.rows.set('one', { ...row, types: ['Note'] });
      void sender.changed('one');
    };
    await sender.changed('one');
    await eventually(() => expect(rig.openChannels).toBe(1));
    rig.commit('Note');
    await eventually(() => expect(rig.statesOf('one')).toEqual([{ Note: '1' }]));
  });

  it('goes by new types also where nobody tells of their change', async () => {
    const rig = await makeRig();
    rig.subscribe('one', { types: ['Todo'] });
    await rig.start();
    const row = rig.rows.get('one');
    if (row !== undefined) rig.rows.set('one', { ...row, types: ['Todo', 'Note'] });
    rig.commit('Todo');
    await eventually(() => expect(rig.statesOf('one')).toEqual([{ Todo: '1' }]));
    rig.commit('Note');
    await eventually(() => expect(rig.statesOf('one').at(-1)).toEqual({ Note: '1' }));
  });

  it('is not counted once it has ended, also where nobody tells of it', async () => {
    const rig = await makeRig();
    for (const id of ['ended', 'living']) rig.subscribe(id);
    rig.fates.set('ended', 503);
    const sender = await rig.start();
    rig.commit('Todo');
    expect(sender.counts().oldestPending).toBeGreaterThan(0);
    await eventually(() => expect(rig.failures.map(({ id }) => id)).toEqual(['ended']));
    await eventually(() => expect(sender.counts()).toMatchObject({ served: 2, oldestPending: 0 }));
    rig.rows.delete('ended');
    await sender.compare();
    expect(sender.counts().served).toBe(1);
  });

  it('is told nothing twice where it changes before the push is stored', async () => {
    const rig = await makeRig();
    rig.subscribe('one');
    const pauses = { throttle: 40, slowThrottle: 80, spread: 0, notes: 1e6, retry: 30 };
    const sender = await rig.start({ pauses });
    rig.commit('Todo');
    await eventually(() => expect(sender.counts().results.delivered).toBe(1));
    await sender.changed('one');
    await delay(LONG);
    rig.commit('Note');
    await eventually(() => expect(rig.statesOf('one')).toEqual([{ Todo: '1' }, { Note: '1' }]));
  });

  it('is sent nothing once it is destroyed or its token has ended', async () => {
    const rig = await makeRig();
    for (const id of ['one', 'two']) rig.subscribe(id);
    const sender = await rig.start();
    sender.removed('one');
    rig.endTokens();
    rig.commit('Todo');
    await delay(LONG);
    expect([rig.received.length, rig.openChannels, sender.counts().served]).toEqual([0, 0, 0]);
  });

  it('is sent nothing unsigned where its key is gone: its pushes fail as others do', async () => {
    const rig = await makeRig();
    for (const id of ['one', 'two']) rig.subscribe(id, { vapidKey: 'gone' });
    await rig.start();
    rig.commit('Todo');
    await eventually(() => expect(rig.failures.length).toBe(2));
    expect(rig.failures[0]).toMatchObject({ failures: 1, reason: 'unsigned' });
    expect(rig.failures[0]?.notBefore).toBeGreaterThanOrEqual(rig.now + 10_000);
    await delay(LONG);
    expect(rig.logged.map(({ level }) => level)).toEqual(['warn', 'debug']);
    expect(rig.received).toEqual([]);
  });
});

describe('a service that refuses', () => {
  it.each([404, 410])('with %i has its subscription removed, and no other', async (status) => {
    const rig = await makeRig();
    for (const id of ['one', 'two']) rig.subscribe(id);
    rig.fates.set('one', status);
    await rig.start();
    rig.commit('Todo');
    await eventually(() => expect(rig.removed).toEqual(['one']));
    rig.commit('Todo');
    await eventually(() => expect(rig.statesOf('two').at(-1)).toEqual({ Todo: '2' }));
    expect(rig.statesOf('one')).toEqual([{ Todo: '1' }]);
  });

  it('with 429 is left alone as long as it says, and told all after that', async () => {
    const rig = await makeRig();
    for (const id of ['one', 'two']) rig.subscribe(id, { host: `${id}.push.test` });
    rig.fates.set('one', (_, response) => response.writeHead(429, { 'Retry-After': '120' }).end());
    const first = await rig.start();
    rig.commit('Todo');
    await eventually(() => expect(rig.failures.length).toBe(1));
    const notBefore = rig.now + 120_000;
    expect(rig.failures[0]).toMatchObject({ id: 'one', notBefore, reason: 'status-429' });
    rig.commit('Todo', 'Note');
    await eventually(() => expect(rig.statesOf('two').at(-1)).toMatchObject({ Note: '1' }));
    await delay(LONG);
    await first.stop(performance.now() + 1000);
    rig.fates.clear();
    rig.now = notBefore - 1000;
    await (await rig.start()).stop(performance.now() + 1000);
    expect(rig.statesOf('one')).toEqual([{ Todo: '1' }]);
    rig.now = notBefore;
    await rig.start();
    const states = [{ Todo: '1' }, { Todo: '2', Note: '1' }];
    await eventually(() => expect(rig.statesOf('one')).toEqual(states));
  });

  it('with 429 is left alone by all its subscriptions', async () => {
    const rig = await makeRig();
    for (let index = 0; index < 20; index += 1) {
      rig.subscribe(`s${index}`);
      rig.fates.set(`s${index}`, (_, response) =>
        response.writeHead(429, { 'Retry-After': '120' }).end(),
      );
    }
    rig.subscribe('other', { host: 'other.push.test' });
    const sender = await rig.start();
    rig.commit('Todo');
    await eventually(() => expect(rig.failures.length).toBe(2));
    await eventually(() => expect(rig.statesOf('other').length).toBe(1));
    await delay(LONG);
    expect([rig.received.length, sender.counts().waiting]).toEqual([3, 18]);
  });

  it('for a day loses its subscription; the log tells why', async () => {
    const rig = await makeRig();
    rig.subscribe('one', { failures: 4, firstFailure: rig.now - 24 * 3_600_000 });
    rig.subscribe('two', { failures: 3, firstFailure: rig.now - 24 * 3_600_000 });
    const forbid: Respond = (_, response) => response.writeHead(403).end('no\u001b[2J');
    for (const id of ['one', 'two']) rig.fates.set(id, forbid);
    await rig.start();
    rig.commit('Todo');
    await eventually(() => expect([rig.removed, rig.failures.length]).toEqual([['one'], 1]));
    expect(rig.failures[0]).toMatchObject({ id: 'two', failures: 4, reason: 'status-403' });
    const entry = rig.logged.find(({ level }) => level === 'info');
    expect(entry?.fields).toMatchObject({ id: 'one', detail: 'no\\u{1b}[2J' });
  });

  it('does not hold others up by silence', async () => {
    const rig = await makeRig();
    const gate = makeGate();
    for (let index = 0; index < 60; index += 1) {
      rig.subscribe(`slow${index}`, { host: 'slow.push.test' });
      rig.fates.set(`slow${index}`, gate.respond);
    }
    for (let index = 0; index < 20; index += 1) rig.subscribe(`good${index}`);
    await rig.start();
    rig.commit('Todo');
    const goods = (): number => rig.received.filter(({ path }) => path.startsWith('/good')).length;
    await eventually(() => expect(goods()).toBe(20));
    // A host of which nothing is known has two connections.
    expect(gate.held).toBe(2);
    gate.open();
    await eventually(() => expect(rig.received.length).toBe(80));
  });
});

describe('a service that fails', () => {
  it('is tried again after a while, which grows, and is then told all', async () => {
    const rig = await makeRig();
    rig.subscribe('one');
    rig.fates.set('one', 500);
    await rig.start();
    const { reach } = fakeTimers(rig);
    rig.commit('Todo');
    await reach(1, 1);
    rig.commit('Note');
    const [first] = rig.failures;
    const pause = (first?.notBefore ?? 0) - rig.now;
    expect(pause).toBeGreaterThanOrEqual(10_000);
    rig.now += pause;
    vi.advanceTimersByTime(pause);
    await reach(2, 2);
    expect(rig.failures[1]).toMatchObject({ failures: 2, firstFailure: null });
    const second = (rig.failures[1]?.notBefore ?? 0) - rig.now;
    expect(second).toBeGreaterThanOrEqual(20_000);
    rig.fates.clear();
    rig.now += second;
    vi.advanceTimersByTime(second);
    await reach(3, 2);
    expect(rig.statesOf('one').at(-1)).toEqual({ Todo: '1', Note: '1' });
    expect(rig.logged.map(({ level }) => level)).toEqual(['warn', 'debug']);
  });
});

it('a service that was too busy is pushed to seldom, once it takes pushes again', async () => {
  const rig = await makeRig();
  rig.subscribe('one');
  rig.fates.set('one', 429);
  const slowThrottle = 50_000;
  const sender = await rig.start({
    pauses: { throttle: 40, slowThrottle, spread: 0, notes: 10, retry: 30 },
  });
  const { reach, pass } = fakeTimers(rig);
  rig.commit('Todo');
  await reach(1, 1);
  rig.fates.clear();
  const pause = (rig.failures[0]?.notBefore ?? 0) - rig.now;
  rig.now += pause;
  vi.advanceTimersByTime(pause);
  await reach(2, 1);
  await eventually(() => expect(sender.counts().results.delivered).toBe(1));
  rig.commit('Note');
  await pass(slowThrottle - 5000);
  expect(rig.received.length).toBe(2);
  await pass(5000);
  await reach(3, 1);
  // The next pause is a short one again.
  await eventually(() => expect(sender.counts().results.delivered).toBe(2));
  rig.commit('Todo');
  await reach(4, 1);
});

it('200 services that hang delay no other', async () => {
  const rig = await makeRig();
  const gate = makeGate();
  for (let index = 0; index < 200; index += 1) {
    rig.subscribe(`s${index}`, { host: `h${index}.push.test` });
    rig.fates.set(`s${index}`, gate.respond);
  }
  rig.subscribe('good', { host: 'good.push.test' });
  await rig.start();
  for (let count = 1; count <= 5; count += 1) {
    rig.commit('Todo');
    const last = { Todo: String(count) };
    await eventually(() => expect(rig.statesOf('good').at(-1)).toEqual(last));
  }
  await eventually(() => expect(gate.held).toBe(200));
  gate.open();
});

describe('an outage of one service', () => {
  it('is one line of the log, whatever fails', async () => {
    const rig = await makeRig();
    for (let index = 0; index < 40; index += 1) {
      rig.subscribe(`s${index}`);
      rig.fates.set(`s${index}`, 500);
    }
    rig.subscribe('other', { host: 'other.push.test' });
    rig.fates.set('other', 500);
    await rig.start();
    rig.commit('Todo');
    await eventually(() => expect(rig.failures.length).toBe(41));
    const warnings = rig.logged.filter(({ level }) => level === 'warn');
    const hosts = warnings.map(({ fields }) => Reflect.get(fields, 'host')).sort();
    expect(hosts).toEqual([rig.sink.url('/').host, rig.sink.url('/', 'other.push.test').host]);
  });
});

describe('many subscriptions', () => {
  it('of one host share 8 connections, and all are told', async () => {
    const rig = await makeRig();
    for (let index = 0; index < 300; index += 1) rig.subscribe(`s${index}`, { shard: index % 16 });
    await rig.start();
    rig.commit('Todo');
    await eventually(() => expect(rig.successes.length).toBe(300));
    expect(new Set(rig.received.map(({ path }) => path)).size).toBe(300);
    expect(rig.received.length).toBe(300);
    expect(rig.sink.connections).toBeLessThanOrEqual(8);
  });

  it('have their rows read together, and read again after a change', async () => {
    const rig = await makeRig();
    const gate = makeGate();
    for (let index = 0; index < 40; index += 1) {
      rig.subscribe(`s${index}`);
      if (index >= 4) rig.fates.set(`s${index}`, gate.respond);
    }
    const sender = await rig.start();
    rig.commit('Todo', 'Note');
    await eventually(() => expect(rig.successes.length).toBe(4));
    await eventually(() => expect(gate.held).toBe(sender.counts().running));
    const together = rig.reads.at(-1) ?? [];
    expect(together.length).toBeGreaterThan(10);
    const ahead = together.find((id) => rig.textsOf(id).length === 0) ?? '';
    const row = rig.rows.get(ahead);
    if (row !== undefined) rig.rows.set(ahead, { ...row, types: ['Note'] });
    await sender.changed(ahead);
    gate.open();
    await eventually(() => expect(rig.successes.length).toBe(40));
    expect(rig.statesOf(ahead)).toEqual([{ Note: '1' }]);
    expect(rig.reads.length).toBeLessThan(20);
  });

  it('are prepared for together before the first of their channels opens', async () => {
    const rig = await makeRig();
    for (let index = 0; index < 30; index += 1) rig.subscribe(`s${index}`);
    const prepared: (readonly [rows: number, openChannels: number])[] = [];
    await rig.start({
      prepare: async (rows) => void prepared.push([rows.length, rig.openChannels]),
    });
    expect([prepared, rig.openChannels]).toEqual([[[30, 0]], 30]);
  });

  it('are served where their shard belongs to this process', async () => {
    const rig = await makeRig();
    rig.subscribe('zero', { shard: 0 });
    rig.subscribe('one', { shard: 1 });
    rig.shards.delete(1);
    await rig.start();
    rig.commit('Todo');
    await eventually(() => expect(rig.statesOf('zero')).toEqual([{ Todo: '1' }]));
    expect(rig.statesOf('one')).toEqual([]);
    rig.shards.add(1);
    rig.shards.delete(0);
    for (const listener of rig.shardListeners) listener();
    await eventually(() => expect(rig.statesOf('one')).toEqual([{ Todo: '1' }]));
    rig.commit('Todo');
    await eventually(() => expect(rig.statesOf('one').at(-1)).toEqual({ Todo: '2' }));
    await delay(LONG);
    expect(rig.statesOf('zero').length).toBe(1);
  });

  it('leave what was pushed stored where another process gets their shard', async () => {
    const rig = await makeRig();
    rig.subscribe('one');
    let answer = (): void => undefined;
    rig.fates.set('one', (_, response) => {
      answer = () => response.writeHead(201).end();
    });
    // Nothing is stored by itself.
    const pauses = { throttle: 40, slowThrottle: 80, spread: 20, notes: 600_000, retry: 30 };
    await rig.start({ pauses });
    rig.commit('Todo');
    await eventually(() => expect(rig.received.length).toBe(1));
    rig.shards.delete(0);
    let isGiven = false;
    const given = Promise.all(rig.shardListeners.map((listener) => listener()));
    void given.then(() => {
      isGiven = true;
    });
    await delay(LONG);
    expect([isGiven, rig.successes]).toEqual([false, []]);
    answer();
    await given;
    expect(rig.successes.map(({ lastId }) => lastId)).toEqual(['{"Todo":1}']);
  });

  it('leave at once where pushes of other shards hang', async () => {
    const rig = await makeRig();
    rig.subscribe('leaves', { shard: 0 });
    rig.subscribe('stays', { shard: 1 });
    const gate = makeGate();
    rig.fates.set('stays', gate.respond);
    await rig.start();
    rig.commit('Todo');
    await eventually(() => expect([gate.held, rig.received.length]).toEqual([1, 2]));
    rig.shards.delete(0);
    await Promise.all(rig.shardListeners.map((listener) => listener()));
    expect(rig.successes.map(({ id }) => id)).toEqual(['leaves']);
    gate.open();
  });

  it('have one push under way where a shard is lost for a moment', async () => {
    const rig = await makeRig();
    rig.subscribe('one');
    const gate = makeGate();
    rig.fates.set('one', gate.respond);
    await rig.start();
    rig.commit('Todo');
    await eventually(() => expect(gate.held).toBe(1));
    for (let times = 0; times < 2; times += 1) {
      rig.shards.delete(0);
      for (const listener of rig.shardListeners) void listener();
      rig.shards.add(0);
      for (const listener of rig.shardListeners) void listener();
      rig.commit('Todo');
      await delay(LONG);
    }
    expect(rig.received.length).toBe(1);
    gate.open();
    const states = [{ Todo: '1' }, { Todo: '3' }];
    await eventually(() => expect(rig.statesOf('one')).toEqual(states));
    await delay(LONG);
    expect([rig.most, rig.statesOf('one')]).toEqual([1, states]);
  });
});

describe('an end', () => {
  it('lets no push begin behind one that runs', async () => {
    const rig = await makeRig();
    rig.subscribe('one');
    const gate = makeGate();
    rig.fates.set('one', gate.respond);
    const sender = await rig.start();
    rig.commit('Todo');
    await eventually(() => expect(gate.held).toBe(1));
    for (const change of ['delete', 'add'] as const) {
      rig.shards[change](0);
      for (const listener of rig.shardListeners) void listener();
    }
    rig.commit('Todo');
    await delay(LONG);
    const stopped = sender.stop(performance.now() + 60_000);
    gate.open();
    await stopped;
    expect(rig.statesOf('one')).toEqual([{ Todo: '1' }]);
    expect(rig.successes.map(({ lastId }) => lastId)).toEqual(['{"Todo":1}']);
  });

  it('between a push and its record repeats the push', async () => {
    const rig = await makeRig();
    rig.subscribe('one');
    const pauses = { throttle: 40, slowThrottle: 80, spread: 0, notes: 1e6, retry: 30 };
    const killed = await rig.start({ pauses });
    rig.commit('Todo');
    await eventually(() => expect(killed.counts().results.delivered).toBe(1));
    expect(rig.rows.get('one')?.lastId).toBe('{}');
    await rig.start();
    await eventually(() => expect(rig.statesOf('one')).toEqual([{ Todo: '1' }, { Todo: '1' }]));
  });

  it('with pushes under way waits no longer than it may, and loses none', async () => {
    const rig = await makeRig();
    const gate = makeGate();
    for (let index = 0; index < 30; index += 1) {
      rig.subscribe(`s${index}`, { host: `h${index % 10}.push.test` });
      if (index >= 5) rig.fates.set(`s${index}`, gate.respond);
    }
    const first = await rig.start();
    rig.commit('Todo');
    await eventually(() => expect(first.counts().results.delivered).toBe(5));
    await eventually(() => expect(gate.held).toBeGreaterThan(5));
    await first.stop(performance.now() + 50);
    expect(rig.successes.length).toBe(5);
    gate.open();
    await rig.start();
    await eventually(() => expect(rig.successes.length).toBe(30));
    for (let index = 0; index < 5; index += 1) expect(rig.textsOf(`s${index}`).length).toBe(1);
  });

  it('where the database hangs is no longer, and repeats what it could not note', async () => {
    const rig = await makeRig();
    rig.subscribe('one');
    const sender = await rig.start();
    rig.hangs = true;
    rig.commit('Todo');
    await eventually(() => expect(rig.reads.length).toBe(1));
    // One hangs before its push, and the notes of another hang.
    await sender.stop(performance.now() + 20);
    rig.hangs = false;
    await rig.start();
    await eventually(() => expect(rig.statesOf('one')).toEqual([{ Todo: '1' }]));
  });

  it('of the database’s answers ends nothing: all is told when it is back', async () => {
    const rig = await makeRig();
    for (const id of ['one', 'two']) rig.subscribe(id);
    rig.outage = new Error('the database is away');
    const sender = await rig.start();
    expect(rig.logged[0]?.level).toBe('warn');
    rig.outage = null;
    await eventually(() => expect(sender.counts().served).toBe(2));
    rig.outage = new Error('the database is away');
    rig.commit('Todo');
    await eventually(() => expect(rig.reads.length).toBeGreaterThan(3));
    expect(rig.received).toEqual([]);
    // While the database is away each subscription fails, again and again: a line for the reading
    // of the list, and one for pushes.
    expect(rig.logged.map(({ level }) => level)).toEqual(['warn', 'warn']);
    rig.outage = null;
    await eventually(() => expect(rig.successes.length).toBe(2));
    expect(rig.rows.get('two')?.lastId).toBe('{"Todo":1}');
  });
});
