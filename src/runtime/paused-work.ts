/**
 * Work that may be long: it pauses after every millisecond or so, for whoever runs it to let others
 * have the thread.
 */
export type Steps<T> = Generator<void, T>;

/** Values that a walk looks at between two pauses: what takes about a millisecond. */
const STRIDE = 4096;

/** Counts the values of one walk, however deep they lie. */
export class Strides {
  #values = 0;

  /** Counts one more, or several that are looked at together; true where it is time to pause. */
  isOver(values = 1): boolean {
    this.#values += values;
    if (this.#values < STRIDE) return false;
    this.#values = 0;
    return true;
  }
}

/** Runs all steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
