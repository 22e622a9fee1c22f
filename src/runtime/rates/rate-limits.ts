import { formatPolicies, formatReading } from '../../protocol/rate-fields.js';
import type { RateCounter, Taken } from './rate-counter.js';
import type { RateRule } from './rate-rules.js';

/** The limits of a process: null where there is no rule. */
export interface RateLimits {
  /** Counts requests by the id of their user. */
  readonly user: RateSet | null;
  /** Counts requests without good credentials by the address of their client. */
  readonly address: RateSet | null;
  /** Addresses that are not public count too: many clients may have the one of a proxy. */
  readonly countsPrivate: boolean;
}

export const NO_RATE_LIMITS: RateLimits = Object.freeze({
  user: null,
  address: null,
  countsPrivate: false,
});

/** The verdict of a set of rules on one request. */
export interface RateVerdict {
  /** The rule that refuses the request. */
  readonly refusing: RateRule | null;
  /** Seconds until the refusing rule grants requests again, 1 at least; else 0. */
  readonly retryAfter: number;
  /** The value of `RateLimit`. */
  readonly reading: string;
  readonly taken: readonly Taken[];
}

interface CountedRule {
  readonly rule: RateRule;
  readonly counter: RateCounter;
}

export interface RateSetOptions {
  readonly rules: readonly RateRule[];
  openCounter(rule: RateRule): RateCounter;
  /** Is told of each request that a rule refuses. */
  refused(rule: string): void;
}

/** All rules of one subject. A request needs the grant of each; a refused one counts by none. */
export class RateSet {
  /** The value of `RateLimit-Policy`. */
  readonly policy: string;
  /** The longest window first: its end is when a request that it refuses may come again. */
  readonly #counted: readonly CountedRule[];
  readonly #refused: (rule: string) => void;

  constructor({ rules, openCounter, refused }: RateSetOptions) {
    this.policy = formatPolicies(rules);
    this.#refused = refused;
    this.#counted = rules
      .map((rule) => ({ rule, counter: openCounter(rule) }))
      .sort((one, other) => other.rule.seconds - one.rule.seconds);
  }

  async take(key: string): Promise<RateVerdict> {
    const taken: Taken[] = [];
    let reading = '';
    for (const { rule, counter } of this.#counted) {
      const taking = counter.take(key);
      const one = taking instanceof Promise ? await taking : taking;
      const seconds = secondsUntil(one.until);
      const text = formatReading(rule.name, one.left, seconds);
      reading = reading === '' ? text : `${reading}, ${text}`;
      if (!one.isGranted) {
        this.#give(taken);
        this.#refused(rule.name);
        return { refusing: rule, retryAfter: seconds, reading, taken: [] };
      }
      taken.push(one);
    }
    return { refusing: null, retryAfter: 0, reading, taken };
  }

  /** Takes the count of a request back. */
  give({ taken }: RateVerdict): void {
    this.#give(taken);
  }

  async close(): Promise<void> {
    await Promise.all(this.#counted.map(({ counter }) => counter.close()));
  }

  /** `taken`: of the first rules, in their order. */
  #give(taken: readonly Taken[]): void {
    for (const [at, one] of taken.entries()) this.#counted[at]?.counter.give(one);
  }
}

function secondsUntil(end: number): number {
  return Math.max(1, Math.ceil((end - performance.now()) / 1000));
}
