import type { Row } from '../store/replica.js';
import { type ShownWrite, showLater } from './write-forms.js';

/** Writes that need objects which have yet to be read, and all writes behind them. */
export class LateWrites {
  readonly #waiting: (() => void)[] = [];

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(make: () => ShownWrite, object?: Row): ShownWrite {
    const ended = new Promise<ShownWrite>((resolve) => {
      this.#waiting.push(() => resolve(make()));
    });
    return showLater(ended, object);
  }

  /** Makes them in their order. */
  make(): void {
    for (const make of this.#waiting.splice(0)) make();
  }
}
