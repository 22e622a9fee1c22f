import type { Database } from 'better-sqlite3';
import type { Writer } from '../../database/sqlite/writer.js';
import type { ScanThreads } from './scans/index.js';
import type { Checkpoint } from './scans/worker.js';

/** How long what needs the writer's lock waits for it, ms. */
const WAIT = 5000;
/** Pages that are written before they are moved: as many as SQLite's own commits would let be. */
const MOVE = 1000;
/** After so many moves the log is given an end, so that it begins anew: some 20 MiB. */
const RESTART = 5;
/** After so many transactions it is asked how much there is. */
const WRITES = 4;
/** How long nothing is tried again on a disk that took no more, ms. */
const PAUSE = 1000;

export interface BacklogOptions {
  /** How many pages the log has; null where it can't be told now. */
  readonly pages: () => number | null;
  /** Moves what there is, while others write. */
  readonly move: () => Promise<unknown>;
  /** Moves what is left, while nobody writes. */
  readonly moveWhileIdle: () => Promise<unknown>;
  /** Moves what there is, in this thread: where another one could not. */
  readonly moveHere: () => void;
  /** Moves all and cuts the log, while nobody writes. */
  readonly empty: () => Promise<unknown>;
}

/**
 * The part of SQLite's write-ahead log that isn't in the database file yet. A thread moves it there
 * (a checkpoint): SQLite would do it in a commit, every thousand pages, while all requests wait.
 */
export class Backlog {
  readonly #options: BacklogOptions;
  #writes = 0;
  #moves = 0;
  #moving: Promise<void> | null = null;
  /**
   * The log's pages when the last move ended; null if unknown, until the next look. The next move
   * also takes the pages that reads held back.
   */
  #movedAt: number | null = 0;
  #refusedAt = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  /** A transaction has ended. It never throws: what was committed has been. */
  wrote(): void {
    this.#writes += 1;
    if (this.#writes % WRITES !== 0 || this.#moving !== null) return;
    const pages = this.#pages();
    if (pages === null) return;
    this.#movedAt ??= pages;
    // It has begun anew.
    if (pages < this.#movedAt) this.#movedAt = 0;
    if (pages - this.#movedAt >= MOVE) void this.move();
  }

  /**
   * Begins the log anew after the disk refused a transaction: then writes fit into the room that
   * the log has. SQLite's own commits would begin it anew so often that it would hardly grow.
   */
  refused(): void {
    const now = performance.now();
    if (this.#moving !== null || now < this.#refusedAt + PAUSE) return;
    this.#refusedAt = now;
    void this.move(true);
  }

  /** Moves the log; never rejects. `isWhole`: begins the log anew, unless somebody reads it. */
  move(isWhole = false): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#moving ??= this.#move(isWhole).finally(() => {
      this.#moving = null;
    });
    return this.#moving;
  }

  /** The writer waits for the last of it. */
  async empty(): Promise<void> {
    await this.move();
    await this.#options.empty();
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

  async #move(isWhole: boolean): Promise<void> {
    const { move, moveWhileIdle, moveHere } = this.#options;
    this.#moves += 1;
    try {
      await move();
      if (isWhole || this.#moves % RESTART === 0) await moveWhileIdle();
    } catch {
      try {
        moveHere();
      } catch {
        // Where the disk is full it is tried again later.
      }
    }
    this.#movedAt = this.#pages();
  }

  #pages(): number | null {
    try {
      return this.#options.pages();
    } catch {
      // Another process has the file for a moment, or the disk fails: the next transactions tell.
      return null;
    }
  }
}

/**
 * Leaves the log to a thread from now on, instead of commits: 90 MB would take one of them 300 ms.
 * Without threads this thread moves it.
 */
export function openBacklog(writer: Writer, db: Database, threads: ScanThreads | null): Backlog {
  db.pragma('wal_autocheckpoint = 0');
  const pages = db
    .prepare<[], readonly [number, number, number]>('PRAGMA wal_checkpoint(NOOP)')
    .raw(true);
  const isFree = (): boolean => db.open && !db.inTransaction;
  const checkpoint = async (mode: Checkpoint['checkpoint']): Promise<void> => {
    if (threads !== null) await threads.checkpoint(mode);
    else if (isFree()) db.pragma(`wal_checkpoint(${mode})`);
  };
  const passive = (): Promise<void> => checkpoint('PASSIVE');
  const whileNobodyWrites = (work: () => Promise<void>): Promise<void> =>
    writer.exclusive(work, { deadline: performance.now() + WAIT });
  const backlog = new Backlog({
    pages: () => (isFree() ? (pages.get()?.[1] ?? 0) : null),
    move: passive,
    moveWhileIdle: () => whileNobodyWrites(passive),
    moveHere: () => {
      if (isFree()) db.pragma('wal_checkpoint(PASSIVE)');
    },
    empty: () => whileNobodyWrites(() => checkpoint('TRUNCATE')),
  });
  // It hears of every writer: Prisma's tickets and accounts, too.
  writer.watch((isRefused) => {
    if (isRefused) backlog.refused();
    else backlog.wrote();
  });
  return backlog;
}
