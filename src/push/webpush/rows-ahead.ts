import type { PushRow } from './sender-ports.js';
import type { Served } from './served.js';

/** Rows that are read with the one that is needed. */
const AHEAD = 50;
/** A row that was read longer ago, ms, is read again: the subscription may have ended. */
const FRESH = 250;

/** One statement, for some subscriptions. */
interface Reading<Row> {
  readonly rows: Promise<ReadonlyMap<string, Row>>;
  /** When the rows came, of `performance.now()`; null: they are on their way. */
  arrivedAt: number | null;
}

interface Ahead<Row> {
  readonly reading: Reading<Row>;
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
  readonly #ahead = new Map<Served, Ahead<Row>>();

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
    const ahead = this.#ahead.get(served);
    if (ahead?.version !== served.version || !isFresh(ahead.reading)) return undefined;
    return ahead.reading;
  }

  #begin(first: Served): Reading<Row> {
    for (const [served, { reading }] of this.#ahead)
      if (!isFresh(reading)) this.#ahead.delete(served);
    const all = [first, ...this.#next(AHEAD).filter((one) => !this.#readingOf(one))];
    const reading: Reading<Row> = {
      rows: this.#read(all.map(({ id }) => id)).then((found) => {
        reading.arrivedAt = performance.now();
        return new Map(found.map((row) => [row.id, row]));
      }),
      arrivedAt: null,
    };
    for (const served of all) this.#ahead.set(served, { reading, version: served.version });
    return reading;
  }
}

function isFresh({ arrivedAt }: Reading<unknown>): boolean {
  return arrivedAt === null || arrivedAt > performance.now() - FRESH;
}
