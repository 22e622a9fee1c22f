/** Timers take no more than 31 bits; who waits for longer has a deadline elsewhere too. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Returns the ms until a deadline (of `performance.now()`) as a timer takes them. */
export function timeLeft(deadline: number): number {
  return Math.min(Math.max(0, deadline - performance.now()), LONGEST_TIMER);
}
