import type { JsonValue } from '../../../src/protocol/json.js';
import {
  type BlobChange,
  type Change,
  type OpenStore,
  type Page,
  type Store,
  type StoredRow,
  TABLES,
  type Table,
} from './port.js';
import { FencedError, makeClosedError, makeWipedError } from './store-errors.js';

/** The data of a name. */
interface Data {
  readonly tables: Readonly<Record<Table, Map<string, JsonValue>>> & {
    readonly blobs: Map<string, Uint8Array>;
  };
  epoch: number;
}

/** Rows of a page. */
const PAGE = 2000;

/** A store for as long as it is referred to. It keeps values as they are, without a copy. */
export function memory(): Store {
  const names = new Map<string, Data>();
  return { open: async (name) => new MemoryStore(names, name) };
}

class MemoryStore implements OpenStore {
  readonly #names: Map<string, Data>;
  readonly #name: string;
  #data: Data | null;

  constructor(names: Map<string, Data>, name: string) {
    this.#names = names;
    this.#name = name;
    this.#data = names.get(name) ?? makeData();
    names.set(name, this.#data);
  }

  async load(table: Table, prefix = ''): Promise<readonly StoredRow[]> {
    return this.#select(table, (key) => key.startsWith(prefix));
  }

  async loadPage(table: Table, prefix: string, after?: string): Promise<Page> {
    const rows = this.#select(
      table,
      (key) => key.startsWith(prefix) && (after === undefined || key > after),
    );
    return { rows: rows.slice(0, PAGE), isLast: rows.length <= PAGE };
  }

  async read(table: Table, keys: Iterable<string>): Promise<readonly StoredRow[]> {
    const rows = this.#open().tables[table];
    return Array.from(keys).flatMap((key) => {
      const value = rows.get(key);
      return value === undefined ? [] : [[key, value] as const];
    });
  }

  async loadBlob(key: string): Promise<Uint8Array | null> {
    return this.#open().tables.blobs.get(key) ?? null;
  }

  async commit(
    changes: readonly (Change | BlobChange)[],
    options: { readonly epoch?: number },
  ): Promise<void> {
    const { tables, epoch } = this.#open();
    if (options.epoch !== undefined && options.epoch !== epoch) throw new FencedError();
    // All are read before the first is written: a change that can't be read leaves nothing behind.
    const rows = changes.map(({ table, key, value }) => {
      const ofTable: Map<string, JsonValue | Uint8Array> = tables[table];
      return { ofTable, key, value };
    });
    for (const { ofTable, key, value } of rows) {
      if (value === undefined) ofTable.delete(key);
      else ofTable.set(key, value);
    }
  }

  async fence(): Promise<number> {
    const data = this.#open();
    data.epoch += 1;
    return data.epoch;
  }

  async wipe(rest: readonly Change[] = []): Promise<void> {
    if (this.#data === null) throw makeClosedError();
    this.#data = makeData();
    this.#names.set(this.#name, this.#data);
    await this.commit(rest, {});
  }

  async close(): Promise<void> {
    this.#data = null;
  }

  #select(table: Table, isChosen: (key: string) => boolean): readonly StoredRow[] {
    const rows = [...this.#open().tables[table]].filter(([key]) => isChosen(key));
    return rows.sort(([one], [other]) => (one < other ? -1 : 1));
  }

  #open(): Data {
    if (this.#data === null) throw makeClosedError();
    if (this.#names.get(this.#name) !== this.#data) throw makeWipedError();
    return this.#data;
  }
}

function makeData(): Data {
  const tables = Object.fromEntries(TABLES.map((table) => [table, new Map<string, JsonValue>()]));
  return { tables: { ...tables, blobs: new Map() } as Data['tables'], epoch: 0 };
}
