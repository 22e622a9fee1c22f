import { emptyObject, isJsonObject, type JsonObject, type JsonValue } from '../protocol/json.js';

/** A step from a JSON value to values within it, or to the names of its members. */
export type PlaceStep =
  /** To the member of that name. */
  | { readonly member: string }
  /**
   * To every item of a list; to every member of an object, or its name, except those in `except`.
   */
  | { readonly each: 'item' | 'value' | 'key'; readonly except?: readonly string[] };

/**
 * The steps from a property's value to a text within it. Without steps it is the value itself. A
 * step to `key` is the last one.
 */
export type Place = readonly PlaceStep[];

/** Whether values of the property hold ids of blobs anywhere. */
export function holdsBlobs<Property extends { readonly blobs?: readonly Place[] }>(
  property: Property,
): property is Property & { readonly blobs: readonly Place[] } {
  return property.blobs !== undefined && property.blobs.length > 0;
}

/**
 * Returns the texts at these places, each once. A value of another shape than the steps expect has
 * none there.
 */
export function textsAt(places: readonly Place[], value: JsonValue | undefined): Set<string> {
  const texts = new Set<string>();
  const note = (text: string): string => {
    texts.add(text);
    return text;
  };
  for (const place of places) replaceAt(place, 0, value ?? null, note);
  return texts;
}

/**
 * Returns the value with the texts at these places replaced. Parts without a change are shared with
 * `value`, which stays as it is.
 */
export function replaceTexts(
  places: readonly Place[],
  value: JsonValue,
  replace: (text: string) => string,
): JsonValue {
  return places.reduce<JsonValue>((now, place) => replaceAt(place, 0, now, replace), value);
}

/**
 * Tells which tokens of a path into the value (as a patch pointer has them) are names of members
 * that stand at one of the places: one boolean for each token.
 */
export function keysOnPath(places: readonly Place[], tokens: readonly string[]): boolean[] {
  return tokens.map((_, at) =>
    places.some((place) => place.length === at + 1 && isPathTo(place, tokens)),
  );
}

/** Whether the place is a name of a member, and the tokens lead there. */
function isPathTo(place: Place, tokens: readonly string[]): boolean {
  return place.every((step, at) => {
    const token = tokens[at] ?? '';
    const isLast = at === place.length - 1;
    if ('member' in step) return !isLast && step.member === token;
    if (step.each === 'item') return false;
    return (step.each === 'key') === isLast && step.except?.includes(token) !== true;
  });
}

function replaceAt(
  place: Place,
  at: number,
  value: JsonValue,
  replace: (text: string) => string,
): JsonValue {
  const step = place[at];
  if (step === undefined) return typeof value === 'string' ? replace(value) : value;
  const further = (inner: JsonValue): JsonValue => replaceAt(place, at + 1, inner, replace);
  if (Array.isArray(value)) return isItems(step) ? replacedItems(value, further) : value;
  if (!isJsonObject(value) || isItems(step)) return value;
  if ('member' in step) return replacedMembers(value, [step.member], further);
  const names = Object.keys(value).filter((name) => step.except?.includes(name) !== true);
  return step.each === 'key'
    ? renamedMembers(value, names, replace)
    : replacedMembers(value, names, further);
}

function isItems(step: PlaceStep): boolean {
  return 'each' in step && step.each === 'item';
}

function replacedItems(
  list: readonly JsonValue[],
  replace: (value: JsonValue) => JsonValue,
): JsonValue {
  const items = list.map(replace);
  return items.every((item, at) => item === list[at]) ? list : items;
}

function replacedMembers(
  object: JsonObject,
  names: readonly string[],
  replace: (value: JsonValue) => JsonValue,
): JsonObject {
  let copy: Record<string, JsonValue> | null = null;
  for (const name of names) {
    const before = Object.hasOwn(object, name) ? object[name] : undefined;
    if (before === undefined) continue;
    const after = replace(before);
    if (after === before) continue;
    copy ??= Object.assign(emptyObject(), object);
    copy[name] = after;
  }
  return copy ?? object;
}

/** The members keep their order. If two names become one, the last one's value stays. */
function renamedMembers(
  object: JsonObject,
  names: readonly string[],
  replace: (name: string) => string,
): JsonObject {
  const renamed = new Map(names.map((name) => [name, replace(name)]));
  if ([...renamed].every(([before, after]) => before === after)) return object;
  const copy = emptyObject();
  for (const [name, value] of Object.entries(object)) copy[renamed.get(name) ?? name] = value;
  return copy;
}
