import type { DataTypeDefinition } from '../capability/definition.js';
import { readExisting } from '../methods/read-existing.js';
import { indexOf } from '../methods/type-index.js';
import { noteBlobs, noteReferences } from '../methods/work/links.js';
import { jsonEqual } from '../protocol/equal.js';
import { emptyObject } from '../protocol/json.js';
import { finish } from '../runtime/paused-work.js';
import type {
  BlobReference,
  ReferenceRecord,
  Snapshot,
  StoredObject,
  Transaction,
} from '../store/port.js';
import { formTexts } from './form-texts.js';
import {
  BATCH_TIME,
  type Change,
  type ComputedOf,
  type RecomputeServices,
  type Repairs,
} from './repairs.js';
import { type Batch, batchFailure, inHalves } from './row-batches.js';

/**
 * Recomputes all that derives from existing objects, as a /set would: computed properties, counts,
 * shadow columns, references. `updated` stays, since no client has changed the objects.
 */
export class Recompute {
  readonly #services: RecomputeServices;
  readonly #repairs: Repairs;

  constructor(services: RecomputeServices, repairs: Repairs) {
    this.#services = services;
    this.#repairs = repairs;
  }

  /**
   * Writes only the objects that are wrong. `derived`: also checks shadow columns, the forms of
   * texts, nulls in place of defaults, references and blob records. `record`: writes a change
   * record where clients, or their filters and sorts, see a change. `isNews`: tells `computeOn` of
   * all of them as of created objects. Resolves to the ids of objects that keep a text because
   * another object has the unique value.
   */
  async objects(batch: Batch, how: Recomputing): Promise<readonly string[]> {
    return (await inHalves(batch, (part) => this.#recompute(part, how))).flat();
  }

  async #recompute(
    batch: Batch,
    { derived, record, isNews = false }: Recomputing,
  ): Promise<readonly string[]> {
    const { type, ids } = batch;
    const { wrong, conflictingIds } = await this.#wrong(batch, derived);
    const told = isNews && this.#repairs.hasFollowers(type) ? ids : [];
    if (wrong.size + told.length === 0) return conflictingIds;
    const how = { unrecorded: record ? null : type, told };
    const late = await this.#repairs.run(batch, how, async ({ unit, stale }) => {
      const { transaction } = unit;
      const judged = await this.#judge(type, [...wrong], derived, transaction);
      for (const { before, after } of judged.changed) unit.update(type, before, after);
      for (const row of judged.done) {
        if (!judged.stale.has(row.id)) continue;
        stale.add(row.id);
        // Another object, so that it is written.
        if (unit.current(type, row.id) === undefined)
          unit.update(type, row, Object.assign(emptyObject(), row) as StoredObject);
      }
      await unit.flush();
      await mendLinks(transaction, judged);
      return judged.conflictingIds;
    });
    // Another object may have taken a value since the first look.
    return [...new Set([...conflictingIds, ...(late ?? [])])];
  }

  /**
   * Writes the objects that `change` changes, without change records. Resolves to their number.
   */
  async rewrite(batch: Batch, change: (object: StoredObject) => StoredObject): Promise<number> {
    const { type, ids } = batch;
    const how = { unrecorded: type };
    const count = await this.#repairs.run(batch, how, async ({ unit }) => {
      const rows = await unit.transaction.get(type, ids, type.properties);
      const changed = rows.map((row) => [row, change(row)] as const);
      const written = changed.filter(([row, now]) => now !== row);
      for (const [row, now] of written) unit.update(type, row, now);
      return written.length;
    });
    return count ?? 0;
  }

  /** Removes what objects that are gone have left of records. */
  async forget(batch: Batch): Promise<void> {
    const { type, ids } = batch;
    await this.#repairs.run(batch, {}, async ({ unit }) => {
      const { transaction } = unit;
      const there = await transaction.existing(type, ids);
      const missing = ids.filter((id) => !there.has(id));
      const { references, blobs } = await transaction.links(type, missing);
      await transaction.changeReferences(references, []);
      await transaction.changeBlobReferences(blobs, []);
      // With the values that users had of their own there.
      await unit.destroyRows(type, missing);
    });
  }

  /**
   * Calls `computeOn` of one property with the batch as created objects, and writes the values it
   * returns, without change records of its type.
   */
  async follow(only: ComputedOf, batch: Batch): Promise<void> {
    const how = { unrecorded: only.type, waits: true, only, told: batch.ids };
    await this.#repairs.run(batch, how, async () => undefined);
  }

  /** Reads which objects are wrong: most are as they should be, and no lock is taken for them. */
  async #wrong(batch: Batch, derived: boolean) {
    const { type, accountId, ids } = batch;
    const deadline = performance.now() + BATCH_TIME;
    const read = this.#services.store.read(accountId, { deadline }, async (snapshot) => {
      const judged = await this.#judge(type, ids, derived, snapshot);
      const { changed, stale, references, blobs, conflictingIds } = judged;
      const linked = [...references.removed, ...references.added].map(({ fromId }) => fromId);
      const holders = [...blobs.removed, ...blobs.added].map(({ objectId }) => objectId);
      const all = [...changed.map(({ after }) => after.id), ...stale, ...linked, ...holders];
      return { wrong: new Set(all), conflictingIds };
    });
    return read.catch((error: unknown) => {
      throw batchFailure(batch, error);
    });
  }

  async #judge(
    type: DataTypeDefinition,
    ids: readonly string[],
    derived: boolean,
    snapshot: Snapshot,
  ): Promise<Judged> {
    const rows = await readExisting(snapshot, type, ids);
    const counted = await this.#counted(type, rows, snapshot);
    const { hooks } = this.#services;
    const { formed, conflictingIds } = derived
      ? await formTexts(type, counted, snapshot)
      : { formed: counted, conflictingIds: [] };
    const done = formed.map((row) => hooks?.compute(type, row) ?? row);
    const changed = done.flatMap((after, at) => {
      const before = rows[at];
      return before === undefined || isSame(type, before, after) ? [] : [{ before, after }];
    });
    const judged = derived ? done : changed.map(({ after }) => after);
    const links = await wrongLinks(type, judged, snapshot);
    const stale = derived ? await snapshot.stale(type, done) : new Set<string>();
    return { done, changed, stale, conflictingIds, ...links };
  }

  async #counted(
    type: DataTypeDefinition,
    rows: readonly StoredObject[],
    transaction: Snapshot,
  ): Promise<readonly StoredObject[]> {
    const { allAggregates } = this.#services.registry.relations;
    const own = allAggregates.filter((one) => one.type === type);
    if (own.length === 0 || rows.length === 0) return rows;
    const ids = rows.map(({ id }) => id);
    const counted = rows.map((row) => Object.assign(emptyObject(), row));
    for (const aggregate of own) {
      const values = await transaction.aggregate(aggregate, ids);
      const { name, default: none = null } = aggregate.property;
      for (const row of counted) row[name] = values.get(row['id'] as string) ?? none;
    }
    return counted as readonly StoredObject[];
  }
}

