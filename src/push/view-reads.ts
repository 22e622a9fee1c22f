import { setImmediate } from 'node:timers/promises';
import type { View } from '../store/port.js';

/** By the name of each type of which a user sees a part. */
export type Views = ReadonlyMap<string, View>;

/** A type of which a user sees a part. */
export interface ViewOfName {
  readonly name: string;
  readonly view: View;
}

/** Reads the number of each view, in the same order, at one moment. */
export type ReadNumbers = (
  accountId: string,
  views: readonly ViewOfName[],
) => Promise<readonly number[]>;

/** Views that are read at once: each takes a statement. */
const CHUNK = 100;

/** The views of an account that are read together, each once. */
interface Batch {
  readonly views: Map<string, ViewOfName>;
  readonly numbers: Promise<ReadonlyMap<string, number>>;
}

/**
 * Reads the numbers of views. All who ask in one turn of the event loop share a read: one commit
 * has many ask.
 */
export class ViewReads {
  readonly #read: ReadNumbers;
  /** By account: what is read next. */
  readonly #batches = new Map<string, Batch>();
  #isClosed = false;

  constructor(read: ReadNumbers) {
    this.#read = read;
  }

  /** Returns the numbers by the names of the types: as they are then, or later. */
  async read(accountId: string, views: Views): Promise<ReadonlyMap<string, number>> {
    const batch = this.#batches.get(accountId) ?? this.#open(accountId);
    const asked = Array.from(views, ([name, view]) => ({ name, view }));
    for (const one of asked) batch.views.set(keyOf(one), one);
    const numbers = await batch.numbers;
    return new Map(asked.map((one) => [one.name, numbers.get(keyOf(one)) ?? 0]));
  }

  /** Reads nothing any more: who still asks is told zeros. */
  close(): void {
    this.#isClosed = true;
  }

  #open(accountId: string): Batch {
    const views = new Map<string, ViewOfName>();
    const batch = { views, numbers: this.#run(accountId, views) };
    this.#batches.set(accountId, batch);
    return batch;
  }

  /** Begins in the next turn of the event loop. */
  async #run(
    accountId: string,
    views: ReadonlyMap<string, ViewOfName>,
  ): Promise<ReadonlyMap<string, number>> {
    await setImmediate();
    // A later caller may know of later changes.
    this.#batches.delete(accountId);
    const all = [...views];
    const numbers = new Map<string, number>();
    for (let from = 0; from < all.length; from += CHUNK) {
      if (from > 0) await setImmediate();
      if (this.#isClosed) return numbers;
      const some = all.slice(from, from + CHUNK);
      const asked = some.map(([, one]) => one);
      const read = await this.#read(accountId, asked);
      for (const [index, [key]] of some.entries()) numbers.set(key, read[index] ?? 0);
    }
    return numbers;
  }
}

function keyOf({ name, view }: ViewOfName): string {
  const { userId, scopes } = view;
  return JSON.stringify([name, userId, [...scopes].sort()]);
}
