import type { ValidationIssue } from './validation.js';

/** All that emitted validators and definitions use at run time: they import nothing else. */

export { jsonEqual } from '../protocol/equal.js';
export { isInexact } from '../protocol/json.js';
export { compilePattern } from '../text/pattern/index.js';
export { FORMATS } from './formats/index.js';

/** Issues that a validator keeps of one rule; a client may break it millions of times. */
const MAX_ISSUES = 100;
/** Of longer texts the loop takes ten times as long as the expression. */
const SHORT = 64;

/** An issue as an emitted validator reports it. */
interface Complaint {
  /** JSON Pointer to the value at fault. */
  readonly at: string;
  /** The rule that is broken, as a place in the schema; its last token is the keyword. */
  readonly rule: string;
  readonly params?: ValidationIssue['params'];
  readonly message: string;
}

/**
 * Returns the issues of a validator with one more. Once there are many, another one of a rule that
 * is among them is left out. So every broken rule is named, and a value of millions of wrong items
 * takes no more memory than itself.
 */
export function addIssue(
  issues: ValidationIssue[] | null,
  { at, rule, params = {}, message }: Complaint,
): ValidationIssue[] {
  const keyword = rule.slice(rule.lastIndexOf('/') + 1);
  return addIssues(issues, [{ instancePath: at, schemaPath: rule, keyword, params, message }]);
}

/** Returns the same with the issues of another validator, which judged a part of the value. */
export function addIssues(
  issues: ValidationIssue[] | null,
  more: readonly ValidationIssue[] | null | undefined,
): ValidationIssue[] {
  const kept = issues ?? [];
  for (const issue of more ?? []) {
    const { schemaPath } = issue;
    if (kept.length >= MAX_ISSUES && kept.some((one) => one.schemaPath === schemaPath)) continue;
    kept.push(issue);
  }
  return kept;
}

/** Notes the branch of a union at the issues from `first` on that have none further within. */
export function noteBranch(
  issues: readonly ValidationIssue[],
  first: number,
  member: string,
  value: unknown,
): void {
  for (const issue of issues.slice(first)) issue.branch ??= { member, value };
}

const HIGH_SURROGATE = /[\ud800-\udbff]/;

/** Returns the length of a text as JMAP counts it here: in Unicode code points. */
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
