/** The first wait and the longest one, ms. */
const SHORTEST = 250;
const LONGEST = 60_000;

/** Waits longer from failure to failure, ms, each time with a part of it left to chance. */
export class Backoff {
  readonly #shortest: number;
  #failures = 0;

  constructor(shortest = SHORTEST) {
    this.#shortest = shortest;
  }

  /** Returns how long to wait after one more failure; at least as long as its error asks for. */
  next(error?: unknown): number {
    const { retryAfter = 0 } = (error ?? {}) as { readonly retryAfter?: number };
    const longest = Math.min(LONGEST, this.#shortest * 2 ** this.#failures);
    this.#failures += 1;
    return Math.max(retryAfter * 1000, longest / 2 + Math.random() * (longest / 2));
  }

  reset(): void {
    this.#failures = 0;
  }
}
