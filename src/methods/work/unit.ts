import type { Inheritance, ReadObjects } from '../../access/inheritance.js';
import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import { textsAt } from '../../capability/places.js';
import { runInSlices, type Slices } from '../../runtime/slices.js';
import type {
  BlobReference,
  Grant,
  NewChange,
  ObjectIds,
  ReferenceRecord,
  RowsWritten,
  StoredObject,
  Transaction,
  ValuesById,
} from '../../store/port.js';
import { HookError } from '../hook-errors.js';
import { QuotaBook } from '../quota/quota-book.js';
import { indexOf } from '../type-index.js';
import { AggregateUpkeep, type Follower, type Upkeep } from './aggregate-upkeep.js';
import { batchesOf } from './batches.js';
import { GrantUpkeep } from './grant-upkeep.js';
import { type BlobViewer, KnownBlobs, type KnownIds, knownPrincipals } from './known-ids.js';
import { type Move, type Moved, noteBlobs, noteReferences } from './links.js';
import { type AccessRelations, countScopes, isSameList, ScopeUpkeep } from './scope-upkeep.js';
import { ShareNotices } from './share-notices.js';
import {
  changedProperties,
  type Entry,
  kindsOf,
  movedAlone,
  recordsOf,
  type TypeWork,
} from './touched.js';
import { type OwnMove, UserValueUpkeep } from './user-value-upkeep.js';

/**
 * Characters that a statement writes of a type with a search index, whose trigrams are made within
 * it.
 */
const INDEXED_CHARACTERS = 32_768;

/**
 * References that one statement writes, and that it removes; or rows of scopes. On SQLite 5,000
 * take about 15 ms.
 */
const MAX_RECORDS = 5000;

/**
 * Everything that one transaction does to objects, of all types. `flush` writes rows, references
 * and blob references, as often as it takes. `record` writes change records once, at the end: two
 * for an object that was created and destroyed, one for any other, however often it was touched.
 */
export class UnitOfWork {
  /** Others have their turns between the steps of a long call. */
  readonly slices: Slices;
  readonly #transaction: Transaction;
  readonly #user: BlobViewer | null;
  #blobs: KnownBlobs | null = null;
  #blobsOfHooks: KnownBlobs | null = null;
  #principals: KnownIds | null = null;
  #principalsOfHooks: KnownIds | null = null;
  readonly #works = new Map<string, TypeWork>();
  /** Null where no type has aggregates or quotas. */
  readonly #upkeep: Upkeep | null;
  #book: QuotaBook | null = null;
  readonly #scopes: ScopeUpkeep;
  readonly #grants: GrantUpkeep;
  #userValues: UserValueUpkeep | null = null;
  /** By type: by how many octets the values of users have grown, where a quota counts them. */
  readonly valueGrowth = new Map<string, number>();
  readonly #notices: ShareNotices | null;

  /** `user`: who makes the call; null for the server itself, which may name all blobs. */
  constructor(
    transaction: Transaction,
    user: BlobViewer | null,
    slices: Slices,
    upkeep: Upkeep | null = null,
  ) {
    this.#transaction = transaction;
    this.#user = user;
    this.slices = slices;
    this.#upkeep = upkeep;
    const { access: relations = NO_RELATIONS, principals } = upkeep ?? {};
    this.#notices = principals && user ? new ShareNotices(principals.ids, user.userId) : null;
    this.#grants = new GrantUpkeep(relations);
    const current: ReadObjects = async (type, ids, properties) => {
      const stored = await transaction.get(type, ids, properties);
      return stored.flatMap((row) => {
        const own = this.current(type, row.id);
        return own === undefined ? row : (own ?? []);
      });
    };
    this.#scopes = new ScopeUpkeep({ transaction, relations, slices, current });
  }

  /** Returns the objects that others follow by access rules, as the unit leaves them. */
  get inheritance(): Inheritance {
    return this.#scopes.inheritance;
  }

  /** Returns the references by which objects follow these, and others follow them. */
  linksTo(roots: readonly ObjectIds[]): Promise<readonly ReferenceRecord[]> {
    return this.#scopes.linksTo(roots);
  }

  /** Returns the blobs that its user may name. */
  get blobs(): KnownBlobs {
    this.#blobs ??= new KnownBlobs(this.#transaction, this.#user, this.slices);
    return this.#blobs;
  }

