import { setTimeout as sleep } from 'node:timers/promises';
import { isRetryable } from '../../database/postgresql/errors.js';

/** Before a transaction that lost against another runs again, ms; times a random number. */
const FIRST_PAUSE = 20;
/** Each pause is twice the one before, up to so many times the first. */
const LONGEST_PAUSE = 32;

/** Waits before a transaction that lost so many times before runs again. */
export async function retryPause(lost: number): Promise<void> {
  await sleep(pauseAfter(lost));
}

/** Runs a transaction again where the database undid it for the sake of another, until the deadline. */
export async function retried<T>(deadline: number, run: () => Promise<T>): Promise<T> {
  for (let lost = 0; ; lost += 1) {
    try {
      return await run();
    } catch (error) {
      const pause = pauseAfter(lost);
      if (!isRetryable(error) || performance.now() + pause > deadline) throw error;
      await sleep(pause);
    }
  }
}

function pauseAfter(lost: number): number {
  return FIRST_PAUSE * Math.min(2 ** lost, LONGEST_PAUSE) * (0.5 + Math.random());
}
