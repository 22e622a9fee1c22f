import type { Aggregate } from '../capability/aggregates.js';
import type {
  DataTypeDefinition,
  PropertyDefinition,
  UniqueDefinition,
} from '../capability/definition.js';
import type { JsonValue } from '../protocol/json.js';
import type { Slices } from '../runtime/slices.js';
import type { AccessReads, AccessWrites, BlobView, NewScopes } from './access-port.js';
import type { PrincipalReads, PrincipalWrites } from './principals-port.js';
import type {
  FilterNode,
  FirstObjects,
  FirstOfGroup,
  GroupsOfPlan,
  PlanShape,
  QueryPlan,
} from './query-port.js';
import type { StatementPlan, Trace, TracedStatement } from './trace-port.js';
import type { UserValueReads, UserValueWrites } from './user-value-port.js';

export type * from './access-port.js';
export type * from './principals-port.js';
export type * from './query-port.js';
export type * from './trace-port.js';
export type * from './user-value-port.js';

/**
 * The storage port: operations on sets of objects in one account. Each takes a constant number of
 * SQL statements for any number of objects, and none for an empty list.
 *
 * Objects cross it in wire form (a UTCDate is a string): one member for each wire property, null
 * only where null is stored and allowed. Engines turn members into columns and fill shadow columns.
 *
 * Callers name types and properties; the engine knows their tables and columns. It leaves out
 * records of types and properties that the store was not opened with: another version wrote them.
 *
 * Every operation may throw `UnavailableError` (database busy or lost, deadline passed).
 */
