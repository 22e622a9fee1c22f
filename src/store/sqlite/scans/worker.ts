import { parentPort, workerData } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import { openDatabase, setBusyTimeout } from '../../../database/sqlite/open.js';
import { UnavailableError } from '../../../protocol/errors.js';
import type { Row } from '../../sql/row-codec.js';
import { Connection } from '../connection.js';
import type { Parameter } from '../reader.js';

/**
 * A thread for reads that may take long, on a connection of its own. Its messages hold only what
 * can be copied.
 */

export interface ThreadData {
  /** The database's file. */
  readonly file: string;
}

/** `end`: of the work and its transaction; not answered, nor is `close`. */
export type Message = Statement | Checkpoint | 'end' | 'close';

/** Moves what is in the write-ahead log into the database; TRUNCATE empties the log, too. */
export interface Checkpoint {
  readonly checkpoint: 'PASSIVE' | 'TRUNCATE';
}

/** A statement of the work that has the thread; the first one begins its transaction. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly Parameter[];
  /** After so many characters of text no more rows are read. */
  readonly maxOctets: number;
  /** How many milliseconds are left: each thread has a clock of its own. */
  readonly left: number;
}

export interface Answer {
  readonly rows: readonly Row[];
}

/** In the order of what was asked; a checkpoint answers no rows. */
export type Outcome = Answer | { readonly unavailable: string } | { readonly error: string };

/**
 * Page cache, KiB. A read from beginning to end of more than the cache finds nothing in it anyway,
 * and the system has the pages.
 */
const CACHE_SIZE = 4096;

/** Statements that a connection prepares before it is replaced. */
const MOST_PREPARED = 300;

/** How long a checkpoint waits for others that have the file for a moment, ms. */
const CHECKPOINT_WAIT = 100;

const { file } = workerData as ThreadData;
let connection = open();
/** Opened for the first checkpoint. */
let writing: Database | null = null;

function open(): Connection {
  const db = openDatabase({ file, readonly: true, isReopened: true });
  db.pragma(`cache_size = -${CACHE_SIZE}`);
  return new Connection(db);
}

// One that ends later has been started all the same.
parentPort?.postMessage('open');

function outcomeOf(request: Statement | Checkpoint): Outcome {
  try {
    return 'checkpoint' in request ? moved(request) : answered(request);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return error instanceof UnavailableError ? { unavailable: message } : { error: message };
  }
}

function answered(statement: Statement): Outcome {
  const { db } = connection;
  db.setDeadline(performance.now() + statement.left);
  if (!db.inTransaction) db.exec('BEGIN');
  connection.check();
  return { rows: rowsOf(statement) };
}

/** Here it keeps no request waiting. The connection that reads may not. */
function moved({ checkpoint }: Checkpoint): Outcome {
  if (writing === null) {
    writing = openDatabase({ file, isReopened: true });
    setBusyTimeout(writing, CHECKPOINT_WAIT);
  }
  writing.pragma(`wal_checkpoint(${checkpoint})`);
  return { rows: [] };
}

/**
 * Ends the transaction. Replaces a connection that has prepared many statements. V8 doesn't see the
 * 10 to 30 KB that SQLite holds for each, so a heap that hardly grows would keep them for hours.
 */
function endWork(): void {
  const { db, prepared } = connection;
  if (db.inTransaction) db.exec('COMMIT');
  if (prepared < MOST_PREPARED) return;
  db.close();
  connection = open();
}

function rowsOf({ text, parameters, maxOctets }: Statement): readonly Row[] {
  if (maxOctets === Number.POSITIVE_INFINITY) return connection.rows(text, parameters);
  return connection.until(text, parameters, maxOctets);
}

parentPort?.on('message', (message: Message) => {
  if (message === 'close') {
    connection.db.close();
    writing?.close();
    parentPort?.close();
  } else if (message === 'end') {
    endWork();
  } else {
    parentPort?.postMessage(outcomeOf(message));
  }
});
