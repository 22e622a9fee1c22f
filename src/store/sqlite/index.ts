import type { Statement } from 'better-sqlite3';
import { openDatabase } from '../../database/sqlite/open.js';
import type { TimedDatabase } from '../../database/sqlite/timed-database.js';
import type { Writer } from '../../database/sqlite/writer.js';
import { inTime, lateError } from '../../runtime/deadlines.js';
import type {
  BlobKey,
  CallOptions,
  ChangesRequest,
  ObjectsRequest,
  QueryPage,
  QueryPageRequest,
  Snapshot,
  StateAndChanges,
  StateAndObjects,
  StateChange,
  StatementPlan,
  StateNumbers,
  Store,
  TracedStatement,
  Transaction,
} from '../port.js';
import { ChangePruner, collectBlobs, type Pruning, pruneAnswers } from '../sql/prune.js';
import { readStates } from '../sql/read-states.js';
import { type NamedType, StorageNames } from '../sql/storage-names.js';
import type { SnapshotServices } from '../sql/table-snapshot.js';
import { tellMoved } from '../sql/tell-moved.js';
import { CommitListeners, SqlTransaction } from '../sql/transaction.js';
import { plansInTime } from '../traced.js';
import { type Backlog, openBacklog } from './backlog.js';
import { Connection } from './connection.js';
import { sqlite } from './dialect.js';
import { writing } from './engine.js';
import { ownConnections, ReadPool, WriteAheadLog } from './read-pool.js';
import { Reads } from './reads.js';
import { type ScanOptions, ScanThreads } from './scans/index.js';
import { type SearchedTable, SearchPieces } from './search-pieces.js';
import { accountGone } from './writes.js';

/** How long the store's own upkeep waits for the writer, ms. */
const UPKEEP_WAIT = 30_000;
/** Connections for hooks that read, and as many for large reads. */
const CONNECTIONS = 4;

export interface SqliteStoreOptions {
  readonly writer: Writer;
  /** The connection that `writer` writes on. */
  readonly writerDatabase: TimedDatabase;
  /** A read-only connection that nothing else uses. */
  readonly reader: TimedDatabase;
  /** All types that the store is asked for: which tables and columns their names stand for. */
  readonly types: readonly NamedType[];
  /** Milliseconds since 1970: the time of change records and of blobs. */
  readonly now?: () => number;
  /**
   * Called with the text of each statement before it runs, transaction control apart: for tests
   * that count.
   */
  readonly onStatement?: (sql: string) => void;
  /**
   * How other threads run works that may scan. By default they do so in compiled code, but not in
   * sources, which a thread can't run.
   */
  readonly scans?: ScanOptions;
  /** The number of scanning threads in compiled code; by default as many as suit the machine. */
  readonly scanThreads?: number;
  /** Octets beyond which the write-ahead log is emptied though reads overlap (read-pool.ts). */
  readonly logLimit?: number;
  /** Told why long texts could not be indexed for searching; it is tried again. */
  readonly onSearchError?: (error: unknown) => void;
  /** Told what an `onCommit` listener throws; the writer must not suffer for it. */
  readonly onListenerError?: (error: unknown) => void;
}

/** Returns the Store on SQLite. `close` closes its connections. */
export function createSqliteStore(options: SqliteStoreOptions): SqliteStore {
  return new SqliteStore(options);
}

class SqliteStore implements Store {
  readonly #services: SnapshotServices;
  readonly #writer: Writer;
  readonly #writing: Connection;
  readonly #reads: Reads;
  readonly #now: () => number;
  readonly #hookReads: ReadPool;
  /** Apart from those of hooks, which may wait for long. */
  readonly #largeReads: ReadPool;
  /** Null where works that may scan run in this thread. */
  readonly #threads: ScanThreads | null;
  readonly #scans: ReadPool | null;
  readonly #listeners: CommitListeners;
  readonly #pruning: Pruning;
  readonly #pruner: ChangePruner;
  readonly #backlog: Backlog;
  readonly #account: Statement<[string]>;
  /** Null where no type has a search index. */
  readonly #pieces: SearchPieces | null;

