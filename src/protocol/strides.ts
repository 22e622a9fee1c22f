/** Values that a walk looks at between two pauses: what takes about a millisecond. */
const STRIDE = 4096;

/** Counts the values of one walk, however deep they lie. */
export class Strides {
  #values = 0;

  /** Counts one more; true where it is time to pause. */
  isOver(): boolean {
    this.#values += 1;
    return this.#values % STRIDE === 0;
  }
}
