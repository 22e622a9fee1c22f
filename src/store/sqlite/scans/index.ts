import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { UnavailableError } from '../../../protocol/errors.js';
import { requireTime } from '../../../runtime/deadlines.js';
import { Serial } from '../../../runtime/serial.js';
import type { CallOptions } from '../../port.js';
import { type Fragment, render } from '../../sql/fragment.js';
import type { Row, RowTaker } from '../../sql/row-codec.js';
import { sqlite } from '../dialect.js';
import type { OwnReader, ReaderSource } from '../read-pool.js';
import type { Parameter, Reader } from '../reader.js';
import type { Answer, Checkpoint, Message, Outcome, Statement, ThreadData } from './worker.js';

/**
 * The number of threads that scan: as many as one account can keep busy, and one more for others
 * (ReadPool). Each starts when first needed.
 */
const THREADS = Math.min(availableParallelism(), 8) + 1;
/** How long after its deadline a statement may go on, ms, before its thread is ended. */
const GRACE = 5000;
/** The time, ms, that closing gives to works, and then to a thread, before it ends the thread. */
const CLOSING = 1000;
/** After so many threads that could not open the file ... */
const STARTS = 3;
/** ... none is started for so long, ms: each takes the processor more than a scan does. */
const PAUSE = 1000;

export interface ScanOptions {
  /** The module that the threads run: worker.js. */
  readonly module: URL;
  /** Where it is left out, one more than the machine has processors, at most 9. */
  readonly threads?: number;
  /** The time, ms, that a read by an index may take of the thread of all requests. */
  readonly slice?: number;
}

/** The database to scan, and what its store knows of it. */
interface ScanTarget {
  readonly file: string;
  readonly onStatement: ((sql: string) => void) | undefined;
  /** Throws where a thread would open another file than the one that is served. */
  requireFiles(): void;
}

/**
 * Threads with a connection each, for works whose statements may take long. A thread that ends
 * during a work fails that work; the next one gets a new thread.
 */
export class ScanThreads implements ReaderSource {
  readonly size: number;
  readonly #target: ScanTarget;
  readonly #module: URL;
  readonly #threads = new Set<ReadingThread>();
  readonly #idle: ReadingThread[] = [];
  readonly #checkpoints = new Serial();
  /** Starts that failed, one after the other, and when the last one did. */
  #failed = 0;
  #failedAt = 0;

  constructor(target: ScanTarget, { module, threads = THREADS }: ScanOptions) {
    this.#target = target;
    this.#module = module;
    this.size = threads;
  }

  take(options: CallOptions): OwnReader {
    const thread = this.#take();
    const reader = new RemoteReader(thread, options, this.#target.onStatement);
    return { reader, give: () => this.#free(thread) };
  }

  /**
   * Runs a checkpoint in an idle thread, or in one more. Checkpoints run one after the other:
   * SQLite refuses two at the same time.
   */
  checkpoint(checkpoint: Checkpoint['checkpoint']): Promise<void> {
    return this.#checkpoints.run(async () => {
      // For its first one a thread opens a connection that writes, which would make a file where
      // there is none.
      this.#target.requireFiles();
      const thread = this.#take();
      try {
        await thread.ask({ checkpoint });
      } finally {
        await this.#free(thread);
      }
    });
  }

