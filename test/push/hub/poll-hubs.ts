import pg from 'pg';
import { beforeAll, onTestFinished } from 'vitest';
import { openPool } from '../../../src/database/postgresql/index.js';
import { shardLeases } from '../../../src/database/postgresql/shard-leases.js';
import { openPollHub } from '../../../src/push/hub/poll.js';
import { usePostgresql } from '../../support/postgresql.js';
import { record } from './hubs.js';

export const ALL = Array.from({ length: 16 }, (_, shard) => shard);

/** Makes a database for hubs that poll; returns what opens them and what queries it. */
export function usePollHubs() {
  const postgresql = usePostgresql();
  let url = '';
  const query = async (text: string): Promise<readonly Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(text)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };
  beforeAll(async () => {
    url = await postgresql().createDatabase('poll');
    await query('CREATE TABLE "JmapMeta" ("key" text PRIMARY KEY, "value" text NOT NULL)');
    await query(`INSERT INTO "JmapMeta" VALUES ('accessVersion', 'x'), ('pushOther', 'y z')`);
  });
  const open = (times = { lease: 5000, renewal: 50 }, at = url) => {
    const pool = openPool({ url: at, size: 2, answerWithin: 1000 });
    const hub = openPollHub({ interval: 50, leases: shardLeases(pool), times });
    onTestFinished(async () => {
      await hub.close();
      await pool.end();
    });
    const shards = (): readonly number[] => ALL.filter((shard) => hub.shards.isMine(shard));
    return { hub, shards, ...record(hub) };
  };
  return { open, query, url: () => url };
}
