import type { Statement } from 'better-sqlite3';
import { translateError } from '../../database/sqlite/driver-errors.js';
import type { TimedDatabase } from '../../database/sqlite/timed-database.js';
import { UnavailableError } from '../../protocol/errors.js';
import type { Slices } from '../../runtime/slices.js';
import type { Trace } from '../port.js';
import { type Fragment, render } from '../sql/fragment.js';
import type { Row, RowTaker } from '../sql/row-codec.js';
import { sqlite } from './dialect.js';
import type { Parameter, Reader } from './reader.js';

/** Prepared statements kept per connection. */
const CACHE_LIMIT = 200;
/** Characters of a statement that is kept: filters may be long, and as many as clients like. */
export const CACHE_LENGTH = 10_000;

const WRITTEN: Promise<void> = Promise.resolve();

type Parameters = readonly Parameter[];

/** A read takes longer than it may where others wait for it: it begins anew elsewhere. */
export class SliceError extends Error {
  override readonly name = 'SliceError';
}

/**
 * A database connection with its prepared statements. Statements are known by their text, so what
 * is composed alike is prepared once. Errors come out as the port has them (UnavailableError).
 */
export class Connection implements Reader {
  readonly db: TimedDatabase;
  /** Of the work whose statements come now, where it is explained. */
  trace: Trace | null = null;
  /** The characters that a statement may have; a longer one throws SliceError. */
  longest = Number.POSITIVE_INFINITY;
  /** Statements that it has prepared so far. */
  prepared = 0;
  readonly #onStatement: ((sql: string) => void) | undefined;
  /** Of works that pause between rows. */
  readonly #cursors = new Set<Cursor>();
  readonly #statements = new Map<string, Statement>();

  constructor(db: TimedDatabase, onStatement?: (sql: string) => void) {
    this.db = db;
    this.#onStatement = onStatement;
  }

  /** The rows are there when the call returns, and the promise only carries them. */
  async all(text: string, ...parameters: Parameters): Promise<readonly Row[]> {
    return this.rows(text, parameters);
  }

  async query(fragment: Fragment): Promise<readonly Row[]> {
    return this.rows(render(fragment, sqlite.placeholder), fragment.values as Parameters);
  }

  /**
   * Gives each row to `rows` while it is read. Where those take slices, the connection may run
   * other statements between two of them, the same text as well.
   */
  async each(text: string, parameters: Parameters, rows: RowTaker): Promise<void> {
    let count = 0;
    const take = (row: Row): void => {
      count += 1;
      rows.take(row);
    };
    const report = this.trace?.noteStatement({ sql: text, parameters, inThread: false });
    try {
      const found = this.#prepare(text).iterate(...parameters) as IterableIterator<Row>;
      const slices = rows.slices();
      if (slices === null) for (const row of found) take(row);
      else await this.#read(new Cursor(found, take), slices);
      report?.(count);
    } catch (error) {
      report?.(null);
      throw translateError(error);
    }
  }

  /** Returns all rows of a fixed statement, before the call returns. */
  rows(text: string, parameters: Parameters): readonly Row[] {
    return this.#ask(text, parameters, rowsOf, lengthOf);
  }

  /** Returns the only row of a fixed statement that has one. */
  one(text: string, ...parameters: Parameters): Row {
    return this.#ask(text, parameters, rowOf, one);
  }

  /**
   * Returns the rows of a statement, none behind those that have more than `maxOctets` characters.
   */
  until(text: string, parameters: Parameters, maxOctets: number): readonly Row[] {
    const run = (statement: Statement): readonly Row[] => {
      const rows: Row[] = [];
      let sum = 0;
      for (const row of statement.iterate(...parameters) as IterableIterator<Row>) {
        rows.push(row);
        for (const value of row) sum += typeof value === 'string' ? value.length : 0;
        if (sum > maxOctets) break;
      }
      return rows;
    };
    return this.#ask(text, parameters, run, lengthOf);
  }

