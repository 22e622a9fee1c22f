import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BuildError } from './build-tools.mjs';

/** Between two looks at a lock that another process holds, in milliseconds. */
const PAUSE = 100;

/**
 * Runs `work` while no other process builds `root`. The lock is SQLite's, on an empty database: the
 * system releases it however the process ends, which no file with a process id in it can promise.
 */
export async function withBuildLock(root, onWait, work) {
  mkdirSync(join(root, 'build'), { recursive: true });
  const Database = await loadDriver(root);
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

/**
 * The first package that a start needs: where it lacks, so does all that `npm ci` installs.
 * src/database/sqlite/driver.ts says why there are two.
 */
async function loadDriver(root) {
  try {
    return Number(process.versions.napi) >= 10
      ? (await import('better-sqlite3-13')).default
      : (await import('better-sqlite3')).default;
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new BuildError(`the packages are not installed: run npm ci in ${root}`, 2);
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
