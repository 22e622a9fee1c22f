/** A cause that has been let through is only counted for so long, ms. */
const EVERY = 30_000;

interface Seen {
  until: number;
  count: number;
}

/** Lets each cause through once, then at most every 30 seconds: for lines of the log. */
export class Seldom {
  readonly #most: number;
  readonly #now: () => number;
  readonly #seen = new Map<string, Seen>();

  /** `most`: causes that are remembered. */
  constructor(most: number, now: () => number = () => performance.now()) {
    this.#most = most;
    this.#now = now;
  }

  /**
   * Returns the fields to log beside a cause: how often it came since its last line. Returns null
   * where it is not to be logged now.
   */
  admit(cause: string): { readonly unlogged?: number } | null {
    const known = this.#seen.get(cause);
    if (known !== undefined && this.#now() < known.until) {
      known.count += 1;
      return null;
    }
    // The oldest is forgotten: Maps keep the order in which keys came.
    const [oldest] = this.#seen.keys();
    if (known === undefined && this.#seen.size >= this.#most && oldest !== undefined) {
      this.#seen.delete(oldest);
    }
    this.#seen.delete(cause);
    this.#seen.set(cause, { until: this.#now() + EVERY, count: 0 });
    return known === undefined || known.count === 0 ? {} : { unlogged: known.count };
  }
}
