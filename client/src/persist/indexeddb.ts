import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB, unwrap } from 'idb';
import type { JsonValue } from '../../../src/protocol/json.js';
import { Backoff } from '../sync/backoff.js';
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
import { findPrefixEnd } from './prefixes.js';
import {
  FencedError,
  makeClosedError,
  makeWipedError,
  QuotaError,
  StoreLostError,
} from './store-errors.js';

/** The version of the object stores. */
const VERSION = 2;
/** The object store with the one row of its key that isn't a row of the client. */
const STAMP = 'stamp';
const BLOBS = 'blobs';
/** How often a database that was lost is opened again for one call. */
const MOST_RETRIES = 3;
/** Rows that are read at a time: the browser makes their values in one go. */
const PAGE = 1000;

interface Stamp {
  /** Another one once the data has been removed: by `wipe`, by the user or by the browser. */
  readonly identity: string;
  readonly epoch: number;
}

type Rows = Readonly<Record<Table, { key: string; value: JsonValue }>>;
interface Tables extends DBSchema, Rows {
  readonly [BLOBS]: { key: string; value: Uint8Array };
  readonly [STAMP]: { key: string; value: Stamp };
}
type Database = IDBPDatabase<Tables>;
type Written = Table | typeof BLOBS;
type Writing = IDBPTransaction<Tables, (Written | typeof STAMP)[], 'readwrite'>;
type Transaction = Pick<Writing, 'done' | 'error' | 'addEventListener'>;

export interface IndexedDbOptions {
  /**
   * How long to wait before a database that was lost is opened again, ms; each further wait is
   * twice as long. By default 250.
   */
  readonly reopenAfter?: number | undefined;
}

/** A store in the browser's IndexedDB, with a database for each name. */
export function indexedDb({ reopenAfter }: IndexedDbOptions = {}): Store {
  return {
    open: async (name) => {
      const store = new IndexedDbStore(name, new Backoff(reopenAfter));
      await store.connect();
      return store;
    },
  };
}

