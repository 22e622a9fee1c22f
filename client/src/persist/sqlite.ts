import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type BetterSqlite3 from 'better-sqlite3';
import type { Database, Statement } from 'better-sqlite3';
import type { JsonValue } from '../../../src/protocol/json.js';
import type { BlobChange, Change, OpenStore, Page, Store, StoredRow, Table } from './port.js';
import { findPrefixEnd } from './prefixes.js';
import { loadDriver } from './sqlite-driver.js';
import {
  FencedError,
  makeClosedError,
  makeWipedError,
  QuotaError,
  StoreLostError,
} from './store-errors.js';

/** Marks a file of ours: "jmap" in ASCII. */
const APPLICATION_ID = 0x6a6d6170;
const FORMAT = 1;
/** Rows of a page, and the limit of SQL that is none. */
const PAGE = 2000;
const ALL = -1;
/** How long a call may wait for another process that writes, ms. */
const BUSY_TIMEOUT = 5000;
/** How often a new file is tried that another process makes at the same moment, each 20 ms. */
const MOST_TRIES = 100;

/** Names and keys are texts in UTF-16BE: octets have the order of code units, as elsewhere. */
const TABLES_SQL = `
  CREATE TABLE name (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name BLOB NOT NULL UNIQUE,
    epoch INTEGER NOT NULL DEFAULT 0
  );
  CREATE TABLE row (
    nameId INTEGER NOT NULL,
    tableName TEXT NOT NULL,
    key BLOB NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (nameId, tableName, key)
  ) WITHOUT ROWID;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${FORMAT};
`;

/**
 * A store in a file, for Node; the data of several names may be in one. Throws where there is no
 * driver.
 */
export function sqliteFile(path: string): Store {
  const Driver = loadDriver();
  return {
    open: async (name) => {
      try {
        return await openFile(path, Driver, (db) => new SqliteStore(db, encode(name)));
      } catch (error) {
        if (error instanceof StoreLostError) throw error;
        throw new StoreLostError(`${path} can't be opened.`, { cause: error });
      }
    },
  };
}

type Written = Table | BlobChange['table'];

interface Statements {
  readonly addName: Statement<[Buffer]>;
  readonly findName: Statement<[Buffer], number>;
  readonly readEpoch: Statement<[number], number>;
  readonly raiseEpoch: Statement<[number], number>;
  readonly removeName: Statement<[Buffer]>;
  readonly removeRows: Statement<[number]>;
  readonly load: Statement<[number, Table, Buffer, number], [Buffer, string]>;
  readonly loadUpTo: Statement<[number, Table, Buffer, Buffer, number], [Buffer, string]>;
  readonly loadOne: Statement<[number, Table, Buffer], string>;
  readonly readBlob: Statement<[number, Buffer], Buffer>;
  readonly put: Statement<[number, Written, Buffer, string | Buffer | undefined]>;
  readonly remove: Statement<[number, Written, Buffer]>;
}

class SqliteStore implements OpenStore {
  readonly #db: Database;
  readonly #name: Buffer;
  readonly #statements: Statements;
  /** A name whose data was removed gets another one. */
  #id: number;

  constructor(db: Database, name: Buffer) {
    this.#db = db;
    this.#name = name;
    this.#statements = prepareStatements(db);
    this.#id = this.#transact(true, () => this.#makeName());
  }

  async load(table: Table, prefix = ''): Promise<readonly StoredRow[]> {
    return this.#load(table, prefix, encode(prefix), ALL);
  }

  async loadPage(table: Table, prefix: string, after?: string): Promise<Page> {
    // No key lies between one and the same with one unit more.
    const from = encode(after === undefined ? prefix : `${after}\u0000`);
    const rows = this.#load(table, prefix, from, PAGE);
    return { rows, isLast: rows.length < PAGE };
  }

  async read(table: Table, keys: Iterable<string>): Promise<readonly StoredRow[]> {
    const { loadOne } = this.#statements;
    return this.#read(() =>
      Array.from(keys).flatMap((key) => {
        const value = loadOne.get(this.#id, table, encode(key));
        return value === undefined ? [] : [[key, JSON.parse(value) as JsonValue] as const];
      }),
    );
  }

  async loadBlob(key: string): Promise<Uint8Array | null> {
    const octets = this.#read(() => this.#statements.readBlob.get(this.#id, encode(key)));
    return octets === undefined ? null : new Uint8Array(octets);
  }

