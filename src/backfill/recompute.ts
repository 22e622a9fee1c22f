import type { DataTypeDefinition, PropertyDefinition } from '../capability/definition.js';
import type { Changes, HookCall } from '../capability/hooks.js';
import { HookHandle } from '../hooks/handle.js';
import { computedValues } from '../hooks/judge.js';
import type { HookServices } from '../hooks/scope.js';
import { namedHook } from '../hooks/timed.js';
import type { Hooks, Services } from '../methods/context.js';
import { readExisting } from '../methods/read-existing.js';
import type { Registry } from '../methods/registry.js';
import { indexOf, putValue } from '../methods/type-index.js';
import { noteBlobs, noteReferences } from '../methods/work/links.js';
import { jsonEqual } from '../protocol/equal.js';
import { MethodError } from '../protocol/errors.js';
import { emptyObject } from '../protocol/json.js';
import { finish } from '../runtime/slices.js';
import type {
  BlobReference,
  ReferenceRecord,
  Snapshot,
  Store,
  StoredObject,
  Transaction,
} from '../store/port.js';
import { formTexts } from './form-texts.js';
import type { Batch } from './row-batches.js';

/** How long one batch may take, ms: nobody waits for an answer. */
export const BATCH_TIME = 600_000;

const NO_LIMITS = Object.freeze({
  maxObjectsInGet: Number.MAX_SAFE_INTEGER,
  queryMaxLimit: Number.MAX_SAFE_INTEGER,
});

export interface RecomputeServices {
  readonly store: Store;
  readonly registry: Registry;
  /** The values that hooks compute; absent if no capability has hooks. */
  readonly hooks?: Pick<Hooks, 'compute'> | undefined;
  readonly hookServices: HookServices;
  readonly blobs: Pick<Services['blobs'], 'read'>;
}

/**
 * Recomputes all that derives from existing objects, as a /set would: computed properties, counts,
 * shadow columns, references. `updated` stays, since no client has changed the objects.
 */
export class Recompute {
  readonly #services: RecomputeServices;

  constructor(services: RecomputeServices) {
    this.#services = services;
  }

