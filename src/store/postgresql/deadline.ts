import { lateError } from '../../database/postgresql/errors.js';
import { GRACE, LONGEST } from './session.js';

/** When a connection's work has to be done; the connection is cut where it goes on in spite of it. */
export class Deadline {
  #at: number;
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

  get isOver(): boolean {
    return performance.now() > this.#at;
  }

  /** What is left of it, ms. */
  get rest(): number {
    return Math.min(Math.ceil(this.#at - performance.now()), LONGEST);
  }

  /** The same; throws where that is nothing. */
  get left(): number {
    const left = this.rest;
    if (left <= 0) throw lateError();
    return left;
  }

  end(): void {
    clearTimeout(this.#guard);
  }

  #arm(): void {
    const left = this.#at - performance.now() + GRACE;
    if (left >= LONGEST) return;
    this.#guard = setTimeout(() => {
      // Another work's turn meanwhile, with a deadline of its own.
      if (performance.now() < this.#at + GRACE) this.#arm();
      else this.#cut();
    }, left);
  }
}