interface Recomputing {
  readonly derived: boolean;
  readonly record: boolean;
  readonly isNews?: boolean;
}

function isSame(type: DataTypeDefinition, before: StoredObject, after: StoredObject): boolean {
  return (
    before === after ||
    type.properties.every(({ name }) => jsonEqual(before[name] ?? null, after[name] ?? null))
  );
}

interface Difference<T> {
  readonly removed: readonly T[];
  readonly added: readonly T[];
}

interface WrongLinks {
  readonly references: Difference<ReferenceRecord>;
  readonly blobs: Difference<BlobReference>;
}

interface Judged extends WrongLinks {
  /** The objects as they should be. */
  readonly done: readonly StoredObject[];
  readonly changed: readonly Change[];
  readonly stale: ReadonlySet<string>;
  readonly conflictingIds: readonly string[];
}

/** Returns the records that lead away from objects, where they are not as the values want them. */
export async function wrongLinks(
  type: DataTypeDefinition,
  objects: readonly StoredObject[],
  snapshot: Snapshot,
): Promise<WrongLinks> {
  const index = indexOf(type);
  const target = { references: nothing<ReferenceRecord>(), blobs: nothing<BlobReference>() };
  if (index.links.length === 0 || objects.length === 0) return target;
  const ids = objects.map(({ id }) => id);
  const current = await snapshot.links(type, ids);
  const moves = objects.map((after) => ({ objectId: after.id, before: null, after }));
  finish(noteReferences(index, moves, target.references));
  finish(noteBlobs(index, moves, target.blobs));
  const blobs = apart(current.blobs, target.blobs.added);
  return {
    references: apart(current.references, target.references.added),
    blobs: { ...blobs, added: await existing(blobs.added, snapshot) },
  };
}

export async function mendLinks(transaction: Transaction, links: WrongLinks): Promise<void> {
  const { references, blobs } = links;
  await transaction.changeReferences(references.removed, references.added);
  await transaction.changeBlobReferences(blobs.removed, blobs.added);
}

function nothing<T>(): { readonly removed: T[]; readonly added: T[] } {
  return { removed: [], added: [] };
}

function apart<T>(current: readonly T[], target: readonly T[]): Difference<T> {
  const key = (record: T): string => JSON.stringify(Object.entries(record as object).sort());
  const [old, now] = [new Set(current.map(key)), new Set(target.map(key))];
  return {
    removed: current.filter((record) => !now.has(key(record))),
    added: target.filter((record) => !old.has(key(record))),
  };
}

/**
 * Returns the records whose blobs are there. The previous version took any text where a blob's id
 * belongs: what is no blob has no record.
 */
export async function existing(
  added: readonly BlobReference[],
  snapshot: Snapshot,
): Promise<readonly BlobReference[]> {
  if (added.length === 0) return [];
  const rows = await snapshot.blobs([...new Set(added.map(({ blobId }) => blobId))]);
  const known = new Set(rows.map(({ id }) => id));
  return added.filter(({ blobId }) => known.has(blobId));
}
