import { type Steps, Strides } from '../runtime/slices.js';
import {
  InexactNumber,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from './json.js';

/** Names that take more than a moment to list. */
const MANY = 10_000;

/**
 * True where two JSON values mean the same: the order of members doesn't count, that of array items
 * does, and -0 is 0. Numbers that no double holds are equal only where they are written the same.
 */
export function jsonEqual(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (isJsonArray(a)) return isJsonArray(b) && arraysEqual(a, b);
  if (isJsonObject(a)) return isJsonObject(b) && objectsEqual(a, b);
  return inexactEqual(a, b);
}

/** The same with pauses, for values that may be large. */
export function* equalSteps(a: JsonValue, b: JsonValue, strides = new Strides()): Steps<boolean> {
  if (a === b) return true;
  if (isJsonArray(a)) return isJsonArray(b) && (yield* arraySteps(a, b, strides));
  if (isJsonObject(a)) return isJsonObject(b) && (yield* objectSteps(a, b, strides));
  return inexactEqual(a, b);
}

function arraysEqual(a: readonly JsonValue[], b: readonly JsonValue[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) {
    if (!jsonEqual(a[index] ?? null, b[index] ?? null)) return false;
  }
  return true;
}

function objectsEqual(a: JsonObject, b: JsonObject): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  for (const name of names) {
    const member = a[name];
    // JSON has own members alone, so an inherited one of `b` doesn't count.
    if (member === b[name]) continue;
    if (!Object.hasOwn(b, name) || !jsonEqual(member ?? null, b[name] ?? null)) return false;
  }
  return true;
}

function* arraySteps(
  a: readonly JsonValue[],
  b: readonly JsonValue[],
  strides: Strides,
): Steps<boolean> {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) {
    if (strides.isOver()) yield;
    const item = a[index] ?? null;
    const other = b[index] ?? null;
    // Most items are simple values: a generator for each would take several times as long.
    if (item === other) continue;
    if (!(yield* equalSteps(item, other, strides))) return false;
  }
  return true;
}

function* objectSteps(a: JsonObject, b: JsonObject, strides: Strides): Steps<boolean> {
  const names = Object.keys(a);
  // To list the names of a large object is a long step by itself.
  if (names.length > MANY) yield;
  if (names.length !== Object.keys(b).length) return false;
  for (const name of names) {
    if (strides.isOver()) yield;
    const member = a[name];
    if (member === b[name]) continue;
    if (!Object.hasOwn(b, name)) return false;
    if (!(yield* equalSteps(member ?? null, b[name] ?? null, strides))) return false;
  }
  return true;
}

function inexactEqual(a: unknown, b: unknown): boolean {
  return a instanceof InexactNumber && b instanceof InexactNumber && a.source === b.source;
}
