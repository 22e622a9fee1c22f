import { existsSync } from 'node:fs';
import { MigrationError } from './migrations.js';

/**
 * A restore that was killed leaves a database without all of its rows, or without its blobs. It is marked from
 * before the first of them to after the last, and nothing opens what is marked: on SQLite by the name of the
 * file, which takes the database's at the end; on PostgreSQL by a table.
 */
export const RESTORING_TABLE = 'JmapRestoring';

/** What the database of `file` is called until it is whole. */
export function restoringFile(file: string): string {
  return `${file}.restoring`;
}

/** Throws MigrationError where a restore to `file` runs or was cut short: only another restore may go on. */
export function requireRestored(file: string): void {
  const marker = restoringFile(file);
  if (existsSync(file) || !existsSync(marker)) return;
  throw new MigrationError(
    `A restore to ${file} has not ended: run it again, or, to begin with nothing, remove ${marker} ` +
      'and the blobs in BLOB_STORE.',
  );
}

/** The same for a PostgreSQL database that has the table. */
export function unfinishedRestore(): MigrationError {
  return new MigrationError(
    'A restore to the database has not ended: run it again, or, to begin with nothing, remove all tables ' +
      `(${RESTORING_TABLE} among them) and the blobs in BLOB_STORE.`,
  );
}
