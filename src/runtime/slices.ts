import { performance } from 'node:perf_hooks';
import type { Steps } from './paused-work.js';

/**
 * Work that takes long, a slice at a time, so that it blocks the event loop only briefly. In each
 * turn of the event loop one slice is run, however many works there are, whether they read, write
 * or make answers: they take turns.
 */
export interface Slices {
  /** Returns whether this slice has lasted long enough. */
  isOver(): boolean;
  /** Resolves when it is this work's turn again. */
  next(): Promise<void>;
}

/** Octets of a request, or of the values that references put into it, beyond which it is long. */
export const LONG_REQUEST = 32_768;
/** Objects that a call handles in a moment. A call about more takes turns with others. */
export const FEW_OBJECTS = 100;
/** How long a slice may last, ms. */
const LENGTH = 8;
/** A turn that took so long, ms, held a step that can't be cut. */
const LONG_TURN = 2 * LENGTH;
/**
 * After a long turn the event loop is free for this part of its length: most requests take several
 * turns.
 */
const REST = 1 / 2;
/** The longest of these rests, ms. */
const LONGEST_REST = 50;

/** Runs work that pauses by itself, in slices. */
export async function runInSlices<T>(steps: Steps<T>, slices: Slices): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (slices.isOver()) await slices.next();
  }
}

/**
 * Has one slice of long work run in each turn of the event loop. A process has one conductor, which
 * everything that takes long asks.
 */
export class Conductor {
  readonly #waiting: (() => void)[] = [];
  /** Work that others wait for: an open transaction, a group of writes, a row of reads. */
  readonly #urgent: (() => void)[] = [];
  #wasUrgent = false;
  /** In this turn of the event loop, or the last one, something long was run. */
  #isActive = false;
  /** `begin` started something long in this turn, without a slice before it. */
  #hasBegun = false;
  /** When the last slice began; null where its turn has been judged. */
  #begunAt: number | null = null;

  /** Returns whether something long has this turn of the event loop, or waits for the next one. */
  get isActive(): boolean {
    return this.#isActive;
  }

  /**
   * Returns null where long work may begin at once: nothing long has run in this turn of the event
   * loop, and nothing waits. Otherwise resolves in the work's turn.
   */
  begin(): Promise<void> | null {
    if (this.#isActive) return this.awaitTurn();
    this.#isActive = true;
    this.#hasBegun = true;
    this.#begunAt = performance.now();
    setImmediate(this.#conduct);
    return null;
  }

  /**
   * Resolves in a turn of the event loop in which no other work has a slice. Where urgent and other
   * work wait, they take turns.
   */
  awaitTurn(isUrgent = false): Promise<void> {
    return new Promise((resolve) => {
      (isUrgent ? this.#urgent : this.#waiting).push(resolve);
      if (this.#isActive) return;
      this.#isActive = true;
      setImmediate(this.#conduct);
    });
  }

  /** Begins with a slice; `check` may throw as each further one begins, and so end the work. */
  startSlices(check: () => void = () => undefined, isUrgent = false): Slices {
    let begun = performance.now();
    return {
      isOver: () => performance.now() - begun > LENGTH,
      next: async () => {
        await this.awaitTurn(isUrgent);
        check();
        begun = performance.now();
      },
    };
  }

  /** Once in a turn, behind what came from sockets, as long as there is anything long. */
  readonly #conduct = (): void => {
    const lasted = this.#begunAt === null ? 0 : performance.now() - this.#begunAt;
    this.#begunAt = null;
    if (lasted > LONG_TURN) {
      this.#hasBegun = false;
      setTimeout(this.#conduct, Math.min(lasted * REST, LONGEST_REST));
      return;
    }
    const resolve = this.#hasBegun ? undefined : this.#next();
    const isWaiting = this.#waiting.length + this.#urgent.length > 0;
    this.#isActive = this.#hasBegun || resolve !== undefined || isWaiting;
    this.#hasBegun = false;
    // An immediate that is set within a turn runs in the next one.
    if (this.#isActive) setImmediate(this.#conduct);
    if (resolve === undefined) return;
    this.#begunAt = performance.now();
    resolve();
  };

  #next(): (() => void) | undefined {
    this.#wasUrgent = this.#urgent.length > 0 && !(this.#wasUrgent && this.#waiting.length > 0);
    return this.#wasUrgent ? this.#urgent.shift() : this.#waiting.shift();
  }
}
