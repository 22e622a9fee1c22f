import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One reviewed migration: a folder `0001_name` with its `migration.sql`. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file in hex, as Prisma's own table keeps it. */
  readonly checksum: string;
}

/**
 * A database and a migrations folder that don't belong together. The message names the migration.
 */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** What a database has of a folder's migrations, by name, in order. */
export interface MigrationStatus {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
}

const NAME = /^\d{4}_[A-Za-z0-9_]+$/;

/**
 * Reads a migrations folder in order of number. Files beside the folders are ignored. Throws
 * MigrationError.
 */
export function readMigrations(folder: string): readonly Migration[] {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  return names.map((name) => {
    if (!NAME.test(name)) {
      throw new MigrationError(
        `${join(folder, name)} is no migration: its name must be like 0001_name.`,
      );
    }
    const octets = readFileSync(join(folder, name, 'migration.sql'));
    const checksum = createHash('sha256').update(octets).digest('hex');
    return Object.freeze({ name, sql: octets.toString('utf8'), checksum });
  });
}

/** A row of `_prisma_migrations`, as far as it matters. */
export interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
  /** False where its run has begun and never ended. */
  readonly finished: boolean;
}

/**
 * Compares what a database has with a folder. Throws MigrationError where it has a migration that
 * the folder lacks (it is newer, or another project's), one with another content, or one out of
 * order.
 */
export function compareMigrations(
  applied: readonly AppliedMigration[],
  folder: readonly Migration[],
): readonly Migration[] {
  const known = new Map(folder.map((migration) => [migration.name, migration]));
  for (const { name, checksum, finished } of applied) {
    const migration = known.get(name);
    if (migration === undefined) {
      throw new MigrationError(
        `The database has the migration ${name}, which this version does not know: ` +
          'it belongs to a newer version or to another project.',
      );
    }
    if (migration.checksum !== checksum) {
      throw new MigrationError(
        `The migration ${name} was applied to the database with another content: ` +
          'an applied migration must not be edited.',
      );
    }
    if (!finished) {
      throw new MigrationError(`The migration ${name} was begun on the database and never ended.`);
    }
  }
  const done = new Set(applied.map((row) => row.name));
  const pending = folder.filter((migration) => !done.has(migration.name));
  const last = [...done].sort().at(-1);
  const late = pending.find((migration) => last !== undefined && migration.name < last);
  if (late !== undefined) {
    throw new MigrationError(
      `The migration ${late.name} is not in the database, but the later ${last} is: ` +
        'a new migration needs a higher number.',
    );
  }
  return pending;
}
