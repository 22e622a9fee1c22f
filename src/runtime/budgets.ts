import { performance } from 'node:perf_hooks';

/** Keys that are remembered although they hold nothing. */
const MANY = 1024;

export interface AllowanceOptions {
  /** The most that all keys together may take. */
  readonly size?: number;
  /** The most that one key may take. */
  readonly share: number;
}

/** Counts what each key (a user, an account) has taken, and bounds it for one key and for all. */
export class Allowance {
  readonly #size: number;
  readonly #share: number;
  readonly #amounts = new Map<string, number>();
  #total = 0;

  constructor({ size = Number.POSITIVE_INFINITY, share }: AllowanceOptions) {
    this.#size = size;
    this.#share = share;
  }

  /** Returns the amount that all keys together have taken. */
  get total(): number {
    return this.#total;
  }

  /** Returns whether a key may take so much now. */
  fits(key: string, amount = 1): boolean {
    return this.#total + amount <= this.#size && this.fitsShare(key, amount);
  }

  /** Returns whether a key's own share would do for it. */
  fitsShare(key: string, amount: number): boolean {
    return (this.#amounts.get(key) ?? 0) + amount <= this.#share;
  }

  /** Takes so much, or returns false and takes nothing. Each success needs a `release`. */
  take(key: string, amount = 1): boolean {
    if (!this.fits(key, amount)) return false;
    this.release(key, -amount);
    return true;
  }

  release(key: string, amount = 1): void {
    const left = (this.#amounts.get(key) ?? 0) - amount;
    this.#total -= amount;
    // Users come back, and it costs a map time to lose a key and get it again.
    if (left === 0 && this.#amounts.size > MANY) this.#amounts.delete(key);
    else this.#amounts.set(key, left);
  }
}

/**
 * Returns the bound on octets of request bodies in a process, from their arrival to their answer.
 * One user gets half of it at most, so that no user alone can make the server refuse others.
 */
export function bodyAllowance(maxSizeRequest: number): AllowanceOptions {
  const budget = Math.min(Math.max(16 * maxSizeRequest, 64 * 1024 ** 2), 512 * 1024 ** 2);
  // A request of the largest size must be possible, whatever the limits are.
  const share = Math.max(budget / 2, maxSizeRequest);
  return { size: 2 * share, share };
}

/** A connection that answers are written to. */
export interface Reader {
  /** `performance.now()` when it last took something. */
  takenAt: number;
  /** Ends the connection. */
  cut(): void;
}

/** How long a reader may take nothing, and how long it may take for all of an answer, ms. */
interface Patience {
  readonly stall: number;
  readonly hold: number;
}

/**
 * The bound on octets of large answers that a process holds at once. An answer counts from the
 * moment that a call has made its part until the last octet is handed over. One user gets half of
 * it at most. If there is no room, the server cuts off readers that have taken nothing for `stall`
 * ms, or have not taken all within `hold` ms, the oldest answer first. If that doesn't help, the
 * call that wants room fails. So nobody who reads slowly fills the memory or keeps others from
 * their answers.
 */
export class AnswerBudget {
  readonly #octets: Allowance;
  readonly #patience: Patience;
  /** Rooms that hold octets, the oldest first. */
  readonly #rooms = new Set<AnswerRoom>();

  constructor(total: number, patience: Patience) {
    this.#octets = new Allowance({ size: total, share: total / 2 });
    this.#patience = patience;
  }

  /**
   * Returns the room of an answer that is about to be made. It holds nothing yet; `end` must
   * follow.
   */
  begin(user: string): AnswerRoom {
    return new AnswerRoom(this, user);
  }

  /**
   * Returns whether an answer of the user may grow by so many octets, if need be at the cost of
   * slow readers.
   */
  fits(user: string, octets: number): boolean {
    if (this.#octets.fits(user, octets)) return true;
    const now = performance.now();
    for (const room of this.#rooms) {
      if (!room.isSlow(now, this.#patience)) continue;
      if (room.user !== user && !this.#octets.fitsShare(user, octets)) continue;
      room.cut();
      if (this.#octets.fits(user, octets)) return true;
    }
    return false;
  }

  /** Counts what a room holds besides what it held before. */
  count(room: AnswerRoom, more: number): void {
    this.#octets.release(room.user, -more);
    if (room.octets === 0) this.#rooms.delete(room);
    else this.#rooms.add(room);
  }
}

/** The part of the budget that one answer holds. */
export class AnswerRoom {
  readonly user: string;
  readonly #budget: AnswerBudget;
  #octets = 0;
  /** Null until the answer is written. */
  #reader: Reader | null = null;
  /** `performance.now()` when its reader could begin. */
  #begunAt = 0;
  #isOver = false;

  constructor(budget: AnswerBudget, user: string) {
    this.#budget = budget;
    this.user = user;
  }

  get octets(): number {
    return this.#octets;
  }

  /**
   * Holds octets of a call that has made its part of the answer; false, and nothing is held, where
   * there is no room.
   */
  take(octets: number): boolean {
    if (this.#isOver || !this.#budget.fits(this.user, octets)) return false;
    this.#hold(this.#octets + octets);
    return true;
  }

  giveBack(octets: number): void {
    if (!this.#isOver) this.#hold(this.#octets - octets);
  }

  /** The whole answer is there, with so many octets, and its reader begins to take it. */
  writeTo(reader: Reader, octets: number): void {
    if (this.#isOver) return;
    this.#reader = reader;
    this.#begunAt = performance.now();
    this.#hold(octets);
  }

  isSlow(now: number, { stall, hold }: Patience): boolean {
    if (this.#reader === null) return false;
    return now - this.#reader.takenAt >= stall || now - this.#begunAt >= hold;
  }

  /** Ends the connection that its answer is written to. */
  cut(): void {
    this.end();
    this.#reader?.cut();
  }

  /** May be called again. */
  end(): void {
    this.#hold(0);
    this.#isOver = true;
  }

  #hold(octets: number): void {
    const more = octets - this.#octets;
    this.#octets = octets;
    if (more !== 0) this.#budget.count(this, more);
  }
}
