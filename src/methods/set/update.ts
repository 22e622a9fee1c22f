import type { PropertyDefinition } from '../../capability/definition.js';
import { keyOnPath } from '../../capability/places.js';
import { presentTime } from '../../capability/present-time.js';
import { isOfEngine } from '../../capability/stored-properties.js';
import { defaultFor } from '../../capability/user-values.js';
import { formatUtcDate, parseUtcDate } from '../../protocol/dates.js';
import { equalSteps, jsonEqual } from '../../protocol/equal.js';
import { type SetError, setError } from '../../protocol/errors.js';
import { declaredObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import { escapeToken, parsePointer } from '../../protocol/json-pointer.js';
import { patchSteps } from '../../protocol/patch.js';
import { type Steps, Strides } from '../../runtime/paused-work.js';
import type { StoredObject } from '../../store/port.js';
import { resolveId } from '../creation-ids.js';
import { judgeProperties, Problems } from '../issues.js';
import { defaultOf, isImmutable, type TypeIndex } from '../type-index.js';
import { NO_BLOB_CREATED, NO_OBJECT_CREATED } from '../work/links.js';
import {
  type Author,
  type CreationIds,
  canonicalSteps,
  complaintsOfServerValues,
  IS_COMPUTED,
  IS_DOUBLED,
  isServerSet,
  resolveObjectId,
  type ValueScene,
  writableProperty,
} from './draft.js';
import { takeNearest } from './json-values.js';
import type { OwnValues } from './own-values.js';
import { formKeys, membersAfter, type Patched, withPointers } from './patch-keys.js';
import type { PlannedUpdate } from './plan-set.js';
import { judgeUnknown, unknownMember } from './unknown-members.js';

export type UpdateResult =
  | {
      readonly kind: 'refused';
      readonly error: SetError;
      /** With the values that are legal; null where the patch can't be applied. */
      readonly object: StoredObject | null;
    }
  | { readonly kind: 'unchanged' }
  | {
      readonly kind: 'changed';
      readonly object: StoredObject;
      /** Names of the properties that the patch changed. */
      readonly changed: readonly string[];
    };

/** By property, its new whole value; undefined where its default is restored. */
type Touched = ReadonlyMap<string, JsonValue | undefined>;

export interface UpdateScene {
  readonly index: TypeIndex;
  readonly createdIds: CreationIds;
  readonly author: Author;
  /** Epoch ms. */
  readonly now: number;
  /** By the id of an object: its `myRights`, where an update gives it. */
  readonly myRights?: ReadonlyMap<string, JsonObject> | undefined;
  /** The values of the user where each has its own; absent for other types, and for hooks. */
  readonly own?: OwnValues | undefined;
}

/** Applies one PatchObject to an object in wire form (RFC 8620 5.3): all of it or nothing. */
export function* updateObject(
  scene: UpdateScene,
  current: StoredObject,
  patch: JsonObject,
  { sealed = NO_VALUES, doubled = [] }: Pick<PlannedUpdate, 'sealed' | 'doubled'> = {},
): Steps<UpdateResult> {
  const { links, formedKeys } = scene.index;
  const problems = new Problems();
  for (const name of doubled) problems.add(name, IS_DOUBLED);
  // The two spellings point to the same value.
  const unfit = (why: string): UpdateResult => {
    const error = doubled.length > 0 ? problems.toSetError() : setError('invalidPatch', why);
    return { kind: 'refused', error, object: null };
  };
  const formed = formedKeys.length === 0 ? patch : yield* formKeys(formedKeys, current, patch);
  if (formed === null) return unfit(SAME_FORM);
  const resolved =
    links.length === 0 ? formed : yield* resolveKeys(scene, { current, patch: formed }, problems);
  if (resolved === null) return unfit(SAME_ENTRY);
  // A pointer into what a client may not know leads nowhere.
  const known = scene.author === 'client' ? withoutInternal(scene.index, current) : current;
  const patched = yield* patchSteps(known, resolved);
  if (patched.kind === 'invalidPatch') return unfit(patched.description);
  const { changed, removed } = yield* changedValues(scene, current, patched.touched, problems);
  const names = removed === null ? Object.keys(changed) : [...Object.keys(changed), ...removed];
  // An update that changes nothing is no mutation.
  if (names.length === 0 && !problems.any) return { kind: 'unchanged' };
  const object: StoredObject = { ...current, ...changed };
  if (removed !== null) for (const name of removed) Reflect.deleteProperty(object, name);
  if (scene.index.unknown !== null) {
    const kept = Object.keys(changed).filter((name) => !scene.index.names.has(name));
    if (kept.length > 0) judgeUnknown(scene.index, object, kept, problems);
  }
  if (problems.any) return { kind: 'refused', error: problems.toSetError(), object };
  const stored: Record<string, JsonValue> = object;
  for (const name in sealed) if (Object.hasOwn(changed, name)) stored[name] = sealed[name] ?? null;
  stampUpdate(stored, scene, current);
  return { kind: 'changed', object, changed: names };
}

/** Returns an object without its internal properties; the object itself where the type has none. */
function withoutInternal({ internal }: TypeIndex, object: StoredObject): StoredObject {
  if (internal.length === 0) return object;
  const known = Object.assign(declaredObject(), object);
  for (const { name } of internal) delete known[name];
  return known as StoredObject;
}

const SAME_ENTRY = 'Two patches of this object point to the same entry, one by its creation id.';
const SAME_FORM =
  'Two patches of this object point to the same entry, whose key is stored in one form.';
const NO_VALUES: Record<string, JsonValue> = Object.freeze({});

/**
 * `links/#k`: names of members that are ids of objects or blobs may be creation ids too. Null where
 * that makes two pointers one.
 */
function* resolveKeys(
  scene: UpdateScene,
  patched: Patched,
  problems: Problems,
): Steps<JsonObject | null> {
  const { patch } = patched;
  if (!Object.keys(patch).some(hasCreationId)) return patch;
  return yield* withPointers(patch, (pointer) =>
    hasCreationId(pointer) ? resolvedPointer({ ...scene, ...patched }, pointer, problems) : pointer,
  );
}

function hasCreationId(pointer: string): boolean {
  return pointer.includes('/#');
}

/** As sent where a creation id in it leads nowhere, which is noted. */
function resolvedPointer(
  scene: UpdateScene & Patched,
  pointer: string,
  problems: Problems,
): string {
  const [name = '', ...path] = parsePointer(`/${pointer}`) ?? [];
  const property = writableProperty(scene.index, name, scene.author);
  if (property === undefined) return pointer;
  const { references = [], blobs = [] } = property;
  const ids: string[] = [...path];
  const memberAt = membersAfter(scene, name);
  const resolve = (at: number, id: string | null, why: string): void => {
    if (id === null) problems.add(name, why);
    else ids[at] = id;
  };
  for (const { place, type } of references) {
    const at = keyOnPath(place, path, memberAt);
    const token = path[at];
    if (token !== undefined)
      resolve(at, resolveObjectId(scene.createdIds, type, token), NO_OBJECT_CREATED);
  }
  for (const place of blobs) {
    const at = keyOnPath(place, path, memberAt);
    const token = path[at];
    if (token !== undefined)
      resolve(at, resolveId(token, scene.createdIds.earlier), NO_BLOB_CREATED);
  }
  return problems.has(name) ? pointer : [name, ...ids].map(escapeToken).join('/');
}

/** The properties that a patch gives values, and those that it removes. */
interface Changed {
  readonly changed: JsonObject;
  readonly removed: readonly string[] | null;
}

/**
 * Returns the new values that differ from the current ones. An update is judged on what it changes
 * alone, so that a whole object from /get can be sent back, whatever a later schema thinks of its
 * other values.
 */
function* changedValues(
  scene: UpdateScene,
  current: StoredObject,
  touched: Touched,
  problems: Problems,
): Steps<Changed> {
  const { type } = scene.index;
  const { createdIds } = scene;
  const values = { createdIds, problems, inexact: [], share: type.share };
  const changed = declaredObject();
  let removed: string[] | null = null;
  const judged = declaredObject();
  const further = scene.author === 'hook' ? declaredObject() : NO_VALUES;
  const strides = new Strides();
  for (const [name, sentValue] of touched) {
    if (strides.isOver()) yield;
    const property =
      writableProperty(scene.index, name, scene.author) ??
      unknownMember(scene.index, name, problems);
    if (property === undefined) continue;
    const isThere = property.optional !== true || Object.hasOwn(current, name);
    const isRights = property.role === 'myRights';
    const before = (isRights ? scene.myRights?.get(current.id) : current[name]) ?? null;
    const isJson = typeof sentValue === 'object';
    if (isJson) yield;
    const value =
      sentValue === undefined && property.perUser === true && scene.own !== undefined
        ? defaultFor(property, scene.own.viewer)
        : yield* newValue(property, sentValue, values, scene.now);
    if (isJson) yield;
    if (problems.has(name)) continue;
    if (value === undefined) {
      if (!isThere || !mayChange(property, scene.author, problems)) continue;
      removed ??= [];
      removed.push(name);
      continue;
    }
    const isSame = isJson ? yield* equalSteps(value, before) : jsonEqual(value, before);
    if ((isSame && isThere) || !mayChange(property, scene.author, problems)) continue;
    changed[name] = value;
    if (sentValue !== undefined) (isServerSet(property) ? further : judged)[name] = value;
  }
  const { update } = type.validate;
  problems.addComplaints(yield* judgeProperties(update, judged));
  if (scene.author === 'hook') {
    problems.addComplaints(complaintsOfServerValues(scene.index, further));
  }
  if (values.inexact.length > 0) takeNearest(values.inexact);
  for (const group of [judged, further]) {
    yield* takeJudged(changed, group, touched, current);
  }
  return { changed, removed };
}

/**
 * Takes what the validators have made of the values. One that is no longer what the patch makes of
 * the property may be the current one.
 */
function* takeJudged(
  changed: Record<string, JsonValue>,
  judged: JsonObject,
  touched: Touched,
  current: StoredObject,
): Steps<void> {
  for (const name of Object.keys(judged)) {
    const value = judged[name] ?? null;
    if (value === touched.get(name)) continue;
    if (yield* equalSteps(value, current[name] ?? null)) delete changed[name];
    else changed[name] = value;
  }
}

/** Returns the value to store; undefined where null removes it, or has no default to restore. */
function* newValue(
  property: PropertyDefinition,
  sentValue: JsonValue | undefined,
  scene: ValueScene,
  now: number,
): Steps<JsonValue | undefined> {
  if (sentValue === undefined) {
    if (property.defaultNow === true) return presentTime(property, now);
    if (property.optional === true && !property.nullable) return undefined;
    if (property.default !== undefined || property.nullable) return defaultOf(property);
    scene.problems.add(property.name, isServerSet(property) ? SERVER_SET : 'must not be null');
    return undefined;
  }
  return yield* canonicalSteps(property, sentValue, scene);
}

const SERVER_SET = 'is set by the server alone and can only be given its current value';

function mayChange(property: PropertyDefinition, author: Author, problems: Problems): boolean {
  if (author === 'hook' && !isOfEngine(property)) {
    if (property.computed !== undefined) problems.add(property.name, IS_COMPUTED);
  } else if (isServerSet(property)) problems.add(property.name, SERVER_SET);
  else if (isImmutable(property)) {
    problems.add(property.name, 'is immutable and can only be given its current value');
  }
  return !problems.has(property.name);
}

/**
 * Gives a changed object the time of its update, if its type has one: never before that of
 * `current`, even where the clock has stepped back.
 */
export function stampUpdate(
  object: Record<string, JsonValue>,
  { index, now }: Pick<UpdateScene, 'index' | 'now'>,
  current: StoredObject,
): void {
  const { updated } = index.roles;
  if (updated === undefined) return;
  const before = current[updated.name];
  const last = typeof before === 'string' ? parseUtcDate(before) : null;
  object[updated.name] = formatUtcDate(Math.max(now, last ?? 0));
}
