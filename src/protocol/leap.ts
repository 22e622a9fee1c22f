/**
 * A restore raises the counter behind every state by at least this many. A type of an account sees
 * fewer changes while their records are kept. So a state that far back dates from before the
 * restore, whatever records are still there.
 */
export const STATE_LEAP = 1_000_000_000;
