import type { Row } from '../sql/objects.js';

/**
 * The rows of a statement that is read little by little. Until it has ended, its connection can read
 * by other statements, but can neither write nor end a transaction.
 */
export class Cursor implements IterableIterator<Row> {
  #rows: IterableIterator<Row>;

  constructor(statement: IterableIterator<Row>) {
    this.#rows = statement;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<Row> {
    return this.#rows.next();
  }

  /** Ends the statement; there are no more rows. */
  return(): IteratorResult<Row> {
    return this.#rows.return?.() ?? { done: true, value: undefined };
  }

  /** Ends the statement; the rows that are left are read at once. */
  finish(): void {
    this.#rows = [...this.#rows].values();
  }
}
