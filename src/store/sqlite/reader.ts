import type { RowTaker } from '../sql/row-codec.js';
import type { Parameter, TableReader } from '../sql/table-texts.js';

export type { Parameter };

/**
 * Runs reading statements: a connection of this thread, which has run a statement when the call
 * returns, or another thread's (scans/).
 */
export interface Reader extends TableReader {
  /** Gives all rows of a fixed statement to `rows`. */
  each(text: string, parameters: readonly Parameter[], rows: RowTaker): Promise<void>;
}

/**
 * A parameter that bounds rows. SQLite plans with the value of a bare one behind LIMIT, and so
 * plans the statement anew each time it is bound.
 */
export const BOUND = '? + 0';
