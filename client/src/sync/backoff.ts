/** The first wait and the longest one, ms. */
const SHORTEST = 250;
const LONGEST = 60_000;
/** A server may ask for no longer wait, ms: timers end at once that are set for weeks. */
const HOUR = 3_600_000;

/** Waits longer from failure to failure, ms, each time with a part of it left to chance. */
export class Backoff {
  readonly #shortest: number;
  #failures = 0;

  constructor(shortest = SHORTEST) {
    this.#shortest = shortest;
  }

  /**
   * Returns how long to wait after one more failure: at least `least`, and as long as the error
   * asks for.
   */
  next(error?: unknown, least = 0): number {
    const { retryAfter = 0 } = (error ?? {}) as { readonly retryAfter?: number };
    const longest = Math.min(LONGEST, this.#shortest * 2 ** this.#failures);
    this.#failures += 1;
    const wait = longest / 2 + Math.random() * (longest / 2);
    return Math.min(HOUR, Math.max(least, retryAfter * 1000 || 0, wait));
  }

  reset(): void {
    this.#failures = 0;
  }
}
