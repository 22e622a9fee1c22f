import { UnavailableError } from '../../protocol/errors.js';
import { lateError } from '../../runtime/deadlines.js';

/**
 * SQLSTATE classes and codes of failures that may pass or are the machine's. Classes: connections
 * (08), rollback for the sake of others (40), resources (53), operator and time-outs (57), system
 * (58). Codes: lock (55P03), read-only server (25006), idle or long transaction (25P03, 25P04). Any
 * other error, such as a constraint or wrong SQL, passes unchanged: someone must look at it.
 */
const UNAVAILABLE = /^(08|53|57|58|40)|^(55P03|25006|25P03|25P04)$/;

/** Codes of sockets and of name resolution. */
const SOCKET =
  /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|ENOENT$|EACCES$|EADDRNOTAVAIL|ERR_SOCKET)/;

/** The driver's messages, which have no code, about a connection that is lost or can't be had. */
const GONE =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has|Cannot use a pool)/;

/**
 * Returns true where the same transaction may well succeed when it is run again:
 *
 * - 40001: a serialisation failure
 * - 40P01: a deadlock
 * - 0A000: a migration has put a prepared statement out of date
 * - 26000: a pooler's other connection doesn't have the prepared statement
 * - 22012: the state has moved. No statement of the engine divides but the one that checks this
 */
export function isRetryable(error: unknown): boolean {
  return causesOf(error).some((at) => /^(40001|40P01|0A000|26000|22012)$/.test(codeOf(at) ?? ''));
}

/**
 * Returns true where the server itself has answered with the error: what it was sent later has not
 * run.
 */
export function isAnswer(error: unknown): boolean {
  // No SQLSTATE begins with E, as codes of sockets do (EPIPE).
  return causesOf(error).some((at) => /^[0-9A-DF-Z][0-9A-Z]{4}$/.test(codeOf(at) ?? ''));
}

/** Returns the error for callers: UnavailableError for all that isn't their own fault. */
export function translateError(error: unknown): unknown {
  if (!isUnavailable(error) && !isStale(error)) return error;
  const code = codeOf(error);
  // 57014: what a statement time-out does.
  if (code === '57014') return lateError(error);
  const said = code === undefined ? '' : ` (${code})`;
  return new UnavailableError(`The database is unavailable${said}.`, { cause: error });
}

/** Returns true where the database can't be reached or can't serve now. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (code === undefined) return GONE.test(error.message);
  return UNAVAILABLE.test(code) || SOCKET.test(code);
}

/**
 * Returns whether a prepared statement is out of date (0A000), or missing because of a pooler
 * (26000). Both work on another connection.
 */
export function isStale(error: unknown): boolean {
  return /^(0A000|26000)$/.test(codeOf(error) ?? '');
}

/**
 * Returns whether `translateError` made this of a connection lost before the server answered: by a
 * socket's error, or one about the connection (08) or the server's end (57P).
 */
export function isLost(error: unknown): boolean {
  if (!(error instanceof UnavailableError)) return false;
  return causesOf(error).some((at) => {
    const code = codeOf(at);
    return code === undefined ? GONE.test(at.message) : SOCKET.test(code) || /^(08|57P)/.test(code);
  });
}

/** Returns whether a login fails or there is no database: DATABASE_URL is wrong (28, 3D). */
export function isUnusable(error: unknown): boolean {
  return /^(28|3D)/.test(codeOf(error) ?? '');
}

/** Returns the error, what caused it, what caused that. */
function causesOf(error: unknown): readonly Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
