/** Errors that pass: the same call may succeed later (RFC 8620 3.6.2). */
export const TRANSIENT: ReadonlySet<string> = new Set([
  'serverUnavailable',
  'serverFail',
  'rateLimit',
]);

/**
 * Returns whether a type, or a list, can't be read before there is a new session. An answer that
 * the account is gone may be older than the session.
 */
export function isRefusal(error: string): boolean {
  return !TRANSIENT.has(error) && error !== 'accountNotFound';
}

/** Why a server doesn't make a call: it has made another one of the same key. */
export const KEY_IS_USED = 'invalidArguments';

/** How often a server may fail at a write before it counts as refused, and at a type. */
export const MOST_FAILURES = 5;
