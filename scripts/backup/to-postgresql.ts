import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { readMigrations } from '../../src/database/migrations.js';
import {
  migrate,
  openPool,
  type Pool,
  recordUnicodeVersion,
} from '../../src/database/postgresql/index.js';
import { openPrisma } from '../../src/database/postgresql/prisma.js';
import { quote } from '../../src/database/quote.js';
import { UsageError } from '../cli.js';
import { beginAnew } from './begin-anew.js';
import type { Destination } from './destination.js';
import { type Manifest, NAMES } from './manifest.js';

/** Characters of the lines that one statement takes. */
const CHUNK = 1_000_000;
const SUFFIX = '.ndjson';
const TABLES = `SELECT c.relname AS "name" FROM pg_class AS c
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' ORDER BY 1`;

/** Restores into a database without a table: those of the backup's migrations are made and filled. No server may start meanwhile. */
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
  let isBegun = false;
  let isPublished = false;

  const begin = async (): Promise<void> => {
    if (isBegun) return;
    isBegun = true;
    await asOfThen(folder, manifest, (then) => migrate(pool, then));
    await client.query('BEGIN');
    // What migrations noted is for a database with objects of its own.
    await client.query('DELETE FROM "JmapMeta"');
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

    async occupied() {
      const { rows } = await client.query<{ name: string }>(`${TABLES} LIMIT 3`);
      return rows.map(({ name }) => `a table ${name} in the database`);
    },

    async take(name, body) {
      if (!name.startsWith(NAMES.tables) || !name.endsWith(SUFFIX)) {
        throw new UsageError(`The backup has an unknown part ${name}.`);
      }
      await begin();
      const table = basename(name, SUFFIX);
      let rows: Buffer[] = [];
      let octets = 0;
      for await (const line of linesOf(body)) {
        rows.push(line);
        octets += line.byteLength;
        if (octets < CHUNK) continue;
        await insert(table, rows);
        rows = [];
        octets = 0;
      }
      if (rows.length > 0) await insert(table, rows);
    },

    async complete(tables) {
      await client.query('COMMIT');
      const { applied } = await migrate(pool, folder);
      await recordUnicodeVersion(pool);
      await beginAnew(openPrisma(pool), tables);
      return applied;
    },

    async publish() {
      isPublished = true;
    },

    async close() {
      client.release(true);
      if (isBegun && !isPublished) await dropTables(pool);
      await pool.end();
    },
  };
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

/** The database had no table before. */
async function dropTables(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(TABLES);
  const names = rows.map(({ name }) => quote(name)).join(', ');
  if (names !== '') await pool.query(`DROP TABLE ${names} CASCADE`);
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