  /** Returns the blobs that hooks may name: those of objects that its user doesn't see as well. */
  get blobsOfHooks(): KnownBlobs {
    const user = this.#user;
    if (user === null || user.part === null) return this.blobs;
    const hook = { userId: user.userId, part: null };
    this.#blobsOfHooks ??= new KnownBlobs(this.#transaction, hook, this.slices);
    return this.#blobsOfHooks;
  }

  /** Returns the principals that its user may share objects with. */
  get principals(): KnownIds {
    this.#principals ??= knownPrincipals(this.#transaction, this.slices, this.#viewer);
    return this.#principals;
  }

  /** Returns the principals that hooks may share objects with: all users. */
  get principalsOfHooks(): KnownIds {
    if (this.#viewer === null) return this.principals;
    this.#principalsOfHooks ??= knownPrincipals(this.#transaction, this.slices, null);
    return this.#principalsOfHooks;
  }

  /** The id of its user, who doesn't see all others; null where it does. */
  get #viewer(): string | null {
    return this.#upkeep?.principals?.isLimited === true ? (this.#user?.userId ?? null) : null;
  }

  /** Whether it has changed the rights of users at objects. */
  get hasChangedRights(): boolean {
    return this.#grants.isBusy;
  }

  /** Returns the quotas of the account; null where the project has none. */
  get book(): QuotaBook | null {
    const quotas = this.#upkeep?.quotas ?? null;
    if (quotas !== null) this.#book ??= new QuotaBook(this, quotas);
    return this.#book;
  }

  get transaction(): Transaction {
    return this.#transaction;
  }

  /** Notes values that its user has of its own. */
  noteUserValues(type: DataTypeDefinition, moves: readonly OwnMove[]): void {
    if (this.#user === null) throw new Error('The server itself has no values of its own.');
    this.#userValues ??= new UserValueUpkeep(this, this.#user.userId);
    this.#userValues.note(type, moves);
    this.#notices?.noteOwn(type, moves);
  }

  /** Changes the values of a user. */
  async writeUserValues(
    type: DataTypeDefinition,
    userId: string,
    values: ValuesById,
  ): Promise<void> {
    const octets = () => this.#transaction.valueOctets(type, [...values.keys()], userId);
    const write = () => this.#transaction.writeUserValues(type, userId, values);
    await this.#countValues(type, octets, write);
  }

  /** Removes the rows of objects, and the values that users have there. */
  async destroyRows(type: DataTypeDefinition, ids: readonly string[]): Promise<void> {
    const octets = () => this.#transaction.valueOctets(type, ids);
    await this.#countValues(type, octets, () => this.#transaction.destroy(type, ids));
  }

  async #countValues(
    type: DataTypeDefinition,
    octets: () => Promise<number>,
    write: () => Promise<void>,
  ): Promise<void> {
    if (this.book?.countsValues(type) !== true) return write();
    const before = await octets();
    await write();
    const known = this.valueGrowth.get(type.name) ?? 0;
    this.valueGrowth.set(type.name, known + (await octets()) - before);
  }

  create(type: DataTypeDefinition, object: StoredObject): void {
    const { id } = object;
    this.#put(type, { id, before: null, after: object, stored: null });
  }

  /** `stored` is null where `before` is only what readers see of an object without a row. */
  update(
    type: DataTypeDefinition,
    before: StoredObject,
    after: StoredObject,
    stored: StoredObject | null = before,
  ): void {
    this.#put(type, { id: before.id, before, after, stored });
  }

  destroy(type: DataTypeDefinition, before: StoredObject): void {
    this.#put(type, { id: before.id, before, after: null, stored: before });
  }

  /**
   * Returns the object as the unit leaves it: null where it is destroyed, undefined where
   * untouched.
   */
  current(type: DataTypeDefinition, id: string): StoredObject | null | undefined {
    return this.#works.get(type.name)?.entries.get(id)?.after;
  }

  /** Returns the objects of a type that differ from the database. */
  unwritten(type: string): readonly Entry[] {
    return this.#works.get(type)?.dirty ?? NO_ENTRIES;
  }

  /** Returns true for an object that the unit creates. */
  isNew(type: DataTypeDefinition, id: string): boolean {
    const entry = this.#works.get(type.name)?.entries.get(id);
    return entry !== undefined && entry.before === null;
  }

