import type { DataTypeDefinition } from '../../capability/definition.js';
import { type SetError, setError } from '../../protocol/errors.js';
import type { ReferenceRecord, Snapshot } from '../../store/port.js';
import type { Registry } from '../registry.js';
import { indexOf } from '../type-index.js';
import { referredIds } from '../work/links.js';
import type { ProposedChanges } from './proposed-changes.js';
import { type KnownObjects, type Link, type ObjectKey, push, textOf } from './relations.js';

/**
 * Objects that one call may destroy or change because others are destroyed or changed, where the
 * settings don't say it.
 */
export const MAX_CASCADE = 10_000;

/** Links that are read to find them: an object may link by many entries of a list or set. */
const MAX_LINKS = 100_000;

/** objectIsLinked names this many of those that link. */
const NAMED_LINKS = 10;

/** The result of judging a call's destroys. */
export interface Destruction {
  /** By id: the roots that stay. */
  readonly refused: ReadonlyMap<string, SetError>;
  /** All that goes, the roots among it. */
  readonly removals: ReadonlyMap<string, ObjectKey>;
  /** Links to what goes that are taken out of objects which stay. */
  readonly nulled: readonly Link[];
}

/** Objects that may not go. */
export interface StayingObjects {
  readonly kept: readonly ObjectKey[];
  /** The user has no right to destroy them. */
  readonly lasting: readonly ObjectKey[];
}

export interface DestroyScene {
  readonly changes: ProposedChanges;
  readonly snapshot: Snapshot;
  readonly registry: Registry;
  readonly objects: KnownObjects;
  readonly maximum: number | undefined;
}

/** Restrict, cascade and setNull (RFC 8621's objectIsLinked), on the final state of the call. */
export class Destroyer {
  readonly #changes: ProposedChanges;
  readonly #snapshot: Snapshot;
  readonly #registry: Registry;
  readonly #objects: KnownObjects;
  readonly #maximum: number;
  #stored: readonly Link[] | null = null;
  /** Roots whose closure is too large to be known, with ids of objects that link to them. */
  readonly #beyond = new Map<string, readonly string[]>();

  constructor({ changes, snapshot, registry, objects, maximum }: DestroyScene) {
    this.#changes = changes;
    this.#snapshot = snapshot;
    this.#registry = registry;
    this.#objects = objects;
    this.#maximum = maximum ?? MAX_CASCADE;
  }

  /**
   * Returns what follows from destroying these objects of the changes's type, as far as that is
   * allowed. The objects in `kept` and `lasting` stay, and so do the objects that they would
   * follow. Errors don't name those in `lasting`.
   */
  async destroy(ids: readonly string[], { kept, lasting }: StayingObjects): Promise<Destruction> {
    const type = this.#changes.index.type.name;
    const roots = ids.map((id) => ({ type, id }));
    if (ids.length === 0 || !this.#registry.relations.referred.has(type)) {
      return {
        refused: new Map(),
        removals: new Map(roots.map((key) => [textOf(key), key])),
        nulled: [],
      };
    }
    this.#stored ??= await this.#read(roots);
    const links = this.#linksByTarget();
    const refused = new Map<string, SetError>();
    for (const [id, originIds] of this.#beyond) {
      refused.set(
        id,
        tooMany(`${MAX_LINKS} links lead to it or to what would go with it`, originIds),
      );
    }
    for (;;) {
      const going = roots.filter(({ id }) => !refused.has(id));
      const removals = closure(going, links);
      const blocked = blockers(removals, links, { kept, lasting });
      let more = false;
      for (const root of going) {
        const block = blocked.get(textOf(root));
        if (block === undefined) continue;
        refused.set(root.id, linked(block));
        more = true;
      }
      if (more) continue;
      const nulled: Link[] = [];
      const changed = new Set<string>();
      for (const key of removals.keys()) {
        for (const link of links.get(key) ?? []) {
          const originKey = textOf(link.origin);
          if (removals.has(originKey) || link.reference.onDestroy !== 'setNull') continue;
          nulled.push(link);
          changed.add(originKey);
        }
      }
      if (removals.size - going.length + changed.size <= this.#maximum) {
        return { refused, removals, nulled };
      }
      for (const root of going) {
        const originIds = links.get(textOf(root))?.map(({ origin }) => origin.id);
        const what = `${this.#maximum} objects would have to go or to change with it`;
        if (originIds !== undefined) refused.set(root.id, tooMany(what, originIds));
      }
    }
  }

