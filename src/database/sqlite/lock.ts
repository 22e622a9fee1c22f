import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { SqliteDatabase } from './driver.js';
import { isBusy } from './driver-errors.js';
import { realDatabasePath, requireAccess, requireOnePath } from './open-files.js';

/**
 * A second server on one database file. Commands that only read or write a little don't take the
 * lock.
 */
export class ServerLockError extends Error {
  override readonly name = 'ServerLockError';
}

export interface ServerLock {
  /** The file that holds it: where it is removed, another server can start. */
  readonly path: string;
  release(): void;
}

/**
 * Takes the one server's place on a database file, whatever path leads to it. Two servers would
 * each answer from its own caches and push only its own changes.
 *
 * The lock is an exclusive transaction held on a side file. So the operating system gives it back
 * however the process ends (kill -9 too), and nothing must be cleaned up. Throws ServerLockError
 * where it is taken, and DatabaseFileError where the database file may have another path, beside
 * which another lock could lie.
 */
export function lockServer(file: string): ServerLock {
  mkdirSync(dirname(file), { recursive: true });
  requireOnePath(file);
  const path = `${realDatabasePath(file)}.lock`;
  requireAccess(file, [path, `${path}-journal`]);
  const db = new SqliteDatabase(path, { timeout: 0 });
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if (!isBusy(error)) throw error;
    throw new ServerLockError(
      `Another server is running on ${file} (it holds ${path}). One SQLite file takes one server.`,
      { cause: error },
    );
  }
  return { path, release: () => void db.close() };
}
