import type { PushRow } from './sender-ports.js';
import type { Served } from './served.js';

/** Rows that are read with the one that is needed. */
const AHEAD = 50;
/** A row that was read longer ago, ms, is read again: the subscription may have ended. */
const FRESH = 250;

interface Reading<Row> {
  readonly rows: Promise<ReadonlyMap<string, Row>>;
  /** Of `performance.now()`. */
  readonly begun: number;
  /** The subscription's version at the time. */
  readonly version: number;
}

/**
 * Reads the row of each subscription shortly before its push. The rows of the next ones come with
 * it: a statement for each would cost as much as the encryption.
 */
export class RowsAhead<Row extends PushRow> {
  readonly #read: (ids: readonly string[]) => Promise<readonly Row[]>;
  readonly #next: (count: number) => readonly Served[];
  readonly #ahead = new Map<Served, Reading<Row>>();

  /** `next` returns the subscriptions that come next. */
  constructor(
    read: (ids: readonly string[]) => Promise<readonly Row[]>,
    next: (count: number) => readonly Served[],
  ) {
    this.#read = read;
    this.#next = next;
  }

  /** Resolves to the row as it is now; null where the subscription can be served no more. */
  async read(served: Served): Promise<Row | null> {
    const reading = this.#readingOf(served) ?? this.#begin(served);
    this.#ahead.delete(served);
    return (await reading.rows).get(served.id) ?? null;
  }

  /** Keeps nothing of a subscription that has ended. */
  forget(served: Served): void {
    this.#ahead.delete(served);
  }

  #readingOf(served: Served): Reading<Row> | undefined {
    const reading = this.#ahead.get(served);
    const oldest = performance.now() - FRESH;
    const isFresh = reading?.version === served.version && reading.begun > oldest;
    return isFresh ? reading : undefined;
  }

  #begin(first: Served): Reading<Row> {
    const begun = performance.now();
    for (const [served, { begun: earlier }] of this.#ahead)
      if (earlier <= begun - FRESH) this.#ahead.delete(served);
    const all = [first, ...this.#next(AHEAD).filter((one) => !this.#readingOf(one))];
    const rows = this.#read(all.map(({ id }) => id)).then(
      (found) => new Map(found.map((row) => [row.id, row])),
    );
    for (const served of all) this.#ahead.set(served, { rows, begun, version: served.version });
    return { rows, begun, version: first.version };
  }
}