export interface Store {
  /**
   * Runs `work` on one consistent snapshot of the account, so state strings and data agree. The
   * work waits for the snapshot's operations only, never for another `read`. Unless it is
   * `exclusive`, it only reads and computes: an engine may stop it at large objects and run it
   * anew.
   */
  read<T>(
    accountId: string,
    options: CallOptions,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T>;

  /** Reads objects and the state of their type, from one snapshot. */
  readObjects(request: ObjectsRequest): Promise<StateAndObjects>;

  /** Reads change records and the state of their type, from one snapshot. */
  readChanges(request: ChangesRequest): Promise<StateAndChanges>;

  /** Reads a window of a query's result and the state of its type, from one snapshot. */
  readPage(request: QueryPageRequest): Promise<QueryPage>;

  /**
   * Runs `work` in one transaction and resolves when that is on disk. If `work` throws, nothing
   * stays. The work waits for nothing but the transaction's operations: an engine may hold its
   * write lock meanwhile, and may commit several callers' works together. If a writing operation
   * fails, the call rejects with its error, even if the work caught it.
   */
  write<T>(
    accountId: string,
    options: CallOptions,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T>;

  /** Calls `listener` after each commit that changed a state. Returns a function to unsubscribe. */
  onCommit(listener: (change: StateChange) => void): () => void;

  /** Reads the states of accounts, in one statement: by account, those that are not 0. */
  readStates(accountIds: readonly string[]): Promise<ReadonlyMap<string, StateNumbers>>;

  /** Resolves when the database answers. */
  ping(): Promise<void>;

  /** Removes up to `limit` change records older than `before` (ms). Resolves to their number. */
  pruneChanges(before: number, limit: number): Promise<number>;

  /** Removes up to `limit` answers kept before `before` (ms). Resolves to their number. */
  pruneAnswers(before: number, limit: number): Promise<number>;

  /**
   * Deletes up to `limit` rows of blobs that no object has referred to since before `before` (ms).
   * Resolves to their keys: the caller removes the files, always after the rows.
   */
  collectBlobs(before: number, limit: number): Promise<readonly BlobKey[]>;

  /**
   * Returns the database's plan of each statement and runs none. Null: the database gives no plan,
   * or not before the deadline. Plans wait their turn like reads of the account.
   */
  plans(
    accountId: string,
    deadline: number,
    statements: readonly TracedStatement[],
  ): Promise<readonly (StatementPlan | null)[]>;

  /** Finishes running work, then closes the connections. */
  close(): Promise<void>;
}

/** The members that all reading operations take. */
interface ReadRequest {
  readonly accountId: string;
  readonly type: DataTypeDefinition;
  /** The `performance.now()` after which the call fails with UnavailableError. */
  readonly deadline: number;
  /** Set if the call is explained: hears of its statements. */
  readonly trace?: Trace | undefined;
}

/** Distinct ids, or the first objects. */
export type WhichObjects = readonly string[] | FirstObjects;

/** A read beyond `maxOctets` throws `MethodError('requestTooLarge')`. */
export interface ObjectsRequest extends ReadRequest, ObjectSelection {
  readonly ids: WhichObjects;
}

export interface ChangesRequest extends ReadRequest {
  /** The result has the records with a greater number, ascending. */
  readonly since: number;
  readonly limit: number;
}

export interface QueryPageRequest extends ReadRequest {
  readonly plan: QueryPlan;
  readonly window: QueryWindow;
  /** The parts of its objects to read too, since a `/get` for them follows; null for none. */
  readonly selection: ObjectSelection | null;
}

export interface StateAndObjects {
  /** The state. */
  readonly number: number;
  /** The objects that exist; in order of id if `ids` gave a number, otherwise in any order. */
  readonly objects: readonly StoredObject[];
}

export interface StateAndChanges {
  readonly number: number;
  readonly records: readonly ChangeRecordAt[];
}

/** The part of each object that a read returns. */
export interface ObjectSelection {
  /** Every read returns the id as well. */
  readonly properties: readonly PropertyDefinition[];
  readonly maxOctets: number;
}

export interface FoundObjects {
  readonly objects: readonly StoredObject[];
  /** The octets that `get` compares with its `maxOctets`. */
  readonly octets: number;
}

/** A window of an ordered result. `position` is not negative. */
export interface QueryWindow {
  readonly position: number;
  readonly limit: number;
}

export interface QueryPage {
  /** The state. */
  readonly number: number;
  readonly ids: readonly string[];
  /** All objects of `ids`, in this order; null if not wanted, too large or too many. */
  readonly found: FoundObjects | null;
}

/** An object of a query's result, and its index there. */
export interface Ranked {
  readonly id: string;
  readonly index: number;
}

export interface CallOptions {
  /** The `performance.now()` after which the call fails with UnavailableError. */
  readonly deadline: number;
  /**
   * The work waits for hooks as well as for its own operations. It gets a transaction or a snapshot
   * on a connection that it shares with nobody, and it may take turns of the event loop. Few such
   * works run at once, so that other works always find a connection.
   */
  readonly exclusive?: boolean;
  /** For an `exclusive` `write`: the work does nothing elsewhere, so an engine may run it again. */
  readonly mayRepeat?: boolean;
  /**
   * For a `read`: its statements may look at any number of rows (a query). An engine may stop the
   * work on the thread that serves all requests and run it anew elsewhere, so the work only reads
   * and computes its result.
   */
  readonly mayScan?: boolean;
  /**
   * For a `write`: the objects that the work will probably read whole. An engine may read them
   * together with those of other works.
   */
  readonly expects?: { readonly type: DataTypeDefinition; readonly ids: readonly string[] };
  /** Set if the call is explained: hears of the work's statements. */
  readonly trace?: Trace | undefined;
  /** For a `write`: it takes slices (slices.ts). An engine may commit finished works before it. */
  readonly isLong?: boolean;
}

/** The new states after one commit, for push; a /set returns the same ones as `newState`. */
export interface StateChange {
  readonly accountId: string;
  /** Type name to state. */
  readonly changed: Readonly<Record<string, string>>;
  /** Names of types whose states receivers are told without delay; absent for none. */
  readonly urgent?: readonly string[];
  /** Ids of users for whom the commit has kept notices; absent for none. */
  readonly noticed?: readonly string[];
  /** Shares have changed which accounts users reach. */
  readonly isReachMoved?: true;
}

/** Type name to the counter behind its state. */
export type StateNumbers = ReadonlyMap<string, number>;

/** An object in wire form. */
export type StoredObject = Readonly<Record<string, JsonValue>> & { readonly id: string };

export type ChangeKind = 'created' | 'updated' | 'destroyed';

/** A change to write; the store gives it the next number. */
export interface NewChange {
  readonly objectId: string;
  readonly kind: ChangeKind;
  /**
   * Of an object that was destroyed, if results of its type collapse: the group that it was in, or
   * null for none. Absent where nobody noted it.
   */
  readonly group?: string | null;
  /** Of an object whose type has access rules. */
  readonly scopes?: NewScopes;
  /** The properties that changed in this object; absent: those that `record` is given. */
  readonly properties?: readonly PropertyDefinition[] | null;
}

/**
 * `access`: principals got or lost scopes, and no object changed. `own`: a user's own values of the
 * object changed.
 */
export type RecordKind = ChangeKind | 'access' | 'own';

export interface ChangeRecord extends Pick<NewChange, 'objectId' | 'group'> {
  readonly number: number;
  readonly kind: RecordKind;
  /**
   * Names of the properties that alone changed, if the object was updated; the time of the update
   * (`updated`) isn't among them. Null: any may have changed.
   */
  readonly properties: readonly string[] | null;
}

export interface ChangeRecordAt extends ChangeRecord {
  /** The time of writing, ms. */
  readonly at: number;
}

export interface NewBlob {
  readonly id: string;
  readonly type: string;
  /** Octets. */
  readonly size: number;
  readonly uploaderId: string;
}

export interface BlobRow extends NewBlob {
  /** Whether an object of the account refers to it. */
  readonly referenced: boolean;
}

/** A blob, and the objects of some types that refer to it. */
export interface BlobUse extends Pick<NewBlob, 'id' | 'size'> {
  readonly references: number;
}

export interface BlobKey {
  readonly accountId: string;
  readonly id: string;
}

export interface BlobReference {
  readonly blobId: string;
  readonly dataType: string;
  readonly objectId: string;
}

/** The answer of a call, kept under a key of its client. */
export interface KeptAnswer {
  /** A hash of the call's arguments. */
  readonly arguments: string;
  readonly answer: string;
}

/** The object `from` refers to the object `to`, at one of the places of its references. */
export interface ReferenceRecord {
  readonly toType: string;
  readonly toId: string;
  readonly fromType: string;
  readonly fromId: string;
  /** Name of the reference of `fromType` (capability/named-references.ts). */
  readonly reference: string;
}

/** The references of objects, as the database holds them. */
export interface ObjectLinks {
  readonly references: readonly ReferenceRecord[];
  readonly blobs: readonly BlobReference[];
}

/** A reference of a type, both by name. */
export interface ReferenceName {
  readonly type: string;
  readonly reference: string;
}

/** Objects of a type by id. */
export interface ObjectIds {
  readonly type: string;
  readonly ids: readonly string[];
}

/** Work that is to be done once the transaction is on disk. */
export interface NewTask {
  readonly id: string;
  readonly kind: string;
  /** JSON. */
  readonly payload: string;
}

export type RowsWritten = 'insert' | 'update';

/** Reading operations. All of one work see the same data; a write sees its own changes too. */
export interface Snapshot extends AccessReads, UserValueReads {
  /** Reads about users, whichever account the snapshot is of. */
  readonly principals: PrincipalReads;

  /** Returns the counter of (account, type): 0 before the first change. */
  stateNumber(type: DataTypeDefinition): Promise<number>;

  /**
   * Returns the objects that exist of `ids` in any order, or the first ones in order of id, with
   * `properties` and the id. Throws `MethodError('requestTooLarge')` if their text exceeds about
   * `maxOctets`, or the memory that one call may use.
   */
  get(
    type: DataTypeDefinition,
    ids: WhichObjects,
    properties: readonly PropertyDefinition[],
    maxOctets?: number,
  ): Promise<readonly StoredObject[]>;

  /** Returns at most `limit` change records with a number greater than `since`, ascending. */
  changes(
    type: DataTypeDefinition,
    since: number,
    limit: number,
  ): Promise<readonly ChangeRecordAt[]>;

  /** Returns a window of the ordered result, and the `selection` of it unless that is too large. */
  page(
    type: DataTypeDefinition,
    plan: QueryPlan,
    window: QueryWindow,
    selection: ObjectSelection | null,
  ): Promise<QueryPage>;

  count(type: DataTypeDefinition, filter: FilterNode, shape?: PlanShape): Promise<number>;

  /** Returns the index of one id in the ordered result, or null if the result lacks it. */
  rank(type: DataTypeDefinition, plan: QueryPlan, id: string): Promise<number | null>;

  /**
   * Returns the members of `ids` that are in the result, in order of index. With `depth`, the
   * engine reads only so many objects from the start of the result.
   */
  ranks(
    type: DataTypeDefinition,
    plan: QueryPlan,
    ids: readonly string[],
    depth?: number,
  ): Promise<readonly Ranked[]>;

  /**
   * Returns the first object of each group by the plan's filter and sort, as if the objects that
   * the groups except did not exist.
   */
  firsts(
    type: DataTypeDefinition,
    plan: QueryPlan,
    groups: GroupsOfPlan,
  ): Promise<readonly FirstOfGroup[]>;

  /**
   * Returns the members of `ids` that exist and all objects that lead to one of them by a reference
   * to their own type. One recursive statement; at most `limit + 1` ids.
   */
  descendants(
    type: DataTypeDefinition,
    reference: string,
    ids: readonly string[],
    limit: number,
  ): Promise<readonly string[]>;

  /** Returns the members of `ids` that exist. */
  existing(type: DataTypeDefinition, ids: readonly string[]): Promise<ReadonlySet<string>>;

  /** Returns the account's number of objects of the type; reads a counter beside the state. */
  objectCount(type: DataTypeDefinition): Promise<number>;

  /**
   * Returns the objects that hold one of `keys` in the constraint's properties. A key has wire
   * values in the order of these properties, none of them null unless null equals null.
   */
  holders(
    type: DataTypeDefinition,
    unique: UniqueDefinition,
    keys: readonly (readonly JsonValue[])[],
  ): Promise<readonly { readonly id: string; readonly key: readonly JsonValue[] }[]>;

  /**
   * Returns every reference record that leads into the closure of `targets`: the targets, and each
   * object that refers to a member by a reference of `through` (those that cascade). One recursive
   * statement. Returns the first `limit + 1` records if there are more than `limit`.
   */
  referrers(
    targets: readonly ObjectIds[],
    through: readonly ReferenceName[],
    limit: number,
  ): Promise<readonly ReferenceRecord[]>;

  /** Returns the same of the references of `through` alone. */
  followers(
    targets: readonly ObjectIds[],
    through: readonly ReferenceName[],
    limit: number,
  ): Promise<readonly ReferenceRecord[]>;

  /**
   * Returns the records of one reference on all paths from `ids`: an object's parents, their
   * parents ... One recursive statement; at most `limit + 1` records.
   */
  ancestors(
    type: DataTypeDefinition,
    reference: string,
    ids: readonly string[],
    limit: number,
  ): Promise<readonly ReferenceRecord[]>;

  /**
   * Returns the rows that exist of `ids`, in order of id. With `viewer`, only those that this user
   * may see: an unreferenced blob is its uploader's alone (RFC 8620 6.1), also in a shared account.
   * The database leaves the others out, so that `explain` can't count them. `part`: the viewer sees
   * a part of the objects, and the blobs of those alone.
   */
  blobs(
    ids: readonly string[],
    viewer?: string,
    part?: BlobView | null,
  ): Promise<readonly BlobRow[]>;

  /** Returns reference records of the blobs from the named types, in order of object id. */
  blobReferences(
    blobIds: readonly string[],
    dataTypes: readonly string[],
  ): Promise<readonly BlobReference[]>;

  /**
   * Returns the blobs that exist of `blobIds`, and how many objects of the named types refer to
   * each: at most `limit` are counted.
   */
  blobUses(
    blobIds: readonly string[],
    dataTypes: readonly string[],
    limit: number,
  ): Promise<readonly BlobUse[]>;

  /** Returns the octets of all blobs that objects of the named types refer to, each once. */
  blobOctets(dataTypes: readonly string[]): Promise<number>;

  /** Returns the reference and blob reference records whose referring side these objects are. */
  links(type: DataTypeDefinition, ids: readonly string[]): Promise<ObjectLinks>;

  /** Returns the answer that was kept under a key at `since` (ms) or later; null for none. */
  keptAnswer(key: string, since: number): Promise<KeptAnswer | null>;

  /**
   * Returns the values that an aggregate has, by id. Leaves out objects of which it has none. The
   * objects `except` are no part of it.
   */
  aggregate(
    aggregate: Aggregate,
    ids: readonly string[],
    except?: readonly string[],
  ): Promise<ReadonlyMap<string, JsonValue>>;

  /**
   * Of a count of distinct values: returns the indexes of `values` that an object which is not in
   * `except` has there.
   */
  heldByOthers(
    aggregate: Aggregate,
    values: readonly { readonly id: string; readonly value: JsonValue }[],
    except: readonly string[],
  ): Promise<ReadonlySet<number>>;

  /** Returns the ids of the (whole) `objects` that a write would change in some column. */
  stale(type: DataTypeDefinition, objects: readonly StoredObject[]): Promise<ReadonlySet<string>>;
}

export interface Transaction extends Snapshot, AccessWrites, PrincipalWrites, UserValueWrites {
  /** Inserts whole objects, or replaces ("update") those that exist. */
  writeRows(
    how: RowsWritten,
    type: DataTypeDefinition,
    objects: readonly StoredObject[],
    slices?: Slices,
  ): Promise<void>;

  destroy(type: DataTypeDefinition, ids: readonly string[]): Promise<void>;

  /**
   * Writes one change record for each change, in order, numbered on from the state. Advances the
   * state and the object counter, and resolves to the state. `changes` isn't empty. `properties`
   * are all that changed in the updated objects, beside the time; null: any may have.
   */
  record(
    type: DataTypeDefinition,
    changes: readonly NewChange[],
    properties?: readonly PropertyDefinition[] | null,
  ): Promise<number>;

  /** Has push tell the new state of a type at once, if its definition lets push hold it back. */
  tellAtOnce(type: DataTypeDefinition): void;

  /** Keeps an answer under a key, in place of what was kept under it. */
  keepAnswer(key: string, kept: KeptAnswer): Promise<void>;

  /** Keeps tasks, which become due at `due` (ms). */
  keepTasks(tasks: readonly NewTask[], due: number): Promise<void>;

  /** Forgets a task. Resolves to false if there is none: it was done before. */
  endTask(id: string): Promise<boolean>;

  /** Inserts blobs and keeps existing ones; their unreferenced time, if any, starts anew now. */
  insertBlobs(blobs: readonly NewBlob[]): Promise<void>;

  /**
   * Deletes blobs of an uploader that no object refers to, the oldest first, until those that are
   * left have at most `maxOctets` together. `newest` counts as younger than all others. Resolves to
   * the ids of those that are gone: the caller removes the files, once the transaction is on disk.
   */
  evictBlobs(
    uploaderId: string,
    maxOctets: number,
    newest: readonly string[],
  ): Promise<readonly string[]>;

  /** Removes and adds rows of JmapReference. */
  changeReferences(
    removed: readonly ReferenceRecord[],
    added: readonly ReferenceRecord[],
  ): Promise<void>;

  /** Removes and adds reference records of blobs; notes since when nothing refers to each blob. */
  changeBlobReferences(
    removed: readonly BlobReference[],
    added: readonly BlobReference[],
  ): Promise<void>;
}
