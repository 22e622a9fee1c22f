import { setTimeout as sleep } from 'node:timers/promises';
import type { Statement } from 'better-sqlite3';
import { UnavailableError } from '../../protocol/errors.js';
import { lateError } from '../../runtime/deadlines.js';
import { FairQueue } from '../../runtime/fair-slots.js';
import type { Conductor } from '../../runtime/slices.js';
import { isBusy, isDiskError, translateError } from './driver-errors.js';
import type { OpenFiles } from './open-files.js';
import { ROLLED_BACK, type TimedDatabase } from './timed-database.js';

/** A group ends when it has run so many works ... */
const GROUP_WORKS = 64;
/** ... or for so long, ms: others wait for its commit. */
const GROUP_TIME = 10;
/** The time, ms, that a group may gather works while each turn of the event loop brings more. */
const GATHER = 2;
/** After so long, ms, the event loop gets a turn before the commit, and before another answer. */
const TURN = 10;
/** Works that may wait; beyond it a call is turned away at once. One account has half of them. */
const QUEUE_LIMIT = 2048;
/** How long an exclusive work waits for the lock where its caller names no deadline, ms. */
const EXCLUSIVE_WAIT = 10_000;
/** Between two attempts to begin while another process writes, ms. */
const FIRST_PAUSE = 1;
const LONGEST_PAUSE = 50;
/** How often late waiting works are told so while an exclusive or long work holds the lock, ms. */
const SWEEP = 50;

/**
 * A work of the grouped lane. It waits for nothing but microtasks, since operations on `db` are
 * synchronous; a long one also waits for its slices (slices.ts), and the whole group waits with it.
 */
export type Work<T> = (db: TimedDatabase) => Promise<T>;

export interface RunOptions {
  /** `performance.now()` after which the work is given up. */
  readonly deadline: number;
  /** Accounts take turns. */
  readonly accountId?: string;
  /** It takes slices: no work that is done waits for it before its commit. */
  readonly isLong?: boolean | undefined;
}

interface Job {
  readonly work: Work<unknown>;
  readonly deadline: number;
  readonly isLong: boolean;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** A work of a group that has run, well or not, and is told so after the commit. */
interface Finished {
  readonly job: Job;
  readonly refused: boolean;
  /** Tells what it came to. */
  readonly answer: () => void;
}

/**
 * The only place where this process writes to an SQLite database. It has two lanes:
 *
 * - *grouped* (`writeInGroup`): works that wait at the same time share a transaction and its commit
 *   with one fsync. Each has a savepoint, to which a work that throws is rolled back; the others
 *   stay. Promises settle after the commit.
 * - *exclusive* (`exclusive`, `transaction`): a work holds the lock alone across turns of the event
 *   loop: waiting hooks, Prisma's writes and transactions.
 *
 * The lanes alternate if both have works, and accounts take turns in each.
 */
export class Writer {
  /** Of everything that takes long in this process. */
  readonly conductor: Conductor;
  readonly #db: TimedDatabase;
  readonly #queueLimit: number;
  readonly #files: OpenFiles | undefined;
  readonly #grouped = new FairQueue<Job>();
  readonly #exclusive = new FairQueue<Job>();
  readonly #statements: Record<'begin' | 'commit' | 'rollback' | Savepoint, Statement>;
  #running = false;
  #ended: (isRefused: boolean) => void = () => undefined;
  #closing: (() => void) | undefined;
  #closed = false;

  /**
   * `db` is a connection that nothing else writes on; `files`, its files, are looked at before each
   * commit.
   */
  constructor(
    db: TimedDatabase,
    conductor: Conductor,
    options: { readonly queueLimit?: number; readonly files?: OpenFiles } = {},
  ) {
    this.#db = db;
    this.conductor = conductor;
    this.#queueLimit = options.queueLimit ?? QUEUE_LIMIT;
    this.#files = options.files;
    this.#statements = {
      begin: db.prepare('BEGIN IMMEDIATE'),
      commit: db.prepare('COMMIT'),
      rollback: db.prepare('ROLLBACK'),
      savepoint: db.prepare('SAVEPOINT work'),
      release: db.prepare('RELEASE work'),
      undo: db.prepare('ROLLBACK TO work'),
    };
  }

  /**
   * Runs a work in the grouped lane; resolves to its result when that is on disk. Rejects with what
   * the work throws, or with UnavailableError: queue full, deadline passed, lock not had in time,
   * commit failed.
   */
  writeInGroup<T>(work: Work<T>, options: RunOptions): Promise<T> {
    return this.#enqueue(this.#grouped, work, options);
  }

