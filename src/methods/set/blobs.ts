import type { JsonObject } from '../../protocol/json.js';
import type { BlobReference, Snapshot, StoredObject } from '../../store/port.js';
import { isVisible } from '../blob/visible.js';
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
  const rows = await snapshot.blobs([...ids]);
  return new Set(rows.filter((row) => isVisible(row, userId)).map((row) => row.id));
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

/** Collects which reference records go and come while objects are written. */
export class ReferenceChanges {
  readonly removed: BlobReference[] = [];
  readonly added: BlobReference[] = [];
  readonly #index: TypeIndex;

  constructor(index: TypeIndex) {
    this.#index = index;
  }

  get any(): boolean {
    return this.removed.length + this.added.length > 0;
  }

  /**
   * From one row of an object to the next; null for none. Two properties that name one blob are one
   * reference.
   */
  note(objectId: string, before: StoredObject | null, after: StoredObject | null): void {
    if (this.#index.blobs.length === 0) return;
    const dataType = this.#index.type.name;
    const old = before === null ? new Set<string>() : blobIdsOf(this.#index, before);
    const now = after === null ? new Set<string>() : blobIdsOf(this.#index, after);
    for (const blobId of old)
      if (!now.has(blobId)) this.removed.push({ blobId, dataType, objectId });
    for (const blobId of now) if (!old.has(blobId)) this.added.push({ blobId, dataType, objectId });
  }
}
