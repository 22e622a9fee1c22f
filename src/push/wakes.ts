import type { Audience } from './audience.js';

/** How long channels are woken in one turn of the event loop, ms. */
const SLICE = 2;

/**
 * Wakes the channels of audiences in a turn of their own, so that the commits of one turn are one
 * event. Many channels take several turns: other requests come in between.
 */
export class Wakes {
  readonly #waiting = new Set<Audience>();
  #isScheduled = false;

  add(audience: Audience): void {
    this.#waiting.add(audience);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#wakeSome();
    });
  }

  #wakeSome(): void {
    const end = performance.now() + SLICE;
    for (const audience of this.#waiting) {
      this.#waiting.delete(audience);
      // A channel may be closed by its news.
      for (const channel of [...audience.receivers]) channel.wake();
      if (performance.now() >= end) break;
    }
    if (this.#waiting.size > 0) this.#schedule();
  }
}
