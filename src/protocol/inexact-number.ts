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

  /** What `JSON.stringify` writes as a string that `writeNumbers` makes a number again. */
  toJSON(): string {
    return `${MARK}${this.#source}`;
  }
}

/** Starts strings that stand for numbers: a lone surrogate, which no text of a client holds (RFC 8620 1.5). */
export const MARK = '\uDC00';

/** JSON.stringify escapes it, and escapes a backslash of a client's own with a second one. */
const WRITTEN_MARK = '\\udc00';
const WRITTEN_NUMBERS = /"\\udc00([-+.eE\d]+)"/g;

/** Puts the numbers back, as their clients wrote them, into what `JSON.stringify` made of InexactNumbers. */
export function writeNumbers(text: string): string {
  return text.includes(WRITTEN_MARK) ? text.replace(WRITTEN_NUMBERS, '$1') : text;
}
