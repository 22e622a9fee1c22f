import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TextTransform } from '../capability/definition.js';
import type { PartColumn } from '../capability/part-columns.js';

/** Columns of existing rows that only server functions can compute (from `backfill.json`). */
export interface BackfillStep {
  readonly table: string;
  readonly columns: readonly BackfillColumn[];
}

/** A column is made of the text in another one, or of a part of its JSON. */
export type BackfillColumn = {
  readonly column: string;
  readonly from: string;
} & ({ readonly transform: TextTransform } | { readonly part: PartColumn });

/** A `unique` that comes to a type which may have rows: the migration fails where some collide. */
export interface UniqueCheck {
  /** Null equals null. */
  readonly nullsEqual?: true;
  readonly table: string;
  /** The name that clients use, if the table has another one. */
  readonly type?: string;
  /** Of the properties, joined: `code`, or `list+position`. */
  readonly name: string;
  readonly columns: readonly string[];
}

/** One reviewed migration: a folder `0001_name` with its `migration.sql`. */
export interface Migration {
  readonly name: string;
  readonly folder: string;
  readonly sql: string;
  /** SHA-256 of the file in hex, as Prisma's own table keeps it. */
  readonly checksum: string;
  /** From `backfill.json`: what the server computes for existing rows once the SQL is applied. */
  readonly backfill: readonly BackfillStep[];
  /** From the same file: what must be unique once the SQL is applied, or nothing of it is. */
  readonly unique: readonly UniqueCheck[];
  /**
   * From the same file: keys of JmapMeta that stand for conversions (`evolve/`) of which it takes
   * the columns away. None of them may be left to do.
   */
  readonly evolved: readonly string[];
}

/** A note of a conversion that isn't done. */
export interface UnconvertedRow {
  readonly key: string;
  readonly value: string;
}

/** Throws MigrationError where a conversion isn't done of which the migration takes the columns. */
export function refuseUnconverted({ name }: Migration, [first]: readonly UnconvertedRow[]): void {
  if (first === undefined) return;
  const { file = '' } = JSON.parse(first.value) as { readonly file?: string };
  const table = first.key.split('/').at(-1);
  throw new MigrationError(
    `The migration ${name} takes away what ${file} converts ${table} from, and this database ` +
      'has objects that are not converted. Start the last version that has this file, and see by ' +
      '"migrate --status" that nothing is left. Then migrate again. Nothing of this migration is ' +
      'applied.',
  );
}

/** The statements below this line run one by one, each outside of a transaction. */
export const OUTSIDE_MARK = '-- outside a transaction';

/**
 * Returns the parts of a migration's SQL: what one transaction runs, and statements that PostgreSQL
 * takes outside of one only, such as CREATE INDEX CONCURRENTLY. These may run twice after a crash.
 */
export function splitSql(sql: string): {
  readonly inside: string;
  readonly outside: readonly string[];
} {
  const [inside = '', ...rest] = sql.split(/^-- outside a transaction[^\n]*$/m);
  const outside = rest
    .join('\n')
    .split(/;[ \t]*(?:\r?\n|$)/)
    .map((statement) => statement.replace(/^\s*--[^\n]*$/gm, '').trim())
    .filter((statement) => statement !== '');
  return { inside, outside };
}

/**
 * A database and a migrations folder that don't belong together. The message names the migration.
 */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** The migrations of a folder that a database has and lacks, by name, in order. */
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
    const backfill = readBackfill(join(folder, name, 'backfill.json'));
    return Object.freeze({
      name,
      folder: join(folder, name),
      sql: octets.toString('utf8'),
      checksum,
      ...backfill,
    });
  });
}

function readBackfill(file: string): Pick<Migration, 'backfill' | 'unique' | 'evolved'> {
  if (!existsSync(file)) return { backfill: [], unique: [], evolved: [] };
  try {
    const {
      steps,
      unique = [],
      evolved = [],
    } = JSON.parse(readFileSync(file, 'utf8')) as {
      steps: readonly BackfillStep[];
      unique?: readonly UniqueCheck[];
      evolved?: readonly string[];
    };
    if ([steps, unique, evolved].every(Array.isArray)) return { backfill: steps, unique, evolved };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new MigrationError(
    `${file} is no list of steps: restore it from version control (the generator writes it).`,
  );
}

/** A row of `_prisma_migrations`, as far as it matters. */
export interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
  /** False where its run has begun and never ended. */
  readonly finished: boolean;
}

/** jmapsmith itself records a migration when all of it is applied. */
function neverEnded(name: string): string {
  return (
    `Another tool began the migration ${name} on the database and did not end it, so tables may ` +
    'be half changed. Restore a backup of before it into an empty place (the command "restore"). ' +
    'Without a backup, undo by hand what it has changed, and have it applied anew by: ' +
    'UPDATE "_prisma_migrations" SET "rolled_back_at" = CURRENT_TIMESTAMP ' +
    `WHERE "migration_name" = '${name}' AND "finished_at" IS NULL;`
  );
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
      throw new MigrationError(neverEnded(name));
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
