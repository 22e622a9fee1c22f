import { lateError } from '../../database/postgresql/errors.js';
import { UnavailableError } from '../../protocol/errors.js';

/** Works that may wait; beyond it a call is turned away at once (D6). */
const LIMIT = 2048;

/**
 * Works of one account run one after the other, in the order they came, those of different accounts
 * at the same time. The account's lock in the database would have them wait too, but each with a
 * connection of the pool, and in no order.
 */
export class Lanes {
  readonly #last = new Map<string, Promise<unknown>>();
  #waiting = 0;
  #closed = false;

  /** Runs `work` when it is its turn, unless `deadline` has passed by then. */
  async run<T>(key: string, deadline: number, work: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new UnavailableError('The server is stopping.');
    if (this.#waiting >= LIMIT) throw new UnavailableError('Too many writes are waiting.');
    this.#waiting += 1;
    const before = this.#last.get(key) ?? Promise.resolve();
    const result = before.then(() => {
      if (performance.now() > deadline) throw lateError();
      return work();
    });
    const settled = result.catch(() => undefined);
    this.#last.set(key, settled);
    try {
      return await result;
    } finally {
      this.#waiting -= 1;
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }

  /** Refuses further works; resolves when those that were given have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#last.values());
  }
}
