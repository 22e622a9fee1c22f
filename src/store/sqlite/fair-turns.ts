import { lateError } from '../../database/sqlite/deadline.js';
import { UnavailableError } from '../../protocol/errors.js';

/** Works that may wait; beyond it a call is turned away at once (D6). */
const QUEUE_LIMIT = 1024;
/** Timers take no more than 31 bits. */
const LONGEST_TIMER = 2 ** 31 - 1;

interface Waiting {
  readonly go: () => void;
  readonly refuse: () => void;
}

/**
 * At most so many works at once. Accounts take turns, and where there is place for several works no
 * account has all of it: one that reads without end keeps nobody else from reading.
 */
export class FairTurns {
  readonly #size: number;
  readonly #share: number;
  /** A Map keeps the order of insertion: the first account is the one whose turn it is. */
  readonly #waiting = new Map<string, Set<Waiting>>();
  readonly #running = new Map<string, number>();
  readonly #whenIdle: (() => void)[] = [];
  #count = 0;
  #queued = 0;
  #closed = false;

  constructor(size: number) {
    this.#size = size;
    this.#share = Math.max(1, size - 1);
  }

  async run<T>(accountId: string, deadline: number, work: () => Promise<T>): Promise<T> {
    if (this.#closed) throw closedError();
    if (this.isFree(accountId)) this.#start(accountId);
    else await this.#turn(accountId, deadline);
    try {
      return await work();
    } finally {
      this.#end(accountId);
    }
  }

  /** Whether a work of the account would run at once. */
  isFree(accountId: string): boolean {
    if (this.#closed || this.#count >= this.#size) return false;
    return (this.#running.get(accountId) ?? 0) < this.#share;
  }

  /** Turns away what waits, and what comes. */
  close(): void {
    this.#closed = true;
    for (const ofAccount of [...this.#waiting.values()])
      for (const { refuse } of [...ofAccount]) refuse();
  }

  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenIdle.push(resolve);
    });
  }

  #start(accountId: string): void {
    this.#count += 1;
    this.#running.set(accountId, (this.#running.get(accountId) ?? 0) + 1);
  }

  #end(accountId: string): void {
    this.#count -= 1;
    const left = (this.#running.get(accountId) ?? 0) - 1;
    if (left > 0) this.#running.set(accountId, left);
    else this.#running.delete(accountId);
    this.#next();
    if (this.#count > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  #next(): void {
    for (const [accountId, [waiting]] of this.#waiting) {
      if (waiting === undefined || !this.isFree(accountId)) continue;
      waiting.go();
      return;
    }
  }

  #turn(accountId: string, deadline: number): Promise<void> {
    if (this.#queued >= QUEUE_LIMIT) {
      return Promise.reject(new UnavailableError('Too many reads are waiting.'));
    }
    return new Promise((resolve, reject) => {
      const left = Math.min(Math.max(0, deadline - performance.now()), LONGEST_TIMER);
      const timer = setTimeout(() => {
        this.#leave(accountId, waiting);
        reject(lateError());
      }, left);
      const waiting: Waiting = {
        go: () => {
          clearTimeout(timer);
          this.#leave(accountId, waiting);
          this.#start(accountId);
          resolve();
        },
        refuse: () => {
          clearTimeout(timer);
          this.#leave(accountId, waiting);
          reject(closedError());
        },
      };
      const ofAccount = this.#waiting.get(accountId) ?? new Set();
      ofAccount.add(waiting);
      this.#waiting.set(accountId, ofAccount);
      this.#queued += 1;
    });
  }

  /** The account's next one waits behind all other accounts. */
  #leave(accountId: string, waiting: Waiting): void {
    const ofAccount = this.#waiting.get(accountId);
    if (ofAccount?.delete(waiting) !== true) return;
    this.#queued -= 1;
    this.#waiting.delete(accountId);
    if (ofAccount.size > 0) this.#waiting.set(accountId, ofAccount);
  }
}

function closedError(): UnavailableError {
  return new UnavailableError('The server is stopping.');
}
