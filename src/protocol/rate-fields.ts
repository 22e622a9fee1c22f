/**
 * The fields of draft-ietf-httpapi-ratelimit-headers-11, and no later draft: their members have
 * changed from draft to draft. Both are lists of strings with parameters (RFC 9651).
 */

/** A rule as clients are told of it. */
export interface RatePolicy {
  readonly name: string;
  /** Requests in a window. */
  readonly count: number;
  /** The window. */
  readonly seconds: number;
}

/** Returns the value of `RateLimit-Policy`: all rules, the same in every answer. */
export function formatPolicies(policies: readonly RatePolicy[]): string {
  return policies.map(({ name, count, seconds }) => `"${name}";q=${count};w=${seconds}`).join(', ');
}

/** Returns an item of `RateLimit`: the requests that are left, until in so many seconds. */
export function formatReading(name: string, left: number, seconds: number): string {
  return `"${name}";r=${left};t=${seconds}`;
}
