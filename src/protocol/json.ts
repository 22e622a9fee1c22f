/** JSON as JMAP sees it (RFC 8620 1.5: I-JSON). */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [member: string]: JsonValue;
}

/** Returns true for a JSON object: neither null nor an array, nor a number that no double holds. */
export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof InexactNumber)
  );
}

/** Does the same as `Array.isArray`, for a JSON value: the array is readonly to TypeScript. */
export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/**
 * Returns the object's own member of a name that a client may have chosen; undefined where it has
 * none.
 */
export function memberOf(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/**
 * Returns a JSON object that is being built from names that a client chose. It has no prototype, so
 * `__proto__`, `constructor` and their like are plain members.
 */
export function emptyObject<T = JsonValue>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

/** V8 makes a hash table of an object without a prototype, but not of one with this prototype. */
const BARE: object = Object.freeze(emptyObject());

/**
 * Returns an empty object for members that a type declares. Such names come again, so V8 knows the
 * shape, and makes, reads and writes the object in about half the time. An object with other names
 * in each request (ids) is better off as an `emptyObject`.
 */
export function declaredObject(): Record<string, JsonValue> {
  return Object.create(BARE) as Record<string, JsonValue>;
}

/** Returns true for what is no instance of a class: an object literal, or one of the two above. */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || prototype === BARE;
}

/**
 * Stands in a parsed request for a number token whose double is an integer, or infinite, but not
 * exactly what the text says: 1e400, 9007199254740993, 4.99999999999999999999. Code that expects an
 * Int refuses it; code that expects any number may take `value`. It has no enumerable members, and
 * `isJsonObject` is false for it.
 */
export class InexactNumber {
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  /** Returns the nearest double; infinite where the text lies beyond their range. */
  get value(): number {
    return Number(this.#source);
  }

  /** Returns the number as the client wrote it. */
  get source(): string {
    return this.#source;
  }

  /** Returns a text for `JSON.stringify` which `writeNumbers` makes a number again. */
  toJSON(): string {
    return `${MARK}${this.#source}`;
  }
}

/** Returns whether it is a number that no double holds exactly: an object here, a JSON number. */
export function isInexact(value: unknown): value is InexactNumber {
  return value instanceof InexactNumber;
}

/** Marks numbers within text: a lone surrogate, which no client may send (RFC 8620 1.5). */
const MARK = '\uDC00';

/** JSON.stringify escapes it, and escapes a backslash of a client's own with a second one. */
const WRITTEN_MARK = '\\udc00';
const WRITTEN_NUMBERS = /"\\udc00([-+.eE\d]+)"/g;

/** Puts the clients' own numbers back into what `JSON.stringify` made of InexactNumbers. */
export function writeNumbers(text: string): string {
  return text.includes(WRITTEN_MARK) ? text.replace(WRITTEN_NUMBERS, '$1') : text;
}

const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The most decimal digits that the integer of a finite double has. */
const MAX_INTEGER_DIGITS = 309;

/** 5 ** 23 has more than the 53 bits of a double, and is odd: no multiple of 10 ** 23 is one. */
const MAX_EXACT_POWER = 22;

/**
 * Returns the value of a number token. It is an InexactNumber where the nearest double is infinite,
 * or an integer that the text does not say; -0 is 0.
 */
export function exactNumber(token: string): number | InexactNumber {
  const double = Number(token);
  if (Number.isFinite(double) && !Number.isInteger(double)) return double;
  if (Number.isSafeInteger(double) && String(double) === token) return double;
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(token) ?? [];
  const digits = trimZeros(whole + fraction);
  if (digits.text === '') return 0;
  const power = Number(exponent) - fraction.length + digits.trailing;
  const isInteger =
    power >= 0 && power <= MAX_EXACT_POWER && digits.text.length + power <= MAX_INTEGER_DIGITS;
  const isExact =
    isInteger && BigInt(digits.text) * 10n ** BigInt(power) === BigInt(Math.abs(double));
  return isExact ? double : new InexactNumber(token);
}

/**
 * Digits without zeros at either end, and how many stood at the end. Linear for any run of zeros.
 */
function trimZeros(digits: string): { readonly text: string; readonly trailing: number } {
  let start = 0;
  let end = digits.length;
  while (start < end && digits.charAt(start) === '0') start += 1;
  while (end > start && digits.charAt(end - 1) === '0') end -= 1;
  return { text: digits.slice(start, end), trailing: digits.length - end };
}