  /** Returns everything that it has touched, by the names of types and the ids of objects. */
  get touched(): ReadonlyMap<string, { readonly entries: ReadonlyMap<string, Entry> }> {
    return this.#works;
  }

  /** Returns the access records of the type that it has written before `record`. */
  countWritten(type: DataTypeDefinition): number {
    return this.#grants.countWritten(type);
  }

  /**
   * Returns the change records that `record` will write of the type: its state steps by their
   * number.
   */
  countRecords(type: DataTypeDefinition): number {
    const ofAccess = this.#grants.countRecords(type);
    const others = ofAccess + (this.#userValues?.countRecords(type) ?? 0);
    const work = this.#works.get(type.name);
    if (work === undefined) return others;
    let count = others + movedAlone(work).length;
    for (const entry of work.entries.values()) count += kindsOf(entry).length;
    return count;
  }

  /**
   * Writes rows that differ from the database: three operations a type at most, more in slices.
   * Ahead of them it brings the aggregates up to date that are made of these objects. Resolves to
   * the objects that have such aggregates, as they were.
   */
  async flush(): Promise<readonly Follower[]> {
    const followers =
      this.#upkeep === null ? NO_FOLLOWERS : await new AggregateUpkeep(this, this.#upkeep).follow();
    const blobs: Moved<BlobReference> = { removed: [], added: [] };
    const references: Moved<ReferenceRecord> = { removed: [], added: [] };
    const grants: Moved<Grant> = { removed: [], added: [] };
    const unshared: [DataTypeDefinition, readonly string[]][] = [];
    const followed: ObjectIds[] = [];
    for (const work of this.#works.values()) {
      const { type } = work;
      const index = indexOf(type);
      const inserts: StoredObject[] = [];
      const updates: StoredObject[] = [];
      const destroys: string[] = [];
      const moves: Move[] = [];
      for (const entry of work.dirty) {
        const { id, stored, after } = entry;
        if (after === stored) continue;
        if (after === null) destroys.push(id);
        else if (stored === null) inserts.push(after);
        else updates.push(after);
        if (index.links.length > 0 || type.share !== undefined)
          moves.push({ objectId: id, before: stored, after });
        if (this.#scopes.isFollowed(type, stored, after))
          followed.push({ type: type.name, ids: [id] });
        entry.stored = after;
      }
      work.dirty = [];
      if (index.blobs.length > 0) {
        await runInSlices(noteBlobs(index, moves, blobs), this.slices);
      }
      if (index.references.length > 0) {
        await runInSlices(noteReferences(index, moves, references), this.slices);
      }
      if (type.share !== undefined) {
        const { removed, added } = this.#grants.note(type, moves);
        for (const grant of removed) grants.removed.push(grant);
        for (const grant of added) grants.added.push(grant);
        if (destroys.length > 0) unshared.push([type, destroys]);
      }
      // Destroyed first: what they held of unique values is free then.
      if (destroys.length > 0) await this.destroyRows(type, destroys);
      if (updates.length > 0) await this.#write('update', type, updates);
      if (inserts.length > 0) await this.#write('insert', type, inserts);
    }
    await this.#inParts(references, (removed, added) =>
      this.#transaction.changeReferences(removed, added),
    );
    await this.#inParts(grants, (removed, added) => this.#transaction.changeGrants(removed, added));
    for (const [type, ids] of unshared)
      await this.#grants.takeDestroyed(this.#transaction, type, ids);
    const added = await this.#usable(blobs.added);
    await this.#inParts({ ...blobs, added }, (removed, added) =>
      this.#transaction.changeBlobReferences(removed, added),
    );
    await this.#userValues?.flush();
    if (followed.length > 0) await this.#moveFollowers(followed);
    return followers;
  }

  /** Finds the objects whose scopes are others since these changed. */
  async #moveFollowers(changed: readonly ObjectIds[]): Promise<void> {
    for (const [type, ids] of await this.#scopes.followersOf(changed)) {
      const { moved } = this.#work(type);
      for (const id of ids) moved.delete(id);
      for (const [id, scopes] of await this.#scopes.movedOf(type, ids)) moved.set(id, scopes);
    }
  }

  /** Brings the quotas up to date with all that was written, and writes them. */
  async settle(): Promise<void> {
    if ((await this.book?.settle()) === true) await this.flush();
  }

