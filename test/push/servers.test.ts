import { describe, expect, it, onTestFinished } from 'vitest';
import { readEpoch } from '../../src/database/state-epoch.js';
import {
  beatPayload,
  byePayload,
  payloadHead,
  shedPayload,
  takeHints,
} from '../../src/push/hub/payload.js';
import { startProxy } from '../faults/proxy.js';
import { PushClient } from '../methods/push-subscription/rig.js';
import { Client, CORE, TODOS, VAPID } from '../support/client.js';
import { EventStream } from '../support/event-source.js';
import { makeUser } from '../support/fixtures.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { type RunningServer, startServer, useServer } from '../support/server.js';
import { metric, type PushServers, usePushServers } from './push-servers.js';

const QUERY = { types: '*', closeafter: 'no', ping: '0' };

const REPLAYS = 'jmap_push_replays_total';
const HINTS = 'jmap_push_hints_total';
const DOUBTS = 'jmap_push_doubts_total';

/** The sessions by which the servers hear each other. */
const SESSIONS = `FROM pg_stat_activity
  WHERE application_name LIKE 'jmapsmith push%' AND datname = current_database()`;

/** A user of a server, with an account. */
interface User {
  readonly client: Client;
  readonly accountId: string;
}

let users = 0;

async function userOf(server: RunningServer): Promise<User> {
  users += 1;
  const { client, accountId } = await makeUser(server, `push${users}`);
  return { client: client.with([CORE, TODOS]), accountId };
}

/** Returns the state of a session, and the key that signs the pushes of new subscriptions. */
async function sessionOf({ url }: RunningServer, { token }: { readonly token: string }) {
  const { json } = await new Client(url, token).http('/.well-known/jmap');
  const { state, capabilities } = json as {
    state: string;
    capabilities: Record<string, { applicationServerKey?: string }>;
  };
  return { state, key: capabilities[VAPID]?.applicationServerKey };
}

/** Somebody who may connect to the database, and says what servers say to each other. */
async function forgerOf({ prisma, parts }: PushServers) {
  return {
    head: payloadHead('forger', await readEpoch(prisma)),
    say: (...payloads: string[]) =>
      parts.pool.query("SELECT pg_notify('jmapsmith_push', text) FROM unnest($1::text[]) AS text", [
        payloads,
      ]),
  };
}

/** Creates a Todo; resolves to the new state. */
async function write({ client, accountId }: User): Promise<string> {
  const answer = await client.ok('Todo/set', { accountId, create: { k: { text: 'x' } } });
  return answer['newState'] as string;
}

