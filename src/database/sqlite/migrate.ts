import { randomUUID } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import { type DuplicateRow, duplicatesSql, refuseDuplicates } from '../duplicate-rows.js';
import {
  type AppliedMigration,
  compareMigrations,
  type Migration,
  MigrationError,
  type MigrationStatus,
  readMigrations,
  refuseUnconverted,
  type UnconvertedRow,
} from '../migrations.js';
import { patiently } from './open.js';

/** Prisma's own table, so that its tools read the same history. */
const TABLE = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "checksum" TEXT NOT NULL,
  "finished_at" DATETIME,
  "migration_name" TEXT NOT NULL,
  "logs" TEXT,
  "rolled_back_at" DATETIME,
  "started_at" DATETIME NOT NULL DEFAULT current_timestamp,
  "applied_steps_count" INTEGER UNSIGNED NOT NULL DEFAULT 0
)`;

/**
 * Applies what the database lacks of a migrations folder, each migration in one transaction. Waits
 * for another process that does the same. Returns what this run applied; nothing is pending then.
 * Throws MigrationError where database and folder don't belong together: nothing is changed in that
 * case.
 */
export function migrate(db: Database, folder: string): MigrationStatus {
  const migrations = readMigrations(folder);
  return patiently(db, () => {
    const pending = pendingOf(db, migrations);
    for (const migration of pending) apply(db, migrations, migration);
    return { applied: pending.map((migration) => migration.name), pending: [] };
  });
}

/**
 * Returns the applied and the pending migrations. Changes nothing. Throws MigrationError as
 * `migrate` does.
 */
export function migrationStatus(db: Database, folder: string): MigrationStatus {
  const migrations = readMigrations(folder);
  return patiently(db, () => {
    const pending = pendingOf(db, migrations).map((migration) => migration.name);
    const names = migrations.map((migration) => migration.name);
    return { applied: names.filter((name) => !pending.includes(name)), pending };
  });
}

function pendingOf(db: Database, migrations: readonly Migration[]): readonly Migration[] {
  return compareMigrations(readApplied(db), migrations);
}

function apply(db: Database, migrations: readonly Migration[], migration: Migration): void {
  const started = Date.now();
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have applied it while this one waited for the lock.
    if (pendingOf(db, migrations).includes(migration)) {
      refuseUnconverted(migration, unconverted(db, migration.evolved));
      // `PRAGMA foreign_keys` in Prisma's RedefineTables blocks does nothing inside a transaction:
      // it stays off.
      db.exec(migration.sql);
      if (!db.inTransaction) {
        throw new MigrationError(
          `The migration ${migration.name} ended the transaction it runs in.`,
        );
      }
      for (const check of migration.unique) {
        const rows = db.prepare(duplicatesSql(check)).raw().all() as DuplicateRow[];
        refuseDuplicates(migration.name, check, rows);
      }
      db.exec(TABLE);
      db.prepare(
        `INSERT INTO "_prisma_migrations"
           ("id", "checksum", "finished_at", "migration_name", "started_at", "applied_steps_count")
         VALUES (?, ?, ?, ?, ?, 1)`,
      ).run(randomUUID(), migration.checksum, Date.now(), migration.name, started);
    }
    db.exec('COMMIT');
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK');
    if (error instanceof MigrationError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new MigrationError(`The migration ${migration.name} failed: ${reason}`, { cause: error });
  }
}

/** Returns those of the conversions that are left to do. */
function unconverted(db: Database, keys: readonly string[]): readonly UnconvertedRow[] {
  if (keys.length === 0) return [];
  return db
    .prepare<[string], UnconvertedRow>(
      `SELECT "key", "value" FROM "JmapMeta"
         WHERE "key" IN (SELECT "value" FROM json_each(?)) ORDER BY "key"`,
    )
    .all(JSON.stringify(keys));
}

/** Returns the migrations that the database itself records, whatever folder it is used with. */
export function appliedMigrations(db: Database): readonly AppliedMigration[] {
  return patiently(db, () => readApplied(db));
}

function readApplied(db: Database): readonly AppliedMigration[] {
  const exists = db
    .prepare(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '_prisma_migrations'`)
    .get();
  if (exists === undefined) return [];
  const rows = db
    .prepare<[], { name: string; checksum: string; finished: number }>(
      `SELECT "migration_name" AS name, "checksum" AS checksum,
              "finished_at" IS NOT NULL AS finished
         FROM "_prisma_migrations" WHERE "rolled_back_at" IS NULL ORDER BY "migration_name"`,
    )
    .all();
  return rows.map((row) => ({ ...row, finished: row.finished === 1 }));
}
