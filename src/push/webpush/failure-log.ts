import type { Log } from '../../runtime/log.js';
import { Seldom } from '../../runtime/seldom.js';
import { describeResult } from './deliver-news.js';
import type { PostResult } from './post.js';

/** A push that failed. */
export interface FailedPush {
  readonly id: string;
  readonly host: string;
  /** In a row, this one included. */
  readonly failures: number;
  /** Until the next try. */
  readonly seconds: number;
}

/** Hosts that are remembered. */
const MOST_HOSTS = 1000;

/**
 * Logs pushes that fail. The first failure of a subscription is a warning, but an outage of one
 * service fails for thousands: each host has one line in 30 seconds, with the count of the others.
 */
export class FailureLog {
  readonly #log: Pick<Log, 'warn' | 'debug'>;
  readonly #hosts = new Seldom(MOST_HOSTS);

  constructor(log: Pick<Log, 'warn' | 'debug'>) {
    this.#log = log;
  }

  add(push: FailedPush, result: PostResult): void {
    const fields = { ...push, ...describeResult(result) };
    const admitted = push.failures === 1 ? this.#hosts.admit(push.host) : null;
    if (admitted === null) this.#log.debug(fields, 'a push failed');
    else this.#log.warn({ ...fields, ...admitted }, 'a push failed; it is tried again');
  }
}
