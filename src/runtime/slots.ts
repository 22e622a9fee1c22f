/** Keys that hold nothing are forgotten when there are so many of them. */
const MANY = 1024;

/**
 * A number for each key (a user), 0 where none is known. Who asks once will ask again: to forget a key whenever its
 * number is 0 would have the map shrink and grow with each request.
 */
export class Tally {
  readonly #numbers = new Map<string, number>();
  #forgetAt = MANY;

  get(key: string): number {
    return this.#numbers.get(key) ?? 0;
  }

  set(key: string, number: number): void {
    this.#numbers.set(key, number);
    if (this.#numbers.size > this.#forgetAt) this.#forget();
  }

  /** Keys that are remembered. */
  get size(): number {
    return this.#numbers.size;
  }

  #forget(): void {
    for (const [key, number] of this.#numbers) if (number === 0) this.#numbers.delete(key);
    this.#forgetAt = Math.max(MANY, 2 * this.#numbers.size);
  }
}

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