describe('several servers on one PostgreSQL', () => {
  const postgresql = usePostgresql();
  const rig = usePushServers(postgresql);

  // These come first: they count what the servers tell each other.
  describe('metrics of several servers', () => {
    it('tell how many accounts they hear of from each other, and how many they drop', async () => {
      const { servers } = rig().parts;
      const [near, other] = servers;
      const counts = async () => ({
        out: await metric(near, HINTS, 'direction="out"'),
        in: await metric(other, HINTS, 'direction="in"'),
        shed: await metric(other, HINTS, 'direction="shed"'),
      });
      const user = await rig().user();
      const stream = await EventStream.open(new Client(other.url, user.token), QUERY);
      const before = await counts();
      for (let n = 0; n < 3; n += 1)
        await stream.state(user.accountId, 'Todo', await rig().write(user, near));
      stream.close();
      const after = { out: before.out + 3, in: before.in + 3, shed: before.shed };
      await eventually(async () => expect(await counts()).toEqual(after));

      const forger = await forgerOf(rig());
      const strangers = Array.from({ length: 12_000 }, (_, n) => [`stranger${n}`, null] as const);
      const hints = new Map(strangers);
      const payloads: string[] = [];
      for (let next = takeHints(forger.head, hints); next !== null; ) {
        payloads.push(next.text);
        next = takeHints(forger.head, hints);
      }
      await forger.say(...payloads);
      const flooded = await eventually(async () => {
        const now = await counts();
        expect(now.shed).toBeGreaterThan(after.shed);
        return now;
      });
      expect(flooded.in - after.in).toBeGreaterThanOrEqual(2000);
      expect(flooded.in - after.in).toBeLessThan(12_000);
      expect(flooded.out).toBe(after.out);
      await forger.say(byePayload(forger.head));
    });

    it('tell why a server compares what it has told with the database', async () => {
      const [, other] = rig().parts.servers;
      const count = (reason: string) => metric(other, DOUBTS, `reason="${reason}"`);
      const forger = await forgerOf(rig());
      const { pool } = rig().parts;
      const causes: readonly (readonly [string, () => Promise<unknown>])[] = [
        ['peerFound', () => forger.say(beatPayload(forger.head, 'beat', 1))],
        ['shed', () => forger.say(shedPayload(forger.head))],
        ['otherEpoch', () => forger.say(beatPayload(payloadHead('forger', 'x'), 'beat', 2))],
        ['connected', () => pool.query(`SELECT pg_terminate_backend(pid) ${SESSIONS}`)],
      ];
      for (const [reason, cause] of causes) {
        const before = await count(reason);
        await cause();
        await eventually(async () => expect(await count(reason)).toBeGreaterThan(before));
      }
      expect([await count('otherProcess'), await count('poll')]).toEqual([0, 0]);
      await forger.say(byePayload(forger.head));
      await eventually(async () => expect(await metric(other, 'jmap_push_peers')).toBe(1));
    });
  });

  it('a commit of one server is told to the streams of all', async () => {
    const user = await userOf(rig().parts.servers[0]);
    const there = new Client(rig().parts.servers[1].url, user.client.token);
    const stream = await EventStream.open(there, QUERY);
    const state = await write(user);
    const { id } = await stream.state(user.accountId, 'Todo', state);
    stream.close();
    const next = await write(user);
    const again = await EventStream.open(user.client, QUERY, { 'last-event-id': id ?? '' });
    await again.state(user.accountId, 'Todo', next);
    again.close();
  });

  it('a commit is told though the session that hears of it is killed meanwhile', async () => {
    const user = await userOf(rig().parts.servers[0]);
    const there = new Client(rig().parts.servers[1].url, user.client.token);
    const stream = await EventStream.open(there, QUERY);
    const { pool } = rig().parts;
    await eventually(async () =>
      expect((await pool.query(`SELECT pid ${SESSIONS}`)).rowCount).toBe(2),
    );
    for (let n = 0; n < 3; n += 1) {
      const killed = await pool.query(`SELECT pg_terminate_backend(pid) ${SESSIONS}`);
      // Both sessions of the hubs, unless one is just being opened again.
      if (n === 0) expect(killed.rowCount).toBe(2);
      await stream.state(user.accountId, 'Todo', await write(user));
    }
    stream.close();
  });

  it('a server that starts without a session for hints says so, and catches up', async () => {
    const { servers, url } = rig().parts;
    const network = await startProxy(Number(new URL(url).port));
    onTestFinished(() => network.close());
    const isSession = (chunk: Buffer): boolean => chunk.includes('jmapsmith push');
    network.watch((chunk) => (isSession(chunk) ? 'cut' : 'send'));
    const through = new URL(url);
    through.port = String(network.port);
    const user = await userOf(servers[0]);
    const before = await EventStream.open(user.client, QUERY);
    const { id } = await before.state(user.accountId, 'Todo', await write(user));
    before.close();
    const third = await startServer({ env: { DATABASE_URL: through.href } });
    onTestFinished(() => third.remove());
    const readiness = async (): Promise<unknown> => {
      const response = await fetch(`${third.url}/readyz`);
      return [response.status, await response.json()];
    };
    const degraded = { status: 'degraded', reason: expect.stringContaining('not heard') };
    await eventually(async () => expect(await readiness()).toEqual([200, degraded]));
    const there = new Client(third.url, user.client.token);
    const missed = await write(user);
    const stream = await EventStream.open(there, QUERY, { 'last-event-id': id ?? '' });
    await stream.state(user.accountId, 'Todo', missed);
    const unheard = await write(user);
    const own = await write({ ...user, client: there.with([CORE, TODOS]) });
    expect(Number(own)).toBeGreaterThan(Number(unheard));
    await stream.state(user.accountId, 'Todo', own);
    const last = await write(user);
    network.watch(undefined);
    await stream.state(user.accountId, 'Todo', last);
    await eventually(async () => expect(await readiness()).toEqual([200, { status: 'ready' }]));
    stream.close();
    await third.stop();
  });

  it('a subscription that is verified at one server is pushed to by another', async () => {
    const { servers } = rig().parts;
    const { user, path } = await rig().subscribeElsewhere(servers[0]);
    await rig().awaitPush(path, user, await rig().write(user, servers[0]));
    await rig().awaitPush(path, user, await rig().write(user, servers[1]));
  });

  it('RFC 8620 8.6: creations at all servers count together', async () => {
    const { servers, sink } = rig().parts;
    const { user, token } = await rig().user();
    const clients = servers.map(({ url }) => new PushClient(url, token, user));
    const url = sink.url('/often').href;
    for (let n = 0; n < 5; n += 1) for (const client of clients) await client.subscribe({ url });
    for (const client of clients) expect((await client.refused({ url })).type).toBe('rateLimit');
  });

  it('RFC 9749 5: a rotated key is shown by all, and the old one signs for its own', async () => {
    const { servers } = rig().parts;
    const user = await rig().user();
    const old = await rig().subscribe(user, servers[0]);
    const before = await Promise.all(servers.map((server) => sessionOf(server, user)));
    expect(before[0]).toEqual(before[1]);
    const rotated = await servers[0].tool('scripts/push', ['rotate-key']);
    const after = await eventually(async () => {
      const sessions = await Promise.all(servers.map((server) => sessionOf(server, user)));
      for (const { key } of sessions) expect(key).toBe(rotated);
      return sessions;
    });
    expect(after[0]).toEqual(after[1]);
    expect(after[0]?.state).not.toBe(before[0]?.state);
    const next = await rig().subscribe(user, servers[1]);
    const state = await rig().write(user, servers[1]);
    const keyOf = async (path: string): Promise<string | undefined> =>
      /k=([\w-]+)/.exec(
        (await rig().awaitPush(path, user, state)).headers.authorization ?? '',
      )?.[1];
    expect(await keyOf(old)).toBe(before[0]?.key);
    expect(await keyOf(next)).toBe(rotated);
  });
});

