import type { Statement } from 'better-sqlite3';
import type { TimedDatabase } from '../../database/sqlite/timed-database.js';
import { lateError, requireTime } from '../../runtime/deadlines.js';
import { Serial } from '../../runtime/serial.js';
import type { Slices } from '../../runtime/slices.js';
import type {
  CallOptions,
  ChangesRequest,
  ObjectsRequest,
  QueryPage,
  QueryPageRequest,
  Snapshot,
  StateAndChanges,
  StateAndObjects,
  StatementPlan,
  StoredObject,
  TracedStatement,
} from '../port.js';
import type { Fragment } from '../sql/fragment.js';
import { readsInOrder } from '../sql/query-statements.js';
import { LargeReadError, type Row } from '../sql/row-codec.js';
import { SqlSnapshot } from '../sql/snapshot.js';
import type { SnapshotServices } from '../sql/table-snapshot.js';
import { timeWork } from '../traced.js';
import { CACHE_LENGTH, type Connection, SliceError } from './connection.js';
import { sqlite } from './dialect.js';
import { reading } from './engine.js';
import { readStateAndChanges, readStateAndRows } from './objects.js';
import { planOf } from './plan.js';
import type { ReadPool } from './read-pool.js';

/** After so long, ms, reads let the event loop have a turn. */
const TURN = 10;
/** The time that a read by an index may take of the thread of all requests, ms. */
const SLICE = 10;

export interface ReadsOptions {
  readonly services: SnapshotServices;
  readonly connection: Connection;
  /** Where works run that may take longer than a slice; null: here. */
  readonly scans: ReadPool | null;
  /** Goes on with reads of large objects. */
  readonly large: ReadPool;
  readonly slice?: number | undefined;
}

type Work<T> = (snapshot: Snapshot) => Promise<T>;

/** Reads on the one connection that they share in the thread of all requests. */
export class Reads {
  readonly #services: SnapshotServices;
  readonly #connection: Connection;
  readonly #scans: ReadPool | null;
  readonly #large: ReadPool;
  readonly #slice: number;
  readonly #serial = new Serial();
  readonly #begin: Statement;
  readonly #end: Statement;
  /** How long reads have had this thread since the event loop had a turn, ms. */
  #spent = 0;

  constructor({ services, connection, scans, large, slice = SLICE }: ReadsOptions) {
    this.#services = services;
    this.#connection = connection;
    this.#scans = scans;
    this.#large = large;
    this.#slice = slice;
    this.#begin = connection.db.prepare('BEGIN');
    this.#end = connection.db.prepare('COMMIT');
  }

  /**
   * Reads the state and objects. One object takes one statement, and so do up to 1,000 small ones
   * of a type with few columns. Otherwise the state and the objects take one each, in a
   * transaction.
   */
  async objects(request: ObjectsRequest): Promise<StateAndObjects> {
    const { accountId, ids } = request;
    const work = (snapshot: Snapshot): Promise<StateAndObjects> => readByRow(snapshot, request);
    if (!isList(ids)) return this.run(accountId, request, work);
    try {
      const found = await this.#inTurn(request, async () => this.#readObjects(request, ids));
      if (found !== null) return { number: found.number, objects: await found.objects };
    } catch (error) {
      return this.#poolAfter(error).run(accountId, request, work);
    }
    return this.run(accountId, request, work);
  }

  /** Reads the state and the changes since another one, in one statement. */
  changes(request: ChangesRequest): Promise<StateAndChanges> {
    return this.#inTurn(request, async () => readStateAndChanges(this.#connection, request));
  }

  /**
   * Reads a page here if an index may have the order: most such pages are found at once. If a
   * filter has the index's objects looked at for too long, the page begins anew in a thread.
   */
  page(request: QueryPageRequest): Promise<QueryPage> {
    const { accountId, deadline, trace, type, plan, window, selection } = request;
    const work = (snapshot: Snapshot): Promise<QueryPage> =>
      snapshot.page(type, plan, window, selection);
    const options = { deadline, mayScan: true, trace };
    const isQuick = this.#scans !== null && readsInOrder(plan, sqlite);
    return isQuick
      ? this.#runHere(accountId, options, work, this.#slice)
      : this.run(accountId, options, work);
  }

  /**
   * Runs a work, which must not wait for another `run`: works take turns on the connection. A work
   * that may scan runs in a thread; a read of large objects begins anew on its own connection.
   */
  run<T>(accountId: string, options: CallOptions, work: Work<T>): Promise<T> {
    return options.mayScan === true && this.#scans !== null
      ? this.#scans.run(accountId, options, work)
      : this.#runHere(accountId, options, work, Number.POSITIVE_INFINITY);
  }

