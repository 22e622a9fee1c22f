import { availableParallelism } from 'node:os';
import { checkDeadline, lateError, setDeadline } from '../../database/sqlite/deadline.js';
import { inSlices, nextTurn, type Slices } from '../../protocol/slices.js';
import { Serial } from '../../runtime/serial.js';
import type {
  CallOptions,
  ChangesAsked,
  ObjectsAsked,
  PageAsked,
  QueryPage,
  Snapshot,
  StateAndChanges,
  StateAndObjects,
  StatementPlan,
  StoredObject,
  Trace,
  TracedStatement,
} from '../port.js';
import type { Fragment, Raw } from '../sql/fragment.js';
import type { StorageNames } from '../sql/names.js';
import { LargeReadError, type Row } from '../sql/objects.js';
import { fewQuery, windowQuery } from '../sql/query.js';
import { timeWork } from '../traced.js';
import { CACHE_LENGTH, type Connection } from './connection.js';
import { sqlite } from './dialect.js';
import type { Extents } from './extents.js';
import type { OwnReads } from './own-reads.js';
import { readPage, type SizedPage } from './page.js';
import type { ScanOptions, Scans } from './scans/index.js';
import { endOfSlice, LongStatements, SLICE, SliceError } from './scans/slice.js';
import { readBriefPage, SqliteSnapshot } from './snapshot.js';
import { readStateAndChanges, readStateAndRows } from './state-reads.js';
import { planOf, TracedConnection } from './traced-connection.js';

/**
 * A statement that takes longer, ms, is run in another thread from then on, where a machine can do both at
 * once: there it keeps nobody waiting, and asking costs it a tenth of that.
 */
const MOMENT = availableParallelism() > 1 ? 2 : SLICE;
/** After so long, ms, reads let the event loop have a turn. */
const TURN = 10;

export interface ReadsOptions {
  readonly names: StorageNames;
  readonly connection: Connection;
  readonly extents: Extents;
  /** Where works go on that take longer than a slice; null: here. */
  readonly scans: Scans | null;
  /** Goes on with reads of large objects. */
  readonly large: OwnReads;
  readonly slice: ScanOptions['slice'];
  readonly moment: ScanOptions['moment'];
}

/** Reads on the one connection that they share in the thread of all requests. */
export class Reads {
  readonly #names: StorageNames;
  readonly #connection: Connection;
  readonly #extents: Extents;
  readonly #scans: Scans | null;
  readonly #large: OwnReads;
  readonly #slice: number;
  readonly #long: LongStatements;
  readonly #serial = new Serial();
  readonly #begin: () => unknown;
  readonly #end: () => unknown;
  /** How long reads have had this thread since the event loop had a turn, ms. */
  #spent = 0;

  constructor(options: ReadsOptions) {
    const { names, connection, extents, scans, large, slice = SLICE, moment = MOMENT } = options;
    this.#names = names;
    this.#connection = connection;
    this.#extents = extents;
    this.#scans = scans;
    this.#large = large;
    this.#slice = slice;
    this.#long = new LongStatements(CACHE_LENGTH, moment, slice);
    const begin = connection.db.prepare('BEGIN');
    const end = connection.db.prepare('COMMIT');
    this.#begin = () => begin.run();
    this.#end = () => end.run();
  }

