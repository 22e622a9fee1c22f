import type { Principal } from '../../accounts/principal.js';

/** How long subscriptions live (RFC 8620 7.2), and how many there may be. Times are in ms. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** The longest life of a subscription whose token has no end. */
export const LONGEST_LIFE = 7 * 24 * HOUR;
/** An unverified one counts towards the limits for so long. */
export const COUNTED = 10 * MINUTE;

export const MAX_PER_TOKEN = 16;
export const MAX_PER_USER = 64;
/** Creations of a user within an hour, and of all users for one host that nobody has verified. */
export const MAX_CREATIONS = 10;
export const MAX_UNVERIFIED = 60;

/** Wrong codes for one subscription within an hour. */
export const MAX_WRONG_CODES = 10;

/**
 * Returns when a subscription ends for which the client asks `asked` (null: nothing). One whose
 * token ends lives as long as it asks, at most until then. One whose token doesn't lives a week at
 * most. Null for a time that has passed.
 */
export function endOf(
  asked: number | null,
  { tokenEnd, now }: { readonly tokenEnd: number | null; readonly now: number },
): number | null {
  if (asked !== null && asked <= now) return null;
  const latest = tokenEnd ?? Math.ceil((now + LONGEST_LIFE) / SECOND) * SECOND;
  return Math.min(asked ?? latest, latest);
}

/**
 * Returns when the token that subscriptions belong to ends; null: it has no end. The tokens of a
 * provider last for minutes: their subscriptions belong to the sign-in behind them.
 */
export function tokenEndOf({ credential, expires }: Principal): number | null {
  return credential.signIn === null ? expires : null;
}
