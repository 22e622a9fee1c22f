import type { Database, Statement } from 'better-sqlite3';
import { tick } from '../../database/sqlite/deadline.js';
import { translateError } from '../../database/sqlite/errors.js';
import { UnavailableError } from '../../protocol/errors.js';
import type { Slices } from '../../protocol/slices.js';
import type { Answer } from '../sql/engine.js';
import { type Fragment, render } from '../sql/fragment.js';
import type { Row, RowTaker } from '../sql/objects.js';
import { Cursor } from './cursor.js';
import { sqlite } from './dialect.js';
import type { Parameter, Reader } from './reader.js';
import { type Slice, SliceError, stopwatch } from './scans/slice.js';

/** Prepared statements kept per connection: so many that were used last, and the so many before them. */
const CACHE_LIMIT = 250;
/** Characters of a statement that is kept: filters may be long, and as many as clients like. */
export const CACHE_LENGTH = 10_000;

/**
 * A database connection with its prepared statements. Statements are known by their text, so what
 * is composed alike is prepared once. Errors come out as the port has them (UnavailableError).
 */
export class Connection implements Reader {
  readonly db: Database;
  /** What the statements of the work that runs are held against. */
  slice: Slice | null = null;
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

  /** All rows of a fixed statement. */
  all(text: string, ...parameters: readonly Parameter[]): readonly Row[] {
    return this.#guard(text, () => this.#prepare(text).all(...parameters) as Row[]);
  }

  /** The only row of a fixed statement that has one. */
  one(text: string, ...parameters: readonly Parameter[]): Row {
    try {
      return this.#prepare(text).get(...parameters) as Row;
    } catch (error) {
      throw translateError(error);
    }
  }

  /** All rows of a composed statement. */
  query(fragment: Fragment): readonly Row[] {
    return this.all(
      render(fragment, sqlite.placeholder),
      ...(fragment.values as readonly Parameter[]),
    );
  }

  /**
   * Gives each row to `rows` while it is read. Where those take slices, the connection may run
   * other statements between two of them, the same text as well.
   */
  each(text: string, parameters: readonly Parameter[], rows: RowTaker): Answer<void> {
    const { slices } = rows;
    if (slices !== null) return this.#eachInSlices(text, parameters, rows, slices);
    return this.#guard(text, () => {
      for (const row of this.#prepare(text).iterate(...parameters)) rows.take(row as Row);
    });
  }

  /** Ends what a work has left of its reads, when the work has ended. */
  endReads(): void {
    for (const cursor of this.#cursors) cursor.end();
  }

  /** The rows of a statement, none behind those that have more than `maxOctets` characters. */
  until(text: string, parameters: readonly Parameter[], maxOctets: number): readonly Row[] {
    const rows: Row[] = [];
    let sum = 0;
    return this.#guard(text, () => {
      for (const row of this.#prepare(text).iterate(...parameters)) {
        rows.push(row as Row);
        for (const value of row as Row) sum += typeof value === 'string' ? value.length : 0;
        if (sum > maxOctets) break;
      }
      return rows;
    });
  }

  /** Runs a statement that gives no rows; returns the number of rows it changed. */
  run(text: string, ...parameters: readonly Parameter[]): number {
    return this.runWith(text, parameters);
  }

  /** The same with a list of parameters, which may be long: it is not copied. */
  runWith(text: string, parameters: readonly Parameter[]): number {
    // What the work reads beside is what was there before.
    for (const cursor of this.#cursors) cursor.finish();
    // The database may have rolled back in one of these: a write by itself would be committed.
    if (this.#cursors.size > 0) this.assertTransaction();
    return this.#guard(text, () => this.#prepare(text).run(...parameters).changes);
  }

  /** The same of a composed statement. */
  change(fragment: Fragment): number {
    return this.run(
      render(fragment, sqlite.placeholder),
      ...(fragment.values as readonly Parameter[]),
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

  async #eachInSlices(
    text: string,
    parameters: readonly Parameter[],
    rows: RowTaker,
    slices: Slices,
  ): Promise<void> {
    let cursor: Cursor | undefined;
    try {
      const found = this.#prepare(text).iterate(...parameters) as IterableIterator<Row>;
      cursor = new Cursor(found, rows);
      this.#cursors.add(cursor);
      await cursor.read(slices);
    } catch (error) {
      throw translateError(error);
    } finally {
      if (cursor !== undefined) this.#cursors.delete(cursor);
    }
  }

  /** A statement that a cursor reads is busy: another read of the same text gets one of its own. */
  #prepare(text: string): Statement {
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
    const statement = this.db.prepare(text);
    return statement.reader ? statement.raw(true) : statement;
  }

  #guard<T>(text: string, work: () => T): T {
    const { slice } = this;
    // A statement that is refused has not been stopped.
    const time = slice && stopwatch(slice.admit(text));
    try {
      const value = work();
      if (slice !== null && time !== null) slice.took(text, time());
      return value;
    } catch (error) {
      if (error instanceof SliceError) slice?.exhausted(text);
      throw translateError(error);
    }
  }
}
