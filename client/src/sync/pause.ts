/** A wait that may be cut short. */
export class Pause {
  #wake: (() => void) | null = null;

  /** Resolves after so many milliseconds, or when it is ended. */
  async wait(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = null;
  }

  end(): void {
    this.#wake?.();
  }
}
