import { lateError } from '../../database/postgresql/errors.js';
import { FairQueue } from '../../runtime/fair-queue.js';

/** Timers take no more than 31 bits. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Connections that works which wait for other things, or may scan, leave to the others; and each account. */
const KEPT_FREE = 4;

/** How many of a pool's connections there are for what. */
export interface PoolShares {
  readonly all: number;
  /** For one account. */
  readonly each: number;
  /** For works that wait for other things or may scan: all of them, and one account's. */
  readonly long: number;
  readonly longEach: number;
}

/** Of a pool of two or more, long works never have all, nor those of one account all that it may have. */
export function sharesOf(size: number): PoolShares {
  const long = Math.max(1, size - Math.min(KEPT_FREE, Math.floor(size / 2)));
  const each = Math.min(size, Math.max(2, long));
  const longEach = Math.max(1, Math.min(Math.ceil(size / 2), each - 1));
  return { all: size, each, long, longEach };
}

interface Waiting {
  readonly key: string;
  readonly start: () => void;
}

/**
 * At most so many at once; accounts that wait take turns, so that one which floods delays another's
 * single call by one of its own, not by all. And where its calls take long, not even by that: some shares
 * are never one account's.
 */
export class Shares {
  readonly #waiting = new FairQueue<Waiting>();
  readonly #held = new Map<string, number>();
  readonly #most: number;
  #free: number;

  /** `most`: that one account has. */
  constructor(size: number, most = size) {
    this.#free = size;
    this.#most = most;
  }

  /** Whoever asks for this account need not wait. */
  isFree(key: string): boolean {
    return this.#free > 0 && this.#may(key);
  }

  /** Resolves when there is a share, to what gives it back; UnavailableError after the deadline. */
  async take(key: string, deadline: number): Promise<() => void> {
    if (this.isFree(key)) this.#give(key);
    else await this.#turn(key, deadline);
    return () => this.#handOn(key);
  }

  async run<T>(key: string, deadline: number, work: () => Promise<T>): Promise<T> {
    const giveBack = await this.take(key, deadline);
    try {
      return await work();
    } finally {
      giveBack();
    }
  }

  #may(key: string): boolean {
    return (this.#held.get(key) ?? 0) < this.#most;
  }

  #give(key: string): void {
    this.#free -= 1;
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
  }

  #handOn(key: string): void {
    const left = (this.#held.get(key) ?? 0) - 1;
    if (left > 0) this.#held.set(key, left);
    else this.#held.delete(key);
    this.#free += 1;
    const next = this.#waiting.shift((each) => this.#may(each));
    if (next === undefined) return;
    this.#give(next.key);
    next.start();
  }

  #turn(key: string, deadline: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const left = Math.min(Math.max(0, deadline - performance.now()), LONGEST_TIMER);
      const timer = setTimeout(() => {
        this.#waiting.remove((waiting) => waiting === next);
        reject(lateError());
      }, left);
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const next: Waiting = { key, start };
      this.#waiting.push(key, next);
    });
  }
}
