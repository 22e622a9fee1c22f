import { setTimeout as sleep } from 'node:timers/promises';
import { isRetryable, lateError } from '../../database/postgresql/errors.js';

/** Before a transaction that lost against another runs again, ms; times a random number. */
const FIRST_PAUSE = 20;
/** Each pause is twice the one before, up to so many times the first. */
const LONGEST_PAUSE = 32;

/** Runs a transaction again where the database undid it for the sake of another, until the deadline. */
export async function retried<T>(deadline: number, run: () => Promise<T>): Promise<T> {
  for (let lost = 0; ; lost += 1) {
    try {
      return await run();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      const pause = FIRST_PAUSE * Math.min(2 ** lost, LONGEST_PAUSE) * (0.5 + Math.random());
      if (performance.now() + pause > deadline) throw lateError(error);
      await sleep(pause);
    }
  }
}
