import type { DataTypeDefinition } from '../../capability/definition.js';
import { countsBlobs } from '../../capability/quota-definition.js';
import type { Steps } from '../../runtime/paused-work.js';
import { runInSlices, type Slices } from '../../runtime/slices.js';
import type { BlobUse, StoredObject } from '../../store/port.js';
import type { QuotaBook } from '../quota/quota-book.js';
import type { KeptQuota } from '../quota/quota-index.js';
import { indexOf } from '../type-index.js';
import { blobIdsOf } from '../work/links.js';
import type { ProposedRow } from './proposed-changes.js';
import { type ObjectKey, push } from './relations.js';

/** An object that goes: of the call's type as it is before the call. */
export interface Going extends ObjectKey {
  /** Null where the call itself would create it. */
  readonly row: StoredObject | null;
}

/** The blobs whose references a call changes. */
interface MovedBlobs {
  /** By row: blobs that it names and didn't before. */
  readonly named: ReadonlyMap<ProposedRow, readonly string[]>;
  /** By blob: the rows that name it no longer; null for each object that goes. */
  readonly lost: ReadonlyMap<string, readonly (ProposedRow | null)[]>;
}

/** A call, as far as its blobs count. */
export interface BlobScene {
  readonly type: DataTypeDefinition;
  readonly book: QuotaBook;
  readonly slices: Slices;
  readonly rows: readonly ProposedRow[];
  readonly going: readonly Going[];
}

const NOTHING_MOVES: MovedBlobs = Object.freeze({ named: new Map(), lost: new Map() });

/** Finds out what the blobs cost that a call's objects name, or name no longer. */
export async function weighBlobs(quota: KeptQuota, scene: BlobScene): Promise<BlobCosts> {
  if (!countsBlobs(quota)) return new BlobCosts(NOTHING_MOVES, new Map());
  const { book, slices, rows, going } = scene;
  const moved = await runInSlices(movedBlobs(quota, scene), slices);
  const ids = new Set([...[...moved.named.values()].flat(), ...moved.lost.keys()]);
  // An object has one reference to a blob: more than go are not told apart.
  return new BlobCosts(moved, await book.usesOf(quota, [...ids], rows.length + going.length + 1));
}

function* movedBlobs(quota: KeptQuota, { type, book, rows, going }: BlobScene): Steps<MovedBlobs> {
  const index = indexOf(type);
  const named = new Map<ProposedRow, readonly string[]>();
  const lost = new Map<string, (ProposedRow | null)[]>();
  for (const row of rows) {
    yield;
    const before = row.before === null ? NONE : yield* blobIdsOf(index, row.before);
    const after = yield* blobIdsOf(index, row.after);
    const added = [...after].filter((id) => !before.has(id));
    if (added.length > 0) named.set(row, added);
    for (const id of before) if (!after.has(id)) push(lost, id, row);
  }
  for (const { type: name, row } of going) {
    const gone = quota.types.includes(name) ? book.typeOf(name) : undefined;
    if (gone === undefined || row === null) continue;
    yield;
    for (const id of yield* blobIdsOf(indexOf(gone), row)) push(lost, id, null);
  }
  return { named, lost };
}

/** The octets of blobs that the objects of a call have counted, or counted no longer. */
export class BlobCosts {
  readonly #moved: MovedBlobs;
  readonly #uses: ReadonlyMap<string, BlobUse>;
  readonly #freed = new Map<ProposedRow | null, number>();
  /** Blobs that are counted, as far as the rows are admitted. */
  readonly #counted = new Set<string>();

  constructor(moved: MovedBlobs, uses: ReadonlyMap<string, BlobUse>) {
    this.#moved = moved;
    this.#uses = uses;
    const named = new Set([...moved.named.values()].flat());
    for (const { id, size, references } of uses.values()) {
      if (references > 0) this.#counted.add(id);
      const losers = moved.lost.get(id) ?? [];
      const isLeft = references > losers.length || named.has(id);
      if (references === 0 || isLeft) continue;
      // Objects that go lose their references before the rows do.
      const loser = losers.includes(null) ? null : (losers[0] ?? null);
      this.#freed.set(loser, (this.#freed.get(loser) ?? 0) + size);
    }
  }

  /** Returns the octets of blobs that nothing names any longer, by a row or by all that goes. */
  freedBy(row: ProposedRow | null): number {
    return this.#freed.get(row) ?? 0;
  }

  /** Returns the octets of the blobs that a row names and that are not counted yet. */
  costOf(row: ProposedRow): number {
    let octets = 0;
    for (const id of this.#moved.named.get(row) ?? [])
      if (!this.#counted.has(id)) octets += this.#uses.get(id)?.size ?? 0;
    return octets;
  }

  /** Counts the blobs that a row names. */
  admit(row: ProposedRow): void {
    for (const id of this.#moved.named.get(row) ?? []) this.#counted.add(id);
  }
}

const NONE: ReadonlySet<string> = new Set();
