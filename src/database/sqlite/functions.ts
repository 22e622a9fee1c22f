import type { Database } from 'better-sqlite3';
import { parseDate } from '../../protocol/dates.js';
import { asciiNumericKey, casemapKey, fold } from '../../text/index.js';
import { tick } from './deadline.js';

/**
 * Registers the SQL functions of the project on a connection. The text functions come from the
 * project's own tables of one Unicode version (D14), so indexes and migrations may use them: they
 * never change with Node.
 */
export function registerFunctions(db: Database): void {
  text(db, 'jmap_fold', fold);
  text(db, 'jmap_casemap', casemapKey);
  text(db, 'jmap_ascii_numeric', asciiNumericKey);
  text(db, 'jmap_instant', parseDate);
  // Not deterministic: SQLite must call it for each row, not once.
  db.function('jmap_tick', { deterministic: false, varargs: false }, () => tick(db));
}

function text(
  db: Database,
  name: string,
  transform: (text: string) => string | number | null,
): void {
  db.function(name, { deterministic: true }, (value: unknown) => {
    const result = value === null ? null : transform(String(value));
    // The driver would pass a number as REAL.
    return typeof result === 'number' ? BigInt(result) : result;
  });
}
