import Database from 'better-sqlite3';
import { UnavailableError } from '../../protocol/errors.js';

/**
 * Result codes of failures that may pass or that are the machine's: a lock held elsewhere, a full or failing
 * disk. All others (a constraint, wrong SQL) are defects and go on as they are.
 */
const UNAVAILABLE =
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|PROTOCOL|READONLY|NOMEM|CORRUPT|NOTADB|INTERRUPT)(_|$)/;

/** True where another connection holds the lock: trying again helps. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_(BUSY|LOCKED)(_|$)/.test(error.code);
}

/** The error that leaves the database layer: UnavailableError for what is not the caller's fault. */
export function translateError(error: unknown): unknown {
  if (error instanceof Database.SqliteError && UNAVAILABLE.test(error.code)) {
    return new UnavailableError(`The database is unavailable (${error.code}).`, { cause: error });
  }
  return error;
}
