import { textSteps } from '../../capability/places.js';
import type { JsonObject } from '../../protocol/json.js';
import type { Steps } from '../../runtime/slices.js';
import { quoted } from '../issues.js';
import type { TypeIndex } from '../type-index.js';

/** The blob ids that an object names, each once. */
export function* blobIdsOf(index: TypeIndex, object: JsonObject): Steps<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (const { name, blobs } of index.blobs) {
    for (const id of yield* textSteps(blobs, object[name])) ids.add(id);
  }
  return ids;
}

export const NO_BLOB_CREATED = 'refers to a creation id under which no blob was created';

/** Completes the sentence that the property's name begins. */
export function unusableBlob(id: string): string {
  return `names ${quoted(id)}, which is no blob of this account that you can use`;
}
