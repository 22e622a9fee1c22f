import { join } from 'node:path';
import { sqliteSearchSql } from '../../scripts/generator/migrations/search.js';
import type { DataTypeDefinition } from '../../src/capability/definition.js';
import { migrate as migratePostgresql, openPool } from '../../src/database/postgresql/index.js';
import { migrate as migrateSqlite, openDatabase, Writer } from '../../src/database/sqlite/index.js';
import type { Store } from '../../src/store/port.js';
import { postgresql } from '../../src/store/postgresql/dialect.js';
import { createPostgresqlStore } from '../../src/store/postgresql/index.js';
import type { Dialect } from '../../src/store/sql/dialect-port.js';
import { type Fragment, raw, render } from '../../src/store/sql/fragment.js';
import { sqlite } from '../../src/store/sqlite/dialect.js';
import { createSqliteStore } from '../../src/store/sqlite/index.js';
import { model } from '../scripts/migrations/models.js';
import { generate, temporaryRoot } from '../scripts/migrations/project.js';
import { conductor } from '../support/conductor.js';
import { COLUMNS, definition, Thing, values } from './thing.js';

/** Accounts of a size that no test would create over the protocol. */

/** Rows of one statement. */
const BATCH = 100_000;

export interface Rig {
  readonly dialect: Dialect;
  readonly store: Store;
  /** A number that grows with what the statement reads: rows on SQLite, pages on PostgreSQL. */
  cost(fragment: Fragment): Promise<number>;
  /** The text of each statement that the store ran: the test may empty it. */
  readonly statements: string[];
  /** How the database would run a statement, whatever its parameters. */
  plan(text: string): Promise<string>;
  /** One statement, without parameters. */
  exec(sql: string): Promise<unknown>;
  /** Takes the indexes of a table away, but for its key; resolves to what makes them again. */
  dropIndexes(table: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

const THINGS: readonly DataTypeDefinition[] = [definition];

export async function sqliteRig(types = THINGS): Promise<Rig> {
  const root = temporaryRoot();
  await generate(root, model([Thing]));
  const file = join(root, 'scale.db');
  const db = openDatabase({ file });
  migrateSqlite(db, join(root, 'prisma/sqlite/migrations'));
  // The data are made, not kept.
  db.pragma('synchronous = OFF');
  let visited = 0;
  db.function('visit', { deterministic: false }, () => {
    visited += 1;
    return 1;
  });
  const reader = openDatabase({ file, readonly: true });
  const writer = new Writer(db, conductor);
  const statements: string[] = [];
  const onStatement = (text: string): void => void statements.push(text);
  const store = createSqliteStore({ writer, writerDatabase: db, reader, types, onStatement });
  return {
    statements,
    plan: async (text) =>
      db
        .prepare<unknown[], { readonly detail: string }>(`EXPLAIN QUERY PLAN ${text}`)
        .all(...Array.from({ length: text.split('?').length - 1 }, () => null))
        .map(({ detail }) => detail)
        .join('\n'),
    dialect: { ...sqlite, tick: raw('visit()') },
    store,
    async cost(fragment) {
      visited = 0;
      db.prepare(render(fragment, sqlite.placeholder)).all(...fragment.values);
      return visited;
    },
    async exec(sql) {
      db.exec(sql);
    },
    async dropIndexes(table) {
      const made = db
        .prepare<unknown[], { readonly name: string; readonly sql: string }>(
          `SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ?
            AND sql IS NOT NULL`,
        )
        .all(table);
      for (const { name } of made) db.exec(`DROP INDEX "${name}"`);
      return made.map(({ sql }) => sql);
    },
    close: () => store.close(),
  };
}

export async function postgresqlRig(url: string, types = THINGS): Promise<Rig> {
  const root = temporaryRoot();
  await generate(root, model([Thing]));
  const pool = openPool({ url, size: 1 });
  await migratePostgresql(pool, join(root, 'prisma/postgresql/migrations'));
  const statements: string[] = [];
  const onStatement = (text: string): void => void statements.push(text);
  const store = createPostgresqlStore({
    conductor,
    pool: openPool({ url, size: 4, pipeline: true }),
    types,
    onStatement,
  });
  return {
    statements,
    async plan(text) {
      // EXPLAIN (GENERIC_PLAN) is of 16 and later. Of a pool of one connection.
      await pool.query(`SET plan_cache_mode = force_generic_plan; PREPARE asked AS ${text}`);
      const { rows: known } = await pool.query<{ count: number }>(
        `SELECT cardinality(parameter_types) AS count FROM pg_prepared_statements
          WHERE name = 'asked'`,
      );
      const values = Array.from({ length: known[0]?.count ?? 0 }, () => 'NULL');
      const given = values.length === 0 ? '' : `(${values.join(', ')})`;
      const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN EXECUTE asked${given}`);
      await pool.query('DEALLOCATE asked; RESET plan_cache_mode');
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    },
    dialect: postgresql,
    store,
    async cost(fragment) {
      const { rows } = await pool.query<{ 'QUERY PLAN': readonly { Plan: Pages }[] }>({
        text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${render(fragment, postgresql.placeholder)}`,
        values: [...fragment.values],
      });
      const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
      return (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0);
    },
    exec: (sql) => pool.query(sql),
    async dropIndexes(table) {
      const { rows } = await pool.query<{ indexname: string; indexdef: string }>(
        `SELECT indexname, indexdef FROM pg_indexes WHERE tablename = $1
          AND indexname NOT LIKE '%_pkey'`,
        [table],
      );
      for (const { indexname } of rows) await pool.query(`DROP INDEX "${indexname}"`);
      await pool.query(`SET maintenance_work_mem = '256MB'`);
      return rows.map(({ indexdef }) => indexdef);
    },
    async close() {
      await pool.end();
      await store.close();
    },
  };
}

