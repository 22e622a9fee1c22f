import type { Database } from 'better-sqlite3';
import type { Writer } from '../../database/sqlite/writer.js';
import type { ScanThreads } from './scans/index.js';

/** How long what needs the writer's lock waits for it, ms. */
const WAIT = 5000;
/** Pages that are written before they are moved: as many as SQLite's own commits would let be. */
const MOVE = 1000;
/** Pages of a log that is given an end, so that it begins anew: some 16 MiB. */
const RESTART = 4000;
/** After so many transactions it is asked how much there is. */
const WRITES = 4;
/** How long nothing is tried again on a disk that took no more, ms. */
const PAUSE = 1000;

/** Pages of the log, and how many of them are in the database. */
type LogPages = readonly [log: number, moved: number];

export interface BacklogOptions {
  /** Null where it can't be told now. */
  readonly pages: () => LogPages | null;
  /** Moves what there is, while others write. */
  readonly move: () => Promise<unknown>;
  /** Moves the rest, while nobody writes. */
  readonly moveRest: () => Promise<unknown>;
  /** Moves what there is, in this thread: where another one could not. */
  readonly moveHere: () => void;
}

/**
 * The part of SQLite's write-ahead log that is not in the database file yet. A thread moves it there (a checkpoint):
 * SQLite itself would do it within a commit, every thousand pages, while all requests wait.
 */
export class Backlog {
  readonly #options: BacklogOptions;
  #writes = 0;
  #moving: Promise<void> | null = null;
  /** Pages that could not be moved: reads hold them. */
  #left = 0;
  /** Pages of the log at which it is to begin anew. */
  #restart = RESTART;
  #refusedAt = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  /** A transaction has ended. It never throws: what was committed has been. */
  wrote(): void {
    this.#writes += 1;
    if (this.#writes < WRITES || this.#moving !== null) return;
    this.#writes = 0;
    const pages = this.#pages();
    if (pages === null) return;
    const [log, moved] = pages;
    if (log <= RESTART) this.#restart = RESTART;
    this.#left = Math.min(this.#left, log - moved);
    if (log - moved - this.#left >= MOVE) void this.move();
  }

  /**
   * The disk did not take a transaction. What the log has room for is written all the same once it begins anew:
   * SQLite's own commits would have it begin so often that it is never much longer than it was.
   */
  refused(): void {
    const now = performance.now();
    if (this.#moving !== null || now < this.#refusedAt + PAUSE) return;
    this.#refusedAt = now;
    this.#restart = 0;
    void this.move();
  }

  /** Resolves when it is done, or can't be; it never rejects. */
  move(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#moving ??= this.#move().finally(() => {
      this.#moving = null;
    });
    return this.#moving;
  }

  /** Resolves when nothing is moved any more. */
  async idle(): Promise<void> {
    await this.#moving;
  }

  /** The same, and nothing will be: whoever closes the file last moves what is left. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.idle();
  }

  async #move(): Promise<void> {
    const { moveHere } = this.#options;
    // Where no thread is to be had. Where the disk is full it is tried again later.
    await this.#moveInThread()
      .catch(moveHere)
      .catch(() => undefined);
    const [log, moved] = this.#pages() ?? [0, 0];
    this.#left = log - moved;
  }

  async #moveInThread(): Promise<void> {
    const { move, moveRest } = this.#options;
    await move();
    const log = this.#pages()?.[0] ?? 0;
    if (log <= this.#restart) return;
    this.#restart = log + RESTART;
    await moveRest();
  }

  #pages(): LogPages | null {
    try {
      return this.#options.pages();
    } catch {
      // Another process has the file for a moment, or the disk fails: the next transactions tell.
      return null;
    }
  }
}

/** From now on commits leave the log to a thread: 90 MB would take one of them 300 ms. */
export function openBacklog(writer: Writer, db: Database, threads: ScanThreads): Backlog {
  db.pragma('wal_autocheckpoint = 0');
  const pages = db
    .prepare<[], readonly [number, number, number]>('PRAGMA wal_checkpoint(NOOP)')
    .raw(true);
  const isFree = (): boolean => db.open && !db.inTransaction;
  const passive = () => threads.checkpoint('PASSIVE');
  const backlog = new Backlog({
    pages: () => {
      if (!isFree()) return null;
      const [, log, moved] = pages.get() ?? [0, 0, 0];
      return [log, moved];
    },
    move: passive,
    moveRest: () => writer.exclusive(passive, { deadline: performance.now() + WAIT }),
    moveHere: () => {
      if (isFree()) db.pragma('wal_checkpoint(PASSIVE)');
    },
  });
  // It hears of every writer: Prisma's tickets and accounts, too.
  writer.watch((isRefused) => {
    if (isRefused) backlog.refused();
    else backlog.wrote();
  });
  return backlog;
}

/** The writer waits for the last of it: emptying needs its lock. */
export async function emptyLog(
  writer: Writer,
  threads: ScanThreads | null,
  backlog: Backlog | null,
): Promise<void> {
  await backlog?.move();
  await writer.exclusive(
    async (db) => {
      if (threads === null) db.pragma('wal_checkpoint(TRUNCATE)');
      else await threads.checkpoint('TRUNCATE');
    },
    { deadline: performance.now() + WAIT },
  );
}