describe('commands beside a server on SQLite', () => {
  const server = useServer();

  it('metrics count receivers that came back, by what they had to be told', async () => {
    const user = await userOf(server());
    const replays = async () => {
      const amounts = ['none', 'part', 'all'];
      const counts = amounts.map((amount) => metric(server(), REPLAYS, `amount="${amount}"`));
      return Promise.all(counts);
    };
    const [none = 0, part = 0, all = 0] = await replays();
    const reopen = async (id: string | null): Promise<void> => {
      const again = await EventStream.open(user.client, QUERY, { 'last-event-id': id ?? '' });
      again.close();
    };
    const stream = await EventStream.open(user.client, QUERY);
    const { id: first } = await stream.state(user.accountId, 'Todo', await write(user));
    const { id: second } = await stream.state(user.accountId, 'Todo', await write(user));
    stream.close();
    expect(await replays()).toEqual([none, part, all]);
    await reopen(second);
    expect(await replays()).toEqual([none + 1, part, all]);
    for (let n = 0; n < 2; n += 1) await reopen(first);
    expect(await replays()).toEqual([none + 1, part + 2, all]);
    for (let n = 0; n < 3; n += 1) await reopen('garbage');
    expect(await replays()).toEqual([none + 1, part + 2, all + 3]);
  });

  it('a reset of states is told to open streams, and old ids have all told once', async () => {
    const user = await userOf(server());
    const stream = await EventStream.open(user.client, QUERY);
    const { id } = await stream.state(user.accountId, 'Todo', await write(user));
    const doubts = () => metric(server(), DOUBTS, 'reason="otherProcess"');
    const before = await doubts();
    await server().tool('scripts/account', ['reset-states']);
    await eventually(async () => expect(await doubts()).toBeGreaterThan(before));
    await stream.find(({ event, data }) => {
      const changed = data['changed'] as Record<string, Record<string, string>>;
      return event === 'state' && Number(changed[user.accountId]?.['Todo']) > 1_000_000_000;
    });
    stream.close();
    const again = await EventStream.open(user.client, QUERY, { 'last-event-id': id ?? '' });
    const { data, id: next } = await again.find(({ event }) => event === 'state');
    const changed = data['changed'] as Record<string, Record<string, string>>;
    expect(Object.keys(changed[user.accountId] ?? {})).toEqual(['Note', 'Todo']);
    again.close();
    const last = await EventStream.open(user.client, QUERY, { 'last-event-id': next ?? '' });
    const state = await write(user);
    await last.state(user.accountId, 'Todo', state);
    expect(last.events).toHaveLength(1);
    last.close();
  });

  it('an id of before a restart has told what was missed', async () => {
    const user = await userOf(server());
    const stream = await EventStream.open(user.client, QUERY);
    const { id } = await stream.state(user.accountId, 'Todo', await write(user));
    stream.close();
    const state = await write(user);
    const restarted = await server().restart();
    const client = new Client(restarted.url, user.client.token);
    const again = await EventStream.open(client, QUERY, { 'last-event-id': id ?? '' });
    await again.state(user.accountId, 'Todo', state);
    expect(again.events).toHaveLength(1);
    again.close();
  });
});
