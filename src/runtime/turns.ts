import type { EventEmitter } from 'node:events';
import { LONGEST_TIMER } from './deadlines.js';

/** Requests in which something takes long that are worked on at once, the whole process over. */
const MAXIMUM = 4;

interface Waiting {
  readonly user: string;
  readonly begin: () => void;
}

/**
 * Turns of requests that are long. What one is read to takes twenty times its octets and more, and
 * they are read in slices: all that the budget lets in would be in memory at once. So a user has
 * one of them at a time, from where its reading begins until its answer is made, and all users
 * have four; what waits is octets alone. First come, first served. No wait is longer than a call may
 * take (D6), so that what a request holds meanwhile, its user's slot among it, comes back.
 */
export class Turns {
  readonly #maximum: number;
  readonly #users = new Set<string>();
  readonly #waiting: Waiting[] = [];

  constructor(maximum = MAXIMUM) {
    this.#maximum = maximum;
  }

  /**
   * Resolves when it is the user's turn, to what must be called when it is over; to null where it isn't within so
   * many ms, or the client closes meanwhile.
   */
  take(user: string, ms: number, client: EventEmitter): Promise<(() => void) | null> {
    return new Promise((resolve) => {
      const waiting: Waiting = {
        user,
        begin: () => {
          settle();
          this.#users.add(user);
          let isOver = false;
          resolve(() => {
            if (isOver) return;
            isOver = true;
            this.#users.delete(user);
            this.#next();
          });
        },
      };
      const leave = (): void => {
        settle();
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        resolve(null);
      };
      const timer = setTimeout(leave, Math.min(ms, LONGEST_TIMER));
      client.once('close', leave);
      const settle = (): void => {
        clearTimeout(timer);
        client.off('close', leave);
      };
      this.#waiting.push(waiting);
      this.#next();
    });
  }

  #next(): void {
    if (this.#users.size >= this.#maximum) return;
    const index = this.#waiting.findIndex(({ user }) => !this.#users.has(user));
    if (index >= 0) this.#waiting.splice(index, 1)[0]?.begin();
  }
}
