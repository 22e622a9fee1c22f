import type { RowTaker } from '../sql/objects.js';
import type { Parameter, TableReader } from '../sql/table-texts.js';

export type { Parameter };

/**
 * What reading statements run on: a connection of this thread, which has run a statement when the
 * call returns, or that of another one (scans/).
 */
export interface Reader extends TableReader {
  /** Gives all rows of a fixed statement to `rows`. */
  each(text: string, parameters: readonly Parameter[], rows: RowTaker): Promise<void>;
}

/**
 * A parameter that bounds rows. Of a bare one behind LIMIT SQLite asks the value to plan with, and so plans the
 * statement anew each time that it is bound.
 */
export const BOUND = '? + 0';
