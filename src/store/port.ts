import type {
  DataTypeDefinition,
  FilterDefinition,
  PropertyDefinition,
  SortDefinition,
  UniqueDefinition,
} from '../capability/definition.js';
import type { JsonValue } from '../protocol/json.js';
import type { Slices } from '../runtime/slices.js';

/**
 * The storage port: set-based operations over one account. Every operation is a constant number of SQL
 * statements, whatever the number of objects it is given; an empty list costs none.
 *
 * Objects cross it in wire form (RFC 8620 types: a UTCDate is a string), one member for each wire property of the
 * type, null where null is stored and may be. Engines turn them into columns and fill shadow columns.
 *
 * Types and properties go by their names; what tables and columns they are in is the engine's business. Records
 * of types and properties that the store was not opened with are left out: another version's, beside this one.
 *
 * Every operation may throw `UnavailableError` (database busy or lost, deadline passed).
 */
export interface Store {
  /**
   * Runs `work` on one consistent snapshot of the account: state strings and data belong together. Work must not
   * wait for anything but the snapshot's own operations, least of all for another `read`. Unless it is `exclusive`, it
   * does nothing but read and compute: where it reads large objects an engine may give it up and run it anew.
   */
  read<T>(
    accountId: string,
    options: CallOptions,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T>;

  /** Reads objects and the state of their type, from one snapshot. */
  readObjects(asked: ObjectsAsked): Promise<StateAndObjects>;

  /** Reads change records and the state of their type, from one snapshot. */
  readChanges(asked: ChangesAsked): Promise<StateAndChanges>;

  /** Reads a window of a query's result and the state of its type, from one snapshot. */
  readPage(asked: PageAsked): Promise<QueryPage>;

  /**
   * Runs `work` in one transaction and resolves when it is on disk. Where `work` throws, nothing of it stays.
   * Work must not wait for anything but the transaction's own operations: an engine may hold its write lock
   * meanwhile and share the commit between several callers. A work of which a writing operation failed is rejected
   * with that error, even where it caught it.
   */
  write<T>(
    accountId: string,
    options: CallOptions,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T>;

  /** Calls `listener` after each commit that moved a state. Returns a function that ends the subscription. */
  onCommit(listener: (change: StateChange) => void): () => void;

  /** Resolves when the database answers. */
  ping(): Promise<void>;

  /** Removes change records made before `before` (ms), at most `limit` of them; resolves to how many went. */
  pruneChanges(before: number, limit: number): Promise<number>;

  /**
   * Deletes rows of blobs that nothing has referred to since before `before` (ms), at most `limit`; resolves to
   * what went, so that the caller removes the files: the row goes first.
   */
  collectBlobs(before: number, limit: number): Promise<readonly BlobKey[]>;

  /**
   * How the database would run statements, each as lines; null for one that it doesn't tell of, fails to plan, or has
   * no time for before the deadline. Nothing is run. They wait their turn as reads of the account do.
   */
  plans(
    accountId: string,
    deadline: number,
    statements: readonly TracedStatement[],
  ): Promise<readonly (StatementPlan | null)[]>;

  /** Finishes what runs, closes connections. */
  close(): Promise<void>;
}

/**
 * Hears what one call asks of the database (traced.ts). Calls without one, which are nearly all, cost nothing
 * for it.
 */
export interface Trace {
  /**
   * Calls the result when the statement has its answer, with the rows that were given or written: null where it
   * failed, or was given up. Nothing else of an answer is told: the length of a row is that of values, too, which the
   * user may not see.
   */
  asked(statement: TracedStatement): (rows: number | null) => void;

  /** What the call does from now on, as far as the store knows. */
  phase(phase: TracePhase): void;
}

/** `waiting`: for its turn, a connection, a lock. `committing`: from the end of its work until that is on disk. */
export type TracePhase = 'waiting' | 'working' | 'committing' | 'elsewhere';

export interface TracedStatement {
  /** With placeholders: no value of anybody is in it. */
  readonly sql: string;
  /** They leave the process for the database alone. */
  readonly parameters: readonly unknown[];
  /** It ran in a thread for scans. */
  readonly inThread: boolean;
}

export interface StatementPlan {
  /** A line for each step, indented below the one that it serves; no values are in them. */
  readonly steps: readonly string[];
  /** Names of the indexes, each once. */
  readonly indexes: readonly string[];
}

/** What one reading operation asks of an account. */
interface Asked {
  readonly accountId: string;
  readonly type: DataTypeDefinition;
  /** `performance.now()` after which the call is given up with UnavailableError. */
  readonly deadline: number;
  /** The call is explained: what is asked is told to this. */
  readonly trace?: Trace | undefined;
}

/** Distinct ids, or the number of objects to be read in order of id. */
export type WhichObjects = readonly string[] | { readonly first: number };

/** Beyond `maxOctets` it is refused with `MethodError('requestTooLarge')`. */
export interface ObjectsAsked extends Asked, WantedObjects {
  readonly ids: WhichObjects;
}

export interface ChangesAsked extends Asked {
  /** Records with a greater number, ascending. */
  readonly since: number;
  readonly limit: number;
}

export interface PageAsked extends Asked {
  readonly plan: QueryPlan;
  readonly window: QueryWindow;
  /** What is read along of the objects in the window, since they are going to be asked for; null for nothing. */
  readonly wanted: WantedObjects | null;
}

export interface StateAndObjects {
  /** The state. */
  readonly number: number;
  /** Those that exist, in any order unless the first ones were asked for. */
  readonly objects: readonly StoredObject[];
}

export interface StateAndChanges {
  readonly number: number;
  readonly records: readonly ChangeRecordAt[];
}

/** What is read of objects. */
export interface WantedObjects {
  /** The id is always read. */
  readonly properties: readonly PropertyDefinition[];
  readonly maxOctets: number;
}

export interface FoundObjects {
  readonly objects: readonly StoredObject[];
  /** What `get` would hold against its `maxOctets`. */
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
  /** All of them, in this order; null where they were not wanted, or can't be had so. */
  readonly found: FoundObjects | null;
}

/** An object of a query's result, and its index there. */
export interface Ranked {
  readonly id: string;
  readonly index: number;
}

export interface CallOptions {
  /** `performance.now()` after which the call is given up with UnavailableError. */
  readonly deadline: number;
  /**
   * The work waits for things besides its own operations (hooks): it gets a transaction, or a snapshot
   * on a connection, that it shares with nobody, and may take turns of the event loop. Few such works
   * run at once, so that the others always find a connection.
   */
  readonly exclusive?: boolean;
  /**
   * Of a `read`: its statements may look at any number of rows (a query). An engine that runs statements on
   * the thread of all requests may give the work up after a moment there and run it anew elsewhere: the work
   * does nothing but read and compute what it resolves to.
   */
  readonly mayScan?: boolean;
  /**
   * Of a `write`: objects that the work is expected to read with all their properties. An engine may read
   * them together with those of other works.
   */
  readonly expects?: { readonly type: DataTypeDefinition; readonly ids: readonly string[] };
  /** The call is explained: what the work asks is told to this. */
  readonly trace?: Trace | undefined;
  /** Of a `write`: it takes turns with others (slices.ts). What an engine has done by then need not wait for it. */
  readonly isLong?: boolean;
}

/** What one committed transaction changed, for push: states as the /set's `newState` said them. */
export interface StateChange {
  readonly accountId: string;
  /** Type name to state. */
  readonly changed: Readonly<Record<string, string>>;
}

/** An object in wire form. */
export type StoredObject = Readonly<Record<string, JsonValue>> & { readonly id: string };

export type ChangeKind = 'created' | 'updated' | 'destroyed';

/** A change to write, which gets the next number. */
export interface NewChange {
  readonly objectId: string;
  readonly kind: ChangeKind;
}

export interface ChangeRecord extends NewChange {
  readonly number: number;
}

export interface ChangeRecordAt extends ChangeRecord {
  /** When it was written, ms. */
  readonly at: number;
}

/** A filter that src/methods has checked; conditions whose value adds no constraint are gone. */
export type FilterNode =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | {
      readonly kind: 'operator';
      readonly operator: 'AND' | 'OR' | 'NOT';
      readonly conditions: readonly FilterNode[];
    }
  | FilterCondition;

export interface FilterCondition {
  readonly kind: 'condition';
  readonly filter: FilterDefinition;
  readonly value: JsonValue;
}

/** RFC 4790 and RFC 5051 collations. */
export type Collation = 'i;unicode-casemap' | 'i;ascii-casemap' | 'i;ascii-numeric' | 'i;octet';

export interface SortKey {
  readonly sort: SortDefinition;
  readonly ascending: boolean;
  /** Of no effect where the property is no string. */
  readonly collation: Collation;
}

/** Which objects, in what total order: nulls first ascending, ties by id in the direction of the last key. */
export interface QueryPlan {
  readonly filter: FilterNode;
  readonly sort: readonly SortKey[];
}

export interface NewBlob {
  readonly id: string;
  readonly type: string;
  /** Octets. */
  readonly size: number;
  readonly uploaderId: string;
}

export interface BlobRow extends NewBlob {
  /** Some object of the account refers to it. */
  readonly referenced: boolean;
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

/** The object `from` refers to the object `to` by a property of its own. */
export interface ReferenceRecord {
  readonly toType: string;
  readonly toId: string;
  readonly fromType: string;
  readonly fromId: string;
  /** Name of the reference property of `fromType`. */
  readonly property: string;
}

/** What objects refer to, as the database has it. */
export interface ObjectLinks {
  readonly references: readonly ReferenceRecord[];
  readonly blobs: readonly BlobReference[];
}

/** A property of a type, by their names. */
export interface TypeProperty {
  readonly type: string;
  readonly property: string;
}

/** Objects of a type by id. */
export interface ObjectIds {
  readonly type: string;
  readonly ids: readonly string[];
}

export type RowsWritten = 'insert' | 'update';

/** Reading operations; all of one `read` or `write` see the same data (a write sees its own changes too). */
export interface Snapshot {
  /** The counter of (account, type): 0 before the first change. */
  stateNumber(type: DataTypeDefinition): Promise<number>;

  /**
   * The objects that exist of `ids`, in any order, or the first ones in order of id, with the given properties (the
   * id always). Throws `MethodError('requestTooLarge')` when their text would exceed about `maxOctets`,
   * or as much as one call may have in memory.
   */
  get(
    type: DataTypeDefinition,
    ids: WhichObjects,
    properties: readonly PropertyDefinition[],
    maxOctets?: number,
  ): Promise<readonly StoredObject[]>;

  /** Change records with a number greater than `since`, ascending, at most `limit`. */
  changes(
    type: DataTypeDefinition,
    since: number,
    limit: number,
  ): Promise<readonly ChangeRecordAt[]>;

  /** A window of the ordered result, and its objects where they are `wanted`: never fails for their octets. */
  page(
    type: DataTypeDefinition,
    plan: QueryPlan,
    window: QueryWindow,
    wanted: WantedObjects | null,
  ): Promise<QueryPage>;

  count(type: DataTypeDefinition, filter: FilterNode): Promise<number>;

  /** The index of one id in the ordered result, null where it is not in it. */
  rank(type: DataTypeDefinition, plan: QueryPlan, id: string): Promise<number | null>;

  /**
   * Those of `ids` that are in the result, with their index, in order of index; of the first `within`
   * of it alone where that is given, and the rest is not read.
   */
  ranks(
    type: DataTypeDefinition,
    plan: QueryPlan,
    ids: readonly string[],
    within?: number,
  ): Promise<readonly Ranked[]>;

  /** Those of `ids` that exist. */
  existing(type: DataTypeDefinition, ids: readonly string[]): Promise<ReadonlySet<string>>;

  /** How many objects of the type the account has; of constant cost (a counter beside the state). */
  objectCount(type: DataTypeDefinition): Promise<number>;

  /**
   * Objects whose values in the constraint's properties are one of `keys` (wire values, in the order of
   * the constraint's properties, none of them null).
   */
  holders(
    type: DataTypeDefinition,
    unique: UniqueDefinition,
    keys: readonly (readonly JsonValue[])[],
  ): Promise<readonly { readonly id: string; readonly key: readonly JsonValue[] }[]>;

  /**
   * Every reference record that leads into the closure of `targets`: into them, and into each object that
   * refers to a member of the closure by a property of `through` (those that cascade). One recursive
   * statement. Where there are more than `limit` records it resolves to the first `limit + 1` of them.
   */
  referrers(
    targets: readonly ObjectIds[],
    through: readonly TypeProperty[],
    limit: number,
  ): Promise<readonly ReferenceRecord[]>;

  /**
   * The records of one property of one type on all paths that start at `ids`: an object's parents, their
   * parents ... One recursive statement; at most `limit + 1` records.
   */
  ancestors(
    type: DataTypeDefinition,
    property: string,
    ids: readonly string[],
    limit: number,
  ): Promise<readonly ReferenceRecord[]>;

  /**
   * The rows that exist of `ids`, in order of id. With `viewer` those alone that this user may know of: an
   * unreferenced blob is for its uploader alone (RFC 8620 6.1), also in a shared account. The database leaves the
   * others out, so that what is told of its answer (`explain`) doesn't show them.
   */
  blobs(ids: readonly string[], viewer?: string): Promise<readonly BlobRow[]>;

  /** Reference records of the blobs, of the named types, in order of object id. */
  blobReferences(
    blobIds: readonly string[],
    dataTypes: readonly string[],
  ): Promise<readonly BlobReference[]>;

  /** The reference records and blob reference records that the objects have as those that refer. */
  links(type: DataTypeDefinition, ids: readonly string[]): Promise<ObjectLinks>;

  /** Those of the objects (whole, as read) whose columns are not all what a write would leave. */
  stale(type: DataTypeDefinition, objects: readonly StoredObject[]): Promise<ReadonlySet<string>>;
}

export interface Transaction extends Snapshot {
  /** Inserts whole objects, or replaces ("update") those that exist. */
  writeRows(
    how: RowsWritten,
    type: DataTypeDefinition,
    objects: readonly StoredObject[],
    slices?: Slices,
  ): Promise<void>;

  destroy(type: DataTypeDefinition, ids: readonly string[]): Promise<void>;

  /**
   * Writes one change record each, in order, numbered on from the state; advances the state, and the counter of
   * objects by what was created and destroyed; resolves to the state. Not called for nothing.
   */
  record(type: DataTypeDefinition, changes: readonly NewChange[]): Promise<number>;

  /** One that the account has already stays as it is, but counts as unreferenced since now where it is unreferenced. */
  insertBlobs(blobs: readonly NewBlob[]): Promise<void>;

  /** Removes and adds rows of JmapReference. */
  changeReferences(
    removed: readonly ReferenceRecord[],
    added: readonly ReferenceRecord[],
  ): Promise<void>;

  /** Removes and adds reference records of blobs; notes on each blob since when nothing refers to it. */
  changeBlobReferences(
    removed: readonly BlobReference[],
    added: readonly BlobReference[],
  ): Promise<void>;
}
