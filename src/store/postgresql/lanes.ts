import { UnavailableError } from '../../protocol/errors.js';
import { lateError } from '../../runtime/deadlines.js';
import type { Trace, Transaction } from '../port.js';
import type { Expected } from './ahead.js';

/** Works that may wait; beyond it a call is turned away at once. */
const LIMIT = 2048;
/** Works of one account that may wait, so that it can't have those of others turned away. */
const SHARE = LIMIT / 2;
/** How often works that wait are told that their time is over, ms. */
const SWEEP = 50;

/** A write that waits for its turn. */
export interface WriteJob {
  readonly deadline: number;
  /** Alone in its transaction. */
  readonly alone: boolean;
  /** False for a work that does things elsewhere: it is never run again. */
  readonly mayRepeat: boolean;
  readonly work: (transaction: Transaction) => Promise<unknown>;
  readonly expects: Expected | undefined;
  readonly trace: Trace | null;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** The writes of one account that wait, in the order they came. */
export interface Waiting {
  /** Takes the first one, unless that is to be alone. */
  takeShared(): WriteJob | undefined;
  /** Returns the objects that the sharing works will probably read. */
  expected(): Iterable<Expected>;
}

/** Runs at least one of the writes that wait, and settles what it runs. */
export type Runner = (accountId: string, first: WriteJob, waiting: Waiting) => Promise<void>;

/**
 * Runs writes of one account in their order, those of different accounts at the same time. With the
 * account's lock alone each would wait on a connection of the pool, and in no order.
 */
export class Lanes {
  readonly #run: Runner;
  readonly #lanes = new Map<string, WriteJob[]>();
  #waiting = 0;
  #closing: (() => void) | undefined;
  #closed = false;
  #sweep: NodeJS.Timeout | undefined;

  constructor(run: Runner) {
    this.#run = run;
  }

  /** Queues a job, which is settled when its turn has come, or its deadline. */
  push(accountId: string, job: WriteJob): void {
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
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#lanes.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#closing = resolve;
    });
  }

  async #empty(accountId: string, lane: WriteJob[]): Promise<void> {
    const waiting: Waiting = {
      takeShared: () => this.#take(lane, true),
      expected: () => expectedBy(lane),
    };
    const next = (): WriteJob | undefined => this.#take(lane, false);
    for (let first = next(); first !== undefined; first = next())
      await this.#run(accountId, first, waiting);
    this.#lanes.delete(accountId);
    if (this.#lanes.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
    this.#closing?.();
  }

  /** Returns the first one whose time is not over; `isShared`: unless it is to be alone. */
  #take(lane: WriteJob[], isShared: boolean): WriteJob | undefined {
    for (let [job] = lane; job !== undefined && !(isShared && job.alone); [job] = lane) {
      lane.shift();
      this.#waiting -= 1;
      if (performance.now() <= job.deadline) return job;
      job.reject(lateError());
    }
    return undefined;
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

function* expectedBy(lane: readonly WriteJob[]): Iterable<Expected> {
  for (const { alone, expects } of lane) if (!alone && expects !== undefined) yield expects;
}
