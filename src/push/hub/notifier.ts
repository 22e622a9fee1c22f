import type { HintBatch, Payload } from './hint-batch.js';

export interface NotifierOptions {
  readonly batch: HintBatch;
  /** Returns the text that all payloads begin with, now. */
  readonly head: () => string;
  /** Sends a payload; rejects where the session is lost. */
  readonly send: (payload: Payload) => Promise<void>;
  /** The least time between two payloads that aren't full, ms. */
  readonly pause: number;
}

/**
 * Sends what a batch gathers, one payload at a time. The first hint after a quiet time goes in the
 * next turn. While more come, they gather for `pause` ms, or until a payload is full.
 */
export class Notifier {
  readonly #options: NotifierOptions;
  #next: { cancel(): void; readonly isSoon: boolean } | null = null;
  #sending: Promise<void> | null = null;
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  /** Something is in the batch. */
  wake(): void {
    const { batch, pause } = this.#options;
    if (this.#sending !== null || batch.isEmpty || this.#next?.isSoon === true) return;
    const wait = batch.isFull ? 0 : this.#sentAt + pause - performance.now();
    if (wait > 0) {
      if (this.#next !== null) return;
      const timer = setTimeout(() => this.#run(), wait).unref();
      this.#next = { isSoon: false, cancel: () => clearTimeout(timer) };
      return;
    }
    this.#next?.cancel();
    const immediate = setImmediate(() => this.#run());
    this.#next = { isSoon: true, cancel: () => clearImmediate(immediate) };
  }

  /** Sends all that is in the batch now; resolves when it is sent, or can't be. */
  async flush(): Promise<void> {
    this.stop();
    await this.#sending;
    while (!this.#options.batch.isEmpty && (await this.#sendOne()));
  }

  /** Nothing is sent until the next `wake`. */
  stop(): void {
    this.#next?.cancel();
    this.#next = null;
  }

  #run(): void {
    this.#next = null;
    this.#sending = this.#sendOne().then((isSent) => {
      this.#sending = null;
      if (isSent) this.wake();
    });
  }

  /** Returns whether it could be sent; after a lost session the next hello makes up for it. */
  async #sendOne(): Promise<boolean> {
    const { batch, head, send } = this.#options;
    const payload = batch.take(head());
    if (payload === null) return false;
    this.#sentAt = performance.now();
    return send(payload).then(
      () => true,
      () => false,
    );
  }
}
