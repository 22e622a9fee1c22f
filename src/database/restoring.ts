import { existsSync } from 'node:fs';
import { MigrationError } from './migrations.js';

/**
 * A killed restore leaves a database without all rows or blobs. A mark stands from before the first
 * row until after the last blob, and nothing opens a marked database. On SQLite the mark is a file
 * name, which becomes the database's at the end; on PostgreSQL it is a table.
 */
export const RESTORING_TABLE = 'JmapRestoring';

/** Returns the name of the database of `file` until it is whole. */
export function restoringFile(file: string): string {
  return `${file}.restoring`;
}

/** Throws MigrationError if a restore to `file` runs or was cut short: only a restore may go on. */
export function requireRestored(file: string): void {
  const marker = restoringFile(file);
  if (existsSync(file) || !existsSync(marker)) return;
  throw new MigrationError(
    `A restore to ${file} has not ended: run it again, or, to begin with nothing, remove ` +
      `${marker} and the blobs in BLOB_STORE.`,
  );
}

/** Returns the same for a PostgreSQL database that has the table. */
export function unfinishedRestore(): MigrationError {
  return new MigrationError(
    'A restore to the database has not ended: run it again, or, to begin with nothing, remove ' +
      `all tables (${RESTORING_TABLE} among them) and the blobs in BLOB_STORE.`,
  );
}
