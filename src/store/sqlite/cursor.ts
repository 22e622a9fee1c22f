import type { Slices } from '../../runtime/slices.js';
import type { Row } from '../sql/objects.js';

/**
 * A statement whose rows are read little by little. Until it has ended, its connection can read by
 * other statements, but can neither write nor end a transaction.
 */
export class Cursor {
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

  /** Ends the statement; there are no more rows. */
  end(): void {
    this.#rows.return?.();
  }
}
