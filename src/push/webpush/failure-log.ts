import type { Log } from '../../runtime/log.js';
import { Seldom } from '../../runtime/seldom.js';
import { describeResult } from './deliver-news.js';
import type { PostResult } from './post.js';

/** A push that failed. */
interface FailedPush {
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
 * Logs pushes that fail. The first failure of a subscription is a warning. An outage of one service
 * makes thousands fail, so each host has one line in 30 s, with the count of the others.
 */
export class FailureLog {
  readonly #log: Pick<Log, 'warn' | 'debug'>;
  readonly #hosts = new Seldom(MOST_HOSTS);
  #hasToldOfKeys = false;

  constructor(log: Pick<Log, 'warn' | 'debug'>) {
    this.#log = log;
  }

  add(push: FailedPush, result: PostResult): void {
    const fields = { ...push, ...describeResult(result) };
    const admitted = this.#admit(push, result);
    if (admitted === null) this.#log.debug(fields, 'a push failed');
    else this.#log.warn({ ...fields, ...admitted }, 'a push failed; it is tried again');
  }

  /** Without its key all pushes fail until the next start: they have one line. */
  #admit({ host, failures }: FailedPush, { kind }: PostResult): object | null {
    if (kind !== 'unsigned') return failures === 1 ? this.#hosts.admit(host) : null;
    if (this.#hasToldOfKeys) return null;
    this.#hasToldOfKeys = true;
    return {};
  }
}
