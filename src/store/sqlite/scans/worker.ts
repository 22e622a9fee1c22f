import { parentPort, workerData } from 'node:worker_threads';
import { setDeadline } from '../../../database/sqlite/deadline.js';
import { openDatabase } from '../../../database/sqlite/open.js';
import { UnavailableError } from '../../../protocol/errors.js';
import type { Row } from '../../sql/objects.js';
import { Connection } from '../connection.js';
import type { Message, Outcome, Statement, ThreadData } from './messages.js';

/** A thread that reads what may take long, on a connection of its own. */

/**
 * Page cache, KiB. What is larger than a cache and read from its beginning to its end finds nothing in it
 * anyway, and the system has the pages.
 */
const CACHE_SIZE = 4096;

const { file } = workerData as ThreadData;
const db = openDatabase({ file, readonly: true });
db.pragma(`cache_size = -${CACHE_SIZE}`);
const connection = new Connection(db);

function outcomeOf(statement: Statement): Outcome {
  try {
    setDeadline(db, performance.now() + statement.left);
    if (!db.inTransaction) db.exec('BEGIN');
    connection.check();
    const begun = performance.now();
    const rows = rowsOf(statement);
    return { rows, time: performance.now() - begun };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return error instanceof UnavailableError ? { unavailable: message } : { error: message };
  }
}

function rowsOf({ text, parameters, maxOctets }: Statement): readonly Row[] {
  if (maxOctets === Number.POSITIVE_INFINITY) return connection.all(text, ...parameters);
  return connection.until(text, parameters, maxOctets);
}

parentPort?.on('message', (message: Message) => {
  if (message === 'close') {
    db.close();
    parentPort?.close();
  } else if (message === 'end') {
    if (db.inTransaction) db.exec('COMMIT');
  } else {
    parentPort?.postMessage(outcomeOf(message));
  }
});
