import { describe, expect, it, onTestFinished } from 'vitest';
import { dropPackets, NO_PACKET_FILTER } from '../faults/packets.js';
import { Client } from '../support/client.js';
import { EventStream } from '../support/event-source.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import type { RunningServer } from '../support/server.js';
import { expectDivided, metric, usePushServers } from './push-servers.js';

const QUERY = { types: '*', closeafter: 'no', ping: '0' };
/** A lost beat is noticed within 10 s. The comparison of each minute comes 45 s apart at least. */
const NOTICED = 40_000;

if (NO_PACKET_FILTER !== null) it.skip(`packets that are dropped: ${NO_PACKET_FILTER}`);

describe.skipIf(NO_PACKET_FILTER !== null)('a session whose packets are dropped', () => {
  const rig = usePushServers(usePostgresql());

  const connected = (server: RunningServer) =>
    metric(server, 'jmap_push_doubts_total', 'reason="connected"');

  /** Resolves to the port of the session by which the second server hears the first. */
  async function portOfSession(): Promise<number> {
    const { rows } = await rig().parts.pool.query(
      'SELECT client_port AS "port" FROM pg_stat_activity ' +
        "WHERE application_name LIKE 'jmapsmith push%' AND datname = current_database() " +
        'ORDER BY backend_start DESC',
    );
    // The second server started last.
    expect(rows).toHaveLength(2);
    return rows[0].port;
  }

  it('is missed by its beat, opened again, and what it lost is compared', async () => {
    const [near, deaf] = rig().parts.servers;
    const user = await rig().user();
    const path = await rig().subscribe(user, near);
    const stream = await EventStream.open(new Client(deaf.url, user.token), QUERY);
    onTestFinished(() => stream.close());
    const first = await rig().write(user, near);
    await stream.state(user.accountId, 'Todo', first);
    await rig().awaitPush(path, user, first);
    const before = await connected(deaf);

    onTestFinished(dropPackets(await portOfSession()));
    const lost = await rig().write(user, near);
    await stream.find(({ data }) => JSON.stringify(data).includes(`"Todo":"${lost}"`), NOTICED);
    expect(await connected(deaf)).toBeGreaterThan(before);
    expect(deaf.stderr()).toContain('the session is lost; it is opened again');

    // PostgreSQL still takes the old session for a good one: it holds its locks until it is ended.
    await expectDivided([near, deaf]);
    await rig().awaitPush(path, user, lost);
    const next = await rig().write(user, near);
    await stream.state(user.accountId, 'Todo', next);
    await rig().awaitPush(path, user, next);
    const ready = await eventually(async () => (await fetch(`${deaf.url}/readyz`)).json());
    expect(ready).toEqual({ status: 'ready' });
  });
});
