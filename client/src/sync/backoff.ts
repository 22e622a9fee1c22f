const SHORTEST = 250;
const LONGEST = 60_000;

/** Waits longer from failure to failure, ms, each time with a part of it left to chance. */
export class Backoff {
  #failures = 0;

  /** Returns how long to wait after one more failure; at least as long as a server asks for. */
  next(retryAfter = 0): number {
    const longest = Math.min(LONGEST, SHORTEST * 2 ** this.#failures);
    this.#failures += 1;
    return Math.max(retryAfter, longest / 2 + Math.random() * (longest / 2));
  }

  reset(): void {
    this.#failures = 0;
  }
}
