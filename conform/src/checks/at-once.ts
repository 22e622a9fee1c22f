import { NotApplicable } from '../not-applicable.js';
import type { Subject } from '../subject/subject.js';

/**
 * Work that goes on at the same time: none of it outlives its check, or goes on behind the removal
 * of what it made.
 */

/**
 * Runs works at the same time, and returns their results when all have ended. Throws the first
 * failure.
 */
export async function runAtOnce<T>(works: readonly (() => Promise<T>)[]): Promise<readonly T[]> {
  const begun = works.map(async (work) => await work());
  const all = Promise.all(begun);
  // `all`, too, must be waited for from the start: a rejection that nobody handles ends the whole
  // runner.
  await Promise.allSettled([all, ...begun]);
  return await all;
}

/** Runs each side so many times, one beside the other. Where one fails the other stops. */
export async function runSideBySide(
  { server }: Subject,
  rounds: number,
  ...sides: readonly ((round: number) => Promise<void>)[]
): Promise<void> {
  // RFC 8620 2: a server may take one request at a time, and refuse the other.
  if (server.user.session.readLimit('maxConcurrentRequests') < sides.length)
    throw new NotApplicable(`The server takes fewer than ${sides.length} requests at a time.`);
  let isOver = false;
  const repeat = async (side: (round: number) => Promise<void>): Promise<void> => {
    try {
      for (let round = 0; round < rounds && !isOver; round += 1) await side(round);
    } catch (error) {
      isOver = true;
      throw error;
    }
  };
  await runAtOnce(sides.map((side) => () => repeat(side)));
}
