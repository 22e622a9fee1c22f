/** Runs works one after the other, in the order they came. */
export class Serial {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.then(nothing, nothing);
    return result;
  }

  /** Resolves when all that was given so far has ended. */
  async idle(): Promise<void> {
    await this.#last;
  }
}

/** Keeps neither the result nor the failure, which the caller of its work is told. */
const nothing = (): void => undefined;
