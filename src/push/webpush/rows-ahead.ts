import type { PushRow } from './sender-ports.js';
import type { Served } from './served.js';

/** Rows that are read with the one that is needed. */
const AHEAD = 50;
/** A row that was read longer ago, ms, is read again: the subscription may have ended. */
const FRESH = 250;

/** The rows of one statement that nobody has taken, by id. */
type Reading<Row> = Promise<Map<string, Row>>;

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
    const rows = await reading;
    const row = rows.get(served.id) ?? null;
    rows.delete(served.id);
    return row;
  }

  /** Keeps nothing of a subscription that has ended: its URL and keys are secrets. */
  forget(served: Served): void {
    const ahead = this.#ahead.get(served);
    this.#ahead.delete(served);
    ahead?.reading.then(
      (rows) => rows.delete(served.id),
      () => undefined,
    );
  }

  #readingOf(served: Served): Reading<Row> | undefined {
    const ahead = this.#ahead.get(served);
    return ahead?.version === served.version ? ahead.reading : undefined;
  }

  #begin(first: Served): Reading<Row> {
    const all = [first, ...this.#next(AHEAD).filter((one) => !this.#readingOf(one))];
    const reading: Reading<Row> = this.#read(all.map(({ id }) => id))
      .then((found) => new Map(found.map((row) => [row.id, row])))
      .finally(() => void setTimeout(() => this.#end(reading, all), FRESH).unref());
    for (const served of all) this.#ahead.set(served, { reading, version: served.version });
    return reading;
  }

  /** Rows that nobody has taken in time are read again. */
  #end(reading: Reading<Row>, all: readonly Served[]): void {
    for (const served of all)
      if (this.#ahead.get(served)?.reading === reading) this.#ahead.delete(served);
  }
}
