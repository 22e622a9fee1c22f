import type { ValidationIssue } from './validation.js';

/** All that emitted validators and definitions use at run time: they import nothing else. */

export { jsonEqual } from '../protocol/equal.js';
export { isInexact } from '../protocol/json.js';
export { compilePattern } from '../text/pattern/index.js';
export { FORMATS } from './formats.js';

/** Issues that a validator keeps of one rule; a client may break it millions of times. */
const MAX_ISSUES = 100;
/** Of longer texts the loop takes ten times as long as the expression. */
const SHORT = 64;

/**
 * Whether a validator keeps another issue. Once there are many, it leaves out those of a rule that
 * it has complained of: it names every rule that is broken, and a value of millions of wrong items
 * takes no more memory than itself.
 */
export function keepsIssue(issues: readonly ValidationIssue[] | null, schemaPath: string): boolean {
  if (issues === null || issues.length < MAX_ISSUES) return true;
  return issues.every((issue) => issue.schemaPath !== schemaPath);
}

const HIGH_SURROGATE = /[\ud800-\udbff]/;

/** The length of a text as JMAP counts it here: in Unicode code points. */
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
