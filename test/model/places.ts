import type { ModelProperty, ModelType } from '../../src/descriptor/model.js';
import type { Json } from '../support/json.js';
import { type Stored, shown } from './account.js';
import { isMap } from './schema.js';

type Place = ModelProperty['blobs'][number];

/** The new text for an id; null takes it out. */
type Map = (id: string) => string | null;

/**
 * The value with each id at the places replaced (docs/reference/properties.md, "References",
 * "Blobs").
 */
export function mapPlaces(places: readonly Place[], value: Json, map: Map): Json {
  return places.reduce((now, place) => mapPlace(place, now, map), value);
}

export const mapBlobs = ({ blobs }: Pick<ModelProperty, 'blobs'>, value: Json, map: Map): Json =>
  mapPlaces(blobs, value, map);

function mapPlace([step, ...rest]: Place, value: Json, map: Map): Json {
  if (step === undefined) return typeof value === 'string' ? map(value) : value;
  if ('branch' in step) return isInBranch(step, value) ? mapPlace(rest, value, map) : value;
  // An entry that was one already stays null; one that becomes null goes.
  const isGone = (before: Json, after: Json) => before !== null && after === null;
  if ('each' in step && step.each === 'item') {
    if (!Array.isArray(value)) return value;
    return value.flatMap((one) => {
      const after = mapPlace(rest, one, map);
      return isGone(one, after) ? [] : [after];
    });
  }
  if (!isMap(value)) return value;
  const isMeant = (name: string) =>
    'member' in step ? step.member === name : step.except?.includes(name) !== true;
  const isKey = 'each' in step && step.each === 'key';
  const entries = Object.entries(value).flatMap(([name, one]): [string, Json][] => {
    if (!isMeant(name)) return [[name, one]];
    if (isKey) {
      const key = map(name);
      return key === null ? [] : [[key, one]];
    }
    const after = mapPlace(rest, one, map);
    return isGone(one, after) && 'each' in step ? [] : [[name, after]];
  });
  return Object.fromEntries(entries);
}

/** Whether a value is of the branch of a union ("Unions"). */
function isInBranch(step: Extract<Place[number], { branch: string }>, value: Json): boolean {
  if (!isMap(value)) return false;
  const tag = value[step.branch] ?? null;
  return (
    (tag === null || typeof tag === 'string') && step.of.includes(tag) !== (step.others ?? false)
  );
}

/** A place of a type's property that names objects. */
export type Link = ModelProperty['references'][number] & { readonly name: string };

/** The references of a type. */
export const linksOf = (type: ModelType): readonly Link[] =>
  shown(type).flatMap(({ name, references }) => references.map((one) => ({ ...one, name })));

/** The ids that an object names at a place, each once. */
export function idsAt({ name, place }: Link, object: Stored | undefined): readonly string[] {
  const ids = new Set<string>();
  mapPlaces([place], object?.[name] ?? null, (id) => {
    ids.add(id);
    return id;
  });
  return [...ids];
}

/** Whether a token of a path into the value is an id: a name at this place. */
export const isKeyAt = (place: Place, tokens: readonly string[], at: number): boolean =>
  place.length === at + 1 &&
  place.every((step, n) => {
    const token = tokens[n] ?? '';
    if ('branch' in step) return false;
    if ('member' in step) return n < at && step.member === token;
    const isMeant = step.except?.includes(token) !== true;
    return isMeant && step.each === (n === at ? 'key' : 'value');
  });

function blobsIn(one: ModelProperty, value: Json | undefined): ReadonlySet<string> {
  const ids = new Set<string>();
  mapBlobs(one, value ?? null, (id) => {
    ids.add(id);
    return id;
  });
  return ids;
}

/**
 * Names of properties with blobs that no property of the object named before. The sequences upload
 * none, so such a blob is one that the user can't use.
 */
export function unknownBlobs(
  type: ModelType,
  object: Stored,
  old: Stored | undefined,
): readonly string[] {
  const had = new Set(shown(type).flatMap((one) => [...blobsIn(one, old?.[one.name])]));
  return shown(type).flatMap((one) =>
    [...blobsIn(one, object[one.name])].every((id) => had.has(id)) ? [] : [one.name],
  );
}