  /** One statement, but for what is better read row by row. */
  async objects(asked: ObjectsAsked): Promise<StateAndObjects> {
    const { accountId, deadline, ids, trace } = asked;
    const work = (snapshot: Snapshot): Promise<StateAndObjects> => readByRow(snapshot, asked);
    if (!isList(ids)) return this.run(accountId, asked, work);
    try {
      const found = await this.#ask(asked, (connection) =>
        this.#readObjects(connection, asked, ids),
      );
      if (found !== null) return { number: found.number, objects: await found.objects };
    } catch (error) {
      if (!(error instanceof LargeReadError)) throw error;
      return this.#large.run(accountId, deadline, work, trace);
    }
    return this.run(accountId, asked, work);
  }

  /** One statement. */
  changes(asked: ChangesAsked): Promise<StateAndChanges> {
    return this.#ask(asked, (connection) => readStateAndChanges(connection, asked));
  }

  /** One statement, but for a query whose way depends on what its indexes find. */
  async page(asked: PageAsked): Promise<QueryPage> {
    const { accountId, type, plan, window, wanted } = asked;
    // What has to be asked before makes it two statements.
    if (fewQuery(type, accountId, plan, sqlite) === null) {
      const page = await this.#ask(asked, (connection) => this.#readPage(connection, asked));
      if (page !== null) return page;
    }
    const { deadline, trace } = asked;
    return this.run(accountId, { deadline, trace, mayScan: true }, (snapshot) =>
      snapshot.page(type, plan, window, wanted),
    );
  }

  /**
   * Works must not wait for another `run`: they have the connection one after the other. What takes
   * long here, or reads large objects, is begun anew elsewhere.
   */
  run<T>(
    accountId: string,
    options: CallOptions,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    return timeWork(options.trace, work, 'waiting', (told) => this.#run(accountId, options, told));
  }

  /** How SQLite would run a statement. */
  plan(deadline: number, { sql, parameters }: TracedStatement): Promise<StatementPlan> {
    return this.#serial.run(async () => {
      if (this.#spent > TURN) await this.#rest();
      checkDeadline(deadline);
      const begun = performance.now();
      try {
        const plan = this.#connection.db.prepare(`EXPLAIN QUERY PLAN ${sql}`).raw(true);
        return planOf(plan.all(...parameters) as Row[]);
      } finally {
        this.#spend(performance.now() - begun);
      }
    });
  }

  /** A statement by itself, between other reads. */
  rows(text: string): Promise<readonly Row[]> {
    return this.#serial.run(async () => this.#connection.all(text));
  }

  /** The same in another turn of the event loop, where works have ended: each does within one. */
  async later(query: Fragment): Promise<readonly Row[]> {
    await nextTurn();
    return this.#connection.query(query);
  }

  idle(): Promise<void> {
    return this.#serial.idle();
  }

  close(): void {
    this.#connection.db.close();
  }

  /** What may scan has a slice of this thread; without others it has all the time of its call. */
  #limit(accountId: string, deadline: number): void {
    const { db } = this.#connection;
    if (this.#scans === null) {
      setDeadline(db, deadline);
      return;
    }
    const half = this.#slice / 2;
    const end = Math.min(performance.now() + half, deadline);
    setDeadline(db, end, endOfSlice(half, deadline, lateError));
    this.#connection.slice = this.#long.of(accountId);
  }

  /** The objects are decoded by the time it returns, or in slices, when others have the connection again. */
  #readObjects(
    connection: Connection,
    asked: ObjectsAsked,
    ids: readonly string[],
  ): { readonly number: number; readonly objects: Promise<readonly StoredObject[]> } | null {
    const { accountId, deadline } = asked;
    // Few large ones are decoded at a time.
    const slices = (): Slices | null =>
      this.#large.isFree(accountId) ? inSlices(() => checkDeadline(deadline)) : null;
    const found = readStateAndRows({ connection, accountId, slices }, asked, ids);
    if (found === null) return null;
    const { number, rows } = found;
    const objects = rows.isLarge()
      ? this.#large.decode(accountId, deadline, () => rows.objects())
      : rows.objects();
    return { number, objects };
  }

  /** Null: it takes longer than it may here. */
  #readPage(
    connection: Connection,
    { accountId, deadline, type, plan, window, wanted }: PageAsked,
  ): QueryPage | null {
    const extents = this.#extents;
    const kept = window.position + window.limit;
    const states = extents.statesOf(accountId, type, plan, kept);
    const scope = { connection, accountId };
    this.#limit(accountId, deadline);
    try {
      const brief = states && readBriefPage(states, scope, type, plan, window, wanted);
      const compose = (list: Raw) => windowQuery(list, type, accountId, plan, window, sqlite);
      const page = brief ?? readPage(scope, type, compose, window.limit, wanted);
      // A connection of this thread has answered.
      const noted = extents.note(accountId, type, page as SizedPage);
      if (brief === null) extents.wanted(accountId, type, plan, kept);
      return noted;
    } catch (error) {
      // `run` knows by now that it takes long.
      if (error instanceof SliceError) return null;
      throw error;
    } finally {
      this.#connection.slice = null;
    }
  }

  /** Runs a single statement in its turn: it is one snapshot without a transaction. */
  async #ask<T>(
    { deadline, trace }: Pick<CallOptions, 'deadline' | 'trace'>,
    read: (connection: Connection) => T,
  ): Promise<T> {
    trace?.phase('waiting');
    try {
      return await this.#serial.run(async () => {
        if (this.#spent > TURN) await this.#rest();
        const begun = performance.now();
        checkDeadline(deadline);
        trace?.phase('working');
        try {
          return read(this.#connectionOf(trace));
        } finally {
          this.#spend(performance.now() - begun);
        }
      });
    } finally {
      trace?.phase('elsewhere');
    }
  }

  #connectionOf(trace: Trace | undefined): Connection {
    return trace ? new TracedConnection(this.#connection, trace) : this.#connection;
  }

  #run<T>(
    accountId: string,
    options: CallOptions,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    const { deadline, mayScan, trace } = options;
    const scans = mayScan === true ? this.#scans : null;
    const limit = (): void =>
      scans === null
        ? setDeadline(this.#connection.db, deadline)
        : this.#limit(accountId, deadline);
    return this.#runHere(accountId, limit, options, work).catch((error: unknown) => {
      if (!(error instanceof SliceError || error instanceof LargeReadError)) throw error;
      if (scans === null) return this.#large.run(accountId, deadline, work, trace);
      const took = (text: string, time: number) => this.#long.elsewhere(accountId, text, time);
      return scans.run(accountId, deadline, work, took, trace);
    });
  }

  #runHere<T>(
    accountId: string,
    limit: () => void,
    { deadline, trace }: CallOptions,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    return this.#serial.run(async () => {
      if (this.#spent > TURN) await this.#rest();
      const begun = performance.now();
      checkDeadline(deadline);
      limit();
      const connection = this.#connectionOf(trace);
      const snapshot = new SharedSnapshot(this.#names, connection, accountId, this.#extents);
      this.#begin();
      try {
        return await work(snapshot);
      } finally {
        snapshot.end();
        this.#connection.slice = null;
        if (this.#connection.db.inTransaction) this.#end();
        this.#spend(performance.now() - begun);
      }
    });
  }

  /** Works that follow one another wait for microtasks alone: all of them would be one turn of the loop. */
  async #rest(): Promise<void> {
    await nextTurn(true);
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

function isList(ids: ObjectsAsked['ids']): ids is readonly string[] {
  return Array.isArray(ids);
}

/** The same as by one statement, in a transaction. */
async function readByRow(
  snapshot: Snapshot,
  { type, ids, properties, maxOctets }: ObjectsAsked,
): Promise<StateAndObjects> {
  const number = await snapshot.stateNumber(type);
  const objects = isList(ids)
    ? await snapshot.get(type, ids, properties, maxOctets)
    : await snapshot.getAll(type, ids.first, properties, maxOctets);
  return { number, objects };
}

/** On a connection that others wait for: what it reads is there when its operations return. */
class SharedSnapshot extends SqliteSnapshot {
  protected override slices(): null {
    return null;
  }
}
