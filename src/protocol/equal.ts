import { finish, type Steps, Strides } from '../runtime/paused-work.js';
import {
  InexactNumber,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from './json.js';

/** Names that take more than a moment to list. */
const MANY = 10_000;

/** Arrays and objects that are still to be compared: each with the one behind it. */
type Pairs = (JsonObject | readonly JsonValue[])[];

/**
 * Returns true where two JSON values mean the same: the order of members doesn't count, that of
 * array items does, and -0 is 0. Numbers that no double holds are equal only where they are written
 * the same.
 */
export function jsonEqual(a: JsonValue, b: JsonValue): boolean {
  const pairs: Pairs = [];
  return mayEqual(a, b, pairs) && (pairs.length === 0 || finish(compare(pairs)));
}

/** Returns the same with pauses, for values that may be large. */
export function* equalSteps(a: JsonValue, b: JsonValue): Steps<boolean> {
  const pairs: Pairs = [];
  return mayEqual(a, b, pairs) && (pairs.length === 0 || (yield* compare(pairs)));
}

/**
 * Returns false where the values differ; what only a look into both can tell is added to `pairs`.
 */
function mayEqual(a: JsonValue, b: JsonValue, pairs: Pairs): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof InexactNumber || b instanceof InexactNumber) {
    return a instanceof InexactNumber && b instanceof InexactNumber && a.source === b.source;
  }
  pairs.push(a, b);
  return true;
}

function* compare(pairs: Pairs): Steps<boolean> {
  const strides = new Strides();
  for (let b = pairs.pop(); b !== undefined; b = pairs.pop()) {
    const a = pairs.pop();
    if (isJsonArray(a) && isJsonArray(b)) {
      if (a.length !== b.length) return false;
      for (let index = 0; index < a.length; index += 1) {
        if (strides.isOver()) yield;
        if (!mayEqual(a[index] ?? null, b[index] ?? null, pairs)) return false;
      }
    } else if (isJsonObject(a) && isJsonObject(b)) {
      const names = Object.keys(a);
      // To list the names of a large object is a long step by itself.
      if (names.length > MANY) yield;
      if (names.length !== Object.keys(b).length) return false;
      for (const name of names) {
        if (strides.isOver()) yield;
        // JSON has own members alone, so an inherited one of `b` doesn't count.
        if (!Object.hasOwn(b, name)) return false;
        if (!mayEqual(a[name] ?? null, b[name] ?? null, pairs)) return false;
      }
    } else return false;
  }
  return true;
}
