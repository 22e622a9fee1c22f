import type { ValidationIssue, Validator } from '../capability/validation.js';
import { excerpt } from '../protocol/excerpt.js';
import { declaredObject, type JsonValue } from '../protocol/json.js';
import { parsePointer } from '../protocol/json-pointer.js';
import type { Steps } from '../protocol/slices.js';

/** What a generated validator found wrong, in words. */
export interface Complaint {
  /** The top-level member at fault; "" for the whole. */
  readonly member: string;
  /** The member or what lies in it, and what is legal. */
  readonly text: string;
}

const MAX_COMPLAINTS = 20;

const NONE: readonly Complaint[] = Object.freeze([]);

/** Runs a validator; all of its complaints, none where the data is valid. */
export function complaintsOf(validator: Validator, data: unknown): readonly Complaint[] {
  if (validator(data)) return NONE;
  // Read at once: the next call of the validator overwrites them.
  return (validator.errors ?? []).map(complaint);
}

/**
 * The same of an object of a type, with pauses: what a type says of a property depends on no other
 * one. So a property that is large is judged by itself.
 */
export function* complaintSteps(
  validator: Validator,
  data: Record<string, JsonValue>,
  judgeProperty: Validator = validator,
): Steps<readonly Complaint[]> {
  let large: string[] | null = null;
  for (const name in data) if (isLarge(data[name])) large = [...(large ?? []), name];
  if (large === null) return complaintsOf(validator, data);
  const rest = declaredObject();
  for (const name in data) if (!large.includes(name)) rest[name] = data[name] ?? null;
  const complaints: Complaint[] = [];
  for (const complaint of complaintsOf(validator, rest)) {
    // A large property is not missing.
    if (!large.includes(complaint.member)) complaints.push(complaint);
  }
  for (const name of large) {
    yield;
    const one = declaredObject();
    one[name] = data[name] ?? null;
    complaints.push(...complaintsOf(judgeProperty, one));
    // A validator may put a number in the place of one that no double holds.
    data[name] = one[name] ?? null;
  }
  return complaints;
}

/** Members of a map, items of an array or characters of a text that are judged in a moment. */
const FEW = 10_000;

function isLarge(value: JsonValue | undefined): boolean {
  if (typeof value === 'string') return value.length > FEW;
  if (typeof value !== 'object' || value === null) return false;
  return (Array.isArray(value) ? value.length : Object.keys(value).length) > FEW;
}

/** One sentence for many complaints; a hostile number of them is cut. */
export function sentence(texts: Iterable<string>): string {
  const all = new Set(texts);
  return sentenceOf(all, all.size);
}

/**
 * The same of texts that all differ and are made one by one: only those that are shown are made.
 */
export function sentenceOf(texts: Iterable<string>, count: number): string {
  const shown: string[] = [];
  for (const text of texts) {
    if (shown.length === MAX_COMPLAINTS) break;
    shown.push(text);
  }
  const more = count - shown.length;
  return more > 0 ? `${shown.join('; ')}; and ${more} more.` : `${shown.join('; ')}.`;
}

/** A name that a client chose, short and quoted. */
export function quoted(name: string): string {
  return `"${excerpt(name)}"`;
}

function complaint(issue: ValidationIssue): Complaint {
  const path = [...(parsePointer(issue.instancePath) ?? [])];
  const missing = parameter(issue, 'missingProperty');
  const unknown = parameter(issue, 'additionalProperty') ?? parameter(issue, 'unevaluatedProperty');
  const named = missing ?? unknown;
  if (named !== null) path.push(named);
  const place = path.length === 0 ? 'the value' : quoted(path.join('/'));
  return { member: path[0] ?? '', text: `${place} ${rule(issue, missing, unknown)}` };
}

function rule(issue: ValidationIssue, missing: string | null, unknown: string | null): string {
  if (missing !== null) return 'is missing';
  if (unknown !== null) return 'is not known';
  if (issue.keyword === 'propertyNames') {
    return `has the illegal key ${quoted(parameter(issue, 'propertyName') ?? '')}`;
  }
  const { allowedValues } = issue.params;
  if (issue.keyword === 'enum' && Array.isArray(allowedValues)) {
    const legal = allowedValues.map((value) => JSON.stringify(value)).join(', ');
    return allowedValues.length === 1 ? `must be ${legal}` : `must be one of ${legal}`;
  }
  const { type } = issue.params;
  if (issue.keyword === 'type' && Array.isArray(type)) return `must be ${type.join(' or ')}`;
  return issue.message ?? `breaks the rule ${issue.keyword}`;
}

function parameter(issue: ValidationIssue, name: string): string | null {
  const value = issue.params[name];
  return typeof value === 'string' ? value : null;
}
