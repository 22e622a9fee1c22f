import type { View } from '../store/port.js';
import { type AccountListener, AccountStates, type StateClock } from './account-states.js';

/** Reads the numbers of views of an account, by the names of their types. */
export type ReadViews = (
  accountId: string,
  views: ReadonlyMap<string, View>,
) => Promise<ReadonlyMap<string, number>>;

export interface ViewStatesOptions {
  readonly account: AccountStates;
  /** By the name of each type of which the user sees a part. */
  readonly views: ReadonlyMap<string, View>;
  readonly read: ReadViews;
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
  #isDirty = false;
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
    if (others.length < all.length) this.read().catch(onError);
  }

  /** Resolves when the views are known. Rejects where they can't be read. */
  loaded(): Promise<void> {
    return this.#own.isRead ? Promise.resolve() : this.read();
  }

  /** Resolves when the views were read once more. Rejects as `loaded`, and reads again later. */
  read(): Promise<void> {
    // One that runs may have read before what the caller has in mind.
    this.#isDirty = true;
    this.#reading ??= this.#readAll();
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    const { account, views, read, clock, onError } = this.#options;
    try {
      while (this.#isDirty && !this.#isClosed) {
        this.#isDirty = false;
        const since = clock.now();
        const numbers = await read(account.id, views);
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

  close(): void {
    this.#isClosed = true;
  }
}
