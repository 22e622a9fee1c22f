import type { ModelProperty, ModelType } from '../../src/descriptor/model.js';
import type { Json } from '../support/json.js';
import { type Stored, shown } from './account.js';
import { isMap } from './schema.js';

type Place = ModelProperty['blobs'][number];

/** The value with each id of a blob replaced (docs/reference/descriptors.md, "Blobs"). */
export function mapBlobs(
  { blobs }: Pick<ModelProperty, 'blobs'>,
  value: Json,
  map: (id: string) => string,
): Json {
  return blobs.reduce((now, place) => mapPlace(place, now, map), value);
}

function mapPlace([step, ...rest]: Place, value: Json, map: (id: string) => string): Json {
  if (step === undefined) return typeof value === 'string' ? map(value) : value;
  if ('each' in step && step.each === 'item')
    return Array.isArray(value) ? value.map((one) => mapPlace(rest, one, map)) : value;
  if (!isMap(value)) return value;
  const isMeant = (name: string) =>
    'member' in step ? step.member === name : step.except?.includes(name) !== true;
  const isKey = 'each' in step && step.each === 'key';
  const entries = Object.entries(value).map(([name, one]): [string, Json] => {
    if (!isMeant(name)) return [name, one];
    return isKey ? [map(name), one] : [name, mapPlace(rest, one, map)];
  });
  return Object.fromEntries(entries);
}

/** Whether the names of the value's own members are ids of blobs. */
export const hasBlobKeys = ({ blobs }: ModelProperty): boolean =>
  blobs.some(([step]) => step !== undefined && 'each' in step && step.each === 'key');

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
