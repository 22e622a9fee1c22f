/** Runs works one after the other, in the order they came. */
export class Serial {
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;

  /** Nothing runs and nothing waits. */
  get isIdle(): boolean {
    return this.#count === 0;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    this.#count += 1;
    const result = this.#last.then(work);
    this.#last = result.then(this.#done, this.#done);
    return result;
  }

  /** Resolves when all that was given so far has ended. */
  async idle(): Promise<void> {
    await this.#last;
  }

  readonly #done = (): void => {
    this.#count -= 1;
  };
}