  constructor(options: SqliteStoreOptions) {
    const { writer, writerDatabase, reader, onStatement } = options;
    const { name: file } = reader;
    const { conductor } = writer;
    this.#writer = writer;
    this.#writing = new Connection(writerDatabase, onStatement);
    const log = new WriteAheadLog({
      file,
      ...(options.logLimit === undefined ? {} : { limit: options.logLimit }),
      checkpoint: () => this.#backlog.empty(),
    });
    const services = { names: new StorageNames(options.types), conductor, log };
    this.#services = services;
    const requireFiles = (): void => writer.requireFiles();
    const open = (): Connection => {
      requireFiles();
      return new Connection(openDatabase({ file, readonly: true, isReopened: true }), onStatement);
    };
    this.#hookReads = new ReadPool(services, ownConnections(CONNECTIONS, open));
    this.#largeReads = new ReadPool(services, ownConnections(CONNECTIONS, open));
    const scans = options.scans ?? compiledScans(options.scanThreads);
    this.#threads = scans && new ScanThreads({ file, onStatement, requireFiles }, scans);
    this.#scans = this.#threads && new ReadPool(services, this.#threads);
    this.#backlog = openBacklog(writer, writerDatabase, this.#threads);
    this.#reads = new Reads({
      services,
      connection: new Connection(reader, onStatement),
      scans: this.#scans,
      large: this.#largeReads,
      slice: scans?.slice,
    });
    this.#now = options.now ?? Date.now;
    this.#listeners = new CommitListeners(options.onListenerError);
    this.#account = writerDatabase.prepare('SELECT 1 FROM "JmapAccount" WHERE "id" = ?');
    this.#pieces = openPieces(options);
    this.#pieces?.wake();
    this.#pruning = {
      rows: (query) => this.#reads.later(query),
      remove: (accountId, statement) => {
        const deadline = performance.now() + UPKEEP_WAIT;
        return this.#writer.writeInGroup(() => this.#writing.query(statement), {
          deadline,
          accountId,
        });
      },
    };
    this.#pruner = new ChangePruner(this.#pruning, sqlite);
  }

  read<T>(
    accountId: string,
    options: CallOptions,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    return options.exclusive === true
      ? this.#hookReads.run(accountId, options, work)
      : this.#reads.run(accountId, options, work);
  }

  readObjects(request: ObjectsRequest): Promise<StateAndObjects> {
    return this.#reads.objects(request);
  }

  readChanges(request: ChangesRequest): Promise<StateAndChanges> {
    return this.#reads.changes(request);
  }

  readPage(request: QueryPageRequest): Promise<QueryPage> {
    return this.#reads.page(request);
  }

  async write<T>(
    accountId: string,
    options: CallOptions,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    const { deadline, isLong, exclusive = false, trace } = options;
    let changed: StateChange['changed'] | undefined;
    let news: Omit<StateChange, 'accountId' | 'changed'> = {};
    const runWork = async (): Promise<T> => {
      this.#writing.trace = trace ?? null;
      const scope = { connection: this.#writing, accountId };
      const transaction = new SqlTransaction(writing, this.#services, scope, this.#now());
      try {
        const working = work(transaction);
        // A work that waits for the world outside may never settle.
        const value = await (exclusive ? inTime(deadline, working, lateError) : working);
        await tellMoved(this.#writing, writing.texts, await transaction.findMoved());
        transaction.assertWhole();
        // The statement that reads a state fails by itself where the account has been deleted.
        if (!transaction.hasReadState && this.#account.get(accountId) === undefined) {
          throw accountGone();
        }
        changed = transaction.changed;
        news = transaction.news;
        return value;
      } finally {
        // A read that the work has left running would keep the database from the commit.
        transaction.end();
        this.#writing.endReads();
        this.#writing.trace = null;
      }
    };
    const how = { deadline, accountId, isLong };
    const result = await (exclusive
      ? this.#writer.transaction(runWork, how)
      : this.#writer.writeInGroup(runWork, how));
    // The promises of a group resolve in the order of its works, so listeners hear of states in
    // order. A commit that no client hears of, such as that of a start after a migration, may
    // change any text.
    this.#pieces?.wake(changed);
    if (changed !== undefined) this.#listeners.tell({ accountId, changed, ...news });
    return result;
  }

  onCommit(listener: (change: StateChange) => void): () => void {
    return this.#listeners.add(listener);
  }

  readStates(accountIds: readonly string[]): Promise<ReadonlyMap<string, StateNumbers>> {
    const { rows } = this.#pruning;
    return readStates(rows, sqlite, this.#services.names, accountIds);
  }

  async ping(): Promise<void> {
    this.#writer.requireFiles();
    await this.#reads.rows('SELECT 1 FROM "JmapMeta" LIMIT 1');
  }

  pruneChanges(before: number, limit: number): Promise<number> {
    return this.#pruner.prune(before, limit);
  }

  pruneAnswers(before: number, limit: number): Promise<number> {
    return pruneAnswers(this.#pruning, sqlite, before, limit);
  }

  collectBlobs(before: number, limit: number): Promise<readonly BlobKey[]> {
    return collectBlobs(this.#pruning, sqlite, before, limit);
  }

  plans(
    _accountId: string,
    deadline: number,
    statements: readonly TracedStatement[],
  ): Promise<readonly (StatementPlan | null)[]> {
    return plansInTime(deadline, statements, (statement) => this.#reads.plan(deadline, statement));
  }

  /**
   * Returns whether a thread runs a statement or a checkpoint: until its end no exit with a code.
   */
  get isInThread(): boolean {
    return this.#threads?.isBusy === true;
  }

  /** Resolves when the long texts of earlier commits are indexed for searching. */
  indexed(): Promise<void> {
    return this.#pieces?.idle() ?? Promise.resolve();
  }

  async close(): Promise<void> {
    // Readers that wait for a connection are turned away now, not when the writer has ended.
    const largeReads = this.#largeReads.close();
    await this.#pieces?.close();
    await this.#writer.close();
    await this.#reads.idle();
    await Promise.all([this.#hookReads.close(), largeReads]);
    await this.#backlog.close();
    await this.#scans?.close();
    this.#reads.close();
    this.#writing.db.close();
  }
}

function openPieces(options: SqliteStoreOptions): SearchPieces | null {
  const { writer, writerDatabase, types, onSearchError = () => undefined } = options;
  const tables = types.filter(isSearched);
  if (tables.length === 0) return null;
  return new SearchPieces({
    db: writerDatabase,
    tables,
    conductor: writer.conductor,
    write: (accountId, step) => {
      const deadline = performance.now() + UPKEEP_WAIT;
      return writer.writeInGroup(step, { deadline, accountId, isLong: true });
    },
    onError: onSearchError,
  });
}

function isSearched(type: NamedType): type is NamedType & SearchedTable {
  return type.search !== undefined;
}

function compiledScans(threads?: number): ScanOptions | null {
  if (!import.meta.url.endsWith('.js')) return null;
  const module = new URL('./scans/worker.js', import.meta.url);
  return threads === undefined ? { module } : { module, threads };
}
