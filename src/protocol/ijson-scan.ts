import { numberReplacement } from './ijson-numbers.js';
import type { InexactNumber } from './inexact-number.js';

/** A number token that the native parser must not have: text positions, and what stands there instead. */
export interface NumberReplacement {
  readonly start: number;
  readonly end: number;
  readonly value: number | InexactNumber;
}

/** What one pass over JSON text finds. For a text that is no JSON it means nothing, but comes without error. */
export interface Scan {
  readonly tooDeep: boolean;
  /** Members of all objects together. */
  readonly members: number;
  /** There is an escape that may make a surrogate or a noncharacter. */
  readonly hasSuspectEscape: boolean;
  readonly replacements: readonly NumberReplacement[];
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
/** `d` to `f` and `u`, in lower case: the escapes that matter start with \uD8..DF, \uFD and \uFF. */
const LETTER_D = 0x64;
const LETTER_E = 0x65;
const LETTER_F = 0x66;
const LETTER_U = 0x75;
const LOWER_CASE = 0x20;

/** Decimal digits that a double always holds exactly, wherever the point stands among them. */
const SAFE_DIGITS = 15;

/** Looks at every character once. Stops where arrays and objects are nested deeper than `maxDepth`. */
export function scan(text: string, maxDepth: number): Scan {
  const { length } = text;
  const replacements: NumberReplacement[] = [];
  let members = 0;
  let depth = 0;
  let hasSuspectEscape = false;
  let at = 0;
  while (at < length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at += 1;
      for (let inner = text.charCodeAt(at); inner !== QUOTE && at < length; ) {
        if (inner === BACKSLASH) {
          hasSuspectEscape ||= isSuspectEscape(text, at + 1);
          at += 1;
        }
        at += 1;
        inner = text.charCodeAt(at);
      }
    } else if (code === COLON) {
      members += 1;
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      depth += 1;
      if (depth > maxDepth) return { tooDeep: true, members, hasSuspectEscape, replacements };
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      depth -= 1;
    } else if ((code >= DIGIT_0 && code <= DIGIT_9) || code === MINUS) {
      const start = at;
      at = endOfNumber(text, start);
      const mayBeZero = code === MINUS && text.charCodeAt(start + 1) === DIGIT_0;
      if (mayBeZero || at - start > SAFE_DIGITS || hasExponent(text, start, at)) {
        const value = numberReplacement(text.slice(start, at));
        if (value !== null) replacements.push({ start, end: at, value });
      }
      continue;
    }
    at += 1;
  }
  return { tooDeep: false, members, hasSuspectEscape, replacements };
}

function isSuspectEscape(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== LETTER_U) return false;
  const first = text.charCodeAt(at + 1) | LOWER_CASE;
  const second = text.charCodeAt(at + 2) | LOWER_CASE;
  if (first === LETTER_D) return second > DIGIT_0 + 7;
  return first === LETTER_F && (second === LETTER_D || second === LETTER_F);
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const isPart =
      (code >= DIGIT_0 && code <= DIGIT_9) ||
      code === DOT ||
      code === PLUS ||
      code === MINUS ||
      (code | LOWER_CASE) === LETTER_E;
    if (!isPart) break;
  }
  return at;
}

function hasExponent(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    if ((text.charCodeAt(at) | LOWER_CASE) === LETTER_E) return true;
  }
  return false;
}
