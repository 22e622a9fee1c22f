import BetterSqlite3, { type Options } from 'better-sqlite3';
import { parseDate } from '../../protocol/dates.js';
import { UnavailableError } from '../../protocol/errors.js';
import { lateError } from '../../runtime/deadlines.js';
import { asciiNumericKey, casemapKey, fold } from '../../text/index.js';

export const ROLLED_BACK = 'The database rolled back the transaction.';

/**
 * A connection that knows until when it may run what it runs at the moment, and has the SQL functions of the
 * project. SQLite can't be interrupted from the thread that runs it, so statements that may scan call `jmap_tick()`,
 * which throws once the deadline has passed.
 */
export class TimedDatabase extends BetterSqlite3 {
  #deadline = Number.POSITIVE_INFINITY;
  #late: () => Error = lateError;

  /**
   * The text functions come from the project's own tables of one Unicode version, so indexes and migrations
   * may use them: they never change with Node.
   */
  constructor(file: string, options: Options) {
    super(file, options);
    this.#addTextFunction('jmap_fold', fold);
    this.#addTextFunction('jmap_casemap', casemapKey);
    this.#addTextFunction('jmap_ascii_numeric', asciiNumericKey);
    this.#addTextFunction('jmap_instant', parseDate);
    // Not deterministic: SQLite must call it for each row, not once.
    this.function('jmap_tick', { deterministic: false, varargs: false }, () => this.tick());
  }

  /**
   * `performance.now()` after which `tick` stops a statement with what `late` makes; Infinity for never.
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

  /** Throws where no transaction is open: what was one has been rolled back by the database (SQLITE_FULL and its like). */
  requireTransaction(): void {
    if (!this.inTransaction) throw new UnavailableError(ROLLED_BACK);
  }

  #addTextFunction(name: string, transform: (text: string) => string | number | null): void {
    this.function(name, { deterministic: true }, (value: unknown) => {
      const result = value === null ? null : transform(String(value));
      // The driver would pass a number as REAL.
      return typeof result === 'number' ? BigInt(result) : result;
    });
  }
}
