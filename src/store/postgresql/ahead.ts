import type { Row } from '../sql/row-codec.js';

/** The objects of a table that a work will probably read. */
export interface Expected {
  readonly table: string;
  readonly ids: readonly string[];
}

/** Objects that one read reads ahead, at most. */
const MOST = 64;

type Take = (row: Row) => void;

/**
 * Adds the expected reads of all works in a transaction to the first one's statement: otherwise
 * each would wait for its own answer, and delay those behind it. The transaction holds the account,
 * so rows stay as read until it writes them.
 */
export class ReadAhead {
  /** By table and id. Null: read ahead or written before, so it is not read ahead again. */
  readonly #rows = new Map<string, Row | null>();
  readonly #expected: () => Iterable<Expected>;
  /** Counts writes: a row asked for before a write is not kept. */
  #writes = 0;

  /** `expected`: by the works that wait. */
  constructor(expected: () => Iterable<Expected>) {
    this.#expected = expected;
  }

  /**
   * Gives `take` the whole rows of `ids`, in any order. `read` reads its first list of ids, and of
   * its second list only the rows that are not large.
   */
  async read(
    table: string,
    ids: readonly string[],
    take: Take,
    read: (own: readonly string[], ahead: readonly string[], take: Take) => Promise<void>,
  ): Promise<void> {
    const found = ids.map((id) => this.#rows.get(`${table} ${id}`));
    if (found.every((row) => row)) {
      for (const row of found) if (row) take(row);
      return;
    }
    const own = new Set(ids);
    const writes = this.#writes;
    await read(ids, this.#next(table, own), (row) => {
      const id = row[0] as string;
      if (own.has(id)) take(row);
      else if (writes === this.#writes) this.#rows.set(`${table} ${id}`, row);
    });
  }

  /** Before these are written. */
  forget(table: string, ids: Iterable<string>): void {
    this.#writes += 1;
    for (const id of ids) this.#rows.set(`${table} ${id}`, null);
  }

  #next(table: string, own: ReadonlySet<string>): readonly string[] {
    const next: string[] = [];
    for (const expected of this.#expected()) {
      if (expected.table !== table || next.length + expected.ids.length > MOST) continue;
      for (const id of expected.ids) {
        if (own.has(id) || this.#rows.has(`${table} ${id}`)) continue;
        this.#rows.set(`${table} ${id}`, null);
        next.push(id);
      }
    }
    return next;
  }
}
