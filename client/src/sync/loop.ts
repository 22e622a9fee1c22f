import { Backoff } from './backoff.js';
import { Pause } from './pause.js';

export interface LoopOptions {
  /** Does work. Resolves to true when nothing is left to do, to false where it has to wait. */
  readonly work: () => Promise<boolean>;
  readonly hasMore: () => boolean;
  readonly backoff?: Backoff | undefined;
}

/** Does work as long as there is some, one piece behind the other, with pauses where it fails. */
export class Loop {
  readonly #options: LoopOptions;
  readonly #backoff: Backoff;
  #running: Promise<void> | null = null;
  readonly #pause = new Pause();
  #error: unknown;
  isClosed = false;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#backoff = options.backoff ?? new Backoff();
  }

  start(): void {
    if (this.#running !== null || this.isClosed) return;
    this.#running = this.#run();
  }

  /** Goes on at once, even where the last work has failed and its pause isn't over. */
  resume(): void {
    this.noteSuccess();
    this.#pause.end();
    this.start();
  }

  /** The next failure is the first one again. */
  noteSuccess(): void {
    this.#backoff.reset();
  }

  /** The next pause is at least as long as the error asks for. */
  noteError(error: unknown): void {
    this.#error = error;
  }

  /** Resolves when nothing runs. */
  async settle(): Promise<void> {
    await this.#running;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.#pause.end();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { work, hasMore } = this.#options;
    while (!this.isClosed) {
      const isDone = await work().catch(() => false);
      if (this.isClosed || (isDone && !hasMore())) break;
      // A server that never comes to an end is asked as rarely as one that fails.
      if (!isDone) await this.#pause.wait(this.#backoff.next(this.#error));
      this.#error = undefined;
    }
    this.#running = null;
  }
}
