import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';

/** Between two looks at a lock that another process holds, in milliseconds. */
const PAUSE = 100;

/**
 * Runs `work` while no other process builds `root`. The lock is SQLite's, on an empty database: the
 * system releases it however the process ends, which no file with a process id in it can promise.
 */
export async function withBuildLock(root, onWait, work) {
  mkdirSync(join(root, 'build'), { recursive: true });
  const lock = new Database(join(root, 'build', 'lock.db'), { timeout: 0 });
  try {
    let waiting = false;
    while (!acquire(lock)) {
      if (!waiting) onWait();
      waiting = true;
      await sleep(PAUSE);
    }
    return await work();
  } finally {
    lock.close();
  }
}

function acquire(lock) {
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (error.code === 'SQLITE_BUSY') return false;
    throw error;
  }
}
