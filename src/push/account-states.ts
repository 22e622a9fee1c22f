import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Serial } from '../runtime/serial.js';
import type { StateNumbers } from '../store/port.js';
import { accountKey } from './vector.js';

/** The newest known state of a type of an account. */
interface KnownState {
  number: number;
  /** The clock of `AccountStates` when the number came. */
  stamp: number;
}

/** Hears of the changes of an account. */
export interface AccountListener {
  /** The types' states are others since `stamp`. */
  changed(types: Iterable<string>, stamp: number): void;
}

/** Stamps changes in their order. */
export interface StateClock {
  now(): number;
  /** Returns a stamp that is later than all before it. */
  tick(): number;
}

/** How far the number of a hint may be ahead of the known one before the database is asked. */
const FAR_AHEAD = 10_000;

/** The newest known states of one account that somebody here listens to. */
export class AccountStates {
  readonly id: string;
  readonly key: string;
  readonly listeners = new Set<AccountListener>();
  /** The database has been read for it. */
  isRead = false;
  readonly #states = new Map<string, KnownState>();

  constructor(id: string) {
    this.id = id;
    this.key = accountKey(id);
  }

  /** Returns the known state of a type: 0 before its first change. */
  numberOf(type: string): number {
    return this.#states.get(type)?.number ?? 0;
  }

  /** Returns when the state of a type became known. */
  stampOf(type: string): number {
    return this.#states.get(type)?.stamp ?? 0;
  }

  /** Returns whether a hint is too far ahead to be taken without a look at the database. */
  isFarAhead(numbers: ReadonlyMap<string, number>): boolean {
    return [...numbers].some(([type, number]) => number > this.numberOf(type) + FAR_AHEAD);
  }

  /** Returns whether the database has no state any more of a type that had one. */
  hasLost(numbers: StateNumbers): boolean {
    return [...this.#states].some(([type, { number }]) => number > 0 && !numbers.has(type));
  }

  /** Takes greater numbers, at `stamp`: hints and commits may come late. */
  raise(numbers: ReadonlyMap<string, number>, stamp: number): void {
    this.#take(numbers, stamp, (known, number) => number > known.number);
  }

  /**
   * Takes what the database said. That counts downwards too, except for states that became known
   * after the read had begun, at `since`.
   */
  correct(numbers: ReadonlyMap<string, number>, since: number, stamp: number): void {
    this.isRead = true;
    const all = new Map(Array.from(this.#states, ([type]) => [type, 0]));
    for (const [type, number] of numbers) all.set(type, number);
    this.#take(
      all,
      stamp,
      (known, number) => number > known.number || (number < known.number && known.stamp <= since),
    );
  }

  #take(
    numbers: ReadonlyMap<string, number>,
    stamp: number,
    counts: (known: KnownState, number: number) => boolean,
  ): void {
    const changed: string[] = [];
    for (const [type, number] of numbers) {
      const known = this.#states.get(type);
      if (known === undefined) {
        if (number === 0) continue;
        this.#states.set(type, { number, stamp });
      } else {
        if (!counts(known, number)) continue;
        known.number = number;
        known.stamp = stamp;
      }
      changed.push(type);
    }
    if (changed.length === 0) return;
    for (const listener of this.listeners) listener.changed(changed, stamp);
  }
}

/** Accounts that one statement reads. */
const CHUNK = 500;
/**
 * How long after one statement the next begins, ms. Many streams that open at once share a few
 * statements, and a comparison of many accounts lets others use the database in between.
 */
const SPACE = 50;
/** After a failed comparison the next one comes so much later, ms. */
const RETRY = 1000;

export interface StatesOptions {
  /** Reads the states of accounts, in one statement. */
  readonly read: (accountIds: readonly string[]) => Promise<ReadonlyMap<string, StateNumbers>>;
  /** Runs before each comparison. */
  readonly beforeComparison: () => Promise<void>;
  /** Looks whether accounts that have lost states are still reached: a deletion takes these too. */
  readonly lookAtAccess: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** The accounts that receivers of this process listen to, with their newest known states. */
export class States implements StateClock {
  readonly #options: StatesOptions;
  readonly #accounts = new Map<string, AccountStates>();
  /** Resolves when the account's states were read for the first time. */
  readonly #loads = new Map<string, Promise<void>>();
  readonly #reads = new Serial();
  /** When the last statement began, `performance.now()`. */
  #lastRead = Number.NEGATIVE_INFINITY;
  /** The accounts to read next. */
  #batch: Batch | null = null;
  #comparison: Promise<void> | null = null;
  #comparesAgain = false;
  #isClosed = false;
  /** Counts changes: a receiver that was told up to a stamp wants what came after it. */
  #clock = 0;

  constructor(options: StatesOptions) {
    this.#options = options;
  }

