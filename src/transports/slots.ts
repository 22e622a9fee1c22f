import { Tally } from './tally.js';

/** Counts what runs at once for each key (a user), up to a maximum (RFC 8620 2: maxConcurrent*). */
export class Slots {
  readonly #maximum: number;
  readonly #taken = new Tally();

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /** Takes a slot; false where all are taken. Each success needs one `release`. */
  take(key: string): boolean {
    const taken = this.#taken.get(key);
    if (taken >= this.#maximum) return false;
    this.#taken.set(key, taken + 1);
    return true;
  }

  release(key: string): void {
    this.#taken.set(key, Math.max(0, this.#taken.get(key) - 1));
  }

  taken(key: string): number {
    return this.#taken.get(key);
  }
}
