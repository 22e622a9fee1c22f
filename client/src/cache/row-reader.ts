import type { OpenStore, StoredRow } from '../persist/port.js';

/**
 * Reads rows of a store, one time after the other. What has changed here since a reading began is
 * newer than what it finds.
 */
export class RowReader {
  readonly #settle: () => Promise<void>;
  readonly #newer = new Set<string>();
  #last: Promise<void> = Promise.resolve();

  /** `settle` resolves when the store has all that there was. */
  constructor(settle: () => Promise<void>) {
    this.#settle = settle;
  }

  /** Notes that a row has changed. */
  note(key: string): void {
    this.#newer.add(key);
  }

  /** Returns whether a row has changed since the last reading began. */
  isNewer(key: string): boolean {
    return this.#newer.has(key);
  }

  /** Calls `take` with the rows whose keys begin so, without those that are newer here. */
  read(
    store: OpenStore,
    prefix: string,
    take: (rows: readonly StoredRow[]) => void,
  ): Promise<void> {
    const reading = this.#last.then(async () => {
      this.#newer.clear();
      await this.#settle();
      const rows = await store.load('meta', prefix);
      take(rows.filter(([key]) => !this.isNewer(key)));
    });
    this.#last = reading.catch(() => undefined);
    return reading;
  }
}