  /** Returns how SQLite would run a statement. */
  plan(deadline: number, { sql, parameters }: TracedStatement): Promise<StatementPlan> {
    return this.#inTurn({ deadline }, async () => {
      const plan = this.#connection.db.prepare(`EXPLAIN QUERY PLAN ${sql}`).raw(true);
      return planOf(plan.all(...parameters) as Row[]);
    });
  }

  /** Runs a statement by itself, between other reads. */
  rows(text: string): Promise<readonly Row[]> {
    return this.#serial.run(() => this.#connection.all(text));
  }

  /**
   * Returns the same in another turn of the event loop, where works have ended: each does within
   * one.
   */
  async later(query: Fragment): Promise<readonly Row[]> {
    await this.#services.conductor.awaitTurn();
    return this.#connection.query(query);
  }

  idle(): Promise<void> {
    return this.#serial.idle();
  }

  close(): void {
    this.#connection.db.close();
  }

  /** Decodes the objects before it returns, or in slices after others have the connection again. */
  #readObjects(
    request: ObjectsRequest,
    ids: readonly string[],
  ): { readonly number: number; readonly objects: Promise<readonly StoredObject[]> } | null {
    const { accountId, deadline } = request;
    // Few large ones are decoded at a time.
    const slices = (): Slices | null =>
      this.#large.isFree(accountId)
        ? this.#services.conductor.startSlices(() => requireTime(deadline))
        : null;
    const found = readStateAndRows(
      { connection: this.#connection, accountId, slices },
      request,
      ids,
    );
    if (found === null) return null;
    const { number, rows } = found;
    const objects = rows.isLarge()
      ? this.#large.decode(accountId, deadline, () => rows.objects())
      : rows.objects();
    return { number, objects };
  }

  /** Runs a work in a transaction. A large one, or one over `ms`, begins anew elsewhere. */
  async #runHere<T>(
    accountId: string,
    options: CallOptions,
    work: Work<T>,
    ms: number,
  ): Promise<T> {
    const { deadline } = options;
    const { db } = this.#connection;
    const read = async (): Promise<T> => {
      const isLimited = ms < Number.POSITIVE_INFINITY;
      if (isLimited) limitTo(db, ms, deadline);
      else db.setDeadline(deadline);
      this.#connection.longest = isLimited ? CACHE_LENGTH : Number.POSITIVE_INFINITY;
      const scope = { connection: this.#connection, accountId };
      const snapshot = new SqlSnapshot(reading, this.#services, scope, false);
      this.#begin.run();
      try {
        return await work(snapshot);
      } finally {
        snapshot.end();
        this.#connection.longest = Number.POSITIVE_INFINITY;
        if (db.inTransaction) this.#end.run();
      }
    };
    try {
      return await this.#inTurn(options, read);
    } catch (error) {
      return this.#poolAfter(error).run(accountId, options, work);
    }
  }

  /**
   * Returns the pool in which a read that was too long or too large begins anew; throws other
   * errors.
   */
  #poolAfter(error: unknown): ReadPool {
    if (error instanceof LargeReadError) return this.#large;
    if (error instanceof SliceError && this.#scans !== null) return this.#scans;
    throw error;
  }

  /**
   * Runs a read in its turn: a single statement, which is a snapshot without a transaction, or a
   * work that waits only for microtasks.
   */
  #inTurn<T>({ deadline, trace }: CallOptions, read: () => Promise<T>): Promise<T> {
    const inTurn = async (work: (scope: undefined) => Promise<T>): Promise<T> => {
      if (this.#spent > TURN) await this.#yieldTurn();
      const begun = performance.now();
      requireTime(deadline);
      this.#connection.trace = trace ?? null;
      try {
        return await work(undefined);
      } finally {
        this.#connection.trace = null;
        this.#spend(performance.now() - begun);
      }
    };
    const run = (work: (scope: undefined) => Promise<T>): Promise<T> =>
      this.#serial.run(() => inTurn(work));
    return trace === undefined ? run(read) : timeWork(trace, read, 'waiting', run);
  }

  /** Gives the loop a turn: successive works wait only for microtasks, which are all one turn. */
  async #yieldTurn(): Promise<void> {
    await this.#services.conductor.awaitTurn(true);
    this.#spent = 0;
  }

  /** The loop has a turn of itself too, once nothing more is to be done in this one. */
  #spend(time: number): void {
    if (this.#spent === 0) setImmediate(this.#rested);
    this.#spent += time;
  }

  readonly #rested = (): void => {
    this.#spent = 0;
  };
}

/** Has `jmap_tick` throw SliceError after `ms`, or UnavailableError at the deadline. */
function limitTo(db: TimedDatabase, ms: number, deadline: number): void {
  const late = (): Error =>
    performance.now() > deadline
      ? lateError()
      : new SliceError('The read takes longer than it may here.');
  db.setDeadline(Math.min(performance.now() + ms, deadline), late);
}

function isList(ids: ObjectsRequest['ids']): ids is readonly string[] {
  return Array.isArray(ids);
}

/** Returns the same as by one statement, in a transaction. */
async function readByRow(
  snapshot: Snapshot,
  { type, ids, properties, maxOctets }: ObjectsRequest,
): Promise<StateAndObjects> {
  const number = await snapshot.stateNumber(type);
  const objects = await snapshot.get(type, ids, properties, maxOctets);
  return { number, objects };
}
