import type { Row } from '../sql/objects.js';

/** What a work is expected to read of a table. */
export interface Expected {
  readonly table: string;
  readonly ids: readonly string[];
}

/** Objects of one read, at most. */
const MOST = 64;
/** Octets of a row that is kept, about: what all keep is bounded. */
const LARGEST = 16_384;

/**
 * What works that share a transaction will read, read with the first one's: otherwise each would wait for an
 * answer of its own while those behind it wait for it. The transaction holds the account, so what it has read
 * stays as it is until it writes it.
 */
export class ReadAhead {
  /** By table and id. */
  readonly #rows = new Map<string, Map<string, Row>>();
  readonly #expected: () => Iterable<Expected>;
  /** What was asked for before something was written is not kept. */
  #writes = 0;

  /** `expected`: by the works that wait. */
  constructor(expected: () => Iterable<Expected>) {
    this.#expected = expected;
  }

  /**
   * Gives `take` the whole rows of these ids, in no order. `read` reads the ids that it is called with.
   */
  async each(
    table: string,
    ids: readonly string[],
    take: (row: Row) => void,
    octets: (row: Row) => number,
    read: (ids: readonly string[], take: (row: Row) => void) => Promise<void>,
  ): Promise<void> {
    const known = this.#rows.get(table) ?? new Map<string, Row>();
    this.#rows.set(table, known);
    const found = ids.map((id) => known.get(id));
    if (found.every((row) => row !== undefined)) {
      for (const row of found) take(row);
      return;
    }
    const own = new Set(ids);
    const writes = this.#writes;
    await read([...this.#withExpected(table, own)], (row) => {
      if (own.has(row[0] as string)) take(row);
      else if (writes === this.#writes && octets(row) <= LARGEST) known.set(row[0] as string, row);
    });
  }

  /** Before these are written. */
  forget(table: string, ids: Iterable<string>): void {
    this.#writes += 1;
    const known = this.#rows.get(table);
    if (known !== undefined) for (const id of ids) known.delete(id);
  }

  /** What was written has been undone. */
  clear(): void {
    this.#writes += 1;
    this.#rows.clear();
  }

  #withExpected(table: string, own: ReadonlySet<string>): ReadonlySet<string> {
    const all = new Set(own);
    for (const expected of this.#expected()) {
      if (expected.table !== table || all.size + expected.ids.length > MOST) continue;
      for (const id of expected.ids) all.add(id);
    }
    return all;
  }
}
