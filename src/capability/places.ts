import { emptyObject, isJsonObject, type JsonObject, type JsonValue } from '../protocol/json.js';
import { escapeToken } from '../protocol/json-pointer.js';
import { finish, type Steps, Strides } from '../runtime/paused-work.js';

/** A step from a JSON value to values within it, or to the names of its members. */
export type PlaceStep =
  /** To the member of that name. If `removable`, removing the text removes the member too. */
  | { readonly member: string; readonly removable?: true }
  /**
   * To every item of a list; to every member of an object, or its name, except those in `except`.
   */
  | { readonly each: 'item' | 'value' | 'key'; readonly except?: readonly string[] }
  | BranchStep;

/** A step to the same object, if it is of a branch of a union. */
export interface BranchStep {
  /** The member whose value tells the branches apart. */
  readonly branch: string;
  /** Its values in this branch; null stands for an object without the member. */
  readonly of: readonly (string | null)[];
  /** The branch takes all other values instead. */
  readonly others?: true;
}

/** Returns whether an object is of the branch. */
export function isOfBranch(step: BranchStep, object: JsonObject): boolean {
  const { branch } = step;
  return isBranchValue(step, Object.hasOwn(object, branch) ? object[branch] : undefined);
}

/** Returns whether the member has such a value in the branch; undefined: the object lacks it. */
export function isBranchValue(
  { of, others }: Pick<BranchStep, 'of' | 'others'>,
  value: JsonValue | undefined,
): boolean {
  if (value !== undefined && typeof value !== 'string') return false;
  return of.includes(value ?? null) !== (others === true);
}

/**
 * The steps from a property's value to a text within it. Without steps it is the value itself. A
 * step to `key` is the last one.
 */
export type Place = readonly PlaceStep[];

/** Returns whether values of the property hold ids of blobs anywhere. */
export function holdsBlobs<Property extends { readonly blobs?: readonly Place[] }>(
  property: Property,
): property is Property & { readonly blobs: readonly Place[] } {
  return property.blobs !== undefined && property.blobs.length > 0;
}

/**
 * Returns the texts at these places, each once. A value of another shape than the steps expect has
 * none there.
 */
export function textsAt(
  places: readonly Place[],
  value: JsonValue | undefined,
): ReadonlySet<string> {
  return finish(textSteps(places, value));
}

/** Returns the same with pauses, for values that may be large. */
export function* textSteps(
  places: readonly Place[],
  value: JsonValue | undefined,
): Steps<ReadonlySet<string>> {
  const texts = new Set<string>();
  yield* replaceSteps(places, value ?? null, (text) => {
    texts.add(text);
    return text;
  });
  return texts;
}

/**
 * Returns what a text becomes. Null takes it out: the entry of a list or a map goes, or a member
 * that is `removable`. Another member or the value itself becomes null.
 */
export type Replace = (text: string) => string | null;

/**
 * Returns the value with the texts at these places replaced. Parts without a change are shared with
 * `value`, which stays as it is.
 */
export function replaceTexts(
  places: readonly Place[],
  value: JsonValue,
  replace: Replace,
): JsonValue {
  return finish(replaceSteps(places, value, replace));
}

/** Returns the same with pauses. */
export function* replaceSteps(
  places: readonly Place[],
  value: JsonValue,
  replace: Replace,
): Steps<JsonValue> {
  const strides = new Strides();
  let now = value;
  for (const place of places) now = yield* valueSteps({ place, replace, strides }, 0, now);
  return now;
}

/** Returns the value of a member of the object at the tokens; undefined if it lacks it. */
export type MemberAt = (tokens: readonly string[], name: string) => JsonValue | undefined;

/**
 * Returns the index of the token that is a name at the place, on a path into the value as a patch
 * pointer has it; -1 if there is none. `memberAt` tells of the value, for branches of unions.
 */
export function keyOnPath(place: Place, tokens: readonly string[], memberAt: MemberAt): number {
  let at = 0;
  for (const [index, step] of place.entries()) {
    if ('branch' in step) {
      if (!isBranchValue(step, memberAt(tokens.slice(0, at), step.branch))) return -1;
      continue;
    }
    const token = tokens[at];
    if (token === undefined) return -1;
    const isKey = 'each' in step && step.each === 'key';
    if (isKey) return index === place.length - 1 && !isExcepted(step, token) ? at : -1;
    if ('member' in step ? step.member !== token : step.each === 'item' || isExcepted(step, token))
      return -1;
    at += 1;
  }
  return -1;
}

/**
 * Returns the place for a message, and for records that tell places apart: `*\/blobId` in a list
 * of objects, "" for the value itself. `*` is every item, or every value of a map, and `keys` the
 * names of its members. `@type=Card` is that branch of a union. Names of declared members are
 * escaped as in a JSON Pointer.
 */
