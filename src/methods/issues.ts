import type { ValidationIssue, Validator } from '../capability/validation.js';
import { type SetError, setError } from '../protocol/errors.js';
import { excerpt } from '../protocol/excerpt.js';
import { declaredObject, type JsonValue } from '../protocol/json.js';
import { parsePointer } from '../protocol/json-pointer.js';
import type { Steps } from '../runtime/paused-work.js';

/** A fault that a generated validator found, in words. */
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
  return validator(data) ? NONE : lastComplaintsOf(validator);
}

/** Returns the complaints of the last call of a validator: the next one overwrites them. */
export function lastComplaintsOf({ errors }: Validator): readonly Complaint[] {
  return (errors ?? []).map(complaint);
}

/**
 * Judges values of properties, a large one alone with pauses around it: the schema of a property
 * depends on no other one. Where the schema has a number, the validator puts a double in the place
 * of one that no double holds exactly, and `values` has it afterwards.
 */
export function* judgeProperties(
  validator: Validator,
  values: Record<string, JsonValue>,
): Steps<readonly Complaint[]> {
  const large: string[] = [];
  for (const name in values) if (isLarge(values[name])) large.push(name);
  if (large.length === 0) return complaintsOf(validator, values);
  const complaints: Complaint[] = [];
  const small = Object.keys(values).filter((name) => !large.includes(name));
  for (const part of [small, ...large.map((name) => [name])]) {
    yield;
    const alone = declaredObject();
    for (const name of part) alone[name] = values[name] ?? null;
    complaints.push(...complaintsOf(validator, alone));
    Object.assign(values, alone);
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

/**
 * Makes one sentence of many complaints, each told once. Callers who know that these differ give
 * their number as `count`: then it reads no more of them than it shows.
 */
export function sentence(texts: Iterable<string>, count = 0): string {
  const all = count > MAX_COMPLAINTS ? texts : new Set(texts);
  const shown: string[] = [];
  for (const text of all) {
    if (shown.length === MAX_COMPLAINTS) break;
    shown.push(text);
  }
  const more = (all instanceof Set ? all.size : count) - shown.length;
  return more > 0 ? `${shown.join('; ')}; and ${more} more.` : `${shown.join('; ')}.`;
}

/** Returns a name that a client chose, short and quoted. */
export function quoted(name: string): string {
  return `"${excerpt(name)}"`;
}

function complaint(issue: ValidationIssue): Complaint {
  const path = [...(parsePointer(issue.instancePath) ?? [])];
  const missing = parameter(issue, 'missingProperty');
  const unknown = parameter(issue, 'additionalProperty') ?? parameter(issue, 'unevaluatedProperty');
  const memberName = missing ?? unknown ?? parameter(issue, 'tag');
  if (memberName !== null) path.push(memberName);
  const place = path.length === 0 ? 'the value' : quoted(path.join('/'));
  const text = `${place} ${rule(issue, missing, unknown)}${branchWords(issue)}`;
  return { member: path[0] ?? '', text };
}

/** Returns the branch of a union in whose words an issue is told. */
function branchWords({ branch }: ValidationIssue): string {
  if (branch === undefined) return '';
  const { member, value } = branch;
  const is = typeof value === 'string' ? `is ${quoted(value)}` : 'is missing';
  return `, where ${quoted(member)} ${is}`;
}

function rule(issue: ValidationIssue, missing: string | null, unknown: string | null): string {
  if (missing !== null) return 'is missing';
  if (unknown !== null) return 'is not known';
  if (issue.keyword === 'propertyNames') {
    return `has the illegal key ${quoted(parameter(issue, 'propertyName') ?? '')}`;
  }
  const { allowedValues } = issue.params;
  if (Array.isArray(allowedValues)) {
    const legal = allowedValues.map((value) => JSON.stringify(value)).join(', ');
    return allowedValues.length === 1 ? `must be ${legal}` : `must be one of ${legal}`;
  }
  const { allowedValue } = issue.params;
  if (issue.keyword === 'const') return `must be ${JSON.stringify(allowedValue)}`;
  const { type } = issue.params;
  if (issue.keyword === 'type' && Array.isArray(type)) return `must be ${type.join(' or ')}`;
  return issue.message ?? `breaks the rule ${issue.keyword}`;
}

function parameter(issue: ValidationIssue, name: string): string | null {
  const value = issue.params[name];
  return typeof value === 'string' ? value : null;
}

/**
 * Everything that is wrong with one object of a /set: all of it is reported, not the first alone.
 */
export class Problems {
  /**
   * By property: a sentence for the problems that are shown, only its end for later ones. Most
   * objects have no problem: the first one makes the map.
   */
  #found: Map<string, string> | null = null;

  /** Begins with what others have found. */
  constructor(found?: Problems) {
    if (found !== undefined) this.addAll(found);
  }

  get any(): boolean {
    return this.#found !== null;
  }

  /**
   * `what` completes the sentence that the property's name begins. The first word about a property
   * stands.
   */
  add(property: string, what: string): void {
    // A hostile number of them is counted alone: no sentence has the text of a later one.
    const isShown = (this.#found?.size ?? 0) < MAX_COMPLAINTS;
    this.#put(property, isShown ? `${quoted(property)} ${what}` : what);
  }

  has(property: string): boolean {
    return this.#found?.has(property) === true;
  }

  /** Adds the problems that others found. */
  addAll(found: Problems): void {
    for (const [property, text] of found.#found ?? []) this.#put(property, text);
  }

  addComplaints(complaints: readonly Complaint[]): void {
    for (const { member, text } of complaints) this.#put(member, text);
  }

  toSetError(): SetError {
    const found = this.#found ?? new Map<string, string>();
    const properties = [...found.keys()];
    return setError('invalidProperties', sentence(found.values(), found.size), { properties });
  }

  #put(property: string, text: string): void {
    this.#found ??= new Map();
    if (!this.#found.has(property)) this.#found.set(property, text);
  }
}
