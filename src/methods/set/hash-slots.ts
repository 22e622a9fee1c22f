import { UnavailableError } from '../../protocol/errors.js';
import { FairSlots } from '../../runtime/fair-slots.js';

/**
 * Threads that Node does files, names and cryptography in, where UV_THREADPOOL_SIZE says no other
 * number.
 */
const DEFAULT_THREADS = 4;

const refuse = (): UnavailableError => new UnavailableError('Too many secrets are being hashed.');
const errors = Object.freeze({ full: refuse, late: refuse, closed: refuse });

/**
 * Bounds the hashing of secrets, which takes a thread for 50 ms each time. All users together have
 * half of Node's threads, so that files are read and written meanwhile, and one user has half of
 * those. Users take turns, but what a transaction waits for goes before all else.
 */
export class HashSlots {
  /** Hashes that are made at once. */
  readonly maximum: number;
  /** Of one user, and of one call. */
  readonly maximumOfUser: number;
  readonly #slots: FairSlots;

  constructor(threads = threadsOf(process.env)) {
    this.maximum = Math.max(1, Math.floor(threads / 2));
    this.maximumOfUser = Math.max(1, Math.floor(this.maximum / 2));
    const bounds = { size: this.maximum, share: this.maximumOfUser };
    this.#slots = new FairSlots({ ...bounds, mayWait: Number.POSITIVE_INFINITY, errors });
  }

  /**
   * Runs `work` in the user's turn. Rejects with UnavailableError where that doesn't come by
   * `deadline`. `isUrgent`: a transaction is open meanwhile.
   */
  run<T>(user: string, deadline: number, work: () => Promise<T>, isUrgent = false): Promise<T> {
    return this.#slots.run(user, deadline, work, isUrgent);
  }
}

/** Reads the number of threads as libuv does: a number from 1 to 1024. */
function threadsOf({ UV_THREADPOOL_SIZE }: NodeJS.ProcessEnv): number {
  if (UV_THREADPOOL_SIZE === undefined) return DEFAULT_THREADS;
  const size = Number.parseInt(UV_THREADPOOL_SIZE, 10);
  return Number.isNaN(size) ? 1 : Math.min(Math.max(size, 1), 1024);
}
