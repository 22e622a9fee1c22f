import { open, rm } from 'node:fs/promises';
import { appliedMigrations, type Pool } from '../../src/database/postgresql/index.js';
import { quote } from '../../src/database/quote.js';
import { NAMES } from './manifest.js';
import type { Progress } from './progress.js';
import type { BlobRow, DatabaseSource } from './source.js';

/** Rows of a step: they are in memory at once. */
const ROWS = 500;

/** Tables of the schema, those in partitions as one, but Prisma's own, which migrations fill; as many rows as the server believes. */
const TABLES = `SELECT c.relname AS "name", greatest(c.reltuples, 0)::float8 AS "rows"
  FROM pg_class AS c WHERE c.relnamespace = current_schema()::regnamespace
    AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND c.relname <> '_prisma_migrations' ORDER BY c.relname`;

/**
 * Copies all tables of one snapshot, each row as a line of JSON: PostgreSQL writes and reads the values itself, so
 * that nothing is rounded. A database of another major version takes them as well.
 */
export async function copyPostgresql(
  pool: Pool,
  temporary: string,
  progress: Progress,
): Promise<DatabaseSource> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const migrations = await appliedMigrations(client);
    const { rows: tables } = await client.query<{ name: string; rows: number }>(TABLES);
    const { rows: sums } = await client.query<{ count: string; octets: string }>(
      'SELECT count(*) AS "count", coalesce(sum("size"), 0) AS "octets" FROM "JmapBlob"',
    );
    const expected = tables.reduce((sum, { rows }) => sum + rows, 0);
    let done = 0;

    const copyTable = async (table: string): Promise<void> => {
      const handle = await open(temporary, 'wx', 0o600);
      try {
        const select = `SELECT row_to_json("t")::text AS "row" FROM ${quote(table)} AS "t"`;
        await client.query(`DECLARE "backup" NO SCROLL CURSOR FOR ${select}`);
        for (;;) {
          const { rows } = await client.query<{ row: string }>(`FETCH ${ROWS} FROM "backup"`);
          if (rows.length === 0) break;
          await handle.appendFile(rows.map(({ row }) => `${row}\n`).join(''));
          done += rows.length;
          progress.at(Math.min(done, expected), expected);
        }
        await client.query('CLOSE "backup"');
      } finally {
        await handle.close();
      }
    };
    return {
      kind: 'postgresql',
      migrations,
      async *parts() {
        for (const { name } of tables) {
          await copyTable(name);
          yield { name: `${NAMES.tables}${name}.ndjson`, file: temporary };
          await rm(temporary, { force: true });
        }
      },
      blobs: { count: Number(sums[0]?.count), octets: Number(sums[0]?.octets) },
      async blobsAfter(last, limit) {
        const { rows } = await client.query<{ accountId: string; id: string; size: string }>(
          `SELECT "accountId", "id", "size" FROM "JmapBlob" WHERE ("accountId", "id") > ($1, $2)
           ORDER BY "accountId", "id" LIMIT $3`,
          [last?.accountId ?? '', last?.id ?? '', limit],
        );
        return rows.map((row): BlobRow => ({ ...row, size: Number(row.size) }));
      },
      async close() {
        client.release(true);
      },
    };
  } catch (error) {
    client.release(true);
    throw error;
  }
}
