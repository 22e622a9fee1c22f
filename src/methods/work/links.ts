import type { PropertyDefinition } from '../../capability/definition.js';
import { type Place, textSteps } from '../../capability/places.js';
import { emptyObject, isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import type { Steps } from '../../runtime/slices.js';
import type { BlobReference, ReferenceRecord, StoredObject } from '../../store/port.js';
import { quoted } from '../issues.js';
import type { Names, ReferenceProperty, TypeIndex } from '../type-index.js';

/** Returns the ids in a reference property's value, each once; none if it has another shape. */
export function referredIds(property: PropertyDefinition, value: JsonValue | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) {
    return [...new Set(value.filter((item): item is string => typeof item === 'string'))];
  }
  if (property.reference?.form === 'set' && isJsonObject(value)) return Object.keys(value);
  return [];
}

export const NOTHING_CREATED = 'refers to a creation id under which nothing was created';

/** Completes the sentence that the property's name begins. `births`: ids of the call's creates. */
export function unknownReference(type: string, id: string, births: Names): string {
  return births.has(id)
    ? NOTHING_CREATED
    : `refers to ${quoted(id)}, which is no ${type} of this account`;
}

const IN_LISTS: readonly Place[] = Object.freeze([[], [{ each: 'item' }]]);
const IN_SETS: readonly Place[] = Object.freeze([...IN_LISTS, [{ each: 'key' }]]);

/** Returns the places of ids in a reference property's value, whatever its shape. */
export function placesOf({ reference }: ReferenceProperty): readonly Place[] {
  return reference.form === 'set' ? IN_SETS : IN_LISTS;
}

/** Returns the value without references to objects that are gone (setNull). */
export function withoutReferences(
  property: ReferenceProperty,
  value: JsonValue,
  isGone: (id: string) => boolean,
): JsonValue {
  if (typeof value === 'string') return isGone(value) ? null : value;
  if (Array.isArray(value)) {
    return value.filter((item: JsonValue) => typeof item !== 'string' || !isGone(item));
  }
  if (!isJsonObject(value) || property.reference.form !== 'set') return value;
  const kept = emptyObject();
  for (const [key, member] of Object.entries(value)) if (!isGone(key)) kept[key] = member;
  return kept;
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

/** Notes the rows of JmapReference: one for each property and object referred to. */
export function noteReferences(
  index: TypeIndex,
  { objectId: fromId, before, after }: Move,
  rows: Moved<ReferenceRecord>,
): void {
  const fromType = index.type.name;
  for (const property of index.references) {
    const { name } = property;
    if (before !== null && after !== null && before[name] === after[name]) continue;
    const old = new Set(before === null ? [] : namedIds(property, before[name]));
    const now = new Set(after === null ? [] : namedIds(property, after[name]));
    const record = (toId: string): ReferenceRecord => {
      return { toType: property.reference.type, toId, fromType, fromId, property: name };
    };
    for (const id of old) if (!now.has(id)) rows.removed.push(record(id));
    for (const id of now) if (!old.has(id)) rows.added.push(record(id));
  }
}

/**
 * Returns the ids that JmapReference may have. Text from before the property was a reference may be
 * no id (RFC 8620 1.2): it names nothing, and long text has no room in the table's key.
 */
function namedIds(property: ReferenceProperty, value: JsonValue | undefined): readonly string[] {
  return referredIds(property, value).filter(({ length }) => length >= 1 && length <= MAX_ID);
}

const MAX_ID = 255;
