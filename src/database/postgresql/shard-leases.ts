import type { Pool } from './pool.js';

/** Keys in JmapMeta. A shard's value: who has it until when. A process's: its term, until when. */
const SHARD = 'pushShard:';
const PROCESS = 'pushProcess:';

/** ms since 1970 by the database's clock: those of servers may differ. */
const NOW = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

const HOLDER = `split_part("JmapMeta"."value", ' ', 1)`;
const END = `split_part("JmapMeta"."value", ' ', 2)::bigint`;

const RENEW = `UPDATE "JmapMeta" SET "value" = $1 || ' ' || (${NOW} + $2)
  WHERE "key" = ANY($3) AND ${HOLDER} = $1 RETURNING "key"`;

/** In the order of keys: two processes that take several wait for each other in turn. */
const TAKE = `INSERT INTO "JmapMeta" ("key", "value")
  SELECT "wanted", $1 || ' ' || (${NOW} + $2) FROM unnest($3::text[]) AS "wanted" ORDER BY 1
  ON CONFLICT ("key") DO UPDATE SET "value" = EXCLUDED."value"
    WHERE ${HOLDER} = $1 OR ${END} < ${NOW} RETURNING "key"`;

const RELEASE = `DELETE FROM "JmapMeta" WHERE "key" = ANY($2) AND ${HOLDER} = $1`;

const LIVE = `INSERT INTO "JmapMeta" ("key", "value") VALUES ($1, $3 || ' ' || (${NOW} + $2))
  ON CONFLICT ("key") DO UPDATE SET "value" = EXCLUDED."value"`;

/** No row but those of processes is asked for an end. */
const IS_OVER = `CASE WHEN starts_with("key", '${PROCESS}') THEN ${END} < ${NOW} END`;
const FORGET = `DELETE FROM "JmapMeta" WHERE ${IS_OVER}`;
const OTHERS = `SELECT "key" || ' ' || ${HOLDER} AS "name" FROM "JmapMeta"
  WHERE NOT ${IS_OVER} AND "key" <> $1 ORDER BY 1`;

/**
 * Returns shards that the process `origin` holds for `lease` ms at a time, as rows of JmapMeta:
 * for connections by a pooler, which keeps no lock of a session.
 */
export function shardLeases(pool: Pool) {
  return (origin: string, lease: number) => {
    const ask = async (text: string, shards: readonly number[]): Promise<readonly number[]> => {
      if (shards.length === 0) return [];
      const { rows } = await pool.query<{ key: string }>(text, [origin, lease, keysOf(shards)]);
      return rows.map(({ key }) => Number(key.slice(SHARD.length)));
    };
    const process = PROCESS + origin;
    return {
      takeShards: (shards: readonly number[]) => ask(TAKE, shards),
      async releaseShards(shards: readonly number[]): Promise<void> {
        await pool.query(RELEASE, [origin, keysOf(shards)]);
      },
      async renew(shards: readonly number[], term: number) {
        await pool.query(LIVE, [process, lease, String(term)]);
        const kept = await ask(RENEW, shards);
        await pool.query(FORGET);
        const { rows } = await pool.query<{ name: string }>(OTHERS, [process]);
        return { kept, others: rows.map(({ name }) => name) };
      },
      async leave(): Promise<void> {
        await pool.query('DELETE FROM "JmapMeta" WHERE "key" = $1', [process]);
      },
    };
  };
}

function keysOf(shards: readonly number[]): readonly string[] {
  return shards.map((shard) => `${SHARD}${shard}`);
}