  /**
   * Returns whether a thread is in a statement. If that never calls `jmap_tick`, nobody can stop
   * it.
   */
  get isBusy(): boolean {
    return [...this.#threads].some((thread) => thread.isBusy);
  }

  /** Gives running works a moment to end. */
  async close(completion: Promise<void>): Promise<void> {
    const kill = setTimeout(() => {
      for (const thread of this.#threads) thread.kill();
    }, CLOSING);
    await completion;
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
    this.#target.requireFiles();
    if (this.#failed >= STARTS && performance.now() < this.#failedAt + PAUSE)
      throw new UnavailableError('Threads that read could not be started.');
    try {
      return new ReadingThread(this.#module, { file: this.#target.file });
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
      const timer = setTimeout(() => thread.kill(), GRACE);
      await thread.awaitAnswers();
      clearTimeout(timer);
    }
    if (thread.hasOpened) this.#failed = 0;
    else if (thread.isOver) this.#noteFailure();
    if (thread.isOver) this.#threads.delete(thread);
    else this.#idle.push(thread);
  }
}

/** A thread's memory at most, MiB: ids and keys of one answer are far from it. */
const MEMORY = 256;
/** Of it for young objects, MiB. By itself V8 lets this part of each thread grow to 48 MiB. */
const YOUNG = 8;

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** A thread that runs `module` (worker.ts). It serves one work at a time. */
class ReadingThread {
  readonly #worker: Worker;
  /** In the order of what was asked. */
  readonly #waiting: Waiting[] = [];
  /** Settles with what was asked last, and keeps nothing of its answer. */
  #last: Promise<void> = Promise.resolve();
  #failure: UnavailableError | undefined;
  #hasOpened = false;

  /** Throws what the system says where it has no further thread. */
  constructor(module: URL, data: ThreadData) {
    // Nothing of what was asked of the process at its start is asked of its thread.
    this.#worker = new Worker(module, {
      execArgv: [],
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY, maxYoungGenerationSizeMb: YOUNG },
    });
    this.#worker.on('message', (message: Outcome | 'open') => {
      if (message === 'open') this.#hasOpened = true;
      else this.#finish(message);
    });
    this.#worker.once('error', (error) => this.#fail(error));
    this.#worker.once('exit', () => this.#fail(undefined));
    this.#worker.unref();
  }

  /** It serves nobody any more. */
  get isOver(): boolean {
    return this.#failure !== undefined;
  }

  /** Returns false for one that is over, too, where it could not even open the file. */
  get hasOpened(): boolean {
    return this.#hasOpened;
  }

  get isBusy(): boolean {
    return this.#waiting.length > 0;
  }

  ask(statement: Statement | Checkpoint): Promise<Answer> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const answer = new Promise<Answer>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      // Only what is waited for keeps the process.
      this.#worker.ref();
      this.#tell(statement);
    });
    this.#last = answer.then(nothing, nothing);
    return answer;
  }

  /** Ends the work: what is asked next belongs to another one. */
  end(): void {
    if (!this.isOver) this.#tell('end');
  }

  /** Resolves when nothing that was asked is unanswered. */
  awaitAnswers(): Promise<void> {
    return this.#last;
  }

  /** Ends the thread, when it has answered what it was asked. */
  async close(): Promise<void> {
    if (this.isOver) return;
    const exited = new Promise<void>((resolve) => {
      this.#worker.once('exit', () => resolve());
    });
    this.#worker.ref();
    this.#tell('close');
    const timer = setTimeout(() => this.kill(), CLOSING);
    await exited;
    clearTimeout(timer);
  }

  /** Ends the thread in the midst of what it does. */
  kill(): void {
    void this.#worker.terminate();
  }

  #tell(message: Message): void {
    this.#worker.postMessage(message);
  }

  #finish(outcome: Outcome): void {
    const waiting = this.#waiting.shift();
    if ('rows' in outcome) waiting?.resolve(outcome);
    else if ('unavailable' in outcome) waiting?.reject(new UnavailableError(outcome.unavailable));
    else waiting?.reject(new Error(outcome.error));
    if (!this.isBusy) this.#worker.unref();
  }

  #fail(cause: unknown): void {
    this.#failure ??= new UnavailableError('The thread that reads has ended.', { cause });
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }
}

/** The connection of another thread, for one work. */
class RemoteReader implements Reader {
  readonly #thread: ReadingThread;
  readonly #options: CallOptions;
  readonly #onStatement: ((sql: string) => void) | undefined;

  constructor(
    thread: ReadingThread,
    options: CallOptions,
    onStatement: ((sql: string) => void) | undefined,
  ) {
    this.#thread = thread;
    this.#options = options;
    this.#onStatement = onStatement;
  }

  all(text: string, ...parameters: readonly Parameter[]): Promise<readonly Row[]> {
    return this.#ask(text, parameters, Number.POSITIVE_INFINITY);
  }

  query(fragment: Fragment): Promise<readonly Row[]> {
    const text = render(fragment, sqlite.placeholder);
    return this.all(text, ...(fragment.values as readonly Parameter[]));
  }

  async each(text: string, parameters: readonly Parameter[], rows: RowTaker): Promise<void> {
    for (const row of await this.#ask(text, parameters, rows.maxOctets)) rows.take(row);
  }

  check(): void {
    requireTime(this.#options.deadline);
  }

  async #ask(
    text: string,
    parameters: readonly Parameter[],
    maxOctets: number,
  ): Promise<readonly Row[]> {
    const { deadline, trace } = this.#options;
    this.#onStatement?.(text);
    const report = trace?.noteStatement({ sql: text, parameters, inThread: true });
    try {
      const left = deadline - performance.now();
      const { rows } = await this.#thread.ask({ text, parameters, maxOctets, left });
      report?.(rows.length);
      return rows;
    } catch (error) {
      report?.(null);
      throw error;
    }
  }
}

function nothing(): void {
  // Neither the rows nor the failure, which whoever asked has.
}
