import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPool } from '../../../src/database/postgresql/index.js';
import { shardLeases } from '../../../src/database/postgresql/shard-leases.js';
import { openPollHub } from '../../../src/push/hub/poll.js';
import { eventually } from '../../support/poll.js';
import { usePostgresql } from '../../support/postgresql.js';
import { expectDivided, openHub, record } from './hubs.js';
import { HAS_PGBOUNCER, startPooler } from './pooler.js';

const postgresql = usePostgresql();
let direct: string;
beforeAll(async () => {
  direct = await postgresql().createDatabase('pooled');
  const client = new pg.Client({ connectionString: direct });
  await client.connect();
  await client.query('CREATE TABLE "JmapMeta" ("key" text PRIMARY KEY, "value" text NOT NULL)');
  await client.end();
});

/** Starts PgBouncer until the test ends; resolves to the URL through it. */
async function pooled(mode: 'transaction' | 'session'): Promise<string> {
  const { url, close } = await startPooler(direct, mode);
  onTestFinished(close);
  return url;
}

describe.skipIf(!HAS_PGBOUNCER)('Through PgBouncer (skipped where it is not installed)', () => {
  it('in transaction mode, hubs say that they hear nobody, and divide the shards', async () => {
    const url = await pooled('transaction');
    const times = { patience: 1000, deafPause: 300, floor: 500, lease: 10_000, renewal: 100 };
    const hubs = [openHub({ url, times }), openHub({ url, times })];
    await eventually(() => {
      for (const { hub } of hubs) expect(hub.counts()).toMatchObject({ listen: 0, peers: 1 });
      expectDivided(hubs);
    });
    // They try again and again, say no more, and keep what they have.
    const held = hubs.map((hub) => hub.shards());
    await new Promise((resolve) => setTimeout(resolve, 4000));
    for (const { hub, lines, doubts } of hubs) {
      expect(lines).toEqual([expect.stringContaining('PUSH_BUS=poll:1s')]);
      expect(hub.problem).toContain('not heard');
      expect(doubts).toContain('floor');
    }
    expect(hubs.map((hub) => hub.shards())).toEqual(held);
    await hubs[0]?.hub.close();
    await eventually(() => expect(hubs[1]?.shards().length).toBe(16));
    // A setting that it left would weaken the commits of whoever has that connection next.
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    const { rows } = await client.query('SHOW synchronous_commit');
    expect(rows).toEqual([{ synchronous_commit: 'on' }]);
  });

  it('in transaction mode, hubs that poll divide the shards', async () => {
    const url = await pooled('transaction');
    const hubs = [1, 2].map(() => {
      const pool = openPool({ url, size: 2, answerWithin: 5000 });
      const times = { lease: 10_000, renewal: 100 };
      const hub = openPollHub({ interval: 100, leases: shardLeases(pool), times });
      onTestFinished(async () => {
        await hub.close();
        await pool.end();
      });
      return { hub, ...record(hub) };
    });
    await eventually(() => {
      for (const { hub, doubts } of hubs) {
        expect(hub.counts().peers).toBe(1);
        expect(hub.counts().shards).toBeGreaterThan(0);
        expect(doubts.length).toBeGreaterThan(2);
      }
    });
  });

  it('in session mode, hubs hear each other', async () => {
    const url = await pooled('session');
    const [first, second] = [openHub({ url }), openHub({ url })];
    await eventually(() => {
      first.hub.publish({ accountId: 'a', changed: { Todo: '1' } });
      expect(second.heard.get('a')).toEqual({ Todo: 1 });
    });
    await eventually(() => expectDivided([first, second]));
  });
});
