import type { PushRow } from './sender-ports.js';
import type { Served } from './served.js';

/** Rows that are read with the one that is needed. */
const AHEAD = 50;
/** A row that was read longer ago, ms, is read again: the subscription may have ended. */
const FRESH = 250;

interface Reading<Row> {
  readonly rows: Promise<ReadonlyMap<string, Row>>;
  /** When the rows came, of `performance.now()`; null: they are on their way. */
  arrived: number | null;
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
    return reading?.version === served.version && isFresh(reading) ? reading : undefined;
  }

  #begin(first: Served): Reading<Row> {
    for (const [served, reading] of this.#ahead) if (!isFresh(reading)) this.#ahead.delete(served);
    const all = [first, ...this.#next(AHEAD).filter((one) => !this.#readingOf(one))];
    const readings: Reading<Row>[] = [];
    const rows = this.#read(all.map(({ id }) => id)).then((found) => {
      for (const reading of readings) reading.arrived = performance.now();
      return new Map(found.map((row) => [row.id, row]));
    });
    for (const served of all) {
      const reading = { rows, arrived: null, version: served.version };
      readings.push(reading);
      this.#ahead.set(served, reading);
    }
    return { rows, arrived: null, version: first.version };
  }
}

function isFresh({ arrived }: Reading<unknown>): boolean {
  return arrived === null || arrived > performance.now() - FRESH;
}
