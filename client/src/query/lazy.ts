import { Backoff } from '../sync/backoff.js';

/** A part of the client that is loaded when somebody needs it. */
export class Lazy<Part> {
  readonly #load: () => Promise<Part>;
  readonly #backoff = new Backoff();
  readonly #wanted = new Set<(part: Part) => void>();
  #part: Part | null = null;
  #loading: Promise<Part> | null = null;
  /** Is set while the next try is to come. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(load: () => Promise<Part>) {
    this.#load = load;
  }

  /** The part, where it is there. */
  get part(): Part | null {
    return this.#part;
  }

  /** Loads the part, as often as it takes, and calls `onLoaded` once. */
  want(onLoaded: (part: Part) => void): void {
    this.#wanted.add(onLoaded);
    if (this.#timer === undefined) this.#try();
  }

  #try(): void {
    this.#loading ??= this.#load();
    this.#loading.then(
      (part) => {
        this.#part = part;
        const wanted = [...this.#wanted];
        this.#wanted.clear();
        for (const onLoaded of wanted) onLoaded(part);
      },
      () => {
        this.#loading = null;
        if (this.#isClosed) return;
        this.#timer ??= setTimeout(() => {
          this.#timer = undefined;
          this.#try();
        }, this.#backoff.next());
      },
    );
  }

  /** Tries no more. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** Resolves when nothing is being loaded. */
  async settle(): Promise<void> {
    await this.#loading?.catch(() => undefined);
  }
}