  /** Writes the quotas that have changed, all change records, and those of changed rights. */
  async record(): Promise<void> {
    await this.settle();
    // First: the user sees these objects, which others of its changes may end.
    await this.#userValues?.record();
    for (const work of this.#works.values()) {
      const own = recordsOf(work);
      if (own.length === 0) continue;
      if (work.type.access !== undefined) {
        await this.#recordScoped(work, own);
        continue;
      }
      // Records of creates and destroys name none: most calls have no others.
      const hasUpdates = own.some(({ kind }) => kind === 'updated');
      const changed = hasUpdates
        ? await runInSlices(changedProperties(work), this.slices)
        : NO_PROPERTIES;
      await this.#transaction.record(work.type, own, changed);
    }
    await this.#grants.record(this.#transaction);
    await this.#notices?.keep(this.#works, this.#grants.ended, this.#transaction);
  }

  /**
   * Writes records of updates, of all objects of the type whose scopes are others, and of changed
   * rights: for whoever doesn't call `record`. `ids`: objects that the unit needn't have touched.
   */
  async recordUpdates(
    type: DataTypeDefinition,
    ids: ReadonlySet<string>,
    properties: readonly PropertyDefinition[],
  ): Promise<void> {
    await this.#grants.record(this.#transaction);
    const records = [...ids].map(
      (objectId) => ({ objectId, kind: 'updated', properties }) as const,
    );
    if (type.access === undefined) {
      if (records.length > 0) await this.#transaction.record(type, records, properties);
      return;
    }
    const work = this.#work(type);
    const touched = new Set([...work.entries.keys(), ...work.moved.keys()]);
    const others = [...touched].filter((id) => !ids.has(id));
    const rest = others.map((objectId) => ({ objectId, kind: 'updated', properties: [] }) as const);
    const isMoved = ({ scopes }: NewChange) => scopes?.before !== null;
    const isTold = (record: NewChange) => ids.has(record.objectId) || isMoved(record);
    await this.#recordScoped(work, [...records, ...rest], isTold);
  }

