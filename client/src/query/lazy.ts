/** A part of the client that is loaded when somebody needs it. */
export class Lazy<Part> {
  readonly #load: () => Promise<Part>;
  #part: Part | null = null;
  #loading: Promise<void> | null = null;

  constructor(load: () => Promise<Part>) {
    this.#load = load;
  }

  /** The part, where it is there. */
  get part(): Part | null {
    return this.#part;
  }

  /** Loads the part, and calls `onLoaded`. Where it can't be loaded, the next call tries again. */
  want(onLoaded: (part: Part) => void): void {
    this.#loading ??= this.#load().then((part) => {
      this.#part = part;
    });
    this.#loading.then(
      () => onLoaded(this.#part as Part),
      () => {
        this.#loading = null;
      },
    );
  }
}
