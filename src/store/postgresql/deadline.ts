import { LONGEST_TIMER, lateError } from '../../runtime/deadlines.js';
import { prepared, type Statement } from './statement.js';

/** A server that does not stop a statement when told to loses its connection after this, ms. */
const GRACE = 2000;
/** How far a time-out may be from right, ms: less than GRACE. */
const TOLERANCE = 1000;

/** Of the transaction, or of what is sent together. */
const TIMEOUTS = `SELECT set_config('statement_timeout', $1, true),
 set_config('idle_in_transaction_session_timeout', $2, true)`;

/**
 * The deadline of a connection's work. The server limits each statement to it; if a statement goes
 * on in spite of that, the connection is cut.
 */
export class Deadline {
  #at: number;
  /** The time-out that statements have at the moment, ms. */
  #timeout = 0;
  #guard: NodeJS.Timeout | undefined;
  readonly #cut: () => void;

  /** `cut`: the server has not stopped its statement. */
  constructor(at: number, cut: () => void) {
    this.#at = at;
    this.#cut = cut;
    this.#arm();
  }

  /** Another work's. */
  move(at: number): void {
    this.#at = at;
  }

  /** Throws where it has passed. */
  check(): void {
    if (performance.now() > this.#at) throw lateError();
  }

  /** Gives each statement what is left, but no more than `longest`, ms. */
  begin(longest: number): Statement {
    return this.#set(Math.min(longest, Math.max(1, this.#left())));
  }

  /** Returns the same, or null if the time-out is nearly right; throws at the deadline. */
  renew(): Statement | null {
    const left = this.#left();
    if (left <= 0) throw lateError();
    const isNear = Math.abs(this.#timeout - left) <= Math.min(TOLERANCE, left / 4);
    return isNear ? null : this.#set(left);
  }

  end(): void {
    clearTimeout(this.#guard);
  }

  #left(): number {
    return Math.min(Math.ceil(this.#at - performance.now()), LONGEST_TIMER);
  }

  #set(milliseconds: number): Statement {
    this.#timeout = milliseconds;
    // A server whose client has gone without a word must not keep the account locked for hours.
    return prepared(TIMEOUTS, [milliseconds, Math.min(milliseconds + GRACE, LONGEST_TIMER)]);
  }

  #arm(): void {
    const left = this.#at - performance.now() + GRACE;
    if (left >= LONGEST_TIMER) return;
    this.#guard = setTimeout(() => {
      // Another work's turn meanwhile, with a deadline of its own.
      if (performance.now() < this.#at + GRACE) this.#arm();
      else this.#cut();
    }, left);
  }
}