interface Pages {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

/** The differences in making rows: where numbers come from, and what indexes there are. */
const NUMBERS = {
  sqlite: (from: number, to: number) =>
    `(WITH RECURSIVE "all"(n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM "all" WHERE n < ${to})
 SELECT n FROM "all") AS "numbers"`,
  postgresql: (from: number, to: number) => `generate_series(${from}, ${to}) AS "numbers"(n)`,
};

/** Fills accounts with objects and a change record each; indexes after the rows, at once. */
export async function fill(
  rig: Rig,
  engine: keyof typeof NUMBERS,
  accounts: Readonly<Record<string, number>>,
): Promise<void> {
  const made = Thing.search && sqliteSearchSql({ table: 'Thing', search: Thing.search });
  const isSqlite = engine === 'sqlite';
  // The index is filled at once, too: its triggers are made again behind the rows.
  const dropTriggers = made?.drop.filter((sql) => sql.startsWith('DROP TRIGGER')) ?? [];
  if (isSqlite) for (const sql of dropTriggers) await rig.exec(sql);
  const indexes = await rig.dropIndexes('Thing');
  for (const [account, count] of Object.entries(accounts)) {
    await rig.exec(`INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created")
 VALUES ('${account}', '', 'u', 1)`);
    for (let from = 1; from <= count; from += BATCH) {
      const numbers = NUMBERS[engine](from, Math.min(count, from + BATCH - 1));
      await rig.exec(
        `INSERT INTO "Thing" (${COLUMNS}) SELECT ${values(`'${account}'`)} FROM ${numbers}`,
      );
      await rig.exec(`INSERT INTO "JmapChange" ("accountId", "type", "number", "objectId", "kind",
        "at")
 SELECT '${account}', 'Thing', n, 'r' || (10000000 + n), 0, n FROM ${numbers}`);
    }
    await rig.exec(`INSERT INTO "JmapState" ("accountId", "type", "number", "objects")
 VALUES ('${account}', 'Thing', ${count}, ${count})`);
  }
  for (const index of indexes) await rig.exec(index);
  if (isSqlite)
    for (const sql of [...(made?.fill ?? []), ...(made?.triggers ?? [])]) await rig.exec(sql);
  else await rig.exec('VACUUM ANALYZE');
}
