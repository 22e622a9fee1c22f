/** Errors that pass: the same call may succeed later (RFC 8620 3.6.2). */
export const TRANSIENT: ReadonlySet<string> = new Set([
  'serverUnavailable',
  'serverFail',
  'rateLimit',
]);

/** How often a server may fail at a write before it counts as refused, and at a type. */
export const MOST_FAILURES = 5;
