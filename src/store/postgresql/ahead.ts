import type { Row } from '../sql/objects.js';

/** What a work is expected to read of a table. */
export interface Expected {
  readonly table: string;
  readonly ids: readonly string[];
}

/** Objects of one read, at most. */
const MOST = 64;
/** Of a table of which nothing is known yet. */
const FIRST = 8;
/** Octets of a row that is kept, about: what all keep is bounded. */
const LARGEST = 16_384;
/** Octets that one read reads ahead, about. */
const OCTETS = 2 ** 19;
/** How much the latest row says about how large a table's rows are. */
const WEIGHT = 1 / 8;

/** By table: how many octets its rows have had of late, about. */
export type RowSizes = Map<string, number>;

/**
 * What works that share a transaction will read, read with the first one's: otherwise each would wait for an
 * answer of its own while those behind it wait for it. The transaction holds the account, so what it has read
 * stays as it is until it writes it.
 */
export class ReadAhead {
  /** By table and id. */
  readonly #rows = new Map<string, Map<string, Row>>();
  /** What was read ahead once, by table: it is kept, or there is no sense in reading it ahead again. */
  readonly #tried = new Map<string, Set<string>>();
  readonly #expected: () => Iterable<Expected>;
  readonly #sizes: RowSizes;
  /** What was asked for before something was written is not kept. */
  #writes = 0;

  /** `expected`: by the works that wait. */
  constructor(expected: () => Iterable<Expected>, sizes: RowSizes) {
    this.#expected = expected;
    this.#sizes = sizes;
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
    const known = entry(this.#rows, table, () => new Map());
    const found = ids.map((id) => known.get(id));
    if (found.every((row) => row !== undefined)) {
      for (const row of found) take(row);
      return;
    }
    const own = new Set(ids);
    const writes = this.#writes;
    await read([...this.#withExpected(table, own)], (row) => {
      const size = this.#learn(table, octets(row));
      if (own.has(row[0] as string)) take(row);
      else if (writes === this.#writes && size <= LARGEST) known.set(row[0] as string, row);
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
    const tried = entry(this.#tried, table, () => new Set());
    const room = own.size + this.#room(table);
    for (const expected of this.#expected()) {
      if (expected.table !== table || all.size + expected.ids.length > room) continue;
      for (const id of expected.ids) {
        if (!tried.has(id)) all.add(id);
        tried.add(id);
      }
    }
    return all;
  }

  /** How many rows may be read ahead. */
  #room(table: string): number {
    const size = this.#sizes.get(table);
    if (size === undefined) return FIRST;
    return size > LARGEST ? 0 : Math.min(MOST, Math.floor(OCTETS / size));
  }

  #learn(table: string, size: number): number {
    const before = this.#sizes.get(table) ?? size;
    this.#sizes.set(table, before + (size - before) * WEIGHT);
    return size;
  }
}

function entry<V>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
