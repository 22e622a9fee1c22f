import { FairQueue } from '../../database/fair-queue.js';
import { lateError } from '../../database/postgresql/errors.js';

/** Timers take no more than 31 bits. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * At most so many at once; accounts that wait take turns, so that one which floods delays another's
 * single call by one of its own, not by all.
 */
export class Shares {
  readonly #waiting = new FairQueue<() => void>();
  #free: number;

  constructor(size: number) {
    this.#free = size;
  }

  /** Whoever asks need not wait. */
  get isFree(): boolean {
    return this.#free > 0;
  }

  /** Resolves when there is a share, to what gives it back; UnavailableError after the deadline. */
  async take(key: string, deadline: number): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(key, deadline);
    return () => this.#handOn();
  }

  async run<T>(key: string, deadline: number, work: () => Promise<T>): Promise<T> {
    const giveBack = await this.take(key, deadline);
    try {
      return await work();
    } finally {
      giveBack();
    }
  }

  #handOn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }

  #turn(key: string, deadline: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const left = Math.min(Math.max(0, deadline - performance.now()), LONGEST_TIMER);
      const timer = setTimeout(() => {
        this.#waiting.remove((waiting) => waiting === next);
        reject(lateError());
      }, left);
      const next = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiting.push(key, next);
    });
  }
}
