import type { JsonValue } from '../../../src/protocol/json.js';
import type { Tabs } from '../tabs/roles.js';

/** The tables of a store. Keys are texts, values are JSON. */
export const TABLES = ['objects', 'types', 'log', 'aliases', 'lists', 'meta'] as const;
export type Table = (typeof TABLES)[number];

/** A row to be written; without a value it is removed. */
export interface Change {
  readonly table: Table;
  readonly key: string;
  readonly value?: JsonValue;
}

export type StoredRow = readonly [key: string, value: JsonValue];

/** Some rows of a table, in the order of the keys' code units. */
export interface Page {
  readonly rows: readonly StoredRow[];
  readonly isLast: boolean;
}

/** Octets beside the tables, which no `load` brings along; without a value they are removed. */
export interface BlobChange {
  readonly table: 'blobs';
  readonly key: string;
  readonly value?: Uint8Array;
}

export interface Store {
  /** Opens the data of a name: server URL, user and format version. Rejects with StoreLostError. */
  open(name: string): Promise<OpenStore>;
  /**
   * Opens the way by which clients that have the data of a name open find each other, and share
   * them. Without it, the last client that has opened the data has them alone.
   */
  tabs?<Message>(name: string, store: OpenStore): Tabs<Message>;
}

/** Calls of a handle are run in their order. */
export interface OpenStore {
  /**
   * Reads the rows of a table whose keys begin with `prefix`, in the order of the keys' code
   * units.
   */
  load(table: Table, prefix?: string): Promise<readonly StoredRow[]>;
  /**
   * Reads some of the rows whose keys begin with `prefix`: the first ones behind the key `after`,
   * as many as the store reads in one go. Commits may come between two pages.
   */
  loadPage(table: Table, prefix: string, after?: string): Promise<Page>;
  /** Reads the rows of these keys, in the order of the keys given; of some there may be none. */
  read(table: Table, keys: Iterable<string>): Promise<readonly StoredRow[]>;
  /** Reads the octets of a key; null: there are none. */
  loadBlob(key: string): Promise<Uint8Array | null>;
  /**
   * Writes all changes in one transaction, or none. Rejects with StoreLostError; with FencedError
   * where `epoch` isn't the store's any more; with QuotaError where there is no room. `durable`:
   * survives a crash of the machine once it resolves.
   */
  commit(
    changes: readonly (Change | BlobChange)[],
    options: { readonly epoch?: number; readonly durable?: boolean },
  ): Promise<void>;
  /**
   * Raises the store's epoch and resolves to it: commits with an older one are refused from now
   * on.
   */
  fence(): Promise<number>;
  /**
   * Removes all data of the name, and its epoch, and writes rows in their place. Other handles of
   * it reject with StoreLostError from now on.
   */
  wipe(rest?: readonly Change[]): Promise<void>;
  /** Closes the handle once earlier calls are done. Later ones reject with StoreLostError. */
  close(): Promise<void>;
}
