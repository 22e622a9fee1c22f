import { setTimeout as sleep } from 'node:timers/promises';
import type { User } from './subject/user.js';

/** ms in which one user sees what another did: no RFC says that it is at once. */
const SOON = 10_000;
/** ms between two questions. */
const STEP = 50;

/**
 * Asks for a user until an answer is as it should be, for some seconds. Returns the last answer,
 * whatever it is.
 */
export async function askUntil<T>(
  { watching }: Pick<User, 'watching'>,
  ask: () => Promise<T>,
  isDone: (answer: T) => boolean,
): Promise<T> {
  const end = performance.now() + Math.min(SOON, watching.wire.patience);
  for (;;) {
    const answer = await ask();
    if (isDone(answer) || performance.now() > end) return answer;
    await sleep(STEP);
  }
}
