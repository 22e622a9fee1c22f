import type { Database, Statement } from 'better-sqlite3';
import { tick } from '../../database/sqlite/deadline.js';
import { translateError } from '../../database/sqlite/errors.js';
import { UnavailableError } from '../../protocol/errors.js';
import type { Slices } from '../../runtime/slices.js';
import type { Trace } from '../port.js';
import { type Fragment, render } from '../sql/fragment.js';
import type { Row, RowTaker } from '../sql/objects.js';
import { Cursor } from './cursor.js';
import { sqlite } from './dialect.js';
import type { Parameter, Reader } from './reader.js';
import { SliceError } from './slice.js';

/** Prepared statements kept per connection: so many that were used last, and the so many before them. */
const CACHE_LIMIT = 100;
/** Characters of a statement that is kept: filters may be long, and as many as clients like. */
export const CACHE_LENGTH = 10_000;

const WRITTEN: Promise<void> = Promise.resolve();

/** Hears how many rows a statement gave or changed; null where it failed. */
type Told = ((rows: number | null) => void) | undefined;

/**
 * A database connection with its prepared statements. Statements are known by their text, so what
 * is composed alike is prepared once. Errors come out as the port has them (UnavailableError).
 */
export class Connection implements Reader {
  readonly db: Database;
  /** Of the work whose statements come now, where it is explained. */
  trace: Trace | null = null;
  /** Characters of a statement that the work may ask for: a longer one is refused with SliceError. */
  longest = Number.POSITIVE_INFINITY;
  /** Statements that it has prepared so far. */
  prepared = 0;
  readonly #onStatement: ((sql: string) => void) | undefined;
  /** Of works that pause between rows. */
  readonly #cursors = new Set<Cursor>();
  /** Two generations, so that a statement that is used again and again is looked up and no more. */
  #statements = new Map<string, Statement>();
  #older = new Map<string, Statement>();

  constructor(db: Database, onStatement?: (sql: string) => void) {
    this.db = db;
    this.#onStatement = onStatement;
  }

  /** The rows are there when the call returns, and the promise only carries them. */
  async all(text: string, ...parameters: readonly Parameter[]): Promise<readonly Row[]> {
    return this.rows(text, parameters);
  }

  async query(fragment: Fragment): Promise<readonly Row[]> {
    return this.rows(render(fragment, sqlite.placeholder), fragment.values as readonly Parameter[]);
  }

  /**
   * Gives each row to `rows` while it is read. Where those take slices, the connection may run
   * other statements between two of them, the same text as well.
   */
  async each(text: string, parameters: readonly Parameter[], rows: RowTaker): Promise<void> {
    let count = 0;
    const take = (row: Row): void => {
      count += 1;
      rows.take(row);
    };
    const told = this.#tell(text, parameters);
    try {
      const found = this.#prepare(text).iterate(...parameters) as IterableIterator<Row>;
      const slices = rows.slices();
      if (slices === null) for (const row of found) take(row);
      else await this.#read(new Cursor(found, take), slices);
      told?.(count);
    } catch (error) {
      told?.(null);
      throw translateError(error);
    }
  }

  /** All rows of a fixed statement, before the call returns. */
  rows(text: string, parameters: readonly Parameter[]): readonly Row[] {
    const told = this.#tell(text, parameters);
    try {
      const rows = this.#prepare(text).all(...parameters) as Row[];
      told?.(rows.length);
      return rows;
    } catch (error) {
      told?.(null);
      throw translateError(error);
    }
  }

  /** The only row of a fixed statement that has one. */
  one(text: string, ...parameters: readonly Parameter[]): Row {
    const told = this.#tell(text, parameters);
    try {
      const row = this.#prepare(text).get(...parameters) as Row;
      told?.(1);
      return row;
    } catch (error) {
      told?.(null);
      throw translateError(error);
    }
  }

  /** Ends what a work has left of its reads, when the work has ended. */
  endReads(): void {
    for (const cursor of this.#cursors) cursor.end();
  }

  /** The rows of a statement, none behind those that have more than `maxOctets` characters. */
  until(text: string, parameters: readonly Parameter[], maxOctets: number): readonly Row[] {
    const rows: Row[] = [];
    let sum = 0;
    try {
      for (const row of this.#prepare(text).iterate(...parameters)) {
        rows.push(row as Row);
        for (const value of row as Row) sum += typeof value === 'string' ? value.length : 0;
        if (sum > maxOctets) break;
      }
      return rows;
    } catch (error) {
      throw translateError(error);
    }
  }

  /** Runs a statement like `run`, for what both databases share; a failure is thrown before a promise is there. */
  write(text: string, ...parameters: readonly Parameter[]): Promise<void> {
    this.runWith(text, parameters);
    return WRITTEN;
  }

  /** Runs a statement that gives no rows; returns the number of rows it changed. */
  run(text: string, ...parameters: readonly Parameter[]): number {
    return this.runWith(text, parameters);
  }

  /** Runs a statement like `run`, with a list of parameters, which may be long: it is not copied. */
  runWith(text: string, parameters: readonly Parameter[]): number {
    // What the work reads beside is what was there before.
    for (const cursor of this.#cursors) cursor.finish();
    // The database may have rolled back in one of these: a write by itself would be committed.
    if (this.#cursors.size > 0) this.assertTransaction();
    const told = this.#tell(text, parameters);
    try {
      const { changes } = this.#prepare(text).run(...parameters);
      told?.(changes);
      return changes;
    } catch (error) {
      told?.(null);
      throw translateError(error);
    }
  }

  /** Runs a composed statement like `run`. */
  change(fragment: Fragment): number {
    return this.runWith(
      render(fragment, sqlite.placeholder),
      fragment.values as readonly Parameter[],
    );
  }

  check(): void {
    this.assertTransaction();
    // A work of many short statements runs out of time as one long statement does.
    tick(this.db);
  }

  /** Throws where no transaction is open: what was one has been rolled back by the database. */
  assertTransaction(): void {
    if (!this.db.inTransaction) {
      throw new UnavailableError('The database rolled back the transaction.');
    }
  }

  async #read(cursor: Cursor, slices: Slices): Promise<void> {
    this.#cursors.add(cursor);
    try {
      await cursor.read(slices);
    } finally {
      this.#cursors.delete(cursor);
    }
  }

  #tell(sql: string, parameters: readonly Parameter[]): Told {
    return this.trace?.asked({ sql, parameters, inThread: false });
  }

  /** A statement that a cursor reads is busy: another read of the same text gets one of its own. */
  #prepare(text: string): Statement {
    if (text.length > this.longest) throw new SliceError();
    this.#onStatement?.(text);
    const statement = this.#kept(text);
    return this.#cursors.size > 0 && statement.busy ? this.#compile(text) : statement;
  }

  #kept(text: string): Statement {
    if (text.length > CACHE_LENGTH) return this.#compile(text);
    let statement = this.#statements.get(text);
    if (statement !== undefined) return statement;
    statement = this.#older.get(text) ?? this.#compile(text);
    if (this.#statements.size >= CACHE_LIMIT) {
      this.#older = this.#statements;
      this.#statements = new Map();
    }
    this.#statements.set(text, statement);
    return statement;
  }

  #compile(text: string): Statement {
    this.prepared += 1;
    const statement = this.db.prepare(text);
    return statement.reader ? statement.raw(true) : statement;
  }
}
