import type { JsonValue } from '../../../src/protocol/json.js';
import type { OpenStore, Change as RowChange } from '../persist/port.js';
import type { StoreWriter } from '../store/store-writer.js';

/** Writes to the store: it knows which rows that has yet to get. */
export type RowWriter = Pick<StoreWriter, 'settle' | 'lacks'>;

/**
 * Reads rows of a store, one time after the other. A row that has changed here since a reading
 * began, or that the store has yet to get, is newer than what that finds.
 */
export class RowReader {
  readonly #writer: RowWriter;
  readonly #newer = new Set<string>();
  #last: Promise<void> = Promise.resolve();

  constructor(writer: RowWriter) {
    this.#writer = writer;
  }

  /** Notes that a row has changed. */
  note(key: string): void {
    this.#newer.add(key);
  }

  /** Calls `take` with the rows whose keys begin so; the known ones that are gone have no value. */
  read(
    store: OpenStore,
    prefix: string,
    known: () => Iterable<string>,
    take: (rows: readonly RowChange[]) => void,
  ): Promise<void> {
    const reading = this.#last.then(async () => {
      this.#newer.clear();
      await this.#writer.settle();
      const stored = new Map<string, JsonValue | undefined>(await store.load('meta', prefix));
      const keys = new Set([...known(), ...stored.keys()]);
      const rows = Array.from(keys, (key) => ({ table: 'meta', key, value: stored.get(key) }));
      const isOlder = (row: RowChange) => !this.#newer.has(row.key) && !this.#writer.lacks(row);
      take((rows as readonly RowChange[]).filter(isOlder));
    });
    this.#last = reading.catch(() => undefined);
    return reading;
  }
}
