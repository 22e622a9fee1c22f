import { UnavailableError } from '../../protocol/errors.js';

/**
 * Result codes of failures that may pass or that are the machine's: a lock held elsewhere, a full
 * or failing disk. All others (a constraint, wrong SQL, a corrupt file) go on as they are: someone
 * must look at them.
 */
const UNAVAILABLE =
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|PROTOCOL|READONLY|NOMEM|INTERRUPT)(_|$)/;

/** Returns true where another connection holds the lock: trying again helps. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)(_|$)/.test(resultCode(error) ?? '');
}

/** Returns true where the disk did not take what was written: it is full, or fails. */
export function isDiskError(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined) return /^SQLITE_(FULL|IOERR)(_|$)/.test(code);
  return error instanceof UnavailableError && isDiskError(error.cause);
}

/**
 * Returns the error that leaves the database layer: UnavailableError for what is not the caller's
 * fault.
 */
export function translateError(error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined || !UNAVAILABLE.test(code)) return error;
  return new UnavailableError(`The database is unavailable (${code}).`, { cause: error });
}

/** Returns SQLite's result code where the driver threw the error. */
export function resultCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : undefined;
}

/** Returns the result code of the driver's error, also where Prisma's adapter has wrapped it. */
function codeOf(error: unknown): string | undefined {
  const code = resultCode(error);
  if (code !== undefined) return code;
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  if (typeof cause !== 'object' || cause === null || !('originalCode' in cause)) return undefined;
  return typeof cause.originalCode === 'string' ? cause.originalCode : undefined;
}
