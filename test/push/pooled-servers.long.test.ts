import { afterAll, describe, expect, it } from 'vitest';
import { type Network, startProxy } from '../faults/proxy.js';
import { Client } from '../support/client.js';
import { EventStream } from '../support/event-source.js';
import { usePostgresql } from '../support/postgresql.js';
import { HAS_PGBOUNCER, type Pooler, startPooler } from './hub/pooler.js';
import { metric, usePushServers } from './push-servers.js';

const QUERY = { types: '*', closeafter: 'no', ping: '0' };
/** Each server compares all at least each 75 s. A busy machine gets twice the time, ms. */
const FLOOR = 150_000;

describe.skipIf(!HAS_PGBOUNCER)('two servers whose sessions PgBouncer shares', () => {
  const postgresql = usePostgresql();
  const opened: (Pooler | Network)[] = [];
  afterAll(async () => {
    for (const part of opened.reverse()) await part.close();
  });
  // The rest of a server needs sessions of its own, so only those that LISTEN meet the pooler.
  const rig = usePushServers(() => ({
    async createDatabase(name) {
      const url = new URL(await postgresql().createDatabase(name));
      const direct = Number(url.port);
      const pooler = await startPooler(url.href, 'transaction');
      const pooled = Number(new URL(pooler.url).port);
      const network = await startProxy((first) =>
        first.includes('jmapsmith push') ? pooled : direct,
      );
      opened.push(pooler, network);
      url.port = String(network.port);
      return url.href;
    },
  }));

  it('say that they do not hear each other: in their logs, at /readyz, as a metric', async () => {
    for (const server of rig().parts.servers) {
      const readiness = await fetch(`${server.url}/readyz`);
      expect([readiness.status, await readiness.json()]).toEqual([
        200,
        { status: 'degraded', reason: expect.stringContaining('Other servers are not heard') },
      ]);
      expect(await metric(server, 'jmap_push_listening')).toBe(0);
      const told = server.stderr().match(/a pooler shares its sessions[^"]*/g);
      expect(told).toEqual([expect.stringContaining('PUSH_BUS=poll:1s')]);
    }
  });

  it("tell their streams of each other's commits at the comparison of each minute", async () => {
    const [near, other] = rig().parts.servers;
    const user = await rig().user();
    const stream = await EventStream.open(new Client(other.url, user.token), QUERY);
    for (const server of [near, other]) {
      const state = await rig().write(user, server);
      await stream.find(({ data }) => JSON.stringify(data).includes(`"Todo":"${state}"`), FLOOR);
    }
    const floors = metric(other, 'jmap_push_doubts_total', 'reason="floor"');
    expect(await floors).toBeGreaterThan(0);
    stream.close();
  });

  it('push to subscriptions by leases, once, whichever server has the commit', async () => {
    const { servers } = rig().parts;
    const subscribed = await Promise.all(
      servers.map(async (server) => {
        const user = await rig().user();
        return { user, path: await rig().subscribe(user, server) };
      }),
    );
    for (const server of servers) {
      await Promise.all(
        subscribed.map(async ({ user, path }) => {
          await rig().awaitPush(path, user, await rig().write(user, server), 2 * FLOOR);
        }),
      );
    }
    // A verification, and each of the two states.
    for (const { path } of subscribed) expect(rig().arrivals(path)).toHaveLength(3);
  });
});
