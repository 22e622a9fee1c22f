import { performance } from 'node:perf_hooks';
import { UnavailableError } from '../../protocol/errors.js';

/**
 * Threads that Node does files, names and cryptography in, where UV_THREADPOOL_SIZE says no other
 * number.
 */
const DEFAULT_THREADS = 4;
/** Timers take no more than 31 bits. */
const LONGEST_TIMER = 2 ** 31 - 1;

interface Waiting {
  readonly user: string;
  readonly isUrgent: boolean;
  readonly begin: () => void;
}

/**
 * Bounds what hashes secrets, which takes a thread for 50 ms each time: all users together have
 * half of Node's threads, so that files are read and written meanwhile, and one user has half of
 * those. First come, first served, but what a transaction waits for goes before all else.
 */
export class HashTurns {
  /** Hashes that are made at once. */
  readonly maximum: number;
  /** Of one user, and of one call. */
  readonly maximumOfUser: number;
  readonly #users = new Map<string, number>();
  readonly #waiting: Waiting[] = [];
  #running = 0;

  constructor(threads = threadsOf(process.env)) {
    this.maximum = Math.max(1, Math.floor(threads / 2));
    this.maximumOfUser = Math.max(1, Math.floor(this.maximum / 2));
  }

  /**
   * Runs `work` in the user's turn. Rejects with UnavailableError where that doesn't come by
   * `deadline`. `isUrgent`: a transaction is open meanwhile.
   */
  async run<T>(
    user: string,
    deadline: number,
    work: () => Promise<T>,
    isUrgent = false,
  ): Promise<T> {
    await this.#take(user, deadline, isUrgent);
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#count(user, -1);
      this.#next();
    }
  }

  #take(user: string, deadline: number, isUrgent: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        user,
        isUrgent,
        begin: () => {
          clearTimeout(timer);
          this.#running += 1;
          this.#count(user, 1);
          resolve();
        },
      };
      const left = Math.min(Math.max(0, deadline - performance.now()), LONGEST_TIMER);
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(new UnavailableError('Too many secrets are being hashed.'));
      }, left);
      const first = isUrgent ? this.#waiting.findIndex((other) => !other.isUrgent) : -1;
      this.#waiting.splice(first < 0 ? this.#waiting.length : first, 0, waiting);
      this.#next();
    });
  }

  #next(): void {
    if (this.#running >= this.maximum) return;
    const index = this.#waiting.findIndex(({ user }) => this.#of(user) < this.maximumOfUser);
    if (index >= 0) this.#waiting.splice(index, 1)[0]?.begin();
  }

  #of(user: string): number {
    return this.#users.get(user) ?? 0;
  }

  #count(user: string, change: number): void {
    const count = this.#of(user) + change;
    if (count === 0) this.#users.delete(user);
    else this.#users.set(user, count);
  }
}

/** As libuv reads it: a number from 1 to 1024. */
function threadsOf({ UV_THREADPOOL_SIZE }: NodeJS.ProcessEnv): number {
  if (UV_THREADPOOL_SIZE === undefined) return DEFAULT_THREADS;
  const size = Number.parseInt(UV_THREADPOOL_SIZE, 10);
  return Number.isNaN(size) ? 1 : Math.min(Math.max(size, 1), 1024);
}