  /** Runs a work alone, with the lock of this process held until its promise settles. */
  exclusive<T>(work: Work<T>, options: Partial<RunOptions> = {}): Promise<T> {
    const deadline = options.deadline ?? performance.now() + EXCLUSIVE_WAIT;
    return this.#enqueue(this.#exclusive, work, { ...options, deadline });
  }

  /**
   * Runs a work alone in a transaction; commits before the promise resolves, rolls back if it
   * rejects.
   */
  transaction<T>(work: Work<T>, options: RunOptions): Promise<T> {
    const { deadline } = options;
    const whole = async (): Promise<T> => {
      await retryBusy(
        () => this.#statements.begin.run(),
        () => performance.now() > deadline,
      );
      this.#db.setDeadline(deadline);
      const value = await work(this.#db);
      // The work may have caught the error of a statement that rolled all back, and gone on.
      this.#db.requireTransaction();
      try {
        this.#commit();
      } catch (error) {
        throw unavailable(error, 'The database could not commit.');
      }
      return value;
    };
    return this.exclusive(whole, options);
  }

  /** Throws UnavailableError where a path of the database no longer leads to the open file. */
  requireFiles(): void {
    this.#files?.require();
  }

  /**
   * Calls `ended` after each group and exclusive work from any caller, with `isRefused` if the disk
   * refused it. `ended` must not throw.
   */
  watch(ended: (isRefused: boolean) => void): void {
    this.#ended = ended;
  }

  /** Lets what waits finish, then refuses works. The connection stays open: its owner closes it. */
  close(): Promise<void> {
    this.#closed = true;
    if (!this.#running) return Promise.resolve();
    return new Promise((resolve) => {
      const others = this.#closing;
      this.#closing = () => {
        others?.();
        resolve();
      };
    });
  }

  #enqueue<T>(lane: FairQueue<Job>, work: Work<T>, options: RunOptions): Promise<T> {
    const { deadline, accountId = '', isLong = false } = options;
    if (this.#closed) return Promise.reject(new UnavailableError('The server is stopping.'));
    if (this.#isFull(accountId)) {
      return Promise.reject(new UnavailableError('Too many writes are waiting.'));
    }
    return new Promise<T>((resolve, reject) => {
      lane.push(accountId, { work, deadline, isLong, resolve, reject });
      if (this.#running) return;
      this.#running = true;
      this.#schedule();
    });
  }

  /** Where one account alone could fill the queue, all others would be turned away. */
  #isFull(accountId: string): boolean {
    if (this.#grouped.size + this.#exclusive.size >= this.#queueLimit) return true;
    if (accountId === '') return false;
    const own = this.#grouped.waiting(accountId) + this.#exclusive.waiting(accountId);
    return own >= this.#queueLimit / 2;
  }

  /**
   * Begins a group in the next turn of the event loop, with all works that this turn brings: the
   * more works share a commit, the less each costs. Waits while something long has the turn.
   */
  #schedule(): void {
    const begun = performance.now();
    let seen = 0;
    const gather = (): void => {
      const { size } = this.#grouped;
      if (this.conductor.isActive) void this.conductor.awaitTurn(true).then(() => this.#turn());
      else if (size > seen && size < GROUP_WORKS && performance.now() - begun < GATHER) {
        seen = size;
        setImmediate(gather);
      } else void this.#turn();
    };
    setImmediate(gather);
  }

  async #turn(): Promise<void> {
    const exclusive = this.#exclusive.shift();
    if (exclusive !== undefined) await this.#runExclusive(exclusive);
    if (this.#grouped.size > 0) await this.#runGroup();
    if (this.#grouped.size > 0 || this.#exclusive.size > 0) {
      this.#schedule();
      return;
    }
    this.#running = false;
    this.#closing?.();
  }

  async #runExclusive(job: Job): Promise<void> {
    if (performance.now() > job.deadline) {
      job.reject(lateError());
      return;
    }
    let isRefused = false;
    try {
      job.resolve((await this.#runLong(job)) as never);
    } catch (error) {
      isRefused = isDiskError(error);
      job.reject(translateError(error));
    } finally {
      // The work may have left a transaction open, which must not become part of the next one's.
      this.#rollBack();
    }
    this.#ended(isRefused);
  }

  async #runGroup(): Promise<void> {
    try {
      await retryBusy(
        () => this.#statements.begin.run(),
        () => {
          this.#rejectLate();
          return this.#grouped.size === 0;
        },
      );
    } catch (error) {
      // Busy until the last one's deadline (all are rejected by now), or a database that is not to
      // be had.
      this.#rejectAll(translateError(error));
      return;
    }
    const finished: Finished[] = [];
    const begun = performance.now();
    try {
      await this.#runWorks(finished);
      if (performance.now() - begun > TURN) await this.conductor.awaitTurn(true);
      this.#commit();
    } catch (error) {
      // Nothing of the group is in the database: not even of the works that ran well.
      this.#rollBack();
      const reason = new UnavailableError('The database could not commit.', { cause: error });
      // Works that were refused before any other had written are told their own reason.
      const written = finished.findIndex(({ refused }) => !refused);
      for (const [at, { job, answer }] of finished.entries()) {
        if (written === -1 || at < written) answer();
        else job.reject(reason);
      }
      this.#ended(isDiskError(error));
      return;
    }
    this.#ended(false);
    await this.#resolve(finished, begun);
  }

  /**
   * Settles the works. Their callers go on in this turn of the event loop (to write answers of
   * perhaps a thousand objects), so after a long time the next one gets another turn.
   */
  async #resolve(finished: readonly Finished[], begun: number): Promise<void> {
    let last = begun;
    for (const { answer } of finished) {
      if (performance.now() - last > TURN) {
        await this.conductor.awaitTurn(true);
        last = performance.now();
      }
      answer();
    }
  }

  /**
   * Runs waiting works until the group is full. Throws where the database has rolled back the
   * transaction.
   */
  async #runWorks(finished: Finished[]): Promise<void> {
    const end = performance.now() + GROUP_TIME;
    for (let count = 0; count < GROUP_WORKS && performance.now() < end; count += 1) {
      if (finished.length > 0 && this.#grouped.next?.isLong === true) return;
      const job = this.#grouped.shift();
      if (job === undefined) return;
      if (performance.now() > job.deadline) {
        job.reject(lateError());
        continue;
      }
      this.#db.setDeadline(job.deadline);
      try {
        this.#statements.savepoint.run();
        const value = await (job.isLong ? this.#runLong(job) : job.work(this.#db));
        this.#db.requireTransaction();
        this.#statements.release.run();
        finished.push({ job, refused: false, answer: () => job.resolve(value as never) });
      } catch (error) {
        if (!this.#db.inTransaction) {
          job.reject(unavailable(error, ROLLED_BACK));
          throw error;
        }
        // Tell the refusal after the commit: its reason may be an earlier work's write, which
        // readers see only then.
        const answer = (): void => job.reject(translateError(error));
        finished.push({ job, refused: true, answer });
        this.#statements.undo.run();
        this.#statements.release.run();
      }
    }
  }

  /** Works that wait are told meanwhile when it is too late for them. */
  async #runLong(job: Job): Promise<unknown> {
    const sweep = setInterval(() => this.#rejectLate(), SWEEP);
    try {
      return await job.work(this.#db);
    } finally {
      clearInterval(sweep);
    }
  }

  /** All writes of a serving process are committed here. */
  #commit(): void {
    this.requireFiles();
    this.#statements.commit.run();
  }

  #rollBack(): void {
    if (this.#db.inTransaction) this.#statements.rollback.run();
  }

  #rejectLate(): void {
    const now = performance.now();
    for (const lane of [this.#grouped, this.#exclusive]) {
      for (const job of lane.remove(({ deadline }) => now > deadline)) job.reject(lateError());
    }
  }

  #rejectAll(error: unknown): void {
    for (const job of this.#grouped.remove(() => true)) job.reject(error);
  }
}

type Savepoint = 'savepoint' | 'release' | 'undo';

function unavailable(error: unknown, message: string): UnavailableError {
  if (error instanceof UnavailableError) return error;
  return new UnavailableError(message, { cause: error });
}

/**
 * Calls `attempt` until it no longer fails with SQLITE_BUSY (another process, a command, is
 * writing), waiting longer each time, without blocking the event loop. `giveUp` is asked before
 * each further attempt; where it says true the promise rejects with UnavailableError. Other errors
 * pass through.
 */
async function retryBusy<T>(attempt: () => T, giveUp: () => boolean): Promise<T> {
  let pause = FIRST_PAUSE;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      // Jitter: two processes that wait for each other must not try in step.
      await sleep(pause * (0.5 + Math.random()));
      if (giveUp()) {
        throw new UnavailableError('Another process is writing to the database.', { cause: error });
      }
      pause = Math.min(pause * 2, LONGEST_PAUSE);
    }
  }
}
