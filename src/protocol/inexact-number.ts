/**
 * Stands in a parsed request where a number token's double is an integer, or infinite, but not
 * exactly what the text says: 1e400, 9007199254740993, 4.99999999999999999999 (D4). Whoever expects
 * an Int refuses it; whoever expects any number may take `value`. It has no enumerable members, and
 * `isJsonObject` is false for it.
 */
export class InexactNumber {
  readonly #value: number;
  readonly #source: string;

  constructor(source: string) {
    this.#value = Number(source);
    this.#source = source;
  }

  /** The nearest double; infinite where the text lies beyond their range. */
  get value(): number {
    return this.#value;
  }

  /** The number as the client wrote it. */
  get source(): string {
    return this.#source;
  }

  /** What `JSON.stringify` writes: the nearest double, and null for an infinite one. */
  toJSON(): number {
    return this.#value;
  }
}
