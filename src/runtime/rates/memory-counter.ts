import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateCounter, Taken } from './rate-counter.js';
import type { RateRule } from './rate-rules.js';

/** Keys that are counted one by one; each takes some 500 octets. */
const MOST_KEYS = 100_000;

export interface MemoryCounterOptions {
  readonly rule: RateRule;
  /**
   * Returns the key of a whole group of keys. New keys count by it once there are too many. Absent:
   * keys are as few as users.
   */
  readonly coarsen?: ((key: string) => string) | undefined;
  readonly mostKeys?: number;
}

/** Counts requests in the memory of this process. */
export class MemoryCounter implements RateCounter {
  readonly #limiter: RateLimiterMemory;
  readonly #coarsen: ((key: string) => string) | null;
  readonly #mostKeys: number;
  readonly #keys: NewKeys;

  constructor({ rule, coarsen, mostKeys = MOST_KEYS }: MemoryCounterOptions) {
    this.#limiter = new RateLimiterMemory({
      points: rule.count,
      duration: rule.seconds,
      keyPrefix: '',
    });
    this.#coarsen = coarsen ?? null;
    this.#mostKeys = mostKeys;
    this.#keys = new NewKeys(rule.seconds * 1000);
  }

  /** Not async by itself: each step of waiting costs a request time. */
  take(key: string): Promise<Taken> {
    const coarsen = this.#coarsen;
    if (coarsen === null || this.#keys.count() < this.#mostKeys) return this.#take(key);
    const known = this.#limiter.get(key);
    return known.then((found) => this.#take(found === null ? coarsen(key) : key));
  }

  give({ key, until }: Taken): void {
    // In the next window it would be a point too many.
    if (performance.now() < until) void this.#limiter.reward(key);
  }

  async close(): Promise<void> {
    // Its timers keep no process alive.
  }

  async #take(key: string): Promise<Taken> {
    try {
      const result = await this.#limiter.consume(key);
      if (result.isFirstInDuration) this.#keys.add();
      return readResult(key, result, true);
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      const refused = readResult(key, error, false);
      // The limiter has counted it; points that others give back would be lost.
      this.give(refused);
      return refused;
    }
  }
}

function readResult(key: string, result: RateLimiterRes, isGranted: boolean): Taken {
  const until = performance.now() + result.msBeforeNext;
  return { isGranted, key, left: result.remainingPoints, until, window: '' };
}

/** Counts the keys that have come within the last window, and at most one window before. */
class NewKeys {
  readonly #window: number;
  #now = 0;
  #before = 0;
  #endsAt: number;

  constructor(window: number) {
    this.#window = window;
    this.#endsAt = performance.now() + window;
  }

  add(): void {
    this.#now += 1;
  }

  count(): number {
    const late = performance.now() - this.#endsAt;
    if (late >= 0) {
      this.#before = late < this.#window ? this.#now : 0;
      this.#now = 0;
      this.#endsAt += this.#window * (1 + Math.floor(late / this.#window));
    }
    return this.#now + this.#before;
  }
}