  /** Runs a statement like `execute`, for both databases; throws before there is a promise. */
  write(text: string, ...parameters: Parameters): Promise<void> {
    this.execute(text, parameters);
    return WRITTEN;
  }

  /** Runs a statement that gives no rows; returns the number of rows it changed. */
  execute(text: string, parameters: Parameters): number {
    // The work's unfinished reads see the data from before this write.
    for (const cursor of this.#cursors) cursor.finish();
    // The database may have rolled back in one of these: a write by itself would be committed.
    if (this.#cursors.size > 0) this.db.requireTransaction();
    return this.#ask(text, parameters, changesOf, itself);
  }

  /** Ends what a work has left of its reads, when the work has ended. */
  endReads(): void {
    for (const cursor of this.#cursors) cursor.end();
  }

  check(): void {
    this.db.requireTransaction();
    // A work of many short statements runs out of time as one long statement does.
    this.db.tick();
  }

  async #read(cursor: Cursor, slices: Slices): Promise<void> {
    this.#cursors.add(cursor);
    try {
      await cursor.read(slices);
    } finally {
      this.#cursors.delete(cursor);
    }
  }

  /** Runs a statement; `count` is how many rows that gave or changed. */
  #ask<T>(
    text: string,
    parameters: Parameters,
    run: (statement: Statement, parameters: Parameters) => T,
    count: (result: T) => number,
  ): T {
    const report = this.trace?.noteStatement({ sql: text, parameters, inThread: false });
    try {
      const result = run(this.#prepare(text), parameters);
      report?.(count(result));
      return result;
    } catch (error) {
      report?.(null);
      throw translateError(error);
    }
  }

  /** A statement that a cursor reads is busy: another read of the same text gets one of its own. */
  #prepare(text: string): Statement {
    if (text.length > this.longest) throw new SliceError('The statement takes long to prepare.');
    this.#onStatement?.(text);
    const statement = this.#statements.get(text);
    if (statement !== undefined && !(this.#cursors.size > 0 && statement.busy)) return statement;
    return this.#compile(text);
  }

  #compile(text: string): Statement {
    this.prepared += 1;
    const statement = this.db.prepare(text);
    if (statement.reader) statement.raw(true);
    if (text.length > CACHE_LENGTH) return statement;
    // Statements that are used often are soon prepared again.
    if (this.#statements.size >= CACHE_LIMIT) this.#statements.clear();
    this.#statements.set(text, statement);
    return statement;
  }
}

const rowsOf = (statement: Statement, parameters: Parameters): readonly Row[] =>
  statement.all(...parameters) as Row[];

const rowOf = (statement: Statement, parameters: Parameters): Row =>
  statement.get(...parameters) as Row;

const changesOf = (statement: Statement, parameters: Parameters): number =>
  statement.run(...parameters).changes;

const lengthOf = ({ length }: readonly Row[]): number => length;
const one = (): number => 1;
const itself = (count: number): number => count;

/**
 * A statement whose rows are read little by little. Until it has ended, its connection can read by
 * other statements, but can neither write nor end a transaction.
 */
class Cursor {
  readonly #rows: IterableIterator<Row>;
  readonly #take: (row: Row) => void;
  #failure: { readonly error: unknown } | undefined;

  constructor(rows: IterableIterator<Row>, take: (row: Row) => void) {
    this.#rows = rows;
    this.#take = take;
  }

  /** Gives each row to its taker; others have the event loop between rows that take long. */
  async read(slices: Slices): Promise<void> {
    for (const row of this.#rows) {
      this.#take(row);
      if (slices.isOver()) await slices.next();
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Reads the rows that are left at once. `read` throws what comes of it. */
  finish(): void {
    try {
      for (const row of this.#rows) this.#take(row);
    } catch (error) {
      this.#failure = { error };
    }
  }

  /** Ends the statement; `read` throws. */
  end(): void {
    this.#failure = { error: new UnavailableError('The work that reads has ended.') };
    this.#rows.return?.();
  }
}
