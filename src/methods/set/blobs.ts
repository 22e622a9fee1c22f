import type { PropertyDefinition } from '../../capability/definition.js';
import { type Place, replaceTexts, textsAt } from '../../capability/places.js';
import { emptyObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import { parsePointer } from '../../protocol/json-pointer.js';
import type { Snapshot } from '../../store/port.js';
import { resolveId } from '../creation-ids.js';
import { quoted } from '../issues.js';
import type { TypeIndex } from '../type-index.js';
import type { Problems } from './problems.js';

/** Blob ids that the account has and the user may use. */
export type UsableBlobs = ReadonlySet<string>;

/** A property whose values hold ids of blobs. */
export interface BlobProperty extends PropertyDefinition {
  readonly blobs: readonly Place[];
}

/** The blob ids that an object names, each once. */
export function blobIdsOf(index: TypeIndex, object: JsonObject): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { name, blobs } of index.blobs) {
    for (const id of textsAt(blobs, object[name])) ids.add(id);
  }
  return ids;
}

/**
 * The blob ids that a patch names, as it names them: in values, and in pointers to members of a
 * map.
 */
export function blobIdsInPatch(index: TypeIndex, patch: JsonObject): ReadonlySet<string> {
  const byName = new Map(index.blobs.map((property) => [property.name, property]));
  const ids = new Set<string>();
  for (const [pointer, value] of Object.entries(patch)) {
    const [name = '', ...path] = parsePointer(`/${pointer}`) ?? [];
    const property = byName.get(name);
    if (property === undefined) continue;
    for (const id of textsAt(property.blobs, valueAlong(path, value))) ids.add(id);
  }
  return ids;
}

/** The value within objects, so that the tokens lead to it. */
function valueAlong(tokens: readonly string[], value: JsonValue): JsonValue {
  return tokens.reduceRight<JsonValue>((inner, token) => {
    const object = emptyObject();
    object[token] = inner;
    return object;
  }, value);
}

/**
 * The value with the id of a blob for each creation id; what nothing was created under is noted and
 * stays.
 */
export function resolvedBlobs(
  { name, blobs }: BlobProperty,
  value: JsonValue,
  createdIds: ReadonlyMap<string, string>,
  problems: Problems,
): JsonValue {
  return replaceTexts(blobs, value, (text) => {
    const id = resolveId(text, createdIds);
    if (id === null) problems.add(name, NO_BLOB_CREATED);
    return id ?? text;
  });
}

export const NO_BLOB_CREATED = 'refers to a creation id under which no blob was created';

/**
 * Looks all blobs of a call up at once, in the transaction that will refer to them: no collection
 * comes between.
 */
export async function usableBlobs(
  snapshot: Snapshot,
  ids: ReadonlySet<string>,
  userId: string,
): Promise<UsableBlobs> {
  if (ids.size === 0) return new Set();
  const rows = await snapshot.blobs([...ids], userId);
  return new Set(rows.map((row) => row.id));
}

/**
 * D23: a blob id on an object must be of its account; one that the user can't see is none. What the
 * object named before, `held`, it may go on naming.
 */
export function requireUsableBlobs(
  index: TypeIndex,
  values: JsonObject,
  usable: UsableBlobs,
  problems: Problems,
  held: ReadonlySet<string> = NONE,
): void {
  for (const { name, blobs } of index.blobs) {
    for (const id of textsAt(blobs, values[name])) {
      if (usable.has(id) || held.has(id)) continue;
      problems.add(name, `names ${quoted(id)}, which is no blob of this account that you can use`);
    }
  }
}

const NONE: ReadonlySet<string> = new Set();
