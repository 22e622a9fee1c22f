import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Client } from '../support/client.js';
import { EventStream } from '../support/event-source.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import type { RunningServer } from '../support/server.js';
import {
  expectDivided,
  metric,
  type PushServers,
  type PushUser,
  stateOf,
  usePushServers,
} from './push-servers.js';

const QUERY = { types: '*', closeafter: 'no', ping: '5' };

/** The states of Todo that a path was told, in order. */
function statesAt(rig: PushServers, path: string, { accountId }: PushUser): readonly number[] {
  return rig
    .arrivals(path)
    .map((arrival) => stateOf(arrival, accountId))
    .filter((state) => state !== undefined)
    .map(Number);
}

const doubtsOf = (server: RunningServer) => metric(server, 'jmap_push_doubts_total');

/** Waits until a comparison that some doubt has asked for must be over. */
async function awaitQuiet(server: RunningServer): Promise<void> {
  for (let before = -1; before !== (await doubtsOf(server)); ) {
    before = await doubtsOf(server);
    await delay(7000);
  }
}

describe('two servers that LISTEN, and subscriptions of each at the other', () => {
  const rig = usePushServers(usePostgresql());

  it('an announcement has the other server push, without a comparison', async () => {
    const { servers } = rig().parts;
    const [, other] = servers;
    for (let round = 0; ; round += 1) {
      await awaitQuiet(other);
      const doubts = await doubtsOf(other);
      const { user, path } = await rig().subscribeElsewhere(servers[0]);
      await rig().awaitPush(path, user, await rig().write(user, servers[0]));
      // The comparison of each minute may come between.
      if ((await doubtsOf(other)) !== doubts && round < 5) continue;
      expect(await doubtsOf(other)).toBe(doubts);
      return;
    }
  });

  it('a comparison finds a subscription whose announcement is lost', async () => {
    const { servers, network } = rig().parts;
    const [near, other] = servers;
    // The first server has no session any more that it could announce by.
    network.watch((chunk) => (chunk.includes('jmapsmith push') ? 'cut' : 'send'));
    network.cut();
    await eventually(async () => expect(await metric(other, 'jmap_push_shards')).toBe(16));
    await awaitQuiet(other);
    const user = await rig().user();
    const path = await rig().subscribe(user, near);
    const doubts = await doubtsOf(other);
    await rig().awaitPush(path, user, await rig().write(user, near), 120_000);
    expect(await doubtsOf(other)).toBeGreaterThan(doubts);
    network.watch(undefined);
    await expectDivided(servers);
  });

  it('of 1,000 changes none is told twice, though shards move meanwhile', async () => {
    const { servers, start } = rig().parts;
    const subscribed: { user: PushUser; path: string }[] = [];
    for (let at = 0; at < 12; at += 1) {
      const user = await rig().user();
      subscribed.push({ user, path: await rig().subscribe(user, servers[at % 2 === 0 ? 0 : 1]) });
    }
    const last = new Map<PushUser, string>();
    const writing = Promise.all(
      subscribed.map(async ({ user }, writer) => {
        for (let at = 0; at < 84; at += 1) {
          last.set(user, await rig().write(user, servers[(writer + at) % 2 === 0 ? 0 : 1]));
          await delay(100);
        }
      }),
    );
    const third = await start();
    onTestFinished(() => third.remove());
    await expectDivided([...servers, third]);
    await third.stop();
    await writing;
    let twice = 0;
    for (const { user, path } of subscribed) {
      await rig().awaitPush(path, user, last.get(user) ?? '');
      const states = statesAt(rig(), path, user);
      expect([...states].sort((a, b) => a - b)).toEqual(states);
      twice += states.length - new Set(states).size;
    }
    // One for each hand-over of a shard at the most: it moves to the third server and back.
    expect(twice).toBeLessThanOrEqual(2 * subscribed.length);
    await expectDivided(servers);
  });

  it('a server with a lost session stops to push before the other begins', async () => {
    const { servers, network } = rig().parts;
    const [near, other] = servers;
    await expectDivided(servers);
    const { user, path } = await rig().subscribeElsewhere(other);
    network.stall();
    await eventually(async () => expect(await metric(near, 'jmap_push_shards')).toBe(0));
    expect(await metric(other, 'jmap_push_shards')).toBeLessThan(16);
    const state = await rig().write(user, other);
    await rig().awaitPush(path, user, state);
    await eventually(async () => expect(await metric(other, 'jmap_push_shards')).toBe(16));
    network.resume();
    await expectDivided(servers);
    const next = await rig().write(user, other);
    await rig().awaitPush(path, user, next);
    const states = statesAt(rig(), path, user);
    expect([...new Set(states)]).toEqual(states);
  });

  it('a server that is stopped loses its shards, fills no queue, and comes back', async () => {
    const { servers, pool } = rig().parts;
    const [near, other] = servers;
    await expectDivided(servers);
    const { user, path } = await rig().subscribeElsewhere(near);
    const there = new Client(other.url, user.token);
    const stream = await EventStream.open(there, QUERY);
    const lost = () => metric(near, 'jmap_push_doubts_total', 'reason="peerLost"');
    const lostBefore = await lost();
    process.kill(other.pid, 'SIGSTOP');
    onTestFinished(() => void process.kill(other.pid, 'SIGCONT'));
    const state = await rig().write(user, near);
    await rig().awaitPush(path, user, state);
    await eventually(async () => expect(await metric(near, 'jmap_push_shards')).toBe(16));
    expect(await lost()).toBeGreaterThan(lostBefore);
    const { rows } = await pool.query('SELECT pg_notification_queue_usage() AS "usage"');
    expect(rows[0].usage).toBeLessThan(0.001);
    process.kill(other.pid, 'SIGCONT');
    await stream.state(user.accountId, 'Todo', state);
    await expectDivided(servers);
    stream.close();
    await rig().awaitPush(path, user, await rig().write(user, near));
  });

  it('streams outlive a database that is away, and get one event afterwards', async () => {
    const { servers, network } = rig().parts;
    const [near, other] = servers;
    const user = await rig().user();
    const stream = await EventStream.open(new Client(near.url, user.token), QUERY);
    await stream.state(user.accountId, 'Todo', await rig().write(user, other));
    const lines = near.stderr().length;
    network.watch(() => 'cut');
    network.cut();
    const since = stream.events.length;
    let last = '';
    for (let at = 0; at < 20; at += 1) last = await rig().write(user, other);
    const pings = () => stream.events.slice(since).filter(({ event }) => event === 'ping').length;
    await eventually(() => expect(pings()).toBeGreaterThan(2));
    network.watch(undefined);
    await stream.state(user.accountId, 'Todo', last);
    const told = stream.events.slice(since).filter(({ event }) => event === 'state');
    expect(told).toHaveLength(1);
    stream.close();
    const messages = near.stderr().slice(lines).trim().split('\n');
    const counts = new Map<unknown, number>();
    for (const line of messages) {
      const { msg } = JSON.parse(line) as { msg: string };
      counts.set(msg, (counts.get(msg) ?? 0) + 1);
    }
    expect(counts.get('tokens of open connections could not be looked at')).toBe(1);
  });
});

describe('two servers that poll, and subscriptions of each at the other', () => {
  const rig = usePushServers(usePostgresql(), { PUSH_BUS: 'poll:1s' });

  it('a subscription that the other server serves is found, and pushed to', async () => {
    const { servers } = rig().parts;
    const { user, path } = await rig().subscribeElsewhere(servers[0]);
    for (const server of servers) {
      await rig().awaitPush(path, user, await rig().write(user, server));
      expect(await metric(server, 'jmap_push_doubts_total', 'reason="poll"')).toBeGreaterThan(0);
    }
  });
});
