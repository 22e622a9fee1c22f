import type { JsonValue } from '../../protocol/json.js';
import type { Steps } from '../../runtime/slices.js';
import type { BlobReference, ReferenceRecord, StoredObject } from '../../store/port.js';
import type { ReferenceProperty, TypeIndex } from '../type-index.js';
import { blobIdsOf, referredIds } from './named-ids.js';

interface Difference<T> {
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

/** Two properties with one blob are one row. */
export function* noteBlobs(
  index: TypeIndex,
  moves: readonly Move[],
  into: Difference<BlobReference>,
): Steps<void> {
  const dataType = index.type.name;
  for (const { objectId, before, after } of moves) {
    yield;
    const old = before === null ? NONE : yield* blobIdsOf(index, before);
    const now = after === null ? NONE : yield* blobIdsOf(index, after);
    for (const blobId of old) {
      if (!now.has(blobId)) into.removed.push({ blobId, dataType, objectId });
    }
    for (const blobId of now) {
      if (!old.has(blobId)) into.added.push({ blobId, dataType, objectId });
    }
  }
}

/** The rows of JmapReference: one for each property and object referred to. */
export function noteReferences(
  index: TypeIndex,
  { objectId: fromId, before, after }: Move,
  into: Difference<ReferenceRecord>,
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
    for (const id of old) if (!now.has(id)) into.removed.push(record(id));
    for (const id of now) if (!old.has(id)) into.added.push(record(id));
  }
}

/**
 * Text of before the property was a reference may be no id (RFC 8620 1.2): it names nothing, and long
 * text has no room in the key of JmapReference.
 */
function namedIds(property: ReferenceProperty, value: JsonValue | undefined): readonly string[] {
  return referredIds(property, value).filter(({ length }) => length >= 1 && length <= MAX_ID);
}

const MAX_ID = 255;
