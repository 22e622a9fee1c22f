import { open, rm } from 'node:fs/promises';
import { appliedMigrations, type Pool } from '../../src/database/postgresql/index.js';
import { LEFT_OUT } from './left-out.js';
import { NAMES } from './manifest.js';
import type { Progress } from './progress.js';
import type { BlobRow, DatabaseSource } from './source.js';

/**
 * Rows of a step: they are in memory at once. Fewer where they are large: a step is to have so many
 * characters.
 */
const ROWS = 500;
const FIRST_ROWS = 16;
const STEP = 1_000_000;

/**
 * Tables of the schema, those in partitions as one, but Prisma's own, which migrations fill; as
 * many rows as the server believes.
 */
const TABLES = `SELECT c.relname AS "name", format('%I.%I', current_schema(), c.relname) AS "from",
    greatest(c.reltuples, 0)::float8 AS "rows"
  FROM pg_class AS c WHERE c.relnamespace = current_schema()::regnamespace
    AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND c.relname <> '_prisma_migrations' ORDER BY c.relname`;

interface TableRow {
  readonly name: string;
  /** With its schema, in quotes: a name alone may mean a table of the system's. */
  readonly from: string;
  readonly rows: number;
}

/**
 * How many rows to ask for after a step whose rows had so many characters, with room for larger
 * ones.
 */
function rowsOfStep(characters: number, before: number): number {
  return Math.max(1, Math.min(ROWS, before * 2, Math.floor(STEP / characters)));
}

/**
 * Copies all tables of one snapshot, each row as a line of JSON: PostgreSQL writes and reads the
 * values itself, so that nothing is rounded. A database of another major version takes them as
 * well.
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
    const { rows: all } = await client.query<TableRow>(TABLES);
    const tables = all.filter(({ name }) => !LEFT_OUT.includes(name));
    const { rows: sums } = await client.query<{ count: string; octets: string }>(
      'SELECT count(*) AS "count", coalesce(sum("size"), 0) AS "octets" FROM "JmapBlob"',
    );
    const expected = tables.reduce((sum, { rows }) => sum + rows, 0);
    let done = 0;

    const copyTable = async (table: TableRow): Promise<void> => {
      const handle = await open(temporary, 'wx', 0o600);
      try {
        const select = `SELECT row_to_json("t")::text AS "row" FROM ${table.from} AS "t"`;
        await client.query(`DECLARE "backup" NO SCROLL CURSOR FOR ${select}`);
        for (let count = FIRST_ROWS; ; ) {
          const { rows } = await client.query<{ row: string }>(`FETCH ${count} FROM "backup"`);
          if (rows.length === 0) break;
          const text = rows.map(({ row }) => `${row}\n`).join('');
          await handle.appendFile(text);
          count = rowsOfStep((text.length / rows.length) * 2, count);
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
        for (const table of tables) {
          await copyTable(table);
          yield { name: `${NAMES.tables}${table.name}.ndjson`, file: temporary };
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
