import type { Fragment } from '../sql/fragment.js';
import type { Row, RowTaker } from '../sql/objects.js';

export type Parameter = string | number | null;

/**
 * What reading statements run on: a connection of this thread, which has run a statement when the
 * call returns, or that of another one (scans/).
 */
export interface Reader {
  /** All rows of a fixed statement. */
  all(text: string, ...parameters: readonly Parameter[]): Promise<readonly Row[]>;

  /** All rows of a composed statement. */
  query(fragment: Fragment): Promise<readonly Row[]>;

  /** Gives all rows of a fixed statement to `rows`. */
  each(text: string, parameters: readonly Parameter[], rows: RowTaker): Promise<void>;

  /** Throws where the transaction is over, or the time of its work. */
  check(): void;
}

/**
 * A parameter that bounds rows. Of a bare one behind LIMIT SQLite asks the value to plan with, and so plans the
 * statement anew each time that it is bound.
 */
export const BOUND = '? + 0';
