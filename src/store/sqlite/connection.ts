import type { Database, Statement } from 'better-sqlite3';
import { translateError } from '../../database/sqlite/errors.js';
import { UnavailableError } from '../../protocol/errors.js';
import { type Fragment, render } from '../sql/fragment.js';
import type { Row } from '../sql/objects.js';
import { sqlite } from './dialect.js';

/** Prepared statements kept per connection; the one unused for longest goes first. */
const CACHE_LIMIT = 500;
/** Characters of a statement that is kept: filters may be long, and as many as clients like. */
const CACHE_LENGTH = 10_000;

export type Parameter = string | number | null;

/**
 * A database connection with its prepared statements. Statements are known by their text, so what
 * is composed alike is prepared once. Errors come out as the port has them (UnavailableError).
 */
export class Connection {
  readonly db: Database;
  readonly #onStatement: ((sql: string) => void) | undefined;
  readonly #statements = new Map<string, Statement>();

  constructor(db: Database, onStatement?: (sql: string) => void) {
    this.db = db;
    this.#onStatement = onStatement;
  }

  /** All rows of a fixed statement. */
  all(text: string, ...parameters: readonly Parameter[]): readonly Row[] {
    return this.#guard(() => this.#prepare(text).all(...parameters) as Row[]);
  }

  /** All rows of a composed statement. */
  query(fragment: Fragment): readonly Row[] {
    return this.all(
      render(fragment, sqlite.placeholder),
      ...(fragment.values as readonly Parameter[]),
    );
  }

  /** Calls `each` for every row while it is read. */
  each(text: string, parameters: readonly Parameter[], each: (row: Row) => void): void {
    this.#guard(() => {
      for (const row of this.#prepare(text).iterate(...parameters)) each(row as Row);
    });
  }

  /** Runs a statement that gives no rows; returns the number of rows it changed. */
  run(text: string, ...parameters: readonly Parameter[]): number {
    return this.#guard(() => this.#prepare(text).run(...parameters).changes);
  }

  /** The same of a composed statement. */
  change(fragment: Fragment): number {
    return this.run(
      render(fragment, sqlite.placeholder),
      ...(fragment.values as readonly Parameter[]),
    );
  }

  /** Throws where no transaction is open: what was one has been rolled back by the database. */
  assertTransaction(): void {
    if (!this.db.inTransaction) {
      throw new UnavailableError('The database rolled back the transaction.');
    }
  }

  #prepare(text: string): Statement {
    this.#onStatement?.(text);
    if (text.length > CACHE_LENGTH) return this.#compile(text);
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#compile(text);
      if (this.#statements.size >= CACHE_LIMIT) {
        const oldest = this.#statements.keys().next();
        if (!oldest.done) this.#statements.delete(oldest.value);
      }
    } else {
      this.#statements.delete(text);
    }
    this.#statements.set(text, statement);
    return statement;
  }

  #compile(text: string): Statement {
    const statement = this.db.prepare(text);
    return statement.reader ? statement.raw(true) : statement;
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw translateError(error);
    }
  }
}