  /** Reads links by one statement, and one or two for each type that has links to what goes. */
  async #read(roots: readonly ObjectKey[]): Promise<readonly Link[]> {
    const { cascading } = this.#registry.relations;
    const { index, rows } = this.#changes;
    const ids = new Set(roots.map(({ id }) => id));
    // An update may link its object to a root, and the object may have followers of its own.
    if (index.references.some(({ onDestroy }) => onDestroy === 'cascade')) {
      for (const { id, before } of rows.values()) if (before !== null) ids.add(id);
    }
    const targets = [{ type: index.type.name, ids: [...ids] }];
    const limit = Math.max(MAX_LINKS, this.#maximum + ids.size);
    let records = await this.#snapshot.referrers(targets, cascading, limit);
    if (records.length > limit) {
      await this.#findBeyond(roots, limit, ids.size > roots.length);
      records = [];
    }
    const links = inOrder(records)
      .map((record) => this.#linkOf(record))
      .filter((link) => link !== null);
    this.#noteOwn(roots);
    return this.#ofWhatIsThere(links);
  }

  /**
   * Refuses roots where the closure is too large: those that objects link to, or all if updates may
   * give them followers, or if too many objects link to them.
   */
  async #findBeyond(roots: readonly ObjectKey[], limit: number, followed: boolean): Promise<void> {
    const type = this.#changes.index.type.name;
    const ids = roots.map(({ id }) => id);
    const direct = await this.#snapshot.referrers([{ type, ids }], [], limit);
    const originIdsByTarget = new Map<string, string[]>();
    for (const { toId, fromId } of inOrder(direct)) push(originIdsByTarget, toId, fromId);
    const all = followed || direct.length > limit;
    for (const id of all ? ids : originIdsByTarget.keys())
      this.#beyond.set(id, originIdsByTarget.get(id) ?? []);
  }

  /**
   * Returns the links whose objects still exist: a version that didn't know the property may have
   * destroyed one. It looks up ten of the objects that restrict a target and that the call doesn't
   * touch, as many as the error names. It looks up the others only if none of the ten exists.
   */
  async #ofWhatIsThere(links: readonly Link[]): Promise<readonly Link[]> {
    const objects = this.#objects;
    const following: ObjectKey[] = [];
    for (const { origin, reference } of links) {
      if (reference.onDestroy !== 'restrict') following.push(origin);
    }
    await objects.lookUp(following);
    const keeping = new Map<string, ObjectKey[]>();
    for (const { origin, target, reference } of links) {
      if (reference.onDestroy !== 'restrict' || objects.isLookedUp(origin)) continue;
      push(keeping, textOf(target), origin);
    }
    for (const many of [NAMED_LINKS, Number.POSITIVE_INFINITY]) {
      const unsure = [...keeping.values()].filter(
        (keepers) => !keepers.some((origin) => objects.has(origin)),
      );
      await objects.lookUp(unsure.flatMap((keepers) => keepers.slice(0, many)));
    }
    return links.filter(({ origin }) => objects.has(origin));
  }

  /** Notes that the objects which the call destroys or changes exist: it has read them. */
  #noteOwn(roots: readonly ObjectKey[]): void {
    const { index, rows, births } = this.#changes;
    const known = this.#objects.idsOf(index.type.name);
    for (const { id } of roots) if (!births.has(id)) known.add(id);
    for (const { id, before } of rows.values()) if (before !== null) known.add(id);
  }

  /** Returns links as the call leaves them: its objects' present references replace stored ones. */
  #linksByTarget(): ReadonlyMap<string, readonly Link[]> {
    const { index, rows } = this.#changes;
    const own = index.type.name;
    const links = new Map<string, Link[]>();
    const add = (link: Link): void => push(links, textOf(link.target), link);
    for (const link of this.#stored ?? []) {
      if (link.origin.type !== own || !rows.has(link.origin.id)) add(link);
    }
    for (const row of rows.values()) {
      for (const reference of index.references) {
        if (!reference.isRecorded) continue;
        for (const id of referredIds(reference, row.after)) {
          const target = { type: reference.type, id };
          add({ origin: { type: own, id: row.id }, target, reference });
        }
      }
    }
    return links;
  }

  #linkOf(record: ReferenceRecord): Link | null {
    const reference = indexOf(this.#type(record.fromType)).references.find(
      ({ name }) => name === record.reference,
    );
    if (reference === undefined) return null;
    const origin = { type: record.fromType, id: record.fromId };
    return { origin, target: { type: record.toType, id: record.toId }, reference };
  }

  #type(name: string): DataTypeDefinition {
    const type = this.#registry.dataTypes.get(name);
    // The store leaves out records of what no type has.
    if (type === undefined) throw new Error(`A reference record names the unknown type ${name}.`);
    return type;
  }
}

