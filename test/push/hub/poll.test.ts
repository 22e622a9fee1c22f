import { describe, expect, it } from 'vitest';
import { openPool } from '../../../src/database/postgresql/index.js';
import { shardLeases } from '../../../src/database/postgresql/shard-leases.js';
import { openPollHub } from '../../../src/push/hub/poll.js';
import { startProxy } from '../../faults/proxy.js';
import { eventually, within } from '../../support/poll.js';
import { expectDivided } from './hubs.js';
import { ALL, usePollHubs } from './poll-hubs.js';

const { open, query, url } = usePollHubs();

describe('The hub of a server that polls', () => {
  it('has all compared again and again', async () => {
    const { doubts, hub } = open();
    await eventually(() => expect(doubts.length).toBeGreaterThan(3));
    expect(new Set(doubts)).toEqual(new Set(['poll']));
    hub.publish({ accountId: 'a', changed: { Todo: '1' } });
    hub.announceSubscription('a');
    expect(hub.counts().hints).toEqual({ in: 0, out: 0, shed: 0 });
    await hub.close();
    const { length } = doubts;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(doubts.length).toBe(length);
  });

  it('divides the shards with the others, and leaves them theirs', async () => {
    const hubs = [open(), open(), open()];
    await eventually(() => {
      expectDivided(hubs);
      for (const { hub } of hubs) expect(hub.counts().peers).toBe(2);
    });
    for (const { hub } of hubs.slice(1)) await hub.close();
    await eventually(() => expect(hubs[0]?.shards()).toEqual(ALL));
    await hubs[0]?.hub.close();
    expect(await query(`SELECT "key" FROM "JmapMeta" WHERE "key" LIKE 'push%'`)).toEqual([
      { key: 'pushOther' },
    ]);
  });

  it('gives shards back to one whose leases have run out', async () => {
    const network = await startProxy(Number(new URL(url()).port));
    const through = new URL(url());
    through.port = String(network.port);
    const times = { lease: 60_000, renewal: 50 };
    const hubs = [open(times), open(times, through.href)];
    await eventually(() => expectDivided(hubs));
    const [first, second] = hubs;
    network.stall();
    // The first one takes its shards, though the second one still counts as there.
    const keys = second?.shards().map((shard) => `'pushShard:${shard}'`);
    await query(`DELETE FROM "JmapMeta" WHERE "key" IN (${keys?.join()})`);
    await eventually(() => expect(first?.shards()).toEqual(ALL));
    expect(first?.hub.counts().peers).toBe(1);
    network.resume();
    await eventually(() => expectDivided(hubs));
    await Promise.all(hubs.map(({ hub }) => hub.close()));
    await network.close();
  });

  it('ends in time where the database answers no more', async () => {
    const network = await startProxy(Number(new URL(url()).port));
    const through = new URL(url());
    through.port = String(network.port);
    const pool = openPool({ url: through.href, size: 2, answerWithin: 60_000 });
    const times = { lease: 60_000, renewal: 50 };
    const hub = openPollHub({ interval: 50, leases: shardLeases(pool), times });
    await eventually(() => expect(hub.counts().shards).toBe(16));
    network.stall();
    // A renewal is under way that nobody answers.
    await new Promise((resolve) => setTimeout(resolve, 200));
    await within('The end', hub.close(), 20_000);
    expect(hub.counts().shards).toBe(0);
    await network.close();
    await pool.end();
  });
});
