import { UnavailableError } from '../../protocol/errors.js';
import { lateError } from '../../runtime/deadlines.js';

/**
 * SQLSTATE classes and codes of failures that may pass or that are the machine's: connections (08),
 * resources (53), operator's doing and time-outs (57), the system (58), a rollback for the sake of
 * others (40), a lock (55P03), a server that only reads (25006), an idle or long transaction (25P03,
 * 25P04). All others (a constraint, wrong SQL) go on as they are: someone must look at them.
 */
const UNAVAILABLE = /^(08|53|57|58|40)|^(55P03|25006|25P03|25P04)$/;

/** Codes of sockets and of name resolution. */
const SOCKET =
  /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|ENOENT$|EACCES$|EADDRNOTAVAIL|ERR_SOCKET)/;

/** What the driver says, without a code, of a connection that is gone or not to be had. */
const GONE =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has|Cannot use a pool)/;

/**
 * True where the same transaction may well succeed when it is run again: a serialisation failure
 * (40001), a deadlock (40P01), a prepared statement that a migration has put out of date (0A000) or
 * that a pooler's other connection does not have (26000), a state that has moved (22012: of the
 * engine's statements only the one that makes sure of that divides).
 */
export function isRetryable(error: unknown): boolean {
  return causesOf(error).some((at) => /^(40001|40P01|0A000|26000|22012)$/.test(codeOf(at) ?? ''));
}

/** True where the server itself has answered with the error: what it was sent later has not run. */
export function isAnswer(error: unknown): boolean {
  // No SQLSTATE begins with E, as codes of sockets do (EPIPE).
  return causesOf(error).some((at) => /^[0-9A-DF-Z][0-9A-Z]{4}$/.test(codeOf(at) ?? ''));
}

/** The error that leaves the database layer: UnavailableError for what is not the caller's fault. */
export function translateError(error: unknown): unknown {
  if (!isUnavailable(error) && !isStale(error)) return error;
  const code = codeOf(error);
  // 57014: what a statement time-out does.
  if (code === '57014') return lateError(error);
  const said = code === undefined ? '' : ` (${code})`;
  return new UnavailableError(`The database is unavailable${said}.`, { cause: error });
}

/** True where the database can't be reached or can't serve now. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (code === undefined) return GONE.test(error.message);
  return UNAVAILABLE.test(code) || SOCKET.test(code);
}

/**
 * True where what a connection has prepared is out of date (0A000), or is not there (26000, a pooler's doing):
 * on another connection it works.
 */
export function isStale(error: unknown): boolean {
  return /^(0A000|26000)$/.test(codeOf(error) ?? '');
}

/**
 * True of what `translateError` made where the connection went before the server had answered: without a word (a
 * socket's error), or with one about the connection (08) or the server's end (57P).
 */
export function isLost(error: unknown): boolean {
  if (!(error instanceof UnavailableError)) return false;
  return causesOf(error).some((at) => {
    const code = codeOf(at);
    return code === undefined ? GONE.test(at.message) : SOCKET.test(code) || /^(08|57P)/.test(code);
  });
}

/** True where the database refuses a login, or is none: what DATABASE_URL says is wrong (28, 3D). */
export function isUnusable(error: unknown): boolean {
  return /^(28|3D)/.test(codeOf(error) ?? '');
}

/** The error, what caused it, what caused that. */
function causesOf(error: unknown): readonly Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
