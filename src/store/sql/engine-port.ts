import type { DataTypeDefinition } from '../../capability/definition.js';
import type { Slices } from '../../runtime/slices.js';
import type {
  FirstObjects,
  NewChange,
  ObjectSelection,
  QueryPage,
  RowsWritten,
  StoredObject,
} from '../port.js';
import type { Dialect } from './dialect-port.js';
import type { Fragment, Raw } from './fragment.js';
import type { Decoders, RowsToWrite } from './row-codec.js';
import type { TableTexts } from './table-texts.js';

/** The statement of a query's window, of the columns in `list`. */
export type WindowOf = (list: Raw) => Fragment;

/** The properties of objects that a read wants. */
export interface ObjectsRead extends ObjectSelection {
  readonly type: DataTypeDefinition;
}

/** Change records to write. */
export interface ChangesToWrite {
  readonly changes: readonly NewChange[];
  /** The columns that alone changed in updated objects (`changedColumns`); null: any may have. */
  readonly columns: string | null;
  readonly at: number;
  /** The state before, where the transaction knows it. */
  readonly current: number | undefined;
}

/** Change records of a type with access rules, to write. */
export interface RecordsToWrite {
  /** JSON: rows `[objectId, kind, properties, scopes, scopesBefore]`. */
  readonly rows: string;
  readonly count: number;
  /** How many objects more there are. */
  readonly growth: number;
  readonly at: number;
  /** The state before, where the transaction knows it. */
  readonly current: number | undefined;
}

/** A page of a query's result: at most `limit` rows of the window. */
export interface PageRead {
  readonly type: DataTypeDefinition;
  readonly compose: WindowOf;
  readonly limit: number;
  readonly selection: ObjectSelection | null;
}

/** An account, on a connection that is in a transaction. */
export interface Scope<C> {
  readonly connection: C;
  readonly accountId: string;
}

/** The same for objects, which may be large. */
export interface ObjectScope<C> extends Scope<C> {
  /** Slices for one operation; null if others wait for the connection, so it must not pause. */
  slices(): Slices | null;
}

/**
 * The parts of a snapshot (snapshot.ts) that differ between databases; no list is empty. Each
 * operation is a statement, begun before the call returns: a synchronous engine has run it by then,
 * and the promise only carries the result. Types and properties as texts are storage names.
 */
export interface ReadingEngine<C> {
  readonly dialect: Dialect;
  readonly decoders: Decoders;
  /** The statements on the engine's own tables; the snapshot runs them itself. */
  readonly texts: TableTexts;

  objects(
    scope: ObjectScope<C>,
    read: ObjectsRead,
    ids: readonly string[],
  ): Promise<readonly StoredObject[]>;

  firstObjects(
    scope: ObjectScope<C>,
    read: ObjectsRead,
    which: FirstObjects,
  ): Promise<readonly StoredObject[]>;

  state(scope: Scope<C>, table: string): Promise<number>;

  /** Reads the page and the state; in two statements if that takes no further round trip. */
  page(scope: Scope<C>, page: PageRead): Promise<QueryPage>;
}

/** The same of what a transaction does (transaction.ts). */
export interface WritingEngine<C> extends ReadingEngine<C> {
  writeRows(scope: ObjectScope<C>, how: RowsWritten, rows: RowsToWrite): Promise<void>;

  destroy(scope: Scope<C>, type: DataTypeDefinition, ids: readonly string[]): Promise<void>;

  /** Resolves to the new state. */
  writeChanges(scope: Scope<C>, table: string, written: ChangesToWrite): Promise<number>;

  /** The same of a type with access rules. */
  writeRecords(scope: Scope<C>, table: string, written: RecordsToWrite): Promise<number>;
}
