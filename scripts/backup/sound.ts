import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { DRIVER_PATH } from '../../src/database/sqlite/index.js';
import { UsageError } from '../cli.js';

/** Plain JavaScript as a text: it runs the same from sources and compiled. */
const CHECK = `
const { parentPort, workerData } = require('node:worker_threads');
const Database = require(workerData.driver);
try {
  const db = new Database(workerData.file, { readonly: true, fileMustExist: true });
  parentPort.postMessage({ found: String(db.pragma('quick_check(1)', { simple: true })) });
  db.close();
} catch ({ message, code }) {
  parentPort.postMessage({ message, code });
}
`;

type Answer = { readonly found: string } | { readonly message: string; readonly code: string };

/**
 * Finds now, not at a restore, the damage that a broken disk has done to the database in `path`. In
 * a thread of its own: it reads the whole file, an hour for the largest, and the server is told
 * meanwhile that the backup goes on (hold.ts). `file` is what the message names.
 */
export async function requireSound(path: string, file: string): Promise<void> {
  const workerData = { driver: DRIVER_PATH, file: path };
  const thread = new Worker(CHECK, { eval: true, workerData });
  try {
    const [answer] = (await once(thread, 'message')) as [Answer];
    if (!('found' in answer)) throw Object.assign(new Error(answer.message), { code: answer.code });
    if (answer.found !== 'ok') {
      throw new UsageError(`The database ${file} is damaged: ${answer.found}.`);
    }
  } finally {
    await thread.terminate();
  }
}