  now(): number {
    return this.#clock;
  }

  tick(): number {
    this.#clock += 1;
    return this.#clock;
  }

  /** Returns an account that somebody listens to. Its states are known once `loaded` resolves. */
  listen(id: string, listener: AccountListener): AccountStates {
    let account = this.#accounts.get(id);
    if (account === undefined) {
      account = new AccountStates(id);
      this.#accounts.set(id, account);
      // A caller that waits for it sees the error; the others are told after a comparison.
      this.#load(id).catch((error: unknown) => {
        this.#options.onError(error);
        void this.compare();
      });
    }
    account.listeners.add(listener);
    return account;
  }

  leave(account: AccountStates, listener: AccountListener): void {
    account.listeners.delete(listener);
    if (account.listeners.size > 0 || this.#accounts.get(account.id) !== account) return;
    this.#accounts.delete(account.id);
    this.#loads.delete(account.id);
  }

  /** Resolves when the states of an account are known. Rejects as `read` does. */
  loaded(id: string): Promise<void> {
    if (this.#accounts.get(id)?.isRead !== false) return Promise.resolve();
    return this.#loads.get(id) ?? this.#load(id);
  }

  /** Resolves when the states of an account were read once more. Rejects as `read` does. */
  readAgain(id: string): Promise<void> {
    return this.#read(id);
  }

  has(accountId: string): boolean {
    return this.#accounts.has(accountId);
  }

  /** Takes the states of a commit of this process. */
  raise(accountId: string, numbers: StateNumbers): void {
    this.#accounts.get(accountId)?.raise(numbers, this.tick());
  }

  /** Takes what another process says; null: some states of the account have changed. */
  hint(accountId: string, numbers: StateNumbers | null): void {
    const account = this.#accounts.get(accountId);
    if (account === undefined) return;
    if (numbers !== null && !account.isFarAhead(numbers)) account.raise(numbers, this.tick());
    else this.#read(accountId).catch((error: unknown) => this.#options.onError(error));
  }

  /** Compares all known states with the database, and goes on until it has succeeded. */
  compare(): Promise<void> {
    // One that runs may have read before what the caller has in mind.
    this.#comparesAgain = true;
    this.#comparison ??= this.#compareAll().finally(() => {
      this.#comparison = null;
    });
    return this.#comparison;
  }

  close(): void {
    this.#isClosed = true;
    this.#accounts.clear();
  }

  async #compareAll(): Promise<void> {
    while (this.#comparesAgain && !this.#isClosed) {
      this.#comparesAgain = false;
      try {
        await this.#options.beforeComparison();
        // Each chunk waits for the one before, so that opening streams come in between.
        const ids = [...this.#accounts.keys()];
        for (let from = 0; from < ids.length; from += CHUNK)
          await Promise.all(ids.slice(from, from + CHUNK).map((id) => this.#read(id)));
      } catch (error) {
        this.#options.onError(error);
        this.#comparesAgain = true;
        await sleep(RETRY, undefined, { ref: false });
      }
    }
  }

  #load(id: string): Promise<void> {
    const load = this.#read(id).finally(() => {
      if (this.#loads.get(id) === load) this.#loads.delete(id);
    });
    this.#loads.set(id, load);
    return load;
  }

  /** Reads the states of an account, together with others that are to be read. */
  #read(id: string): Promise<void> {
    this.#batch ??= this.#openBatch();
    this.#batch.ids.add(id);
    return this.#batch.done;
  }

  /** Its accounts are read when the batch before is, in another turn of the event loop. */
  #openBatch(): Batch {
    const ids = new Set<string>();
    const done = this.#reads.run(async () => {
      await this.#waitForSpace();
      this.#batch = null;
      const all = [...ids];
      for (let from = 0; from < all.length; from += CHUNK) {
        if (from > 0) await this.#waitForSpace();
        this.#lastRead = performance.now();
        await this.#readChunk(all.slice(from, from + CHUNK));
      }
    });
    return { ids, done };
  }

  /** Resolves in another turn of the event loop at least. */
  async #waitForSpace(): Promise<void> {
    const wait = this.#lastRead + SPACE - performance.now();
    if (wait > 0) await sleep(wait);
    else await setImmediate();
  }

  async #readChunk(ids: readonly string[]): Promise<void> {
    const since = this.#clock;
    const states = await this.#options.read(ids);
    const isLost = ids.some((id) => this.#accounts.get(id)?.hasLost(states.get(id) ?? new Map()));
    if (isLost) await this.#options.lookAtAccess();
    for (const id of ids)
      this.#accounts.get(id)?.correct(states.get(id) ?? new Map(), since, this.tick());
  }
}

/** Accounts that are read together. */
interface Batch {
  readonly ids: Set<string>;
  readonly done: Promise<void>;
}
