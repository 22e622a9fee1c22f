import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { readMigrations } from '../../src/database/migrations.js';
import {
  locked,
  migrate,
  openPool,
  type Pool,
  type PoolClient,
  recordUnicodeVersion,
} from '../../src/database/postgresql/index.js';
import { openPrisma } from '../../src/database/postgresql/prisma.js';
import { quote } from '../../src/database/quote.js';
import { RESTORING_TABLE } from '../../src/database/restoring.js';
import { UsageError } from '../cli.js';
import { beginAnew } from './begin-anew.js';
import type { Destination } from './destination.js';
import { type Manifest, NAMES } from './manifest.js';

/** Characters of the lines that one statement takes. */
const CHUNK = 1_000_000;
const SUFFIX = '.ndjson';
const TABLES = `SELECT c.relname AS "name" FROM pg_class AS c
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
    AND NOT c.relispartition ORDER BY 1`;
/** Change records are not restored: every earlier state is refused. */
const FORGOTTEN = 'JmapChange';
const MARK = quote(RESTORING_TABLE);
/** Held by a restore as long as it lives: "jmap" and "res". */
const LOCK = '7668050513123315';

/**
 * Restores into a database without a table: those of the backup's migrations are made and filled.
 * It has a table that marks it from before the first of them until all is there, so that no server
 * starts on it.
 */
export async function toPostgresql(
  url: string,
  folder: string,
  manifest: Manifest,
): Promise<Destination> {
  const pool = openPool({ url, size: 4 });
  const client = await pool.connect().catch(async (error: unknown) => {
    await pool.end();
    throw error;
  });
  const restoring = { restoring: true };
  const leftOut: string[] = [];
  let isMarked = false;
  let isLeft = false;
  let isPublished = false;
  let tables: ReadonlySet<string> | undefined;

  const begin = async (): Promise<ReadonlySet<string>> => {
    await dropTables(pool, await tablesOf(client));
    await asOfThen(folder, manifest, (then) => migrate(pool, then, undefined, restoring));
    const made = new Set(await tablesOf(client));
    await client.query('BEGIN');
    // The notes of migrations are for a database with objects of its own.
    await client.query('DELETE FROM "JmapMeta"');
    return made;
  };
  const insert = (table: string, rows: readonly Buffer[]) =>
    client.query(
      `INSERT INTO ${quote(table)}
       SELECT * FROM json_populate_recordset(NULL::${quote(table)}, $1::json)`,
      [`[${rows.join(',')}]`],
    );
  const { pathname, host } = new URL(url);

  return {
    place: `${pathname.slice(1)} on ${host}`,
    leftOut,

    async claim(blobs) {
      // A server that starts at this moment makes its tables under the same lock.
      const claim = await locked(client, async () => {
        const found = await tablesOf(client);
        isLeft = found.includes(RESTORING_TABLE);
        if (!isLeft && found.length > 0) {
          const names = found.slice(0, 3);
          return {
            occupied: names.map((name) => `a table ${name} in the database`),
            resumes: false,
          };
        }
        await takeLock(client);
        return { occupied: [], resumes: await mark(client, isLeft, blobs) };
      });
      isMarked = claim.occupied.length === 0;
      return claim;
    },

    async take(name, body) {
      if (!name.startsWith(NAMES.tables) || !name.endsWith(SUFFIX)) {
        throw new UsageError(`The backup has an unknown part ${name}.`);
      }
      tables ??= await begin();
      const table = basename(name, SUFFIX);
      const isOurs = tables.has(table);
      if (!isOurs) leftOut.push(table);
      let rows: Buffer[] = [];
      let octets = 0;
      for await (const line of linesOf(body)) {
        if (!isOurs || table === FORGOTTEN) continue;
        rows.push(line);
        octets += line.byteLength;
        if (octets < CHUNK) continue;
        await insert(table, rows);
        rows = [];
        octets = 0;
      }
      if (rows.length > 0) await insert(table, rows);
    },

    async complete(types) {
      await client.query('COMMIT');
      const { applied } = await migrate(pool, folder, undefined, restoring);
      await recordUnicodeVersion(pool);
      await beginAnew(openPrisma(pool), types);
      return applied;
    },

    async publish() {
      await client.query(`DROP TABLE ${MARK}`);
      isPublished = true;
    },

    async close() {
      try {
        if (isMarked && !isPublished) {
          await client.query('ROLLBACK');
          await dropTables(pool, await tablesOf(client));
          if (!isLeft) await client.query(`DROP TABLE ${MARK}`);
        }
      } finally {
        client.release(true);
        await pool.end();
      }
    },
  };
}

/** Refuses where another restore is at work; its session's end gives the lock back. */
async function takeLock(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ held: boolean }>(
    'SELECT pg_try_advisory_lock($1) AS "held"',
    [LOCK],
  );
  if (rows[0]?.held !== true) throw new UsageError('Another restore to the database is running.');
}

/** Marks the database; true where a restore to it and to these blobs was cut short. */
async function mark(client: PoolClient, isLeft: boolean, blobs: string): Promise<boolean> {
  if (!isLeft) {
    // One statement, one transaction: no mark without its row.
    await client.query(`CREATE TABLE ${MARK} AS SELECT CAST($1 AS text) AS "blobs"`, [blobs]);
    return false;
  }
  const { rows } = await client.query<{ blobs: string }>(`SELECT "blobs" FROM ${MARK}`);
  await client.query(`UPDATE ${MARK} SET "blobs" = $1`, [blobs]);
  return rows[0]?.blobs === blobs;
}

async function tablesOf(client: PoolClient): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(TABLES);
  return rows.map(({ name }) => name);
}

/** Runs `work` with a folder of the migrations that the backup's database had. */
async function asOfThen(
  folder: string,
  manifest: Manifest,
  work: (folder: string) => Promise<unknown>,
): Promise<void> {
  const names = new Set(manifest.database.migrations.map(({ name }) => name));
  const then = mkdtempSync(join(tmpdir(), 'jmapsmith-restore-'));
  try {
    for (const migration of readMigrations(folder)) {
      if (!names.has(migration.name)) continue;
      cpSync(migration.folder, join(then, migration.name), { recursive: true });
    }
    await work(then);
  } finally {
    rmSync(then, { recursive: true, force: true });
  }
}

/** Of a database that had none before, all but its mark. */
async function dropTables(pool: Pool, tables: readonly string[]): Promise<void> {
  const names = tables.filter((name) => name !== RESTORING_TABLE).map(quote);
  if (names.length > 0) await pool.query(`DROP TABLE ${names.join(', ')} CASCADE`);
}

/** By \n alone, which JSON has in no string. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let open: Uint8Array[] = [];
  for await (const octets of body) {
    let from = 0;
    for (let to = octets.indexOf(10); to !== -1; to = octets.indexOf(10, from)) {
      yield Buffer.concat([...open, octets.subarray(from, to)]);
      open = [];
      from = to + 1;
    }
    if (from < octets.byteLength) open.push(octets.subarray(from));
  }
}
