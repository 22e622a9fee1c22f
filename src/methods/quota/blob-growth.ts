import type { DataTypeDefinition } from '../../capability/definition.js';
import type { Steps } from '../../runtime/paused-work.js';
import { runInSlices, type Slices } from '../../runtime/slices.js';
import type { BlobUse, NewBlob, StoredObject, Transaction } from '../../store/port.js';
import { indexOf, type TypeIndex } from '../type-index.js';
import { blobIdsOf } from '../work/links.js';

/** An object that a unit of work has touched. */
export interface Touched {
  readonly before: StoredObject | null;
  readonly after: StoredObject | null;
  readonly stored: StoredObject | null;
}

/** The unit of work, as far as its blobs count. */
export interface BlobUnit {
  readonly transaction: Pick<Transaction, 'blobUses'>;
  readonly slices: Slices;
  readonly touched: ReadonlyMap<string, { readonly entries: ReadonlyMap<string, Touched> }>;
  readonly blobs: { newBlob(id: string): NewBlob | undefined };
}

/** Blobs that one statement reads. */
const MAX_BLOBS = 5000;

/**
 * Returns the blobs that exist of `ids`, by id, and how many objects of the types refer to each: at
 * most `limit` are counted. A blob that gets its row with the unit's objects is among them.
 */
export async function readUses(
  { transaction, slices, blobs }: Omit<BlobUnit, 'touched'>,
  types: readonly DataTypeDefinition[],
  ids: readonly string[],
  limit: number,
): Promise<ReadonlyMap<string, BlobUse>> {
  const uses = new Map<string, BlobUse>();
  const names = types.map(({ name }) => name);
  for (let at = 0; at < ids.length; at += MAX_BLOBS) {
    if (slices.isOver()) await slices.next();
    const some = ids.slice(at, at + MAX_BLOBS);
    for (const use of await transaction.blobUses(some, names, limit)) uses.set(use.id, use);
  }
  for (const id of ids) {
    const size = uses.has(id) ? undefined : blobs.newBlob(id)?.size;
    if (size !== undefined) uses.set(id, { id, size, references: 0 });
  }
  return uses;
}

/** How a unit changes the number of references to a blob. */
interface Shift {
  /** References that come, less those that go. */
  growth: number;
  /** The part of it that the database doesn't have yet. */
  unwritten: number;
}

/**
 * Returns by how many octets a unit's changes raise what the blobs take together that objects of
 * the types refer to. `now` gives an object as it is at the end of these changes.
 */
export async function blobGrowth(
  unit: BlobUnit,
  types: readonly DataTypeDefinition[],
  now: (one: Touched) => StoredObject | null,
): Promise<number> {
  const shifts = await runInSlices(shiftsOf(unit, types, now), unit.slices);
  const ids = [...shifts.keys()].filter((id) => shifts.get(id)?.growth !== 0);
  if (ids.length === 0) return 0;
  // An object has one reference to a blob: more than are touched are not told apart.
  let limit = 1;
  for (const { name } of types) limit += unit.touched.get(name)?.entries.size ?? 0;
  let octets = 0;
  for (const { id, size, references } of (await readUses(unit, types, ids, limit)).values()) {
    const { growth = 0, unwritten = 0 } = shifts.get(id) ?? {};
    const after = references + unwritten;
    const before = after - growth;
    octets += size * (Number(after > 0) - Number(before > 0));
  }
  return octets;
}

function* shiftsOf(
  { touched }: BlobUnit,
  types: readonly DataTypeDefinition[],
  now: (one: Touched) => StoredObject | null,
): Steps<ReadonlyMap<string, Shift>> {
  const shifts = new Map<string, Shift>();
  for (const type of types) {
    const index = indexOf(type);
    if (index.blobs.length === 0) continue;
    for (const one of touched.get(type.name)?.entries.values() ?? []) {
      yield;
      const { before, stored } = one;
      const end = now(one);
      if (hasSameBlobs(index, before, end) && hasSameBlobs(index, stored, end)) continue;
      yield* note(shifts, index, end, { growth: 1, unwritten: 1 });
      yield* note(shifts, index, before, { growth: -1, unwritten: 0 });
      yield* note(shifts, index, stored, { growth: 0, unwritten: -1 });
    }
  }
  return shifts;
}

function hasSameBlobs(index: TypeIndex, a: StoredObject | null, b: StoredObject | null): boolean {
  return index.blobs.every(({ name }) => a?.[name] === b?.[name]);
}

function* note(
  shifts: Map<string, Shift>,
  index: TypeIndex,
  object: StoredObject | null,
  { growth, unwritten }: Shift,
): Steps<void> {
  if (object === null) return;
  for (const id of yield* blobIdsOf(index, object)) {
    const shift = shifts.get(id) ?? { growth: 0, unwritten: 0 };
    shift.growth += growth;
    shift.unwritten += unwritten;
    shifts.set(id, shift);
  }
}
