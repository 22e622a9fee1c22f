import type { StateNumbers } from '../store/port.js';

/** How often receivers are told of the states of an account's held types, ms. */
const EVERY = 5000;

/** The held states of an account. */
interface Held {
  /** When receivers were told of some last, `performance.now()`. */
  toldAt: number;
  readonly waiting: Map<string, number>;
  timer: NodeJS.Timeout | null;
}

/**
 * Holds back states that change with nearly every commit (RFC 9425 5): receivers are told of the
 * first change at once, and then of the newest state every five seconds.
 */
export class HeldStates {
  readonly #types: ReadonlySet<string>;
  readonly #release: (accountId: string, numbers: StateNumbers) => void;
  readonly #every: number;
  readonly #accounts = new Map<string, Held>();

  /** `types`: names of the types whose states are held back; `release` takes them later. */
  constructor(
    types: ReadonlySet<string>,
    release: (accountId: string, numbers: StateNumbers) => void,
    every = EVERY,
  ) {
    this.#types = types;
    this.#release = release;
    this.#every = every;
  }

  /** Returns the states that are told now, and keeps the others; all that are `urgent` go. */
  take(accountId: string, numbers: StateNumbers, urgent: readonly string[] = []): StateNumbers {
    if (this.#types.size === 0) return numbers;
    const held = [...numbers].filter(([type]) => this.#types.has(type));
    if (held.length === 0) return numbers;
    const now = performance.now();
    const account = this.#accounts.get(accountId);
    const isDue = account === undefined || account.toldAt + this.#every <= now;
    if (isDue || held.some(([type]) => urgent.includes(type))) {
      account?.waiting.clear();
      this.#begin(accountId, now);
      return numbers;
    }
    for (const [type, number] of held)
      account.waiting.set(type, Math.max(number, account.waiting.get(type) ?? 0));
    return new Map([...numbers].filter(([type]) => !this.#types.has(type)));
  }

  close(): void {
    for (const { timer } of this.#accounts.values()) if (timer !== null) clearTimeout(timer);
    this.#accounts.clear();
  }

  /** Begins a time in which nothing more is told of the account. */
  #begin(accountId: string, now: number): void {
    const account = this.#accounts.get(accountId) ?? { toldAt: 0, waiting: new Map(), timer: null };
    account.toldAt = now;
    this.#accounts.set(accountId, account);
    if (account.timer !== null) clearTimeout(account.timer);
    account.timer = setTimeout(() => this.#end(accountId, account), this.#every);
    account.timer.unref();
  }

  #end(accountId: string, account: Held): void {
    account.timer = null;
    if (account.waiting.size === 0) {
      this.#accounts.delete(accountId);
      return;
    }
    const numbers = new Map(account.waiting);
    account.waiting.clear();
    this.#begin(accountId, performance.now());
    this.#release(accountId, numbers);
  }
}
