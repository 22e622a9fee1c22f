import type { JsonValue } from '../../../src/protocol/json.js';
import type { OpenStore } from '../persist/port.js';

/** The rows that a client knows, as they are in the store. Undefined: the store has none. */
export type FoundRow = readonly [key: string, value: JsonValue | undefined];

/**
 * Reads rows of a store, one time after the other. A row that has changed here since a reading
 * began is newer than what that finds.
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

  /** Calls `take` with the rows whose keys begin so, and with the known ones that are gone. */
  read(
    store: OpenStore,
    prefix: string,
    known: () => Iterable<string>,
    take: (rows: readonly FoundRow[]) => void,
  ): Promise<void> {
    const reading = this.#last.then(async () => {
      this.#newer.clear();
      await this.#settle();
      const stored = new Map<string, JsonValue | undefined>(await store.load('meta', prefix));
      const keys = new Set([...known(), ...stored.keys()]);
      const older = [...keys].filter((key) => !this.#newer.has(key));
      take(older.map((key) => [key, stored.get(key)]));
    });
    this.#last = reading.catch(() => undefined);
    return reading;
  }
}
