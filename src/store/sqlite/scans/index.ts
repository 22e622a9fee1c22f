import { availableParallelism } from 'node:os';
import { UnavailableError } from '../../../protocol/errors.js';
import { Serial } from '../../../runtime/serial.js';
import type { CallOptions } from '../../port.js';
import type { OwnReader, ReaderSource } from '../read-pool.js';
import { ReadingThread, RemoteReader } from './thread.js';
import type { Checkpoint } from './worker.js';

/**
 * Threads that scan, each started when it is first needed: as many as one account can keep busy, and one
 * more for the others (ReadPool).
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
  readonly onStatement: ((sql: string) => void) | undefined;
  /** Throws where a thread would open another file than the one that is served. */
  requireFiles(): void;
}

/**
 * Threads with a connection each, for works whose statements may take long. A thread that ends in the midst of a work
 * fails that work; the next one gets a new thread.
 */
export class ScanThreads implements ReaderSource {
  readonly size: number;
  readonly #scanned: Scanned;
  readonly #module: URL;
  readonly #threads = new Set<ReadingThread>();
  readonly #idle: ReadingThread[] = [];
  readonly #checkpoints = new Serial();
  /** Starts that failed, one after the other, and when the last one did. */
  #failed = 0;
  #failedAt = 0;

  constructor(scanned: Scanned, { module, threads = THREADS }: ScanOptions) {
    this.#scanned = scanned;
    this.#module = module;
    this.size = threads;
  }

  take(options: CallOptions): OwnReader {
    const thread = this.#take();
    const reader = new RemoteReader(thread, options, this.#scanned.onStatement);
    return { reader, give: () => this.#free(thread) };
  }

  /**
   * In a thread that has nothing to do, one more where there is none. One after the other: SQLite refuses a second
   * one at the same time.
   */
  checkpoint(checkpoint: Checkpoint['checkpoint']): Promise<void> {
    return this.#checkpoints.run(async () => {
      // For its first one a thread opens a connection that writes, which would make a file where
      // there is none.
      this.#scanned.requireFiles();
      const thread = this.#take();
      try {
        await thread.ask({ checkpoint });
      } finally {
        await this.#free(thread);
      }
    });
  }

  /** A thread is within a statement. One that never asks for the time (dialect.ts) nobody can stop. */
  get isBusy(): boolean {
    return [...this.#threads].some((thread) => thread.isBusy);
  }

  /** What runs has a moment to end. */
  async close(given: Promise<void>): Promise<void> {
    const kill = setTimeout(() => {
      for (const thread of this.#threads) void thread.kill();
    }, CLOSING);
    await given;
    clearTimeout(kill);
    await Promise.all([...this.#threads].map((thread) => thread.close()));
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
    this.#scanned.requireFiles();
    if (this.#failed >= STARTS && performance.now() < this.#failedAt + PAUSE)
      throw new UnavailableError('Threads that read could not be started.');
    try {
      return new ReadingThread(this.#module, { file: this.#scanned.file });
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
    if (thread.hasAnswered) this.#failed = 0;
    else if (thread.isOver) this.#noteFailure();
    if (thread.isOver) this.#threads.delete(thread);
    else this.#idle.push(thread);
  }
}