  async commit(
    changes: readonly (Change | BlobChange)[],
    { epoch, durable = false }: { readonly epoch?: number; readonly durable?: boolean },
  ): Promise<void> {
    this.#transact(durable, () => {
      const current = this.#readEpoch();
      if (epoch !== undefined && epoch !== current) throw new FencedError();
      this.#write(this.#id, changes);
    });
  }

  async fence(): Promise<number> {
    return this.#transact(false, () => {
      const epoch = this.#statements.raiseEpoch.get(this.#id);
      if (epoch === undefined) throw makeWipedError();
      return epoch;
    });
  }

  async wipe(rest: readonly Change[] = []): Promise<void> {
    const { findName, removeName, removeRows } = this.#statements;
    this.#id = this.#transact(true, () => {
      const id = findName.get(this.#name);
      if (id !== undefined) removeRows.run(id);
      removeName.run(this.#name);
      const next = this.#makeName();
      this.#write(next, rest);
      return next;
    });
    // The write-ahead log has the removed rows until then.
    this.#judge(() => this.#db.pragma('wal_checkpoint(TRUNCATE)'));
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  #load(table: Table, prefix: string, from: Buffer, most: number): readonly StoredRow[] {
    const { load, loadUpTo } = this.#statements;
    const end = findPrefixEnd(prefix);
    const rows = this.#read(() =>
      end === null
        ? load.all(this.#id, table, from, most)
        : loadUpTo.all(this.#id, table, from, encode(end), most),
    );
    return rows.map(([key, value]) => [decode(key), JSON.parse(value) as JsonValue]);
  }

  /** Reads in one transaction with the epoch, which tells whether the data is still there. */
  #read<T>(work: () => T): T {
    return this.#judge(() =>
      this.#db.transaction(() => {
        this.#readEpoch();
        return work();
      })(),
    );
  }

  #write(id: number, changes: readonly (Change | BlobChange)[]): void {
    const { put, remove } = this.#statements;
    for (const { table, key, value } of changes) {
      if (value === undefined) remove.run(id, table, encode(key));
      else put.run(id, table, encode(key), toColumn(value));
    }
  }

  #makeName(): number {
    const { addName, findName } = this.#statements;
    addName.run(this.#name);
    return findName.get(this.#name) as number;
  }

  #readEpoch(): number {
    const epoch = this.#statements.readEpoch.get(this.#id);
    if (epoch === undefined) throw makeWipedError();
    return epoch;
  }

  #transact<T>(durable: boolean, work: () => T): T {
    return this.#judge(() => {
      this.#db.pragma(`synchronous = ${durable ? 'FULL' : 'NORMAL'}`);
      return this.#db.transaction(work).immediate();
    });
  }

  /** Does work, and throws the errors of the port in the place of the driver's. */
  #judge<T>(work: () => T): T {
    if (!this.#db.open) throw makeClosedError();
    try {
      return work();
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (typeof code !== 'string' || !code.startsWith('SQLITE_')) throw error;
      if (code === 'SQLITE_FULL')
        throw new QuotaError('There is no room for the data.', { cause: error });
      throw new StoreLostError('The file of the store has failed.', { cause: error });
    }
  }
}

/** Opens a file and makes something of it; where that fails, the file is closed. */
async function openFile<T>(
  path: string,
  Driver: typeof BetterSqlite3,
  make: (db: Database) => T,
): Promise<T> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const db = new Driver(path, { timeout: BUSY_TIMEOUT });
  try {
    // A file of others is left as it is.
    const isNew = isEmpty(db);
    if (!isNew) requireFormat(db);
    await setWriteAhead(db);
    // Zeros take the place of what is removed.
    db.pragma('secure_delete = ON');
    if (isNew) db.transaction(() => isEmpty(db) && db.exec(TABLES_SQL)).immediate();
    requireFormat(db);
    return make(db);
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Sets WAL, which the file keeps. SQLite refuses one of two processes that set it in a new file at
 * the same moment, however long it may wait.
 */
async function setWriteAhead(db: Database): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      db.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (tries === MOST_TRIES) throw error;
    }
    await delay(20);
  }
}

function isEmpty(db: Database): boolean {
  return db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
}

function requireFormat(db: Database): void {
  const isOurs = db.pragma('application_id', { simple: true }) === APPLICATION_ID;
  if (!isOurs || db.pragma('user_version', { simple: true }) !== FORMAT)
    throw new StoreLostError(`${db.name} is no store of this version of the client.`);
}

function prepareStatements(db: Database): Statements {
  const rows = 'SELECT key, value FROM row WHERE nameId = ? AND tableName = ? AND key >= ?';
  return {
    addName: db.prepare('INSERT INTO name (name) VALUES (?) ON CONFLICT DO NOTHING'),
    findName: db.prepare<[Buffer], number>('SELECT id FROM name WHERE name = ?').pluck(),
    readEpoch: db.prepare<[number], number>('SELECT epoch FROM name WHERE id = ?').pluck(),
    raiseEpoch: db
      .prepare<[number], number>('UPDATE name SET epoch = epoch + 1 WHERE id = ? RETURNING epoch')
      .pluck(),
    removeName: db.prepare('DELETE FROM name WHERE name = ?'),
    removeRows: db.prepare('DELETE FROM row WHERE nameId = ?'),
    load: db
      .prepare<[number, Table, Buffer, number], [Buffer, string]>(`${rows} ORDER BY key LIMIT ?`)
      .raw(),
    loadUpTo: db
      .prepare<[number, Table, Buffer, Buffer, number], [Buffer, string]>(
        `${rows} AND key < ? ORDER BY key LIMIT ?`,
      )
      .raw(),
    loadOne: db
      .prepare<[number, Table, Buffer], string>(
        'SELECT value FROM row WHERE nameId = ? AND tableName = ? AND key = ?',
      )
      .pluck(),
    readBlob: db
      .prepare<[number, Buffer], Buffer>(
        "SELECT value FROM row WHERE nameId = ? AND tableName = 'blobs' AND key = ?",
      )
      .pluck(),
    put: db.prepare('INSERT OR REPLACE INTO row VALUES (?, ?, ?, ?)'),
    remove: db.prepare('DELETE FROM row WHERE nameId = ? AND tableName = ? AND key = ?'),
  };
}

/** Octets stay octets in a column of texts. */
function toColumn(value: JsonValue | Uint8Array): string | Buffer {
  return value instanceof Uint8Array ? Buffer.from(value) : JSON.stringify(value);
}

function encode(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

function decode(octets: Buffer): string {
  return octets.swap16().toString('utf16le');
}
