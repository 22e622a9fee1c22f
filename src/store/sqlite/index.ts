import { availableParallelism } from 'node:os';
import type { Database, Statement } from 'better-sqlite3';
import { Serial } from '../../database/serial.js';
import { checkDeadline, lateError, setDeadline } from '../../database/sqlite/deadline.js';
import { openDatabase } from '../../database/sqlite/open.js';
import type { Writer } from '../../database/sqlite/writer.js';
import { nextTurn } from '../../protocol/slices.js';
import type {
  CallOptions,
  InstantReads,
  QueryPage,
  Snapshot,
  StateChange,
  Store,
  Transaction,
} from '../port.js';
import { type NamedType, type StorageNames, storageNames } from '../sql/names.js';
import { ChangePruner } from '../sql/prune.js';
import { fewQuery, windowQuery } from '../sql/query.js';
import { Backlog } from './backlog.js';
import { collectBlobs } from './blobs.js';
import { Sizes } from './brief.js';
import { accountGone } from './changes.js';
import { CACHE_LENGTH, Connection } from './connection.js';
import { sqlite } from './dialect.js';
import { runExclusive } from './exclusive.js';
import { GroupReads } from './group-reads.js';
import { readChangesAtOnce, readObjectsAtOnce } from './instant.js';
import { Log } from './log.js';
import { readPage, type SizedPage } from './page.js';
import { type ScanOptions, Scans } from './scans/index.js';
import { endOfSlice, LongStatements, SliceError } from './scans/slice.js';
import { SqliteSnapshot } from './snapshot.js';
import { SqliteTransaction } from './transaction.js';
import { WaitingReads } from './waiting-reads.js';

/** What a read that may scan has of this thread, ms, before it is begun anew in another one. */
const SLICE = 10;
/**
 * A statement that takes longer, ms, is run in another thread from then on, where a machine can do both at
 * once: there it keeps nobody waiting, and asking costs it a tenth of that.
 */
const MOMENT = availableParallelism() > 1 ? 2 : SLICE;
/** After so long, ms, reads let the event loop have a turn. */
const TURN = 10;
/** How long the store's own upkeep waits for the writer, ms. */
const UPKEEP_WAIT = 30_000;
/** How long emptying the log waits for the writer, ms. */
const CHECKPOINT_WAIT = 5000;

export interface SqliteStoreOptions {
  readonly writer: Writer;
  /** The connection that `writer` writes on. */
  readonly writerDatabase: Database;
  /** A read-only connection that nothing else uses. */
  readonly reader: Database;
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
   * How works that may scan are run in other threads. Where it is left out: in what is compiled they
   * are; from sources, which a thread can't run, they are not.
   */
  readonly scans?: ScanOptions;
  /** How many threads of what is compiled scan; where it is left out, as many as suit the machine. */
  readonly scanThreads?: number;
  /** Octets beyond which the write-ahead log is emptied though reads overlap (log.ts). */
  readonly logLimit?: number;
  /** Told what an `onCommit` listener throws; the writer must not suffer for it. */
  readonly onListenerError?: (error: unknown) => void;
}

/** The Store on SQLite. `close` closes its connections. */
export function createSqliteStore(options: SqliteStoreOptions): Store & ThreadedStore {
  return new SqliteStore(options);
}

export interface ThreadedStore {
  /** A thread is within a statement, or moves the log: the process can't end with a code until it is out of it. */
  readonly isInThread: boolean;
}

class SqliteStore implements Store, ThreadedStore {
  readonly instant: InstantReads;
  readonly #names: StorageNames;
  readonly #writer: Writer;
  readonly #writing: Connection;
  readonly #group: GroupReads;
  readonly #reading: Connection;
  readonly #now: () => number;
  readonly #reads = new Serial();
  readonly #waitingReads: WaitingReads;
  readonly #scans: Scans | null;
  readonly #slice: number;
  readonly #long: LongStatements;
  /** Of those that are brief by their bound. */
  readonly #longOfBrief: LongStatements;
  readonly #sizes = new Sizes();
  readonly #listeners = new Set<(change: StateChange) => void>();
  readonly #onListenerError: (error: unknown) => void;
  readonly #pruner: ChangePruner;
  readonly #begin: () => unknown;
  readonly #end: () => unknown;
  readonly #commit: Statement;
  readonly #backlog: Backlog | null;
  readonly #account: Statement<[string]>;
  /** How long reads have had this thread since the event loop had a turn, ms. */
  #spent = 0;

