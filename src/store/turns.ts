import { FairQueue } from '../database/fair-queue.js';
import { UnavailableError } from '../protocol/errors.js';

/** Timers take no more than 31 bits. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * At most so many works at once; the others wait, none beyond its deadline. Those of one account go
 * in the order they came, and accounts take turns.
 */
export class Turns {
  readonly #size: number;
  readonly #waiting = new FairQueue<() => void>();
  #running = 0;
  readonly #whenIdle: (() => void)[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  async run<T>(account: string, deadline: number, work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#size) this.#running += 1;
    else await this.#turn(account, deadline);
    try {
      return await work();
    } finally {
      this.#handOn();
    }
  }

  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenIdle.push(resolve);
    });
  }

  #handOn(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) {
      next();
      return;
    }
    this.#running -= 1;
    if (this.#running > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  #turn(account: string, deadline: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const left = Math.min(Math.max(0, deadline - performance.now()), LONGEST_TIMER);
      const timer = setTimeout(() => {
        this.#waiting.remove((waiting) => waiting === next);
        reject(new UnavailableError('Too many hooks hold a connection to the database.'));
      }, left);
      const next = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiting.push(account, next);
    });
  }
}
