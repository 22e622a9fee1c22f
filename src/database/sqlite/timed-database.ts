import type { Options } from 'better-sqlite3';
import { PART_FUNCTION, type PartColumn, partValue } from '../../capability/part-columns.js';
import {
  SHADOW_TRANSFORMS,
  sqlFunction,
  TRANSFORM_NAMES,
} from '../../capability/shadow-transforms.js';
import { UnavailableError } from '../../protocol/errors.js';
import { parseJson } from '../../protocol/ijson.js';
import { lateError } from '../../runtime/deadlines.js';
import { asciiNumericKey } from '../../text/index.js';
import { SqliteDatabase } from './driver.js';

export const ROLLED_BACK = 'The database rolled back the transaction.';

/**
 * A connection that knows the deadline of its present statement and has the project's SQL
 * functions. A thread can't interrupt its own SQLite statement. So statements that may scan call
 * `jmap_tick()`, which throws once the deadline has passed.
 */
export class TimedDatabase extends SqliteDatabase {
  #deadline = Number.POSITIVE_INFINITY;
  #late: () => Error = lateError;

  /**
   * Adds text functions from the project's own tables of one Unicode version. Indexes and
   * migrations may use them, since a new Node doesn't change them.
   */
  constructor(file: string, options: Options) {
    super(file, options);
    for (const name of TRANSFORM_NAMES)
      this.#addTextFunction(sqlFunction(name), SHADOW_TRANSFORMS[name].make);
    this.#addTextFunction('jmap_ascii_numeric', asciiNumericKey);
    this.#addPartFunction();
    // Not deterministic: SQLite must call it for each row, not once.
    this.function('jmap_tick', { deterministic: false, varargs: false }, () => this.tick());
  }

  /**
   * Sets the `performance.now()` after which `tick` throws what `late` makes; Infinity for never.
   */
  setDeadline(deadline: number, late: () => Error = lateError): void {
    this.#deadline = deadline;
    this.#late = late;
  }

  /** 1, or throws when it is too late: the body of `jmap_tick`, and asked before each statement. */
  tick(): 1 {
    if (performance.now() > this.#deadline) throw this.#late();
    return 1;
  }

  /** Throws if no transaction is open: the database rolled it back (SQLITE_FULL or the like). */
  requireTransaction(): void {
    if (!this.inTransaction) throw new UnavailableError(ROLLED_BACK);
  }

  /** Adds the function of a JSON text and what a column holds of it, as JSON. */
  #addPartFunction(): void {
    const columns = new Map<string, PartColumn>();
    this.function(PART_FUNCTION, { deterministic: true }, (json: unknown, given: unknown) => {
      const text = String(given);
      const column = columns.get(text) ?? (JSON.parse(text) as PartColumn);
      columns.set(text, column);
      const value = json === null ? null : partValue(column, parseJson(String(json)));
      if (typeof value === 'boolean') return BigInt(value);
      return typeof value === 'number' && column.kind !== 'number' ? BigInt(value) : value;
    });
  }

  #addTextFunction(name: string, transform: (text: string) => string | number): void {
    this.function(name, { deterministic: true }, (value: unknown) => {
      const result = value === null ? null : transform(String(value));
      // The driver would pass a number as REAL.
      return typeof result === 'number' ? BigInt(result) : result;
    });
  }
}
