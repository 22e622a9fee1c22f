import { statSync } from 'node:fs';
import { lateError } from '../../database/sqlite/timed-database.js';
import { inTime } from '../../runtime/deadlines.js';

/** Octets that the log may have before reads wait for it to begin anew: as many as a checkpoint leaves it. */
const LIMIT = 64 * 1024 * 1024;
/** How long reads wait then, ms; twice as long for each limit more that it has. */
const MOMENT = 500;

export interface LogOptions {
  /** The database's file. */
  readonly file: string;
  readonly limit?: number;
  /** Moves what is in the log into the database and empties it, where no read keeps it from that. */
  readonly checkpoint: () => Promise<unknown>;
}

/**
 * SQLite's write-ahead log begins anew only when no transaction reads what is in it. Reads that overlap
 * without a gap would have it grow for ever: where it is long, those that come wait for a moment, until
 * the others have ended and it has been emptied.
 */
export class Log {
  readonly #file: string;
  readonly #limit: number;
  readonly #checkpoint: () => Promise<unknown>;
  #running = 0;
  #whenIdle: () => void = () => undefined;
  /** What reads that come wait for. */
  #emptied: Promise<void> | null = null;
  /** The length at which it is tried: after a trial in vain, one limit more. */
  #next: number;

  constructor({ file, limit = LIMIT, checkpoint }: LogOptions) {
    this.#file = `${file}-wal`;
    this.#limit = limit;
    this.#next = limit;
    this.#checkpoint = checkpoint;
  }

  /**
   * Runs a work that reads in a transaction of its own, across turns of the event loop. Rejects with
   * UnavailableError where it could not begin by the deadline.
   */
  async read<T>(deadline: number, work: () => Promise<T>): Promise<T> {
    const length = this.#length();
    if (this.#emptied === null && length > this.#next) {
      this.#emptied = this.#empty(length).finally(() => {
        this.#emptied = null;
      });
    }
    if (this.#emptied !== null) await inTime(deadline, this.#emptied, lateError);
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#whenIdle();
    }
  }

  async #empty(length: number): Promise<void> {
    const moment = MOMENT * 2 ** (length / this.#limit - 1);
    try {
      await inTime(performance.now() + moment, this.#idle(), lateError);
      await this.#checkpoint();
    } catch {
      // A read that lasts, a disk that is full, another process that reads: it is tried again, and the length tells.
    }
    this.#next = this.#length() + this.#limit;
  }

  /** Resolves when all reads have ended. */
  #idle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenIdle = resolve;
    });
  }

  /** None where there is no log; it is cut when it begins anew by itself (open.ts). */
  #length(): number {
    const length = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
    if (length <= this.#limit) this.#next = this.#limit;
    return length;
  }
}
