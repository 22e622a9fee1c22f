import { type AccountListener, AccountStates, type StateClock } from './account-states.js';
import type { ViewReads, Views } from './view-reads.js';

export interface ViewStatesOptions {
  readonly account: AccountStates;
  readonly views: Views;
  readonly reads: ViewReads;
  readonly clock: StateClock;
  /** Hears of changes that the user sees. */
  readonly listener: AccountListener;
  readonly onError: (error: unknown) => void;
}

/** After a failed read the next one comes so much later, ms. */
const RETRY = 1000;

/**
 * The states of an account as a user sees them who sees a part of some types. A change of such a
 * type is a reason to look whether the user's view has changed.
 */
export class ViewStates implements AccountListener {
  readonly #options: ViewStatesOptions;
  /** The states of the types of which the user sees a part. */
  readonly #own: AccountStates;
  /** The names of types whose numbers may be others. */
  readonly #dirty = new Set<string>();
  #isClosed = false;
  #reading: Promise<void> | null = null;

  constructor(options: ViewStatesOptions) {
    this.#options = options;
    this.#own = new AccountStates(options.account.id);
    this.#own.listeners.add(options.listener);
  }

  numberOf(type: string): number {
    return this.#of(type).numberOf(type);
  }

  stampOf(type: string): number {
    return this.#of(type).stampOf(type);
  }

  #of(type: string): AccountStates {
    return this.#options.views.has(type) ? this.#own : this.#options.account;
  }

  changed(types: Iterable<string>, stamp: number): void {
    const { listener, onError, views } = this.#options;
    const all = [...types];
    const others = all.filter((type) => !views.has(type));
    if (others.length > 0) listener.changed(others, stamp);
    if (others.length < all.length) this.#readNow(all).catch(onError);
  }

  /** Resolves when the views are known. Rejects where they can't be read. */
  loaded(): Promise<void> {
    return this.#own.isRead ? Promise.resolve() : this.read();
  }

  /** Resolves when the views were read once more. Rejects as `loaded`, and reads again later. */
  read(): Promise<void> {
    return this.#readNow(this.#options.views.keys());
  }

  #readNow(types: Iterable<string>): Promise<void> {
    // One that runs may have read before what the caller has in mind.
    for (const type of types) if (this.#options.views.has(type)) this.#dirty.add(type);
    this.#reading ??= this.#readDirty();
    return this.#reading;
  }

  async #readDirty(): Promise<void> {
    const { clock, onError } = this.#options;
    try {
      while (this.#dirty.size > 0 && !this.#isClosed) {
        const since = clock.now();
        const numbers = await this.#numbers();
        if (!this.#isClosed) this.#own.correct(numbers, since, clock.tick());
      }
    } catch (error) {
      setTimeout(() => {
        if (!this.#isClosed) this.read().catch(onError);
      }, RETRY).unref();
      throw error;
    } finally {
      // In the turn in which the loop has ended: no call comes between.
      this.#reading = null;
    }
  }

  /** Returns the numbers of all types: those that may be others are read. */
  async #numbers(): Promise<ReadonlyMap<string, number>> {
    const { account, views, reads } = this.#options;
    const asked = new Set(this.#dirty);
    this.#dirty.clear();
    try {
      const read = await reads.read(
        account.id,
        new Map([...views].filter(([name]) => asked.has(name))),
      );
      return new Map(
        [...views.keys()].map((name) => [name, read.get(name) ?? this.#own.numberOf(name)]),
      );
    } catch (error) {
      for (const name of asked) this.#dirty.add(name);
      throw error;
    }
  }

  close(): void {
    this.#isClosed = true;
  }
}
