import type { JsonObject } from '../../../src/protocol/json.js';
import { applyPatch, type Defaults, type PatchObject, propertiesOf } from './patches.js';
import { isEqual } from './values.js';
import type { PendingUpdate, PendingWrite } from './write.js';

/** An update that asks that nobody has changed the properties that it touches. */
export interface CheckedUpdate extends PendingUpdate {
  readonly unchanged: JsonObject;
}

export function isChecked(write: PendingWrite): write is CheckedUpdate {
  return write.kind === 'update' && write.unchanged !== null;
}

/** Returns the properties of an object that a patch touches, as they are. */
export function findTouched(object: JsonObject, patch: PatchObject): JsonObject {
  return pick(object, propertiesOf(patch));
}

/** Returns some properties of an object; those that it lacks are null. */
export function pick(object: JsonObject, names: Iterable<string>): JsonObject {
  return Object.fromEntries(Array.from(names, (name) => [name, object[name] ?? null]));
}

/** Returns the names of properties that two objects don't have in common, of those of the first. */
export function findDifferent(one: JsonObject, other: JsonObject): readonly string[] {
  return Object.keys(one).filter((name) => !isEqual(one[name], other[name] ?? null));
}

/** Returns whether an object has all that a patch would make of it. */
export function hasEffect(object: JsonObject, patch: PatchObject, defaults: Defaults): boolean {
  return findDifferent(applyPatch(object, patch, defaults), object).length === 0;
}

/** Returns a write that takes an object as it is now for what it has seen. */
export function lookAnew<Write extends PendingWrite>(write: Write, object: JsonObject): Write {
  if (!isChecked(write)) return write;
  const names = Object.keys(write.unchanged).filter((name) => Object.hasOwn(object, name));
  if (names.length === 0) return write;
  return { ...write, unchanged: { ...write.unchanged, ...pick(object, names) } };
}
