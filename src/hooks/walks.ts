import { emptyObject, isJsonObject, type JsonValue } from '../protocol/json.js';
import { type Steps, Strides } from '../runtime/paused-work.js';
import { runInSlices, type Slices } from '../runtime/slices.js';

/*
 * Hooks get frozen values. A request may hold millions of them: walks through all of them pause.
 */

/** Returns the JSON again, frozen; what stands for numbers is shared. */
export function* frozenCopy(value: JsonValue, strides = new Strides()): Steps<JsonValue> {
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const item of value) {
      if (strides.isOver()) yield;
      items.push(isContainer(item) ? yield* frozenCopy(item, strides) : item);
    }
    return Object.freeze(items);
  }
  if (!isJsonObject(value)) return value;
  const copy = emptyObject();
  for (const name of Object.keys(value)) {
    if (strides.isOver()) yield;
    const member = value[name] ?? null;
    copy[name] = isContainer(member) ? yield* frozenCopy(member, strides) : member;
  }
  return Object.freeze(copy);
}

function isContainer(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null;
}

/** Freezes data all the way down and resolves to it; what is frozen already stays as it is. */
export async function frozenInSlices<T>(value: T, slices: Slices): Promise<T> {
  await runInSlices(freeze(value, new Strides()), slices);
  return value;
}

function* freeze(value: unknown, strides: Strides): Steps<void> {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    if (strides.isOver()) yield;
    if (typeof member === 'object') yield* freeze(member, strides);
  }
}