  /**
   * Writes only the objects that are wrong. `derived`: also checks shadow columns, the forms of
   * texts, nulls in place of defaults, references and blob records. `record`: writes a change
   * record where clients, or their filters and sorts, see a change.
   */
  async objects(
    { type, accountId, ids }: Batch,
    { derived, record }: { readonly derived: boolean; readonly record: boolean },
  ): Promise<Recomputed> {
    // Most are as they should be: no lock is taken for them.
    const deadline = performance.now() + BATCH_TIME;
    const { wrong, conflictingIds } = await this.#services.store.read(
      accountId,
      { deadline },
      async (snapshot) => {
        const judged = await this.#judge(type, ids, derived, snapshot);
        const { changed, stale, references, blobs } = judged;
        const linked = [...references.removed, ...references.added].map(({ fromId }) => fromId);
        const holders = [...blobs.removed, ...blobs.added].map(({ objectId }) => objectId);
        const all = [...changed.map(({ after }) => after.id), ...stale, ...linked, ...holders];
        return { wrong: new Set(all), conflictingIds: judged.conflictingIds };
      },
    );
    if (wrong.size === 0) return { conflictingIds, changedIds: [] };
    const changedIds = await this.#write(accountId, false, async (transaction) => {
      const judged = await this.#judge(type, [...wrong], derived, transaction);
      const { done, changed, stale, references, blobs } = judged;
      const touched = new Set([...changed.map(({ after }) => after.id), ...stale]);
      const rows = done.filter(({ id }) => touched.has(id));
      if (rows.length > 0) await transaction.writeRows('update', type, rows);
      await mendLinks(transaction, { references, blobs });
      if (record) await recordSeen(type, changed, transaction, stale);
      return idsOf(changed);
    });
    return { conflictingIds, changedIds: changedIds ?? [] };
  }

  /**
   * Writes the objects that `change` changes, without change records. Resolves to their number.
   */
  async rewrite(
    { type, accountId, ids }: Batch,
    change: (object: StoredObject) => StoredObject,
  ): Promise<number> {
    let count = 0;
    await this.#write(accountId, false, async (transaction) => {
      const rows = await transaction.get(type, ids, type.properties);
      const changed = rows.map((row) => [row, change(row)] as const);
      const written = changed.flatMap(([row, now]) => (now === row ? [] : [now]));
      count = written.length;
      if (count > 0) await transaction.writeRows('update', type, written);
    });
    return count;
  }

  /** Removes what objects that are gone have left of records. */
  async forget({ type, accountId, ids }: Batch): Promise<void> {
    await this.#write(accountId, false, async (transaction) => {
      const there = await transaction.existing(type, ids);
      const missing = ids.filter((id) => !there.has(id));
      const { references, blobs } = await transaction.links(type, missing);
      await transaction.changeReferences(references, []);
      await transaction.changeBlobReferences(blobs, []);
    });
  }

  /**
   * Calls `computeOn` of `property` with the batch as created objects, and writes the values it
   * returns. Resolves to the ids of objects that it changed.
   */
  async follow(
    type: DataTypeDefinition,
    property: PropertyDefinition,
    { type: source, accountId, ids }: Batch,
    record: boolean,
  ): Promise<readonly string[]> {
    const { hookServices, registry, blobs } = this.#services;
    const what = `computeOn of ${type.name}.${property.name}`;
    const valuesOf = namedHook(what, registry.typeHooks.get(type.name)?.computeOn?.[property.name]);
    if (valuesOf === undefined) return [];
    const written = await this.#write(accountId, true, async (transaction) => {
      const created = await transaction.get(source, ids, source.properties);
      const news: Changes<StoredObject> = { created, updated: [], destroyed: [] };
      const handle = new HookHandle({
        snapshot: transaction,
        prisma: hookServices.prisma,
        limits: NO_LIMITS,
        viewer: null,
        openBlob: (id, range) => blobs.read(accountId, id, range),
        writing: null,
      });
      const changes = Object.assign(emptyObject<Changes<never>>(), { [source.name]: news });
      const said = await hookServices
        .join(async () => valuesOf.run(changes, callOf(accountId), handle))
        .finally(() => handle.end());
      const values = computedValues(what, type, property, said);
      const rows = await readExisting(transaction, type, [...values.keys()]);
      const changed = rows.flatMap((before) => {
        const value = values.get(before.id) ?? null;
        if (jsonEqual(value, before[property.name] ?? null)) return [];
        const changed = Object.assign(emptyObject(), before);
        putValue(changed, property, value);
        const after = changed as StoredObject;
        return [{ before, after: this.#services.hooks?.compute(type, after) ?? after }];
      });
      if (changed.length === 0) return [];
      const after = changed.map((one) => one.after);
      await transaction.writeRows('update', type, after);
      await mendLinks(transaction, await wrongLinks(type, after, transaction));
      if (record) await recordSeen(type, changed, transaction);
      return idsOf(changed);
    });
    return written ?? [];
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

  /** Resolves to undefined where the account has gone meanwhile, and its objects with it. */
  async #write<T>(
    accountId: string,
    exclusive: boolean,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T | undefined> {
    const deadline = performance.now() + BATCH_TIME;
    try {
      return await this.#services.store.write(accountId, { deadline, exclusive }, work);
    } catch (error) {
      if (error instanceof MethodError && error.type === 'accountNotFound') return undefined;
      throw error;
    }
  }
}

/** Nobody asks: it is the server that has the objects computed. */
function callOf(accountId: string): HookCall {
  return Object.freeze({
    accountId,
    userId: '',
    method: '',
    arguments: emptyObject(),
    createdIds: new Map<string, string>(),
    refused: [],
    isReadOnly: false,
    signal: new AbortController().signal,
  });
}

function isSame(type: DataTypeDefinition, before: StoredObject, after: StoredObject): boolean {
  return (
    before === after ||
    type.properties.every(({ name }) => jsonEqual(before[name] ?? null, after[name] ?? null))
  );
}

export interface Change {
  readonly before: StoredObject;
  readonly after: StoredObject;
}

function idsOf(changed: readonly Change[]): readonly string[] {
  return changed.map(({ after }) => after.id);
}

/** The ids of objects that were recomputed, by the result. */
export interface Recomputed {
  /** Not normalised: another object has the unique value. */
  readonly conflictingIds: readonly string[];
  readonly changedIds: readonly string[];
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

export async function recordSeen(
  type: DataTypeDefinition,
  changed: readonly Change[],
  transaction: Transaction,
  stale: ReadonlySet<string> = new Set(),
): Promise<void> {
  const { watched } = indexOf(type);
  const differs = (name: string, { before, after }: Change): boolean =>
    !jsonEqual(before[name] ?? null, after[name] ?? null);
  const seen = changed.filter((one) => watched.some(({ name }) => differs(name, one)));
  const properties = watched.filter(({ name }) => seen.some((one) => differs(name, one)));
  const ids = new Set([...stale, ...seen.map(({ after }) => after.id)]);
  if (ids.size === 0) return;
  const updates = [...ids].map((objectId) => ({ objectId, kind: 'updated' as const }));
  await transaction.record(type, updates, properties);
}