  /** Writes records with the scopes of their objects: so many by one statement as it may take. */
  async #recordScoped(
    work: TypeWork,
    records: readonly NewChange[],
    isTold: (record: NewChange) => boolean = () => true,
  ): Promise<void> {
    let batch: NewChange[] = [];
    let rows = 0;
    for await (const some of this.#scopes.inParts(records)) {
      for (const record of await this.#withScopes(work, some)) {
        if (!isTold(record)) continue;
        const own = record.scopes === undefined ? 0 : countScopes(record.scopes);
        if (batch.length > 0 && (rows + own > MAX_RECORDS || batch.length === MAX_RECORDS)) {
          await this.#transaction.record(work.type, batch);
          if (this.slices.isOver()) await this.slices.next();
          batch = [];
          rows = 0;
        }
        batch.push(record);
        rows += own;
      }
    }
    if (batch.length > 0) await this.#transaction.record(work.type, batch);
  }

  /** Adds the scopes that the objects of a type have, and had, to its records. */
  async #withScopes(
    { type, entries, moved }: TypeWork,
    records: readonly NewChange[],
  ): Promise<readonly NewChange[]> {
    const known = records.flatMap(({ objectId, kind }) =>
      kind === 'created' || moved.has(objectId) ? [] : objectId,
    );
    const stored = await this.#transaction.scopesOf(type, known);
    const all = records.flatMap(({ objectId }) => entries.get(objectId) ?? []);
    const changed = all.flatMap(({ before, after }) => (before === after ? [] : (after ?? [])));
    const wanted = await this.#scopes.scopesToHave(type, changed);
    const scoped: NewChange[] = [];
    for (const record of records) {
      const { objectId, kind } = record;
      const mover = moved.get(objectId);
      const before = mover?.before ?? stored.get(objectId) ?? [];
      const isGone = entries.get(objectId)?.after === null;
      const after = isGone ? [] : (wanted.get(objectId) ?? mover?.after ?? before);
      const isSame = kind === 'created' || (kind === 'updated' && isSameList(before, after));
      const scopes = { after, before: isSame ? null : before };
      if (mover === undefined) this.#scopes.admit(scopes);
      const isBare = kind === 'updated' && record.properties === undefined;
      const properties = isBare ? await this.#changedOf(type, entries.get(objectId)) : undefined;
      scoped.push({ ...record, scopes, ...(properties !== undefined && { properties }) });
    }
    return scoped;
  }

  /** Returns the properties that changed in one object. */
  async #changedOf(
    type: DataTypeDefinition,
    entry: Entry | undefined,
  ): Promise<readonly PropertyDefinition[] | null> {
    const entries = new Map(entry === undefined ? [] : [[entry.id, entry]]);
    return runInSlices(changedProperties({ type, entries }), this.slices);
  }

  /** By one statement where they are few. */
  async #inParts<T>(
    { removed, added }: Readonly<Record<keyof Moved<T>, readonly T[]>>,
    change: (removed: readonly T[], added: readonly T[]) => Promise<void>,
  ): Promise<void> {
    const { slices } = this;
    for (let at = 0; at < Math.max(removed.length, added.length); at += MAX_RECORDS) {
      if (slices.isOver()) await slices.next();
      await change(removed.slice(at, at + MAX_RECORDS), added.slice(at, at + MAX_RECORDS));
    }
  }

  /**
   * The objects that a call asks for have been judged, so their blobs are known. Hooks give others
   * theirs. The server itself leaves out texts that are no blobs: the previous version took any.
   */
  async #usable(added: readonly BlobReference[]): Promise<readonly BlobReference[]> {
    if (added.length === 0) return added;
    const ids = new Set(added.map(({ blobId }) => blobId));
    const { blobs, blobsOfHooks } = this;
    await blobsOfHooks.lookUp([...ids].filter((id) => !blobs.has(id)));
    await blobs.insertNew(ids);
    const isUsable = ({ blobId }: BlobReference) => blobs.has(blobId) || blobsOfHooks.has(blobId);
    const wrong = added.find((one) => !isUsable(one));
    if (wrong === undefined) return added;
    if (this.#user === null) return added.filter(isUsable);
    const { blobId, dataType, objectId } = wrong;
    const work = this.#works.get(dataType);
    const after = work?.entries.get(objectId)?.after;
    const guilty =
      work &&
      indexOf(work.type).blobs.find((one) => textsAt(one.blobs, after?.[one.name]).has(blobId));
    const hook = guilty?.computed?.kind === 'on' ? 'computeOn' : 'compute';
    throw new HookError(
      `${hook} of ${dataType}.${guilty?.name}`,
      `gave ${objectId} the id of a blob that is not in its account, or that the user can not use`,
    );
  }

  /** Writes rows in batches that are no more than a statement may take. */
  async #write(
    how: RowsWritten,
    type: DataTypeDefinition,
    objects: readonly StoredObject[],
  ): Promise<void> {
    const { slices } = this;
    const size = type.search === undefined ? {} : { maxCharacters: INDEXED_CHARACTERS };
    for (const batch of objects.length === 1 ? [objects] : batchesOf(objects, size)) {
      if (slices.isOver()) await slices.next();
      await this.#transaction.writeRows(how, type, batch, slices);
    }
  }

  #work(type: DataTypeDefinition): TypeWork {
    let work = this.#works.get(type.name);
    if (work === undefined) {
      work = { type, entries: new Map(), dirty: [], moved: new Map() };
      this.#works.set(type.name, work);
    }
    return work;
  }

  /** Of an object that the unit has touched before, `after` alone is new. */
  #put(type: DataTypeDefinition, entry: Entry): void {
    const { entries, dirty } = this.#work(type);
    this.#scopes.noteChange(type, entry.id);
    const known = entries.get(entry.id);
    if (known === undefined) {
      entries.set(entry.id, entry);
      dirty.push(entry);
      return;
    }
    if (known.after === known.stored) dirty.push(known);
    known.after = entry.after;
  }
}

const NO_RELATIONS: AccessRelations = {
  ...{ types: new Map(), inheriting: [], followed: new Map(), sharedTables: new Map() },
  ...{ maximum: 0, maximumRows: Number.POSITIVE_INFINITY },
};
const NO_ENTRIES: readonly Entry[] = Object.freeze([]);
const NO_FOLLOWERS: readonly Follower[] = Object.freeze([]);
const NO_PROPERTIES: readonly PropertyDefinition[] = Object.freeze([]);