class IndexedDbStore implements OpenStore {
  readonly #name: string;
  readonly #backoff: Backoff;
  #database: Database | null = null;
  #identity: string | null = null;
  #isClosed = false;
  /** Ends with the last call: a commit that is tried again stays in front of later ones. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(name: string, backoff: Backoff) {
    this.#name = name;
    this.#backoff = backoff;
  }

  /** Rejects with StoreLostError. */
  async connect(): Promise<void> {
    try {
      await this.#run(async (database) => {
        this.#identity = (await readStamp(database)).identity;
      });
    } catch (error) {
      this.#disconnect(this.#database);
      throw error instanceof StoreLostError ? error : makeLostError(error);
    }
  }

  load(table: Table, prefix = ''): Promise<readonly StoredRow[]> {
    return this.#read(async (database) => {
      const tx = startReading(database, table);
      const rows: StoredRow[] = [];
      for (;;) {
        const page = await readPage(tx, prefix, rows.at(-1)?.[0]);
        for (const row of page.rows) rows.push(row);
        if (page.isLast) return rows;
      }
    });
  }

  loadPage(table: Table, prefix: string, after?: string): Promise<Page> {
    return this.#read((database) => readPage(startReading(database, table), prefix, after));
  }

  read(table: Table, keys: Iterable<string>): Promise<readonly StoredRow[]> {
    return this.#read(async (database) => {
      const { store } = startReading(database, table);
      const rows = Array.from(keys, async (key) => [key, await store.get(key)] as const);
      return (await Promise.all(rows)).filter((row): row is StoredRow => row[1] !== undefined);
    });
  }

  loadBlob(key: string): Promise<Uint8Array | null> {
    return this.#read(async (database) => (await database.get(BLOBS, key)) ?? null);
  }

  commit(
    changes: readonly (Change | BlobChange)[],
    { epoch, durable = false }: { readonly epoch?: number; readonly durable?: boolean },
  ): Promise<void> {
    return this.#run((database) => {
      const tables = new Set(changes.map(({ table }) => table));
      return write(database, [...tables], durable, async (tx) => {
        const stamp = await this.#checkStamp(tx);
        if (epoch !== undefined && epoch !== stamp.epoch) throw new FencedError();
        // Without a promise for each row: where one fails, the whole transaction does.
        for (const { table, key, value } of changes) {
          const rows = unwrap(tx.objectStore(table));
          if (value === undefined) rows.delete(key);
          else rows.put(value, key);
        }
      });
    });
  }

  fence(): Promise<number> {
    return this.#run((database) =>
      write(database, [], false, async (tx) => {
        const stamp = await this.#checkStamp(tx);
        const epoch = stamp.epoch + 1;
        unwrap(tx.objectStore(STAMP)).put({ ...stamp, epoch }, STAMP);
        return epoch;
      }),
    );
  }

  wipe(rest: readonly Change[] = []): Promise<void> {
    const stamp = makeStamp();
    return this.#run(async (database) => {
      const tables = [...TABLES, BLOBS] as const;
      await write(database, tables, true, async (tx) => {
        for (const table of tables) unwrap(tx.objectStore(table)).clear();
        for (const { table, key, value } of rest) unwrap(tx.objectStore(table)).put(value, key);
        unwrap(tx.objectStore(STAMP)).put(stamp, STAMP);
      });
      this.#identity = stamp.identity;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
    this.#disconnect(this.#database);
  }

  #read<T>(work: (database: Database) => Promise<T>): Promise<T> {
    return this.#run(async (database) => {
      const result = await work(database);
      // Behind the rows, in a transaction of its own: commits of other tables need not wait. An
      // identity doesn't come back, so one that is the same now was the same before.
      if ((await readStamp(database)).identity !== this.#identity) throw makeWipedError();
      return result;
    });
  }

  async #run<T>(work: (database: Database) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw makeClosedError();
    const result = this.#last.then(() => this.#try(work));
    this.#last = result.catch(() => undefined);
    return result;
  }

  /**
   * Does work, and again where the database was lost. A commit whose end nobody knows may so be
   * written twice: the second time changes nothing.
   */
  async #try<T>(work: (database: Database) => Promise<T>): Promise<T> {
    for (let retries = 0; ; retries += 1) {
      try {
        const result = await work(await this.#connect());
        this.#backoff.reset();
        return result;
      } catch (error) {
        if (!isOfDatabase(error)) throw error;
        if (error.name === 'QuotaExceededError')
          throw new QuotaError('There is no room for the data.', { cause: error });
        if (retries === MOST_RETRIES) throw makeLostError(error);
      }
      this.#disconnect(this.#database);
      await new Promise((resolve) => setTimeout(resolve, this.#backoff.next()));
    }
  }

  async #connect(): Promise<Database> {
    if (this.#database !== null) return this.#database;
    const database = await openDB<Tables>(escapeName(this.#name), VERSION, {
      upgrade(made, before, _after, tx) {
        watchEnd(tx);
        made.createObjectStore(BLOBS);
        if (before > 0) return;
        for (const table of TABLES) made.createObjectStore(table);
        unwrap(made.createObjectStore(STAMP)).put(makeStamp(), STAMP);
      },
      // Someone removes the database or has a later version of it: nobody waits for this one.
      blocking: () => this.#disconnect(database),
      terminated: () => this.#disconnect(database),
    });
    this.#database = database;
    return database;
  }

  #disconnect(database: Database | null): void {
    database?.close();
    if (this.#database === database) this.#database = null;
  }

  async #checkStamp(tx: Writing): Promise<Stamp> {
    const stamp = await tx.objectStore(STAMP).get(STAMP);
    if (stamp?.identity !== this.#identity) throw makeWipedError();
    return stamp;
  }
}

/** Runs a transaction over tables and the stamp; where `work` fails, nothing is written. */
async function write<T>(
  database: Database,
  tables: readonly Written[],
  durable: boolean,
  work: (tx: Writing) => Promise<T>,
): Promise<T> {
  const durability = durable ? 'strict' : 'relaxed';
  const tx = database.transaction([STAMP, ...tables], 'readwrite', { durability });
  const end = watchEnd(tx);
  try {
    const result = await work(tx);
    await end;
    return result;
  } catch (error) {
    abort(tx);
    await end.catch(() => undefined);
    // A request of a transaction that the browser has ended says only that it has ended.
    throw tx.error ?? error;
  }
}

/**
 * Resolves when a transaction is complete, and rejects with its error when it is aborted. `done` of
 * idb rejects as soon as a request fails, when the transaction has no error yet.
 */
function watchEnd(tx: Transaction): Promise<void> {
  tx.done.catch(() => undefined);
  const end = new Promise<void>((resolve, reject) => {
    tx.addEventListener('complete', () => resolve());
    tx.addEventListener('abort', () => reject(tx.error ?? new DOMException('', 'AbortError')));
  });
  // A rejection is unhandled where nobody waits yet.
  end.catch(() => undefined);
  return end;
}

function abort(tx: Writing): void {
  try {
    tx.abort();
  } catch {
    // It is over already.
  }
}

async function readStamp(database: Database): Promise<Stamp> {
  const tx = database.transaction(STAMP);
  watchEnd(tx);
  const stamp = await tx.store.get(STAMP);
  if (stamp === undefined) throw makeWipedError();
  return stamp;
}

function startReading(database: Database, table: Table) {
  const tx = database.transaction(table);
  watchEnd(tx);
  return tx;
}

async function readPage(
  { store }: ReturnType<typeof startReading>,
  prefix: string,
  after?: string,
): Promise<Page> {
  const end = findPrefixEnd(prefix);
  const [from, isOpen] = [after ?? prefix, after !== undefined];
  const range =
    end === null
      ? IDBKeyRange.lowerBound(from, isOpen)
      : IDBKeyRange.bound(from, end, isOpen, true);
  const [keys, values] = await Promise.all([
    store.getAllKeys(range, PAGE),
    store.getAll(range, PAGE),
  ]);
  const rows = keys.map((key, index) => [key, values[index] as JsonValue] as const);
  return { rows, isLast: rows.length < PAGE };
}

/** Returns whether the browser has failed, and not the caller. */
function isOfDatabase(error: unknown): error is DOMException {
  return error instanceof DOMException && !/^Data(?:Clone)?Error$/.test(error.name);
}

function makeLostError(cause: unknown): StoreLostError {
  return new StoreLostError('The browser has lost the database.', { cause });
}

function makeStamp(): Stamp {
  return { identity: crypto.randomUUID(), epoch: 0 };
}

/** Returns a name that each browser can use: Firefox refuses some characters. */
function escapeName(name: string): string {
  return name.replace(/[^ -$&-~]/g, (unit) => `%${unit.charCodeAt(0).toString(16)}.`);
}
