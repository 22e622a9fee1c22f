/** Counts what runs at once for each key (a user), up to a maximum (RFC 8620 2: maxConcurrent*). */
export class Slots {
  readonly #maximum: number;
  readonly #taken = new Map<string, number>();

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /** Takes a slot; false where all are taken. Each success needs one `release`. */
  take(key: string): boolean {
    const taken = this.#taken.get(key) ?? 0;
    if (taken >= this.#maximum) return false;
    this.#taken.set(key, taken + 1);
    return true;
  }

  release(key: string): void {
    const taken = this.#taken.get(key) ?? 0;
    if (taken > 1) this.#taken.set(key, taken - 1);
    else this.#taken.delete(key);
  }

  taken(key: string): number {
    return this.#taken.get(key) ?? 0;
  }
}
