import type { PropertyDefinition } from '../../capability/definition.js';
import { formatUtcDate, parseUtcDate } from '../../protocol/dates.js';
import { jsonEqual } from '../../protocol/equal.js';
import { type SetError, setError } from '../../protocol/errors.js';
import { emptyObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import { applyPatch } from '../../protocol/patch.js';
import type { StoredObject } from '../../store/port.js';
import { complaintsOf } from '../issues.js';
import { isImmutable, type TypeIndex } from '../type-index.js';
import { requireUsableBlobs, type UsableBlobs } from './blobs.js';
import { defaultOf } from './create.js';
import { isServerSet } from './draft.js';
import { Problems } from './problems.js';
import { canonicalValue } from './value.js';

export type UpdateResult =
  | { readonly kind: 'refused'; readonly error: SetError }
  | { readonly kind: 'unchanged' }
  | {
      readonly kind: 'changed';
      readonly object: StoredObject;
      /** What changed in a way that the patch didn't say. */
      readonly report: JsonObject;
    };

export interface UpdateScene {
  readonly index: TypeIndex;
  /** Of earlier calls: what a "#" in a blob property can mean. */
  readonly createdIds: ReadonlyMap<string, string>;
  readonly blobs: UsableBlobs;
  /** Epoch ms. */
  readonly now: number;
}

/** Applies one PatchObject to an object in wire form (RFC 8620 5.3): all of it or nothing. */
export function updateObject(
  scene: UpdateScene,
  current: StoredObject,
  patch: JsonObject,
): UpdateResult {
  const patched = applyPatch(current, patch);
  if (patched.kind === 'invalidPatch') {
    return { kind: 'refused', error: setError('invalidPatch', patched.description) };
  }
  const problems = new Problems();
  const changed = changedValues(scene, current, patched.touched, problems);
  if (problems.any) return { kind: 'refused', error: problems.toSetError() };
  // D8: an update that changes nothing is no mutation.
  if (Object.keys(changed).length === 0) return { kind: 'unchanged' };
  const object = Object.assign(emptyObject(), current, changed);
  object[scene.index.roles.updated.name] = timeOfUpdate(scene, current);
  return {
    kind: 'changed',
    object: object as StoredObject,
    report: updateReport(scene.index, patch, object),
  };
}

/**
 * The new values that differ from the current ones. An update is judged on what it changes alone
 * (D13), so that a whole object from /get can be sent back, whatever a later schema thinks of its
 * other values.
 */
function changedValues(
  scene: UpdateScene,
  current: StoredObject,
  touched: ReadonlyMap<string, JsonValue | undefined>,
  problems: Problems,
): JsonObject {
  const { properties, type } = scene.index;
  const changed = emptyObject();
  const judged = emptyObject();
  for (const [name, given] of touched) {
    const property = properties.get(name);
    if (property === undefined) {
      problems.add(name, `is no property of ${type.name}`);
      continue;
    }
    const before = current[name] ?? null;
    const value = newValue(scene, property, given, problems);
    if (value === undefined || problems.has(name) || jsonEqual(value, before)) continue;
    if (!mayChange(property, problems)) continue;
    changed[name] = value;
    if (given !== undefined) judged[name] = value;
  }
  problems.addComplaints(complaintsOf(type.validate.update, judged));
  // The validator may have put a number in the place of one that no double holds.
  Object.assign(changed, judged);
  for (const name of Object.keys(changed)) {
    if (jsonEqual(changed[name] ?? null, current[name] ?? null)) delete changed[name];
  }
  requireUsableBlobs(scene.index, changed, scene.blobs, problems);
  return changed;
}

/** The value to store; undefined where the patch's null has no default to restore. */
function newValue(
  scene: UpdateScene,
  property: PropertyDefinition,
  given: JsonValue | undefined,
  problems: Problems,
): JsonValue | undefined {
  if (given === undefined) {
    if (property.default !== undefined || property.nullable) return defaultOf(property);
    problems.add(property.name, isServerSet(property) ? SERVER_SET : 'must not be null');
    return undefined;
  }
  return canonicalValue(property, given, scene.createdIds, problems);
}

const SERVER_SET = 'is set by the server alone and can only be given its current value';

function mayChange(property: PropertyDefinition, problems: Problems): boolean {
  if (isServerSet(property)) problems.add(property.name, SERVER_SET);
  else if (isImmutable(property)) {
    problems.add(property.name, 'is immutable and can only be given its current value');
  }
  return !problems.has(property.name);
}

/** Never before the last one, even where the clock has stepped back. */
function timeOfUpdate(scene: UpdateScene, current: StoredObject): string {
  const before = current[scene.index.roles.updated.name];
  const last = typeof before === 'string' ? parseUtcDate(before) : null;
  return formatUtcDate(Math.max(scene.now, last ?? 0));
}

/**
 * 5.3: `updated` always, and each property whose stored value isn't the one that the patch gave.
 */
function updateReport(index: TypeIndex, patch: JsonObject, object: JsonObject): JsonObject {
  const report = emptyObject();
  for (const [name, given] of Object.entries(patch)) {
    const stored = index.properties.has(name) ? object[name] : undefined;
    if (stored !== undefined && !jsonEqual(given, stored)) report[name] = stored;
  }
  const updated = index.roles.updated.name;
  report[updated] = object[updated] ?? null;
  return report;
}
