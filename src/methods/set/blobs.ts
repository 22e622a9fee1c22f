import type { JsonObject } from '../../protocol/json.js';
import type { Snapshot } from '../../store/port.js';
import type { TypeIndex } from '../type-index.js';
import type { Problems } from './problems.js';

/** Blob ids that the account has and the user may use. */
export type UsableBlobs = ReadonlySet<string>;

/** The blob ids in an object's blob properties, each once. */
export function blobIdsOf(index: TypeIndex, object: JsonObject): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { name } of index.blobs) {
    const value = object[name];
    if (typeof value === 'string') ids.add(value);
  }
  return ids;
}

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

/** D23: a blob id on an object must be of its account; one that the user can't see is none. */
export function requireUsableBlobs(
  index: TypeIndex,
  values: JsonObject,
  usable: UsableBlobs,
  problems: Problems,
): void {
  for (const { name } of index.blobs) {
    const value = values[name];
    if (typeof value === 'string' && !usable.has(value)) {
      problems.add(name, 'is no blob of this account that you can use');
    }
  }
}
