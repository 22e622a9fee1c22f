/** A number token: the octets from `start` up to, not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * What one pass over JSON octets finds. For what is no JSON it means nothing, but comes without
 * error.
 */
export interface Scan {
  readonly tooDeep: boolean;
  /** Members of all objects together. */
  readonly members: number;
  /** There is an escape that may make a surrogate or a noncharacter. */
  readonly hasSuspectEscape: boolean;
  /** A number starts with "-0". */
  readonly hasMinusZero: boolean;
  /** Number tokens with an exponent or so long that a double may not hold them. */
  readonly longNumbers: readonly Span[];
}

/** What is remembered of the escapes of all strings. */
interface Escapes {
  isSuspect: boolean;
}

const QUOTE = 0x22;
const PLUS = 0x2b;
const MINUS = 0x2d;
const DOT = 0x2e;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/**
 * Escapes that matter start with \uD8 to \uDF, \uFD or \uFF; letters are compared in lower case.
 */
const LETTER_D = 0x64;
const LETTER_E = 0x65;
const LETTER_F = 0x66;
const LETTER_U = 0x75;
const LOWER_CASE = 0x20;

/**
 * A token without an exponent and with up to so many digits is an integer only where its double is
 * the same.
 */
const SAFE_DIGITS = 15;

/** After so many octets of a string the native search is faster than a look at each. */
const FAR = 256;

/** How far it looks at once: a search that ends soon must not have looked at all the rest. */
const WINDOW = 16_384;

/** Where the next quote or backslash is, or an octet in front of which there is none. */
function plainEnd(octets: Uint8Array, at: number): number {
  const length = Math.min(WINDOW, octets.length - at);
  const rest = Buffer.from(octets.buffer, octets.byteOffset + at, length);
  const quote = rest.indexOf(QUOTE);
  const until = quote < 0 ? rest : rest.subarray(0, quote);
  const backslash = until.indexOf(BACKSLASH);
  return at + (backslash < 0 ? until.length : backslash);
}

/**
 * Where the string that begins at `at` ends: its quote, or the end of the octets or beyond it, where it has none. `seen`
 * hears of each escape.
 */
export function stringEnd(octets: Uint8Array, from: number, seen?: Escapes): number {
  const { length } = octets;
  let at = from;
  let far = at + FAR;
  for (let inner = octets[at]; inner !== QUOTE && at < length; inner = octets[at]) {
    if (inner === BACKSLASH) {
      if (seen !== undefined) seen.isSuspect ||= isSuspectEscape(octets, at + 1);
      at += 2;
      far = at + FAR;
    } else if (at < far) {
      at += 1;
    } else {
      at = plainEnd(octets, at);
    }
  }
  return at;
}

/**
 * Looks at every octet of UTF-8 once. Stops where arrays and objects are nested deeper than
 * `maxDepth`.
 */
export function scan(octets: Uint8Array, maxDepth: number): Scan {
  const { length } = octets;
  const longNumbers: Span[] = [];
  let tooDeep = false;
  let members = 0;
  let depth = 0;
  const escapes: Escapes = { isSuspect: false };
  let hasMinusZero = false;
  let at = 0;
  while (at < length && !tooDeep) {
    const octet = octets[at] ?? 0;
    if (octet === QUOTE) {
      at = stringEnd(octets, at + 1, escapes);
    } else if (octet === COLON) {
      members += 1;
    } else if (octet === OPEN_OBJECT || octet === OPEN_ARRAY) {
      depth += 1;
      tooDeep = depth > maxDepth;
    } else if (octet === CLOSE_OBJECT || octet === CLOSE_ARRAY) {
      depth -= 1;
    } else if ((octet >= DIGIT_0 && octet <= DIGIT_9) || octet === MINUS) {
      const start = at;
      hasMinusZero ||= octet === MINUS && octets[at + 1] === DIGIT_0;
      let hasExponent = false;
      for (at += 1; at < length; at += 1) {
        const digit = octets[at] ?? 0;
        if ((digit | LOWER_CASE) === LETTER_E) hasExponent = true;
        else if (!isNumberPart(digit)) break;
      }
      if (hasExponent || at - start > SAFE_DIGITS) longNumbers.push({ start, end: at });
      continue;
    }
    at += 1;
  }
  return { tooDeep, members, hasSuspectEscape: escapes.isSuspect, hasMinusZero, longNumbers };
}

function isNumberPart(octet: number): boolean {
  return (
    (octet >= DIGIT_0 && octet <= DIGIT_9) || octet === DOT || octet === PLUS || octet === MINUS
  );
}

function isSuspectEscape(octets: Uint8Array, at: number): boolean {
  if (octets[at] !== LETTER_U) return false;
  const first = (octets[at + 1] ?? 0) | LOWER_CASE;
  const second = (octets[at + 2] ?? 0) | LOWER_CASE;
  if (first === LETTER_D) return second > DIGIT_0 + 7;
  return first === LETTER_F && (second === LETTER_D || second === LETTER_F);
}
