import { InexactNumber } from '../../protocol/inexact-number.js';
import { emptyObject, type JsonValue } from '../../protocol/json.js';
import type { Steps } from '../../protocol/slices.js';

/** Arrays and objects that may lie within each other. */
const MAX_DEPTH = 64;
/** Members and items that are looked at between two pauses. */
const STRIDE = 8192;
const NUL = '\u0000';

const HOLDS_NUL = 'must not contain U+0000';
const TOO_DEEP = `must not nest more than ${MAX_DEPTH} levels deep`;
const BEYOND_DOUBLES = 'must not contain a number beyond the range of doubles';

/** A place of a number that no double holds exactly. */
export interface InexactPlace {
  readonly holder: Record<string | number, unknown>;
  readonly key: string | number;
}

export interface JsonFindings {
  /** Why no column can hold the value, as the end of a sentence; null where one can. */
  readonly problem: string | null;
  /** Whether a number of the value is one that no double holds exactly. */
  readonly hasInexact: boolean;
}

/** Looks through a JSON value for whatever a column can't hold. */
export function* inspectJson(value: JsonValue): Steps<JsonFindings> {
  let hasInexact = false;
  let looked = 0;
  const outer: object[] = [];
  let problem = lookAt(value, outer);
  let level = outer;
  for (let depth = 0; problem === null && level.length > 0; depth += 1) {
    const inner: object[] = [];
    for (const container of level) {
      if (container instanceof InexactNumber) {
        hasInexact = true;
        if (!Number.isFinite(container.value)) problem = BEYOND_DOUBLES;
      } else if (depth === MAX_DEPTH) problem = TOO_DEEP;
      else problem = lookInto(container, inner);
      if (problem !== null) break;
      looked += 1;
      if (looked + inner.length < STRIDE) continue;
      looked = -inner.length;
      yield;
    }
    level = inner;
  }
  return { problem, hasInexact };
}

/** Looks at the names, texts and numbers of a container; adds the objects in it to `inner`. */
function lookInto(container: object, inner: object[]): string | null {
  if (Array.isArray(container)) {
    for (const item of container as readonly JsonValue[]) {
      const problem = lookAt(item, inner);
      if (problem !== null) return problem;
    }
    return null;
  }
  const members = container as Readonly<Record<string, JsonValue>>;
  // In about half the time that Object.entries takes for a large object.
  for (const name of Object.keys(members)) {
    const problem = name.includes(NUL) ? HOLDS_NUL : lookAt(members[name] ?? null, inner);
    if (problem !== null) return problem;
  }
  return null;
}

function lookAt(value: JsonValue, inner: object[]): string | null {
  if (typeof value === 'object' && value !== null) inner.push(value);
  return typeof value === 'string' && value.includes(NUL) ? HOLDS_NUL : null;
}

/**
 * Returns the value with arrays and objects of its own around each number that no double holds
 * exactly, and adds the places of those numbers to `places`. All else is shared with `value`.
 */
export function* ownInexact(value: JsonValue, places: InexactPlace[]): Steps<JsonValue> {
  if (!isContainer(value)) return value;
  yield;
  const members = value as unknown as Readonly<Record<string | number, JsonValue>>;
  let own: Record<string | number, unknown> | null = null;
  for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
    const member = members[key] ?? null;
    const inner = yield* ownInexact(member, places);
    const isInexact = member instanceof InexactNumber;
    if (inner === member && !isInexact) continue;
    own ??= copyOf(value);
    own[key] = inner;
    if (isInexact) places.push({ holder: own, key });
  }
  return (own ?? value) as JsonValue;
}

/** Puts the nearest doubles in the place of the numbers that are left there. */
export function takeNearest(places: readonly InexactPlace[]): void {
  for (const { holder, key } of places) {
    const value = holder[key];
    if (value instanceof InexactNumber) holder[key] = value.value;
  }
}

function isContainer(value: JsonValue): value is JsonValue & object {
  return typeof value === 'object' && value !== null && !(value instanceof InexactNumber);
}

function copyOf(value: object): Record<string | number, unknown> {
  return Array.isArray(value)
    ? ([...value] as unknown as Record<number, unknown>)
    : Object.assign(emptyObject(), value);
}
