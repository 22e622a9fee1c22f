import { Tally } from './slots.js';

/**
 * The bound on octets of request bodies that a process holds at once, from their arrival to their answer (D6). One
 * user gets half of it at most, so that no user alone can make the server refuse others.
 */
export class BodyBudget {
  readonly #total: number;
  readonly #share: number;
  readonly #held = new Tally();
  #inFlight = 0;

  constructor(maxSizeRequest: number) {
    const wanted = Math.min(Math.max(16 * maxSizeRequest, 64 * 1024 ** 2), 512 * 1024 ** 2);
    // Whatever the limits are, a request of the largest size must be possible.
    this.#share = Math.max(wanted / 2, maxSizeRequest);
    this.#total = 2 * this.#share;
  }

  /** Whether `octets` more would fit now: asked before a body of known length is read. */
  fits(user: string, octets: number): boolean {
    return this.#inFlight + octets <= this.#total && this.#held.get(user) + octets <= this.#share;
  }

  /** Counts octets that have arrived; false where they don't fit, and then nothing is counted. */
  take(user: string, octets: number): boolean {
    if (!this.fits(user, octets)) return false;
    this.#inFlight += octets;
    this.#held.set(user, this.#held.get(user) + octets);
    return true;
  }

  release(user: string, octets: number): void {
    if (octets === 0) return;
    this.#inFlight -= octets;
    this.#held.set(user, Math.max(0, this.#held.get(user) - octets));
  }

  get inFlight(): number {
    return this.#inFlight;
  }
}
