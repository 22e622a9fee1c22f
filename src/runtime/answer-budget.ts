import { performance } from 'node:perf_hooks';
import { Tally } from './slots.js';

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

  get octets(): number {
    return this.#octets;
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