export function placeText(place: Place): string {
  return place.map(stepText).join('/');
}

function stepText(step: PlaceStep): string {
  if ('each' in step) return step.each === 'key' ? 'keys' : '*';
  if ('branch' in step) {
    const values = step.of.map((value) => escapeToken(value ?? ''));
    return `${escapeToken(step.branch)}${step.others === true ? '!=' : '='}${values.join('|')}`;
  }
  const name = escapeToken(step.member);
  return name === '*' || name === 'keys' || name.includes('=') ? `~${name}` : name;
}

/**
 * Returns the pointer within the value to the first occurrence of a text at the place (`0/blobId`);
 * null if it is not there.
 */
export function pathTo(place: Place, value: JsonValue, text: string, at = 0): string | null {
  const step = place[at];
  if (step === undefined) return value === text ? '' : null;
  if ('branch' in step)
    return isJsonObject(value) && isOfBranch(step, value)
      ? pathTo(place, value, text, at + 1)
      : null;
  const isToItems = 'each' in step && step.each === 'item';
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== isToItems)
    return null;
  if ('each' in step && step.each === 'key') {
    return Object.hasOwn(value, text) && !isExcepted(step, text) ? escapeToken(text) : null;
  }
  for (const [name, inner] of Object.entries(value as JsonObject)) {
    if ('member' in step ? step.member !== name : isExcepted(step, name)) continue;
    const rest = pathTo(place, inner, text, at + 1);
    if (rest !== null) return rest === '' ? escapeToken(name) : `${escapeToken(name)}/${rest}`;
  }
  return null;
}

interface Walk {
  readonly place: Place;
  readonly replace: Replace;
  readonly strides: Strides;
}

function* valueSteps(walk: Walk, at: number, value: JsonValue): Steps<JsonValue> {
  const step = walk.place[at];
  if (step === undefined || isSimple(value)) return simpleValue(walk, at, value);
  const isToItems = 'each' in step && step.each === 'item';
  if (Array.isArray(value)) return isToItems ? yield* itemSteps(walk, at, value) : value;
  if (!isJsonObject(value) || isToItems) return value;
  if ('branch' in step)
    return isOfBranch(step, value) ? yield* valueSteps(walk, at + 1, value) : value;
  return yield* memberSteps(walk, at, step, value);
}

/** Most values are: a generator for each would take several times as long. */
function isSimple(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null;
}

function simpleValue({ place, replace }: Walk, at: number, value: JsonValue): JsonValue {
  return at === place.length && typeof value === 'string' ? replace(value) : value;
}

function* itemSteps(walk: Walk, at: number, list: readonly JsonValue[]): Steps<JsonValue> {
  const items: JsonValue[] = [];
  let isSame = true;
  for (const item of list) {
    if (walk.strides.isOver()) yield;
    const after = isSimple(item)
      ? simpleValue(walk, at + 1, item)
      : yield* valueSteps(walk, at + 1, item);
    if (after !== item) isSame = false;
    if (after !== null || item === null) items.push(after);
  }
  return isSame ? list : items;
}

/** The members keep their order. If two names become one, the last one's value stays. */
function* memberSteps(
  walk: Walk,
  at: number,
  step: Exclude<PlaceStep, BranchStep>,
  object: JsonObject,
): Steps<JsonObject> {
  const isToNames = 'each' in step && step.each === 'key';
  const names = 'member' in step ? [step.member] : Object.keys(object);
  let changed: Map<string, readonly [name: string | null, value: JsonValue]> | null = null;
  for (const name of names) {
    if (walk.strides.isOver()) yield;
    if (isExcepted(step, name) || !Object.hasOwn(object, name)) continue;
    const before = object[name] ?? null;
    let newName: string | null = name;
    let after = before;
    if (isToNames) newName = walk.replace(name);
    else if (isSimple(before)) after = simpleValue(walk, at + 1, before);
    else after = yield* valueSteps(walk, at + 1, before);
    if (after === before && newName === name) continue;
    if (after === null && before !== null && ('each' in step || step.removable)) newName = null;
    changed ??= new Map();
    changed.set(name, [newName, after]);
  }
  if (changed === null) return object;
  const copy = emptyObject();
  for (const name of Object.keys(object)) {
    if (walk.strides.isOver()) yield;
    const [newName, after] = changed.get(name) ?? [name, object[name] ?? null];
    if (newName !== null) copy[newName] = after;
  }
  return copy;
}

function isExcepted(step: PlaceStep, name: string): boolean {
  return 'each' in step && step.except?.includes(name) === true;
}
