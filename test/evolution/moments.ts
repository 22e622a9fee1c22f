import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { expect } from 'vitest';
import { openPool } from '../../src/database/postgresql/index.js';
import { openDatabase } from '../../src/database/sqlite/index.js';
import type { RunningServer } from '../support/server.js';

/**
 * Runs that migrate copies of one database are killed at moments spread over the time that one
 * takes.
 */

/** Copies of a database as it was before a migration. */
export interface Copies {
  /** Makes a further one; resolves to its DATABASE_URL. */
  make(name: string): Promise<string>;
  /** All that one holds, to be compared: rows, tables and indexes. */
  contents(url: string): Promise<readonly string[]>;
}

interface Moments {
  readonly root: string;
  readonly env: RunningServer['env'];
  readonly copies: Copies;
  /** How many runs are killed. */
  readonly count: number;
}

/** After each kill the next run makes the database the same as a run that nobody killed. */
export async function expectWholeAfterKills({ root, env, copies, count }: Moments): Promise<void> {
  const migrate = (url: string, after?: number) =>
    migrated(root, { ...env, DATABASE_URL: url }, after);
  const whole = await copies.make('whole');
  const begun = performance.now();
  expect(await migrate(whole)).toBe(0);
  const time = performance.now() - begun;
  const expected = await copies.contents(whole);
  let made = 0;
  /** Whether the run was killed. */
  const killAfter = async (part: number): Promise<boolean> => {
    made += 1;
    const url = await copies.make(`killed${made}`);
    const code = await migrate(url, time * part);
    if (code !== null) expect(code).toBe(0);
    expect(await migrate(url)).toBe(0);
    expect(await copies.contents(url), `killed after ${part} of a run`).toEqual(expected);
    return code === null;
  };
  let kills = 0;
  for (let n = 1; n <= count; n += 1) if (await killAfter(n / (count + 1))) kills += 1;
  // On a machine that was busy before, each run may be faster than the moment.
  for (let part = 1 / (count + 1); kills === 0; part /= 2)
    if (await killAfter(part / 2)) kills += 1;
}

/** The exit code; null where it was killed, `after` so many milliseconds. */
function migrated(cwd: string, env: RunningServer['env'], after?: number): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['scripts/run.mjs', 'scripts/migrate'], {
      ...{ cwd, env, stdio: ['ignore', 'ignore', 'inherit'] },
    });
    const timer = after === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), after);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve(code);
    });
  });
}

/** `file`: of a server that has stopped. */
export function sqliteCopies(file: string): Copies {
  return {
    async make(name) {
      copyFileSync(file, `${file}-${name}`);
      return `file:${file}-${name}`;
    },
    async contents(url) {
      const db = openDatabase({ file: url.slice('file:'.length), readonly: true });
      try {
        expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
        const schema = db
          .prepare<[], { type: string; name: string; sql: string | null }>(
            'SELECT "type", "name", "sql" FROM sqlite_master ORDER BY "name"',
          )
          .all();
        const rows = schema.flatMap(({ type, name }) => {
          if (type !== 'table') return [];
          const what = KEYS[name] ?? '*';
          const all = db.prepare(`SELECT ${what} FROM "${name}"`).raw().all();
          const lines = all.map((row) => JSON.stringify(row)).sort();
          const hash = createHash('sha256').update(lines.join('\n'));
          return [`${name}: ${hash.digest('hex')}`];
        });
        return [...schema.map(({ sql }) => String(sql)), ...rows];
      } finally {
        db.close();
      }
    },
  };
}

/**
 * The columns to compare of tables that hold times of the run, or notes with times for the next
 * start.
 */
const KEYS: Readonly<Record<string, string>> = {
  _prisma_migrations: '"migration_name", "checksum", "finished_at" IS NOT NULL',
  JmapMeta: '"key"',
};

/** `url`: of a database that nobody has open. */
export async function postgresqlCopies(url: string): Promise<Copies> {
  const [, original = ''] = new URL(url).pathname.split('/');
  const template = `${original}_before`;
  const admin = new URL(url);
  admin.pathname = '/postgres';
  const copy = async (from: string, to: string): Promise<string> => {
    const pool = openPool({ url: admin.href, size: 1 });
    try {
      await pool.query(`CREATE DATABASE "${to}" TEMPLATE "${from}"`);
    } finally {
      await pool.end();
    }
    const made = new URL(url);
    made.pathname = `/${to}`;
    return made.href;
  };
  await copy(original, template);
  return {
    make: (name) => copy(template, `${original}_${name}`),
    async contents(of) {
      const pool = openPool({ url: of, size: 1 });
      const texts = async (sql: string): Promise<readonly string[]> =>
        (await pool.query<{ text: string }>(sql)).rows.map(({ text }) => text);
      try {
        const tables = await texts(
          `SELECT "tablename" AS "text" FROM pg_tables WHERE "schemaname" = 'public' ORDER BY 1`,
        );
        const rows: string[] = [];
        for (const table of tables) {
          const what = KEYS[table] ?? '*';
          rows.push(
            ...(await texts(`SELECT '${table}: ' || coalesce(md5(string_agg("row"::text, chr(10)
              ORDER BY "row"::text)), '') AS "text"
              FROM (SELECT ${what} FROM "${table}") AS "row"`)),
          );
        }
        const indexes =
          await texts(`SELECT pg_get_indexdef("indexrelid") || ' ' || "indisvalid" AS "text"
          FROM pg_index JOIN pg_class ON pg_class."oid" = "indexrelid"
          JOIN pg_namespace ON pg_namespace."oid" = "relnamespace"
          WHERE "nspname" = 'public' ORDER BY 1`);
        const columns = await texts(`SELECT concat_ws(' ', "table_name", "column_name", "data_type",
            "is_nullable", "column_default") AS "text" FROM information_schema.columns
          WHERE "table_schema" = 'public' ORDER BY 1`);
        const triggers = await texts(`SELECT pg_get_triggerdef("oid") AS "text" FROM pg_trigger
          WHERE NOT "tgisinternal" ORDER BY 1`);
        return [...rows, ...indexes, ...columns, ...triggers];
      } finally {
        await pool.end();
      }
    },
  };
}