  constructor(options: SqliteStoreOptions) {
    this.#names = storageNames(options.types);
    this.#writer = options.writer;
    this.#writing = new Connection(options.writerDatabase, options.onStatement);
    this.#group = new GroupReads(options.writer);
    this.#writing.group = this.#group;
    this.#reading = new Connection(options.reader, options.onStatement);
    const { name: file } = options.reader;
    const log = new Log({
      file,
      ...(options.logLimit === undefined ? {} : { limit: options.logLimit }),
      checkpoint: () => this.#emptyLog(),
      move: async () => this.#backlog?.move(),
    });
    this.#waitingReads = new WaitingReads(
      this.#names,
      log,
      () => new Connection(openDatabase({ file, readonly: true }), options.onStatement),
    );
    const scans = options.scans ?? compiledScans(options.scanThreads);
    this.#scans =
      scans &&
      new Scans({ file, names: this.#names, sizes: this.#sizes, log }, scans, options.onStatement);
    this.#backlog = this.#scans && this.#openBacklog(this.#scans);
    this.#slice = scans?.slice ?? SLICE;
    this.#long = new LongStatements(CACHE_LENGTH, scans?.moment ?? MOMENT);
    this.#longOfBrief = new LongStatements(CACHE_LENGTH, this.#slice);
    this.#now = options.now ?? Date.now;
    this.#onListenerError = options.onListenerError ?? (() => undefined);
    const begin = options.reader.prepare('BEGIN');
    const end = options.reader.prepare('COMMIT');
    this.#begin = () => begin.run();
    this.#end = () => end.run();
    this.#commit = options.writerDatabase.prepare('COMMIT');
    this.#account = options.writerDatabase.prepare('SELECT 1 FROM "JmapAccount" WHERE "id" = ?');
    this.instant = Object.freeze({
      objects: (accountId, deadline, type, ids, properties, maxOctets) =>
        this.#atOnce(deadline, (reading) =>
          readObjectsAtOnce(reading, accountId, type, ids, properties, maxOctets),
        ),
      changes: (accountId, deadline, type, since, limit, wanted) =>
        this.#atOnce(deadline, (reading) =>
          readChangesAtOnce(reading, accountId, type, since, limit, wanted),
        ),
      page: (...query) => this.#pageAtOnce(...query),
    } satisfies InstantReads);
    this.#pruner = new ChangePruner({
      rows: async (query) => {
        await nextTurn();
        return this.#reading.query(query);
      },
      change: (accountId, statement) =>
        this.#upkeep(accountId, () => this.#writing.change(statement)),
    });
  }

  /** Works must not wait for another `read`: they have the connection one after the other. */
  read<T>(
    accountId: string,
    options: CallOptions,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    const { deadline } = options;
    if (options.exclusive === true) return this.#waitingReads.run(accountId, deadline, work);
    const scans = this.#scans;
    if (options.mayScan !== true || scans === null) {
      return this.#readHere(
        accountId,
        () => setDeadline(this.#reading.db, deadline),
        deadline,
        work,
      );
    }
    return this.#readHere(accountId, () => this.#limit(accountId, deadline), deadline, work).catch(
      (error: unknown) => {
        if (!(error instanceof SliceError)) throw error;
        return scans.run(accountId, deadline, work, (text, time) =>
          this.#long.elsewhere(accountId, text, time),
        );
      },
    );
  }

  /** What may scan has a slice of this thread; without others it has all the time of its call. */
  #limit(accountId: string, deadline: number): void {
    const { db } = this.#reading;
    if (this.#scans === null) {
      setDeadline(db, deadline);
      return;
    }
    const half = this.#slice / 2;
    const end = Math.min(performance.now() + half, deadline);
    setDeadline(db, end, endOfSlice(half, deadline, lateError));
    this.#reading.slice = this.#long.of(accountId);
  }

  /** What is brief by its bound can't be stopped; if it takes a slice twice, `read` runs it from then on. */
  #limitBrief(accountId: string, deadline: number): void {
    setDeadline(this.#reading.db, deadline);
    if (this.#scans !== null) this.#reading.slice = this.#longOfBrief.of(accountId);
  }

  #pageAtOnce(
    ...[accountId, deadline, type, plan, window, wanted]: Parameters<InstantReads['page']>
  ): QueryPage | null {
    // What has to be asked before makes it two statements.
    if (fewQuery(type, accountId, plan, sqlite) !== null) return null;
    const kept = window.position + window.limit;
    const dialect = this.#sizes.dialectOf(accountId, type, plan, kept, true);
    return this.#atOnce(deadline, (reading) => {
      if (dialect === sqlite) this.#limit(accountId, deadline);
      else this.#limitBrief(accountId, deadline);
      const begun =
        dialect === sqlite ? null : { at: performance.now(), processor: process.cpuUsage() };
      try {
        const page = readPage(
          { connection: reading, accountId },
          type,
          (list) => windowQuery(list, type, accountId, plan, window, dialect),
          window.limit,
          wanted,
        ) as SizedPage;
        if (begun !== null) {
          const { user, system } = process.cpuUsage(begun.processor);
          const ms = performance.now() - begun.at;
          this.#sizes.took(accountId, type.table, ms, (user + system) / 1000);
        }
        return this.#sizes.note(accountId, type.table, page);
      } catch (error) {
        // `read` knows by now that it takes long.
        if (error instanceof SliceError) return null;
        throw error;
      } finally {
        reading.slice = null;
      }
    });
  }

  /**
   * Runs a single statement, which needs no transaction, unless other reads are before it: within another's
   * transaction it would see what that one sees, and not what has been committed since.
   */
  #atOnce<T>(deadline: number, work: (reading: Connection) => T): T | null {
    if (!this.#reads.isIdle || this.#reading.db.inTransaction || this.#spent > TURN) return null;
    const begun = performance.now();
    if (begun > deadline) throw lateError();
    try {
      return work(this.#reading);
    } finally {
      this.#spend(performance.now() - begun);
    }
  }

  #readHere<T>(
    accountId: string,
    limit: () => void,
    deadline: number,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    return this.#reads.run(async () => {
      if (this.#spent > TURN) {
        await nextTurn(true);
        this.#spent = 0;
      }
      const begun = performance.now();
      checkDeadline(deadline);
      limit();
      const snapshot = new SqliteSnapshot(this.#names, this.#reading, accountId, this.#sizes);
      this.#begin();
      try {
        return await work(snapshot);
      } finally {
        snapshot.end();
        this.#reading.slice = null;
        if (this.#reading.db.inTransaction) this.#end();
        this.#spend(performance.now() - begun);
      }
    });
  }

  /** The loop has a turn of itself too, once nothing more is to be done in this one. */
  #spend(time: number): void {
    if (this.#spent === 0) setImmediate(this.#rested);
    this.#spent += time;
  }

  readonly #rested = (): void => {
    this.#spent = 0;
  };

  async write<T>(
    accountId: string,
    options: CallOptions,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    let changed: StateChange['changed'] | undefined;
    const open = (): SqliteTransaction =>
      new SqliteTransaction(this.#names, this.#writing, accountId, this.#now());
    const whole = async (transaction: SqliteTransaction): Promise<T> => {
      const value = await work(transaction);
      transaction.assertWhole();
      // Whoever has asked for a state has been told, by the same statement.
      if (!transaction.hasAskedForState && this.#account.get(accountId) === undefined) {
        throw accountGone();
      }
      changed = transaction.changed;
      return value;
    };
    const { deadline, expects } = options;
    const expected = expects && { table: expects.type.table, ids: expects.ids };
    const turn = { deadline, accountId, expects: expected };
    const result = await (options.exclusive === true
      ? runExclusive(this.#writer, this.#writing, this.#commit, turn, open, whole)
      : this.#writer.run(() => within(open(), whole), turn));
    // The promises of a group resolve in the order of its works, so listeners hear of states in
    // order.
    if (changed !== undefined) {
      this.#sizes.forget(accountId);
      this.#announce({ accountId, changed });
    }
    return result;
  }

  onCommit(listener: (change: StateChange) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  async ping(): Promise<void> {
    await this.#reads.run(async () => this.#reading.all('SELECT 1 FROM "JmapMeta" LIMIT 1'));
  }

  pruneChanges(before: number, limit: number): Promise<number> {
    return this.#pruner.prune(before, limit);
  }

  collectBlobs(
    before: number,
    limit: number,
  ): Promise<readonly { readonly accountId: string; readonly id: string }[]> {
    return this.#upkeep('', () => collectBlobs(this.#writing, before, limit));
  }

  get isInThread(): boolean {
    return this.#scans?.isBusy === true;
  }

  async close(): Promise<void> {
    await this.#writer.close();
    await this.#reads.idle();
    await this.#waitingReads.close();
    await this.#backlog?.close();
    await this.#scans?.close();
    this.#reading.db.close();
    this.#writing.db.close();
  }

  /** From now on commits leave the log to a thread: 90 MB would take one of them 300 ms. */
  #openBacklog(scans: Scans): Backlog {
    const { db } = this.#writing;
    db.pragma('wal_autocheckpoint = 0');
    const pages = db
      .prepare<[], readonly [number, number, number]>('PRAGMA wal_checkpoint(NOOP)')
      .raw(true);
    const isFree = (): boolean => db.open && !db.inTransaction;
    const passive = () => scans.checkpoint('PASSIVE');
    const backlog = new Backlog({
      pages: () => {
        if (!isFree()) return null;
        const [, log, moved] = pages.get() ?? [0, 0, 0];
        return [log, moved];
      },
      move: passive,
      moveRest: () =>
        this.#writer.exclusive(passive, { deadline: performance.now() + CHECKPOINT_WAIT }),
      moveHere: () => {
        if (isFree()) db.pragma('wal_checkpoint(PASSIVE)');
      },
    });
    // Whoever writes: Prisma's tickets and accounts, too.
    this.#writer.watch((isRefused) => {
      if (isRefused) backlog.refused();
      else backlog.wrote();
    });
    return backlog;
  }

  /** The writer waits for the last of it: emptying needs its lock. */
  async #emptyLog(): Promise<void> {
    const scans = this.#scans;
    await this.#backlog?.move();
    await this.#writer.exclusive(
      async (db) => {
        if (scans === null) db.pragma('wal_checkpoint(TRUNCATE)');
        else await scans.checkpoint('TRUNCATE');
      },
      { deadline: performance.now() + CHECKPOINT_WAIT },
    );
  }

  async #upkeep<T>(accountId: string, work: () => T): Promise<T> {
    const deadline = performance.now() + UPKEEP_WAIT;
    const alone = (): T => {
      this.#group.forget();
      return work();
    };
    return this.#writer.run(async () => alone(), { deadline, accountId });
  }

  #announce(change: StateChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.#onListenerError(error);
      }
    }
  }
}

async function within<T>(
  transaction: SqliteTransaction,
  work: (transaction: SqliteTransaction) => Promise<T>,
): Promise<T> {
  try {
    return await work(transaction);
  } finally {
    transaction.end();
  }
}

function compiledScans(threads?: number): ScanOptions | null {
  if (!import.meta.url.endsWith('.js')) return null;
  const module = new URL('./scans/worker.js', import.meta.url);
  return threads === undefined ? { module } : { module, threads };
}
