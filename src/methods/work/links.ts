import { type Place, type PlaceStep, pathTo, textSteps, textsAt } from '../../capability/places.js';
import type { JsonObject, JsonValue } from '../../protocol/json.js';
import type { Steps } from '../../runtime/paused-work.js';
import type { BlobReference, ReferenceRecord, StoredObject } from '../../store/port.js';
import { quoted } from '../issues.js';
import type { Names, TypeIndex, TypeReference } from '../type-index.js';

/** Returns the ids that an object names by a reference, each once. */
export function referredIds(
  { property, place }: TypeReference,
  object: JsonObject | null,
): readonly string[] {
  const value = object?.[property.name] ?? null;
  if (value === null) return NO_IDS;
  if (place.length > 0) return [...textsAt([place], value)];
  return typeof value === 'string' ? [value] : NO_IDS;
}

const NO_IDS: readonly string[] = Object.freeze([]);

/** Returns the ids that an object refers to and didn't before: only these are judged. */
export function newReferences(
  reference: TypeReference,
  before: StoredObject | null,
  after: StoredObject,
): readonly string[] {
  const { name } = reference.property;
  if (before === null) return referredIds(reference, after);
  if (before[name] === after[name]) return NO_IDS;
  const old = new Set(referredIds(reference, before));
  return referredIds(reference, after).filter((id) => !old.has(id));
}

const NOTHING_CREATED = 'a creation id under which nothing was created';

/** Of a creation id in a pointer, which itself says where. */
export const NO_OBJECT_CREATED = `refers to ${NOTHING_CREATED}`;

/** Completes the sentence that the property's name begins: `id` is what the client sent there. */
export function nothingCreated(place: Place, value: JsonValue, id: string): string {
  return `${refersTo(place, value, id)} ${NOTHING_CREATED}`;
}

/** Completes the sentence likewise. `births`: ids of the call's creates. */
export function unknownReference(
  { property, place, type }: TypeReference,
  object: JsonObject,
  id: string,
  births: Names,
): string {
  const refers = refersTo(place, object[property.name] ?? null, id);
  if (births.has(id)) return `${refers} ${NOTHING_CREATED}`;
  return `${refers} ${quoted(id)}, which is no ${type} of this account`;
}

/** Tells where within the value the id is, unless the value itself is it or a list or map of it. */
function refersTo(place: Place, value: JsonValue, id: string): string {
  const path = place.length > 1 || isMember(place[0]) ? pathTo(place, value, id) : null;
  return path === null ? 'refers to' : `refers at ${quoted(path)} to`;
}

function isMember(step: PlaceStep | undefined): boolean {
  return step !== undefined && ('member' in step || ('each' in step && step.each === 'value'));
}

/** Returns the blob ids that an object names, each once. */
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

/** Rows about links: removed ones and new ones. */
export interface Moved<T> {
  readonly removed: T[];
  readonly added: T[];
}

/** From one row of an object to the next; null for none. */
export interface Move {
  readonly objectId: string;
  readonly before: StoredObject | null;
  readonly after: StoredObject | null;
}

const NONE: ReadonlySet<string> = new Set();

/** Notes references to blobs: two properties with one blob are one row. */
export function* noteBlobs(
  index: TypeIndex,
  moves: readonly Move[],
  rows: Moved<BlobReference>,
): Steps<void> {
  const dataType = index.type.name;
  for (const { objectId, before, after } of moves) {
    yield;
    const old = before === null ? NONE : yield* blobIdsOf(index, before);
    const now = after === null ? NONE : yield* blobIdsOf(index, after);
    for (const blobId of old) {
      if (!now.has(blobId)) rows.removed.push({ blobId, dataType, objectId });
    }
    for (const blobId of now) {
      if (!old.has(blobId)) rows.added.push({ blobId, dataType, objectId });
    }
  }
}

/** Notes the rows of JmapReference: one for each reference and object referred to. */
export function* noteReferences(
  index: TypeIndex,
  moves: readonly Move[],
  rows: Moved<ReferenceRecord>,
): Steps<void> {
  const fromType = index.type.name;
  const recorded = index.references.filter(({ isRecorded }) => isRecorded);
  for (const { objectId: fromId, before, after } of moves) {
    yield;
    for (const reference of recorded) {
      const { name } = reference.property;
      if (before !== null && after !== null && before[name] === after[name]) continue;
      const old = new Set(namedIds(reference, before));
      const now = new Set(namedIds(reference, after));
      const record = (toId: string): ReferenceRecord => {
        return { toType: reference.type, toId, fromType, fromId, reference: reference.name };
      };
      for (const id of old) if (!now.has(id)) rows.removed.push(record(id));
      for (const id of now) if (!old.has(id)) rows.added.push(record(id));
    }
  }
}

/**
 * Returns the ids that JmapReference may have. Text from before the place was a reference may be no
 * id (RFC 8620 1.2): it names nothing, and long text has no room in the table's key.
 */
function namedIds(reference: TypeReference, object: StoredObject | null): readonly string[] {
  return referredIds(reference, object).filter(({ length }) => length >= 1 && length <= MAX_ID);
}

const MAX_ID = 255;