/**
 * Sorts records by id, the order of creation: errors name the first, in whatever order the database
 * read them. Records that a limit has cut (`#findBeyond`) needn't hold the first of all, and may
 * differ between the databases.
 */
function inOrder(records: readonly ReferenceRecord[]): readonly ReferenceRecord[] {
  return records.toSorted((a, b) => (a.fromId < b.fromId ? -1 : Number(a.fromId > b.fromId)));
}

function closure(
  roots: readonly ObjectKey[],
  links: ReadonlyMap<string, readonly Link[]>,
): ReadonlyMap<string, ObjectKey> {
  const removals = new Map(roots.map((key) => [textOf(key), key]));
  // A Map goes on over what is added while it is walked.
  for (const key of removals.keys()) {
    for (const { origin, reference } of links.get(key) ?? []) {
      if (reference.onDestroy === 'cascade') removals.set(textOf(origin), origin);
    }
  }
  return removals;
}

/** The objects that keep an object. */
interface Block {
  /** Ids of the objects that keep it, or keep what would go with it; none if a right lacks. */
  readonly ids: Set<string>;
  /** The first link to it itself, by age of its object; null for none. */
  by: Link | null;
}

/**
 * By key of what may not go: what keeps it. An object that stays for another reason keeps itself.
 */
function blockers(
  removals: ReadonlyMap<string, ObjectKey>,
  links: ReadonlyMap<string, readonly Link[]>,
  { kept: staying, lasting }: StayingObjects,
): ReadonlyMap<string, Block> {
  const blocked = new Map<string, Block>();
  const waiting: string[] = [];
  const block = (key: string, ids: Iterable<string>, link?: Link): void => {
    const known = blocked.get(key);
    const now = known ?? { ids: new Set<string>(), by: null };
    const { size } = now.ids;
    for (const id of ids) if (now.ids.size < NAMED_LINKS) now.ids.add(id);
    blocked.set(key, now);
    if (link !== undefined && (now.by === null || rankOf(link) < rankOf(now.by))) now.by = link;
    if (known === undefined || now.ids.size > size) waiting.push(key);
  };
  const above = new Map<string, string[]>();
  const restrictedTargets = new Map<string, string[]>();
  for (const key of removals.keys()) {
    for (const link of links.get(key) ?? []) {
      const { origin, reference } = link;
      const { onDestroy } = reference;
      const follower = textOf(origin);
      if (onDestroy === 'cascade') push(above, follower, key);
      if (onDestroy !== 'restrict') continue;
      if (removals.has(follower)) push(restrictedTargets, follower, key);
      else block(key, [origin.id], link);
    }
  }
  for (const object of staying) {
    if (removals.has(textOf(object))) block(textOf(object), [object.id]);
  }
  for (const object of lasting) if (removals.has(textOf(object))) block(textOf(object), []);
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    for (const parent of above.get(key) ?? []) block(parent, blocked.get(key)?.ids ?? []);
    // A blocked object stays, as does all that it would follow: so it keeps what it links to.
    const own = removals.get(key)?.id;
    if (own !== undefined) for (const kept of restrictedTargets.get(key) ?? []) block(kept, [own]);
  }
  return blocked;
}

/** Ids sort by age; the name decides between two links of one object. */
function rankOf({ origin, reference }: Link): string {
  return `${origin.id} ${reference.name}`;
}

function tooMany(what: string, originIds: readonly string[]): SetError {
  const objectIds = [...new Set(originIds)].slice(0, NAMED_LINKS);
  return setError('objectIsLinked', `More than ${what}.`, { objectIds });
}

function linked({ ids, by }: Block): SetError {
  if (ids.size === 0)
    return setError('forbidden', 'You may not destroy all that would go with it.');
  // Ids sort by age. Followers add theirs behind those of the object itself.
  const objectIds = [...ids].sort();
  const why = `Other objects link to it or to what would go with it: ${objectIds.join(', ')}.`;
  return setError(by?.reference.error ?? 'objectIsLinked', why, { objectIds });
}
