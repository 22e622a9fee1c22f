import { setTimeout as sleep } from 'node:timers/promises';
import { UnavailableError } from '../../protocol/errors.js';
import { isBusy } from './errors.js';

const FIRST_PAUSE = 1;
const LONGEST_PAUSE = 50;

/**
 * Calls `attempt` until it no longer fails with SQLITE_BUSY (another process, a command, is
 * writing), waiting longer each time, without blocking the event loop. `giveUp` is asked before
 * each further attempt; where it says true the promise rejects with UnavailableError. Other errors
 * pass through.
 */
export async function retryBusy<T>(attempt: () => T, giveUp: () => boolean): Promise<T> {
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
