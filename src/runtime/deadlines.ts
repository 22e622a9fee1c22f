import { UnavailableError } from '../protocol/errors.js';

/** Timers take no more than 31 bits; who waits for longer has a deadline elsewhere too. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** Returns the ms until a deadline (of `performance.now()`) as a timer takes them. */
export function timeLeft(deadline: number): number {
  return Math.min(Math.max(0, deadline - performance.now()), LONGEST_TIMER);
}

/** Gives the call up where its time has passed. */
export function requireTime(deadline: number): void {
  if (performance.now() > deadline) throw lateError();
}

/** Returns a call whose time has passed; `cause` is what it was told of that. */
export function lateError(cause?: unknown): UnavailableError {
  return new UnavailableError('The call took longer than REQUEST_TIMEOUT allows.', { cause });
}

/** Resolves when `work` has ended, or at the deadline. Rejects as `work` does. */
export async function endBefore(deadline: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeLeft(deadline));
  });
  try {
    await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves as `work` does; rejects at the deadline with the error that `late` makes. */
export async function inTime<T>(deadline: number, work: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), timeLeft(deadline));
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}
