import { availableParallelism } from 'node:os';
import { lateError } from '../../../database/sqlite/deadline.js';
import { UnavailableError } from '../../../protocol/errors.js';
import { inTime } from '../../../runtime/deadlines.js';
import type { FairTurns } from '../../../runtime/fair-turns.js';
import { Serial } from '../../../runtime/serial.js';
import type { CallOptions } from '../../port.js';
import type { SnapshotServices } from '../../sql/snapshot.js';
import { SqliteSnapshot } from '../engine.js';
import type { Log } from '../log.js';
import { createReadTurns } from '../read-turns.js';
import type { Checkpoint } from './messages.js';
import { ReadingThread, RemoteReader } from './thread.js';

/**
 * Threads that scan, each started when it is first needed: as many as one account can keep busy, and one
 * more for the others (FairTurns).
 */
const THREADS = Math.min(availableParallelism(), 8) + 1;
/** How long after its deadline a statement may go on, ms, before its thread is ended. */
const GRACE = 5000;
/** How long closing waits for what runs, ms, before its thread is ended. */
const CLOSING = 1000;
/** After so many threads that could not open the file ... */
const STARTS = 3;
/** ... none is started for so long, ms: each takes the processor more than a scan does. */
const PAUSE = 1000;

export interface ScanOptions {
  /** What the threads run: worker.js. */
  readonly module: URL;
  /** Where it is left out, one more than the machine has processors, at most 9. */
  readonly threads?: number;
  /** Milliseconds that a read by an index may take of the thread of all requests before it comes here. */
  readonly slice?: number;
}

/** What is scanned, and what its store knows of it. */
interface Scanned {
  readonly file: string;
  readonly services: SnapshotServices;
  readonly log: Log;
  /** Throws where a thread would open another file than the one that is served. */
  requireFiles(): void;
}

/**
 * Runs works whose statements may take long on connections of other threads, each in a transaction of
 * its own. A thread that ends in the midst of a work fails that work; the next one gets a new thread.
 */
export class Scans {
  readonly #file: string;
  readonly #module: URL;
  readonly #services: SnapshotServices;
  readonly #log: Log;
  readonly #requireFiles: () => void;
  readonly #onStatement: ((sql: string) => void) | undefined;
  readonly #turns: FairTurns;
  readonly #threads = new Set<ReadingThread>();
  readonly #idle: ReadingThread[] = [];
  readonly #checkpoints = new Serial();
  /** Starts that failed, one after the other, and when the last one did. */
  #failed = 0;
  #failedAt = 0;

  constructor(
    { file, services, log, requireFiles }: Scanned,
    { module, threads }: ScanOptions,
    onStatement: ((sql: string) => void) | undefined,
  ) {
    this.#file = file;
    this.#module = module;
    this.#services = services;
    this.#log = log;
    this.#requireFiles = requireFiles;
    this.#onStatement = onStatement;
    this.#turns = createReadTurns(threads ?? THREADS);
  }

  /** Rejects with UnavailableError at the deadline, whatever runs by then. */
  async run<T>(
    accountId: string,
    { deadline, trace }: CallOptions,
    work: (snapshot: SqliteSnapshot) => Promise<T>,
  ): Promise<T> {
    const open = (thread: ReadingThread): RemoteReader => {
      trace?.phase('working');
      return new RemoteReader(thread, { deadline, trace, onStatement: this.#onStatement });
    };
    trace?.phase('waiting');
    try {
      return await this.#inThread(accountId, deadline, open, work);
    } finally {
      trace?.phase('elsewhere');
    }
  }

  /**
   * In a thread that has nothing to do, one more where there is none. One after the other: SQLite refuses a second
   * one at the same time.
   */
  checkpoint(checkpoint: Checkpoint['checkpoint']): Promise<void> {
    return this.#checkpoints.run(async () => {
      // For its first one a thread opens a connection that writes, which would make a file where
      // there is none.
      this.#requireFiles();
      const thread = this.#take();
      try {
        await thread.ask({ checkpoint });
      } finally {
        await this.#free(thread);
      }
    });
  }

  /** A thread is within a statement. One that never asks for the time (tick.ts) nobody can stop. */
  get isBusy(): boolean {
    return [...this.#threads].some((thread) => thread.isBusy);
  }

  /** What runs has a moment to end, what waits is turned away. */
  async close(): Promise<void> {
    this.#turns.close();
    const kill = setTimeout(() => {
      for (const thread of this.#threads) void thread.kill();
    }, CLOSING);
    await this.#turns.idle();
    clearTimeout(kill);
    await Promise.all([...this.#threads].map((thread) => thread.close()));
  }

  #inThread<T>(
    accountId: string,
    deadline: number,
    open: (thread: ReadingThread) => RemoteReader,
    work: (snapshot: SqliteSnapshot) => Promise<T>,
  ): Promise<T> {
    // Its turn lasts until the thread is free again, which may be after the deadline.
    return new Promise((resolve, reject) => {
      const scan = async (): Promise<void> => {
        const thread = this.#take();
        const scope = { connection: open(thread), accountId };
        const snapshot = new SqliteSnapshot(this.#services, scope);
        await inTime(deadline, work(snapshot), lateError).then(resolve, reject);
        snapshot.end();
        await this.#free(thread);
      };
      this.#turns.run(accountId, deadline, () => this.#log.read(deadline, scan)).catch(reject);
    });
  }

  #take(): ReadingThread {
    for (;;) {
      const idle = this.#idle.pop();
      if (idle === undefined) break;
      if (!idle.isOver) return idle;
      this.#threads.delete(idle);
    }
    const thread = this.#start();
    this.#threads.add(thread);
    return thread;
  }

  #start(): ReadingThread {
    this.#requireFiles();
    if (this.#failed >= STARTS && performance.now() < this.#failedAt + PAUSE)
      throw new UnavailableError('Threads that read could not be started.');
    try {
      return new ReadingThread(this.#module, { file: this.#file });
    } catch (cause) {
      this.#noteFailure();
      throw new UnavailableError('A thread that reads could not be started.', { cause });
    }
  }

  #noteFailure(): void {
    this.#failed += 1;
    this.#failedAt = performance.now();
  }

  async #free(thread: ReadingThread): Promise<void> {
    thread.end();
    if (thread.isBusy) {
      const timer = setTimeout(() => void thread.kill(), GRACE);
      await thread.settled();
      clearTimeout(timer);
    }
    if (thread.hasOpened) this.#failed = 0;
    else if (thread.isOver) this.#noteFailure();
    if (thread.isOver) this.#threads.delete(thread);
    else this.#idle.push(thread);
  }
}
