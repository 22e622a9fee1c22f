import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import { requireRestored } from '../restoring.js';
import { isBusy } from './driver-errors.js';
import { requireAccess, requireOnePath } from './open-files.js';
import { TimedDatabase } from './timed-database.js';

/** How long opening may wait for another process, ms: nothing is served yet. */
const OPEN_TIMEOUT = 10_000;

/** The pause before WAL is asked for again, ms. */
const RETRY_DELAY = 10;

/**
 * Page cache, KiB. No mmap: there an I/O error would kill the process instead of failing a
 * statement.
 */
const CACHE_SIZE = 16_384;

/** The write-ahead log is cut back to this after a checkpoint, octets. */
const JOURNAL_SIZE_LIMIT = 64 * 1024 * 1024;

export interface OpenOptions {
  readonly file: string;
  /** For connections that never write; the file must exist. */
  readonly readonly?: boolean;
  /**
   * This process has the file open already, and looked at it then. A server goes on where the file
   * gets a second path later: nobody else can open it by that.
   */
  readonly isReopened?: boolean;
}

/**
 * Opens a connection with the settings that every connection of the project has: WAL, an fsync for
 * each commit, and the project's SQL functions. SQLite doesn't check foreign keys, since the engine
 * keeps its references. Creates the file and its folder unless `readonly`. Throws the driver's
 * error where the file can't be opened, MigrationError where it is being restored, and
 * DatabaseFileError where it may have two paths or can't be written.
 */
export function openDatabase(options: OpenOptions): TimedDatabase {
  const readonly = options.readonly ?? false;
  requireRestored(options.file);
  if (options.isReopened !== true) requireOnePath(options.file);
  if (!readonly) {
    mkdirSync(dirname(options.file), { recursive: true, mode: 0o700 });
    requireAccess(options.file);
  }
  const db = new TimedDatabase(options.file, {
    readonly,
    fileMustExist: readonly,
    timeout: OPEN_TIMEOUT,
  });
  try {
    if (!readonly) {
      writeAhead(db);
      db.pragma('synchronous = FULL');
      // Zeros take the place of what is removed: URLs and keys of pushes must be gone for good.
      db.pragma('secure_delete = ON');
      db.pragma(`journal_size_limit = ${JOURNAL_SIZE_LIMIT}`);
    }
    db.pragma('foreign_keys = OFF');
    db.pragma(`cache_size = -${CACHE_SIZE}`);
    db.pragma('temp_store = MEMORY');
    // SQLite waits for a lock by sleeping on the event loop's thread: it may do so for a moment
    // only. Longer waits are asynchronous (`retryBusy` of writer.ts).
    setBusyTimeout(db, 2);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Sets WAL, which the file keeps. Where two processes set it at the same moment in a new file,
 * SQLite refuses one of them at once, whatever the busy timeout: it would be a deadlock.
 */
function writeAhead(db: Database): void {
  const end = performance.now() + OPEN_TIMEOUT;
  for (;;) {
    try {
      db.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() >= end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_DELAY);
    }
  }
}

/**
 * Sets how long a statement sleeps for a lock, ms. More than a moment is for commands and start
 * only.
 */
export function setBusyTimeout(db: Database, milliseconds: number): void {
  db.pragma(`busy_timeout = ${milliseconds}`);
}

/** Runs `work` with a busy timeout that suits commands and start. */
export function patiently<T>(db: Database, work: () => T): T {
  setBusyTimeout(db, OPEN_TIMEOUT);
  try {
    return work();
  } finally {
    setBusyTimeout(db, 2);
  }
}
