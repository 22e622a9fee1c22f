import type { PostResult } from './post.js';

/** A POST that has ended, and the failures in front of it. Times are epoch ms. */
export interface Attempt {
  readonly result: PostResult;
  /** Failures since the last success. */
  readonly failures: number;
  /** The first of the refusals in a row: answers that no later try will better. */
  readonly firstFailure: number | null;
  readonly now: number;
  /** From 0 to 1. */
  readonly chance: number;
}

export type Verdict =
  | { readonly kind: 'delivered' }
  /** The service doesn't know the subscription any more. */
  | { readonly kind: 'gone' }
  /** The service has refused pushes for too long. */
  | { readonly kind: 'hopeless' }
  | Wait;

export interface Wait {
  readonly kind: 'wait';
  readonly until: number;
  /** The service has too much to do: all pushes to its host wait. Null: they need not. */
  readonly busy: Busy | null;
  readonly failures: number;
  readonly firstFailure: number | null;
}

export interface Busy {
  /** How long the service asks for, ms; null: it doesn't say. */
  readonly retryAfter: number | null;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** No wait is set that is longer, whatever the service says, ms. */
export const LONGEST_WAIT = 6 * HOUR;

/** The clocks of two servers may differ by so much, ms. */
const SKEW = 5 * MINUTE;

/** The first wait after a failure that may pass by itself, and after any other, ms. */
const FIRST_PAUSE = 10 * SECOND;
const FIRST_LONG_PAUSE = MINUTE;

/** A busy service says a shorter wait: it gets this one, ms. */
const LEAST_BUSY = 30 * SECOND;

/**
 * A service that refuses pushes for so long, and does nothing else, ends a subscription. It takes
 * so many failures in a row at least, those before the refusals too: a server that was off for a
 * day may have asked just twice.
 */
const LEAST_FAILURES = 5;
const REFUSED_FOR = 24 * HOUR;

/** Waits grow by up to this part, so that subscriptions don't come back all at once. */
const JITTER = 0.25;

/**
 * Judges a POST: RFC 8030 and RFC 8620 7.2. 404 and 410 end the subscription. 429, 507 and 503 wait
 * as long as Retry-After says. Other answers from 300 to 499 are refusals, which end a subscription
 * after a day. All else may pass by itself.
 */
export function judgeAttempt(attempt: Attempt): Verdict {
  const { result, failures, firstFailure, now } = attempt;
  if (result.kind !== 'answer') return waitAsLong(withoutRefusal(attempt), FIRST_PAUSE);
  const { status } = result;
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 404 || status === 410) return { kind: 'gone' };
  if (status === 429 || status === 507) return waitAsTold(withoutRefusal(attempt), true);
  if (status === 503) return waitAsTold(withoutRefusal(attempt), false);
  if (status >= 500) return waitAsLong(withoutRefusal(attempt), FIRST_PAUSE);
  const since = firstFailure ?? now;
  if (failures + 1 >= LEAST_FAILURES && now - since >= REFUSED_FOR) return { kind: 'hopeless' };
  return waitAsLong({ ...attempt, firstFailure: since }, FIRST_LONG_PAUSE);
}

/**
 * Returns a stored end of a wait as it counts now. No wait is so long that it ends further ahead
 * than the longest one: the clock was set back, and the wait is over.
 */
export function boundWait(until: number, now: number): number {
  return until > now + LONGEST_WAIT + SKEW ? now : until;
}

/** Any other failure ends a run of refusals: nobody knows what the service would have answered. */
function withoutRefusal(attempt: Attempt): Attempt {
  return { ...attempt, firstFailure: null };
}

/** Waits twice as long as after the failure before. */
function waitAsLong(attempt: Attempt, first: number): Wait {
  const { failures, firstFailure, now, chance } = attempt;
  // Beyond this exponent the wait would be the longest one anyway.
  const pause = first * 2 ** Math.min(failures, 16) * (1 + JITTER * chance);
  const until = now + Math.min(LONGEST_WAIT, Math.ceil(pause));
  return { kind: 'wait', until, busy: null, failures: failures + 1, firstFailure };
}

function waitAsTold(attempt: Attempt, isHostBusy: boolean): Wait {
  const { result, now } = attempt;
  const header = result.kind === 'answer' ? result.retryAfter : null;
  const retryAfter = readRetryAfter(header, now);
  const first = isHostBusy ? FIRST_LONG_PAUSE : FIRST_PAUSE;
  const wait = waitAsLong(attempt, first);
  const pause =
    retryAfter === null ? null : Math.min(LONGEST_WAIT, Math.max(retryAfter, LEAST_BUSY));
  const until = pause === null ? wait.until : now + pause;
  return { ...wait, until, busy: isHostBusy ? { retryAfter: pause } : null };
}

/** A date of RFC 9110 5.6.7, without its obsolete forms. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** Returns the ms that Retry-After (RFC 9110 10.2.3) asks for; null where it says none. */
function readRetryAfter(text: string | null, now: number): number | null {
  if (text === null) return null;
  // Huge ones are bounded by the caller.
  if (/^\d+(e\d+)?$/.test(text)) return Number(text) * SECOND;
  const date = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return date > now ? date - now : null;
}
