import { InexactNumber } from '../protocol/inexact-number.js';
import type { ValidationIssue } from './validation.js';

/** What emitted validators and definitions call at run time: they import nothing else. */

export { jsonEqual } from '../protocol/equal.js';
export { compilePattern } from '../text/pattern/index.js';
export { FORMATS } from './formats/index.js';

/** Issues that a validator keeps of one rule; a client may break it millions of times. */
const MAX_ISSUES = 100;
/** Deeper values than this are refused where a schema allows any JSON. */
const MAX_DEPTH = 64;
const NUL = '\u0000';
/** Of longer texts the loop takes ten times as long as the expression. */
const SHORT = 64;

/**
 * Adds an issue to what a validator has found. Once there are many, further ones of a rule that has
 * been complained of are left out: every rule that is broken is named, and a value of millions of
 * wrong items takes no more memory than itself.
 */
export function keepIssue(
  issues: ValidationIssue[] | null,
  issue: ValidationIssue,
): ValidationIssue[] {
  if (issues === null) return [issue];
  const isKnown =
    issues.length >= MAX_ISSUES && issues.some(({ schemaPath }) => schemaPath === issue.schemaPath);
  if (!isKnown) issues.push(issue);
  return issues;
}

/**
 * A number of the client's that no double holds exactly: an object to JavaScript, a number to
 * JSON.
 */
export function isInexact(value: unknown): value is InexactNumber {
  return value instanceof InexactNumber;
}

const HIGH_SURROGATE = /[\ud800-\udbff]/;

/** The length of a text as JMAP counts it here: in Unicode code points (D14). */
export function codePointLength(text: string): number {
  if (text.length > SHORT && !HIGH_SURROGATE.test(text)) return text.length;
  let length = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    if (isHigh(text.charCodeAt(index)) && isLow(text.charCodeAt(index + 1))) {
      length--;
      index++;
    }
  }
  return length;
}

/**
 * Readies `holder[key]`, any JSON, for a JSON column: replaces inexact numbers by their nearest
 * doubles. Returns what can't be stored (U+0000, a number without a double, too many levels), or
 * null.
 */
export function settleJson(holder: object, key: string | number): string | null {
  return settle(holder as Record<string | number, unknown>, key, 0);
}

function settle(
  holder: Record<string | number, unknown>,
  key: string | number,
  depth: number,
): string | null {
  const value = holder[key];
  if (typeof value === 'string') return value.includes(NUL) ? 'must not contain U+0000' : null;
  if (typeof value !== 'object' || value === null) return null;
  if (isInexact(value)) {
    if (!Number.isFinite(value.value))
      return 'must not contain a number beyond the range of doubles';
    holder[key] = value.value;
    return null;
  }
  if (depth >= MAX_DEPTH) return `must not nest more than ${MAX_DEPTH} levels deep`;
  const inner = value as Record<string | number, unknown>;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const problem = settle(inner, index, depth + 1);
      if (problem !== null) return problem;
    }
    return null;
  }
  for (const name of Object.keys(value)) {
    if (name.includes(NUL)) return 'must not contain U+0000';
    const problem = settle(inner, name, depth + 1);
    if (problem !== null) return problem;
  }
  return null;
}

/**
 * Freezes data all the way down and returns it; functions stay as they are (validators keep
 * `errors`).
 */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) frozen(inner);
  return value;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
