import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DuplicateRow, duplicatesSql, refuseDuplicates } from '../duplicate-rows.js';
import {
  type AppliedMigration,
  compareMigrations,
  type Migration,
  MigrationError,
  type MigrationStatus,
  readMigrations,
  refuseUnconverted,
  splitSql,
  type UnconvertedRow,
} from '../migrations.js';
import { quote } from '../quote.js';
import { RESTORING_TABLE, unfinishedRestore } from '../restoring.js';
import { isRetryable } from './driver-errors.js';
import { finish, noteUnfinished, readUnfinished, type TellProgress } from './finish.js';
import { explainLongEntries, requireShortEntries } from './long-entries.js';
import { hasTable, type Pool, type PoolClient } from './pool.js';

/** Prisma's own table, so that its tools read the same history. */
const TABLE = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  "id" VARCHAR(36) PRIMARY KEY NOT NULL,
  "checksum" VARCHAR(64) NOT NULL,
  "finished_at" TIMESTAMPTZ,
  "migration_name" VARCHAR(255) NOT NULL,
  "logs" TEXT,
  "rolled_back_at" TIMESTAMPTZ,
  "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
  "applied_steps_count" INTEGER NOT NULL DEFAULT 0
)`;

const RECORD = `INSERT INTO "_prisma_migrations"
  ("id", "checksum", "finished_at", "migration_name", "started_at", "applied_steps_count")
  VALUES ($1, $2, clock_timestamp(), $3, $4, 1)`;

/** Any number that nothing else in the database locks by: "jmap" and "mig". */
const LOCK = '7668050513123302';

/** How long this process waits for another's migrations, and how often it looks, ms. */
const LOCK_WAIT = 600_000;
const LOCK_PAUSE = 100;

/** How often a migration is applied that others' writes keep from it. */
const ATTEMPTS = 20;

const CREATED =
  /\bCREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?:IF\s+NOT\s+EXISTS\s+)?"([^"]+)"/i;

/**
 * Applies the migrations of a folder that the database lacks; processes that start together take
 * turns. Each migration runs in one transaction, then its statements outside of one, such as
 * concurrent indexes; a cut run goes on. Throws MigrationError like the one for SQLite, and if a
 * restore has not ended, unless the restore itself calls.
 */
export async function migrate(
  pool: Pool,
  folder: string,
  tell?: TellProgress,
  options: { readonly restoring: boolean } = { restoring: false },
): Promise<MigrationStatus> {
  const migrations = readMigrations(folder);
  return withConnection(pool, (client) =>
    locked(client, async () => {
      if (!options.restoring) await requireRestored(client);
      const pending = compareMigrations(await appliedMigrations(client), migrations);
      const finishAll = () => finish(client, migrations, createFinisher(client), tell);
      await finishAll();
      for (const migration of pending) {
        await applyAgain(client, migration);
        await finishAll();
      }
      return { applied: pending.map((migration) => migration.name), pending: [] };
    }),
  );
}

/** Returns the applied and the pending migrations. Changes nothing. */
export async function migrationStatus(pool: Pool, folder: string): Promise<MigrationStatus> {
  const migrations = readMigrations(folder);
  const [applied, cut] = await withConnection(pool, async (client) => {
    await requireRestored(client);
    return [await appliedMigrations(client), await readUnfinished(client, migrations)] as const;
  });
  const missing = new Set(compareMigrations(applied, migrations).map(({ name }) => name));
  const pending = migrations
    .map(({ name }) => name)
    .filter((name) => cut.has(name) || missing.has(name));
  const names = migrations.map((migration) => migration.name);
  return { applied: names.filter((name) => !pending.includes(name)), pending };
}

/** Throws MigrationError where a restore runs or was cut short. */
export async function requireRestored(client: Pool | PoolClient): Promise<void> {
  if (await hasTable(client, RESTORING_TABLE)) throw unfinishedRestore();
}

async function withConnection<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (error) {
    // Its session may hold the lock, or a transaction: it goes with them.
    client.release(true);
    throw error;
  }
}

/**
 * Holds the lock of the session. Waiting in a statement would be in a transaction, and that is what
 * an index made concurrently by the holder waits for: so this asks again and again.
 */
export async function locked<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  const end = performance.now() + LOCK_WAIT;
  for (;;) {
    const { rows } = await client.query<{ held: boolean }>(
      'SELECT pg_try_advisory_lock($1) AS "held"',
      [LOCK],
    );
    if (rows[0]?.held === true) break;
    if (performance.now() > end) {
      throw new MigrationError('Another process has been migrating the database for 10 minutes.');
    }
    await sleep(LOCK_PAUSE);
  }
  const result = await work();
  await client.query('SELECT pg_advisory_unlock($1)', [LOCK]);
  return result;
}

/**
 * Applies a migration again if PostgreSQL undid it to end a deadlock: the previous version still
 * writes to several tables, in its own order.
 */
async function applyAgain(client: PoolClient, migration: Migration): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await apply(client, migration);
      return;
    } catch (error) {
      if (!isRetryable(error) || attempt === ATTEMPTS) throw error;
      await client.query('ROLLBACK');
      await sleep(LOCK_PAUSE);
    }
  }
}

async function apply(client: PoolClient, migration: Migration): Promise<void> {
  const started = new Date();
  try {
    await client.query('BEGIN');
    await requireConverted(client, migration);
    await client.query(splitSql(migration.sql).inside);
    const { rows } = await client.query<{ alone: boolean }>(
      // The table below must not be made by itself where the migration has ended the transaction.
      'SELECT transaction_timestamp() = statement_timestamp() AS "alone"',
    );
    if (rows[0]?.alone === true) {
      throw new MigrationError(`The migration ${migration.name} ended the transaction it runs in.`);
    }
    await requireUnique(client, migration);
    await requireShortEntries(client, migration);
    await client.query(TABLE);
    await client.query(RECORD, [randomUUID(), migration.checksum, migration.name, started]);
    await noteUnfinished(client, migration);
    await client.query('COMMIT');
  } catch (error) {
    // The connection is given up, and what was not committed with it.
    if (error instanceof MigrationError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new MigrationError(`The migration ${migration.name} failed: ${reason}`, { cause: error });
  }
}

async function requireConverted(client: PoolClient, migration: Migration): Promise<void> {
  if (migration.evolved.length === 0) return;
  const { rows } = await client.query<UnconvertedRow>(
    'SELECT "key", "value" FROM "JmapMeta" WHERE "key" = ANY($1::text[]) ORDER BY "key"',
    [migration.evolved],
  );
  refuseUnconverted(migration, rows);
}

async function requireUnique(client: PoolClient, { name, unique }: Migration): Promise<void> {
  for (const check of unique) {
    const { rows } = await client.query<unknown[] & DuplicateRow>({
      text: duplicatesSql(check),
      rowMode: 'array',
    });
    refuseDuplicates(name, check, rows);
  }
}

/** Returns a function that runs what is left of a migration, and says what is in its way. */
function createFinisher(client: PoolClient) {
  return async (statement: string, migration: Migration): Promise<void> => {
    try {
      await applyAlone(client, statement);
    } catch (error) {
      await explainLongEntries(client, migration, statement, error);
    }
  };
}

/** Runs a statement outside of a transaction; deals with an index that a cut run has left. */
async function applyAlone(client: PoolClient, statement: string): Promise<void> {
  const index = CREATED.exec(statement)?.[1];
  if (index !== undefined) {
    const { rows } = await client.query<{ valid: boolean }>(
      `SELECT "indisvalid" AS "valid" FROM pg_index
       WHERE "indexrelid" = to_regclass(quote_ident($1))`,
      [index],
    );
    const [existing] = rows;
    if (existing?.valid === true) return;
    if (existing !== undefined) {
      await client.query(`DROP INDEX CONCURRENTLY ${quote(index)}`);
    }
  }
  await client.query(statement);
}

/** Returns the migrations that the database itself records, whatever folder it is used with. */
export async function appliedMigrations(client: PoolClient): Promise<readonly AppliedMigration[]> {
  if (!(await hasTable(client, '_prisma_migrations'))) return [];
  const { rows } = await client.query<{ name: string; checksum: string; finished: boolean }>(
    `SELECT "migration_name" AS "name", "checksum", "finished_at" IS NOT NULL AS "finished"
     FROM "_prisma_migrations" WHERE "rolled_back_at" IS NULL ORDER BY "migration_name"`,
  );
  return rows.map(({ name, checksum, finished }) => ({ name, checksum, finished }));
}
