import type { PropertyDefinition } from '../../capability/definition.js';
import { type Place, replaceTexts, textsAt } from '../../capability/places.js';
import type { JsonObject, JsonValue } from '../../protocol/json.js';
import { resolveId } from '../creation-ids.js';
import { quoted } from '../issues.js';
import type { TypeIndex } from '../type-index.js';
import type { Problems } from './problems.js';

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

/** Completes the sentence that the property's name begins. */
export function unusableBlob(id: string): string {
  return `names ${quoted(id)}, which is no blob of this account that you can use`;
}
