import { lateError } from '../../database/postgresql/errors.js';
import { UnavailableError } from '../../protocol/errors.js';

/** Works that may wait; beyond it a call is turned away at once (D6). */
const LIMIT = 2048;
/** Works of one account that may wait, so that it can't have those of others turned away. */
const SHARE = LIMIT / 2;
/** How often works that wait are told that their time is over, ms. */
const SWEEP = 50;

/** A work that waits for its turn. */
export interface Job {
  readonly deadline: number;
  reject(error: unknown): void;
}

/** The works of one account that wait, in the order they came. */
export interface Waiting<J> {
  /** Takes the first one, if `fits` says so. */
  take(fits: (job: J) => boolean): J | undefined;
  /** All that wait, in order. */
  all(): Iterable<J>;
}

/** Runs at least one of the jobs that wait, and settles what it runs. */
export type Runner<J> = (accountId: string, first: J, waiting: Waiting<J>) => Promise<void>;

/**
 * Works of one account run in the order they came, those of different accounts at the same time. The
 * account's lock in the database would have them wait too, but each with a connection of the pool,
 * and in no order.
 */
export class Lanes<J extends Job> {
  readonly #run: Runner<J>;
  readonly #lanes = new Map<string, J[]>();
  #waiting = 0;
  #closing: (() => void) | undefined;
  #closed = false;
  #sweep: NodeJS.Timeout | undefined;

  constructor(run: Runner<J>) {
    this.#run = run;
  }

  /** Queues a job, which is settled when its turn has come, or its deadline. */
  push(accountId: string, job: J): void {
    const why = this.#closed ? 'The server is stopping.' : 'Too many writes are waiting.';
    const lane = this.#lanes.get(accountId);
    const isFull = this.#waiting >= LIMIT || (lane?.length ?? 0) >= SHARE;
    if (this.#closed || isFull) {
      job.reject(new UnavailableError(why));
      return;
    }
    this.#waiting += 1;
    this.#sweep ??= setInterval(() => this.#rejectLate(), SWEEP).unref();
    if (lane !== undefined) {
      lane.push(job);
      return;
    }
    const started = [job];
    this.#lanes.set(accountId, started);
    void this.#empty(accountId, started);
  }

  /** Refuses further works; resolves when those that were given have ended. */
  close(): Promise<void> {
    this.#closed = true;
    if (this.#lanes.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const others = this.#closing;
      this.#closing = () => {
        others?.();
        resolve();
      };
    });
  }

  async #empty(accountId: string, lane: J[]): Promise<void> {
    const take = (fits: (job: J) => boolean): J | undefined => {
      for (;;) {
        const [job] = lane;
        if (job === undefined || !fits(job)) return undefined;
        lane.shift();
        this.#waiting -= 1;
        if (performance.now() <= job.deadline) return job;
        job.reject(lateError());
      }
    };
    for (;;) {
      const first = take(() => true);
      if (first === undefined) break;
      await this.#run(accountId, first, { take, all: () => lane });
    }
    this.#lanes.delete(accountId);
    if (this.#lanes.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
    this.#closing?.();
  }

  #rejectLate(): void {
    const now = performance.now();
    for (const lane of this.#lanes.values()) {
      const late = lane.filter(({ deadline }) => now > deadline);
      if (late.length === 0) continue;
      lane.splice(0, lane.length, ...lane.filter(({ deadline }) => now <= deadline));
      this.#waiting -= late.length;
      for (const job of late) job.reject(lateError());
    }
  }
}
