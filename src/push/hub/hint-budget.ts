const SECOND = 1000;

/** How many hints of other processes are taken in a second: what is beyond costs a comparison. */
export class HintBudget {
  readonly #most: number;
  #since = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Takes so many hints where the present second has room for one at least. Returns whether it has.
   * `now`: ms of `performance.now()`.
   */
  take(count: number, now: number): boolean {
    if (now >= this.#since + SECOND) {
      this.#since = now;
      this.#count = 0;
    }
    if (this.#count >= this.#most) return false;
    this.#count += count;
    return true;
  }
}
