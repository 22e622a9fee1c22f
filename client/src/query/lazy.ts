import { Backoff } from '../sync/backoff.js';

/** A part of the client that is loaded when somebody needs it. */
export class Lazy<Part> {
  readonly #load: () => Promise<Part>;
  readonly #backoff = new Backoff();
  #part: Part | null = null;
  #loading: Promise<Part> | null = null;

  constructor(load: () => Promise<Part>) {
    this.#load = load;
  }

  /** The part, where it is there. */
  get part(): Part | null {
    return this.#part;
  }

  /** Loads the part, as often as it takes, and calls `onLoaded`. */
  want(onLoaded: (part: Part) => void): void {
    this.#loading ??= this.#load();
    this.#loading.then(
      (part) => {
        this.#part = part;
        onLoaded(part);
      },
      () => {
        this.#loading = null;
        setTimeout(() => this.want(onLoaded), this.#backoff.next());
      },
    );
  }

  /** Resolves when nothing is being loaded. */
  async settle(): Promise<void> {
    await this.#loading?.catch(() => undefined);
  }
}
