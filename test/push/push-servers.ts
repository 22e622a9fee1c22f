import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { createAccount, createToken } from '../../src/accounts/index.js';
import { openPool } from '../../src/database/postgresql/index.js';
import { openPrisma } from '../../src/database/postgresql/prisma.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { type Network, startProxy } from '../faults/proxy.js';
import { PushClient } from '../methods/push-subscription/rig.js';
import { Client, CORE, TODOS } from '../support/client.js';
import { eventually } from '../support/poll.js';
import type { PostgresqlServer } from '../support/postgresql.js';
import { type RunningServer, startServer } from '../support/server.js';
import { makeIdentity, type Received, type Sink, startSink } from './webpush/sink.js';

/** A user with an account, and a token for all servers. */
export interface PushUser {
  readonly user: string;
  readonly token: string;
  readonly accountId: string;
}

/** A request that the sink has got, with the time of `performance.now()`. */
export interface Arrival extends Received {
  readonly at: number;
}

interface Parts {
  /** The database, as the second server reaches it. */
  readonly url: string;
  /** The first one reaches the database over `network`. */
  readonly servers: readonly [RunningServer, RunningServer];
  readonly network: Network;
  readonly pool: ReturnType<typeof openPool>;
  readonly sink: Sink;
  readonly arrived: readonly Arrival[];
  /** Starts one more server; the caller removes it. */
  readonly start: () => Promise<RunningServer>;
}

const ids = createIdGenerator();
let users = 0;
let paths = 0;

/** Two servers on one PostgreSQL, which push to a sink of the test's own. */
export class PushServers {
  readonly parts: Parts;
  readonly prisma: ReturnType<typeof openPrisma>;

  constructor(parts: Parts) {
    this.parts = parts;
    this.prisma = openPrisma(parts.pool);
  }

  async user(): Promise<PushUser> {
    users += 1;
    const user = `user${users}`;
    const accountId = await createAccount(this.prisma, ids, { name: 'A', user });
    const token = await createToken(this.prisma, ids, { user, readOnly: false });
    return { user, accountId, token };
  }

  /** Creates a Todo at a server; resolves to the new state. */
  async write({ token, accountId }: PushUser, { url }: RunningServer): Promise<string> {
    const client = new Client(url, token, [CORE, TODOS]);
    const answer = await client.ok('Todo/set', { accountId, create: { k: { text: 'x' } } });
    return answer['newState'] as string;
  }

  /** Creates a subscription at a server, and verifies it; resolves to the path of its URL. */
  async subscribe({ user, token }: PushUser, server: RunningServer): Promise<string> {
    paths += 1;
    const path = `/device/${paths}`;
    const client = new PushClient(server.url, token, user);
    await client.subscribe({ url: this.parts.sink.url(path).href });
    const body = await eventually(() => {
      const [verification] = this.arrivals(path);
      if (verification === undefined) throw new Error('No verification came.');
      return bodyOf(verification);
    });
    const { pushSubscriptionId: id, verificationCode } = body;
    await client.change({ update: { [id as string]: { verificationCode } } });
    return path;
  }

  /** Subscribes new users at a server until the other one serves a subscription. */
  async subscribeElsewhere(server: RunningServer): Promise<{ user: PushUser; path: string }> {
    const { servers } = this.parts;
    const other = servers[0] === server ? servers[1] : servers[0];
    for (;;) {
      const before = [await served(other), await served(server)] as const;
      const user = await this.user();
      const path = await this.subscribe(user, server);
      const isElsewhere = await eventually(async () => {
        const after = [await served(other), await served(server)] as const;
        expect(after[0] + after[1]).toBe(before[0] + before[1] + 1);
        return after[0] > before[0];
      });
      if (isElsewhere) return { user, path };
    }
  }

  /** Returns what came to a path, in order. */
  arrivals(path: string): readonly Arrival[] {
    return this.parts.arrived.filter((arrival) => arrival.path === path);
  }

  /** Resolves to the first push that tells this state of Todo, or a later one. */
  awaitPush(
    path: string,
    { accountId }: PushUser,
    state: string,
    timeout?: number,
  ): Promise<Arrival> {
    return eventually(() => {
      const arrival = this.arrivals(path).find(
        (one) => Number(stateOf(one, accountId)) >= Number(state),
      );
      if (arrival === undefined) throw new Error(`No push told state ${state}.`);
      return arrival;
    }, timeout);
  }

  async close(): Promise<void> {
    const { servers, network, pool, sink } = this.parts;
    await Promise.all(servers.map((server) => server.remove()));
    await this.prisma.$disconnect();
    await pool.end();
    await network.close();
    await sink.close();
  }
}

/** Serves for the tests of a file or a describe block. */
export function usePushServers(
  postgresql: () => PostgresqlServer,
  more: Readonly<Record<string, string>> = {},
): () => PushServers {
  const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-push-'));
  let made: PushServers | undefined;
  beforeAll(async () => {
    made = await open(await postgresql().createDatabase('push'), folder, more);
  }, 300_000);
  afterAll(async () => {
    await made?.close();
    rmSync(folder, { recursive: true });
  });
  return () => {
    if (made === undefined) throw new Error('The servers are there inside tests only.');
    return made;
  };
}

async function open(
  url: string,
  folder: string,
  more: Readonly<Record<string, string>>,
): Promise<PushServers> {
  const { authority, certificate } = makeIdentity();
  writeFileSync(join(folder, 'ca.pem'), authority.ca);
  const arrived: Arrival[] = [];
  const sink = await startSink((request, response) => {
    arrived.push({ ...request, at: performance.now() });
    response.writeHead(201).end();
  }, certificate);
  const network = await startProxy(Number(new URL(url).port));
  const through = new URL(url);
  through.port = String(network.port);
  const env = {
    PUSH_CONTACT: 'mailto:operator@example.com',
    PUSH_ALLOW: '127.0.0.0/8',
    PUSH_CA: join(folder, 'ca.pem'),
    ...more,
  };
  const start = (database = url) => startServer({ env: { ...env, DATABASE_URL: database } });
  const servers = [await start(through.href), await start()] as const;
  await expectDivided(servers);
  const pool = openPool({ url, size: 2 });
  return new PushServers({ url, servers, network, pool, sink, arrived, start });
}

const served = (server: RunningServer) => metric(server, 'jmap_push_subscriptions');

/** Resolves to the sum of a metric over its labels, or over those with this one. */
export async function metric(
  { url }: Pick<RunningServer, 'url'>,
  name: string,
  label = '',
): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text
    .split('\n')
    .filter((line) => new RegExp(`^${name}[ {]`).test(line) && line.includes(label));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** Waits until all shards are held, and each server has some: leases take them half a minute. */
export function expectDivided(servers: readonly RunningServer[]): Promise<void> {
  return eventually(async () => {
    const held = await Promise.all(servers.map((server) => metric(server, 'jmap_push_shards')));
    expect(held.reduce((sum, count) => sum + count, 0)).toBe(16);
    expect(held).not.toContain(0);
  }, 180_000);
}

export function bodyOf({ body }: Received): Record<string, unknown> {
  return JSON.parse(body.toString()) as Record<string, unknown>;
}

/** Returns the state of Todo that a push tells; undefined where it tells none. */
export function stateOf(push: Received, accountId: string): string | undefined {
  const changed = bodyOf(push)['changed'] as Record<string, Record<string, string>> | undefined;
  return changed?.[accountId]?.['Todo'];
}
