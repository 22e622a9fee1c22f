/** A read that took longer, ms, is not quick: others of its account shall not wait for such a one. */
const QUICK = 20;
/** After so many quick ones in a row the next is taken for one. */
const ENOUGH = 4;
/** Accounts that are known at a time. */
const ACCOUNTS = 1000;

/**
 * Accounts whose pages by an index were found at once lately. Such a page mostly is: it ends with the last row that it shows.
 * But with a filter that few objects meet it looks at all of them, and nothing tells that before.
 */
export class Quickness {
  /** How many quick reads in a row. */
  readonly #quick = new Map<string, number>();
  readonly #longest: number;

  /** `longest`: what a quick read takes at the most, ms. */
  constructor(longest = QUICK) {
    this.#longest = longest;
  }

  isQuick(accountId: string): boolean {
    return (this.#quick.get(accountId) ?? 0) >= ENOUGH;
  }

  /** A read of the account took so long, ms; `scanned`: it went over all rows of the account. */
  took(accountId: string, time: number, scanned: boolean): void {
    const quick = this.#quick.get(accountId) ?? 0;
    if (scanned || time > this.#longest) this.lost(accountId);
    else if (quick < ENOUGH) {
      if (quick === 0 && this.#quick.size >= ACCOUNTS) this.#quick.clear();
      this.#quick.set(accountId, quick + 1);
    }
  }

  /** A read of the account takes long. */
  lost(accountId: string): void {
    this.#quick.delete(accountId);
  }
}
