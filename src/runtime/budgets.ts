import { performance } from 'node:perf_hooks';

/** Keys that hold nothing are forgotten when there are so many of them. */
const MANY = 1024;

/**
 * A number for each key (a user), 0 where none is known. Keys whose number is 0 are kept: users come back, and the map
 * would shrink and grow with each request.
 */
export class Tally extends Map<string, number> {
  #forgetAt = MANY;

  override get(key: string): number {
    return super.get(key) ?? 0;
  }

  override set(key: string, number: number): this {
    super.set(key, number);
    if (this.size > this.#forgetAt) this.#forget();
    return this;
  }

  #forget(): void {
    for (const [key, number] of this) if (number === 0) this.delete(key);
    this.#forgetAt = Math.max(MANY, 2 * this.size);
  }
}

/** Counts what runs at once for each key (a user), up to a maximum (RFC 8620 2: maxConcurrent*). */
export class Slots {
  readonly #maximum: number;
  readonly #taken = new Tally();

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /** Takes a slot; false where all are taken. Each success needs one `release`. */
  take(key: string): boolean {
    const taken = this.#taken.get(key);
    if (taken >= this.#maximum) return false;
    this.#taken.set(key, taken + 1);
    return true;
  }

  release(key: string): void {
    this.#taken.set(key, Math.max(0, this.#taken.get(key) - 1));
  }
}

/**
 * The bound on octets of request bodies that a process holds at once, from their arrival to their answer (D6). One
 * user gets half of it at most, so that no user alone can make the server refuse others.
 */
export class BodyBudget {
  readonly #total: number;
  readonly #share: number;
  readonly #held = new Tally();
  #inFlight = 0;

  constructor(maxSizeRequest: number) {
    const wanted = Math.min(Math.max(16 * maxSizeRequest, 64 * 1024 ** 2), 512 * 1024 ** 2);
    // Whatever the limits are, a request of the largest size must be possible.
    this.#share = Math.max(wanted / 2, maxSizeRequest);
    this.#total = 2 * this.#share;
  }

  /** Whether `octets` more would fit now: asked before a body of known length is read. */
  fits(user: string, octets: number): boolean {
    return this.#inFlight + octets <= this.#total && this.#held.get(user) + octets <= this.#share;
  }

  /** Counts octets that have arrived; false where they don't fit, and then nothing is counted. */
  take(user: string, octets: number): boolean {
    if (!this.fits(user, octets)) return false;
    this.#inFlight += octets;
    this.#held.set(user, this.#held.get(user) + octets);
    return true;
  }

  release(user: string, octets: number): void {
    if (octets === 0) return;
    this.#inFlight -= octets;
    this.#held.set(user, Math.max(0, this.#held.get(user) - octets));
  }
}

/** A connection that answers are written to. */
export interface Reader {
  /** `performance.now()` when it last took something. */
  takenAt: number;
  /** Ends the connection. */
  cut(): void;
}

/**
 * The bound on octets of large answers that a process holds at once, from the moment that a call
 * has made its part of an answer until the last octet is handed over. One user gets half of it at
 * most. If there is no room, the server cuts off readers that have taken nothing for `stall` ms, or
 * have not taken all within `hold` ms, the oldest answer first. If that doesn't help, the call that
 * wants room fails. So nobody who reads slowly fills the memory or keeps others from their answers.
 */
export class AnswerBudget {
  readonly #total: number;
  readonly #share: number;
  readonly #stall: number;
  readonly #hold: number;
  readonly #byUser = new Tally();
  /** Answers that hold octets, the oldest first. */
  readonly #answers = new Set<HeldAnswer>();
  #octets = 0;

  constructor(total: number, { stall, hold }: { readonly stall: number; readonly hold: number }) {
    this.#total = total;
    this.#share = total / 2;
    this.#stall = stall;
    this.#hold = hold;
  }

  /** An answer that is about to be made. It holds nothing yet; `end` must follow. */
  begin(user: string): HeldAnswer {
    return new HeldAnswer(this, user);
  }

  /**
   * Whether an answer of the user may grow by so many octets, if need be at the cost of slow
   * readers.
   */
  makeRoom(user: string, octets: number): boolean {
    if (this.#fits(user, octets)) return true;
    const now = performance.now();
    for (const answer of this.#answers) {
      const { reader } = answer;
      if (reader === null || !this.#isSlow(answer, reader, now)) continue;
      if (this.#exceedsShare(user, octets) && answer.user !== user) continue;
      answer.end();
      reader.cut();
      if (this.#fits(user, octets)) return true;
    }
    return false;
  }

  /** Counts what an answer holds from now on. */
  count(answer: HeldAnswer, before: number, now: number): void {
    this.#octets += now - before;
    this.#byUser.set(answer.user, this.#byUser.get(answer.user) + now - before);
    if (now === 0) this.#answers.delete(answer);
    else this.#answers.add(answer);
  }

  #isSlow({ begunAt }: HeldAnswer, { takenAt }: Reader, now: number): boolean {
    return now - takenAt >= this.#stall || now - begunAt >= this.#hold;
  }

  #exceedsShare(user: string, octets: number): boolean {
    return this.#byUser.get(user) + octets > this.#share;
  }

  #fits(user: string, octets: number): boolean {
    return this.#octets + octets <= this.#total && !this.#exceedsShare(user, octets);
  }
}

/** The part of the budget that one answer holds. */
export class HeldAnswer {
  readonly user: string;
  /** Null until the answer is written. */
  reader: Reader | null = null;
  /** `performance.now()` when its reader could begin. */
  begunAt = 0;
  readonly #budget: AnswerBudget;
  #octets = 0;
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
    if (this.#isOver || !this.#budget.makeRoom(this.user, octets)) return false;
    this.#hold(this.#octets + octets);
    return true;
  }

  giveBack(octets: number): void {
    if (!this.#isOver) this.#hold(this.#octets - octets);
  }

  /** The whole answer is there, with so many octets, and its reader begins to take it. */
  writeTo(reader: Reader, octets: number): void {
    if (this.#isOver) return;
    this.reader = reader;
    this.begunAt = performance.now();
    this.#hold(octets);
  }

  /** May be called again. */
  end(): void {
    if (this.#octets !== 0) this.#hold(0);
    this.#isOver = true;
  }

  #hold(octets: number): void {
    this.#budget.count(this, this.#octets, octets);
    this.#octets = octets;
  }
}
