import type { EventEmitter } from 'node:events';
import { Allowance } from './budgets.js';
import { timeLeft } from './deadlines.js';

export interface FairSlotsOptions {
  /** Works that run at once, of all keys together. */
  readonly size: number;
  /** Works of one key that run at once. */
  readonly share: number;
  /** Works that may wait; beyond it a work is refused at once. */
  readonly mayWait: number;
  /** Errors beyond `mayWait`, at a deadline or where the client has left, and after `close`. */
  readonly errors: {
    full(): Error;
    late(): Error;
    closed(): Error;
  };
}

interface Waiting {
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
}

/**
 * Runs at most so many works at once. Keys (accounts, users) take turns, and none has more than its
 * share: one that asks without end keeps no other waiting. Urgent works go before all others.
 */
export class FairSlots {
  readonly #options: FairSlotsOptions;
  readonly #running: Allowance;
  readonly #urgent = new FairQueue<Waiting>();
  readonly #waiting = new FairQueue<Waiting>();
  readonly #whenIdle: (() => void)[] = [];
  #closed = false;

  constructor(options: FairSlotsOptions) {
    this.#options = options;
    this.#running = new Allowance(options);
  }

  /** Runs `work` in a slot of the key. Rejects where it has none by `deadline`. */
  async run<T>(
    key: string,
    deadline: number,
    work: () => Promise<T>,
    isUrgent = false,
  ): Promise<T> {
    const slot = this.#enter(key, deadline, isUrgent ? this.#urgent : this.#waiting);
    if (slot !== null) await slot;
    try {
      return await work();
    } finally {
      this.#release(key);
    }
  }

  /**
   * Resolves to a function that releases the key's slot, to be called once. Rejects where there is
   * no slot by `deadline`, or `client` closes meanwhile.
   */
  async take(key: string, deadline: number, client?: EventEmitter): Promise<() => void> {
    await this.#enter(key, deadline, this.#waiting, client);
    return () => this.#release(key);
  }

  /** Returns whether a work of the key would run at once. */
  isFree(key: string): boolean {
    return !this.#closed && this.#running.fits(key);
  }

  /** Turns away the works that wait, and those that come later. */
  close(): void {
    this.#closed = true;
    for (const queue of [this.#urgent, this.#waiting])
      for (const { refuse } of queue.remove(() => true)) refuse(this.#options.errors.closed());
  }

  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void> {
    if (this.#running.total === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenIdle.push(resolve);
    });
  }

  /** Returns null where the key has a slot at once. */
  #enter(
    key: string,
    deadline: number,
    queue: FairQueue<Waiting>,
    client?: EventEmitter,
  ): Promise<void> | null {
    const { mayWait, errors } = this.#options;
    if (this.#closed) throw errors.closed();
    if (this.#running.take(key)) return null;
    if (this.#urgent.size + this.#waiting.size >= mayWait) throw errors.full();
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        queue.remove((other) => other === waiting);
        waiting.refuse(errors.late());
      };
      const timer = setTimeout(leave, timeLeft(deadline));
      client?.once('close', leave);
      const stopWaiting = (): void => {
        clearTimeout(timer);
        client?.off('close', leave);
      };
      const waiting: Waiting = {
        begin: () => {
          stopWaiting();
          this.#running.take(key);
          resolve();
        },
        refuse: (error) => {
          stopWaiting();
          reject(error);
        },
      };
      queue.push(key, waiting);
    });
  }

  #release(key: string): void {
    this.#running.release(key);
    const fits = (next: string): boolean => this.#running.fits(next);
    (this.#urgent.shift(fits) ?? this.#waiting.shift(fits))?.begin();
    if (this.#running.total > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }
}

/**
 * A queue of queues: items of one key leave in order, keys take turns. So one account that writes
 * in bulk delays another's single write by one item, not by its whole backlog.
 */
export class FairQueue<Item> {
  /** A Map keeps the order of insertion: the first key is the one whose turn it is. */
  readonly #lanes = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns the item whose turn it is. */
  get next(): Item | undefined {
    for (const lane of this.#lanes.values()) return lane[0];
    return undefined;
  }

  /** Returns up to `count` items of keys that `may` says true of, about in the order of leaving. */
  first(count: number, may: (key: string) => boolean): readonly Item[] {
    const items: Item[] = [];
    let lanes = [...this.#lanes].filter(([key]) => may(key)).map(([, lane]) => lane);
    for (let turn = 0; lanes.length > 0 && items.length < count; turn += 1) {
      lanes = lanes.filter((lane) => lane.length > turn);
      items.push(...lanes.flatMap((lane) => lane.slice(turn, turn + 1)));
    }
    return items.slice(0, count);
  }

  /** Returns how many items of the key wait. */
  waiting(key: string): number {
    return this.#lanes.get(key)?.length ?? 0;
  }

  push(key: string, item: Item): void {
    const lane = this.#lanes.get(key);
    if (lane === undefined) this.#lanes.set(key, [item]);
    else lane.push(item);
    this.#size += 1;
  }

  /**
   * Returns the next item, of a key that `may` says true of; its key goes to the end of the turn.
   */
  shift(may: (key: string) => boolean = () => true): Item | undefined {
    for (const [key, lane] of this.#lanes) {
      if (!may(key)) continue;
      this.#lanes.delete(key);
      const item = lane.shift();
      if (lane.length > 0) this.#lanes.set(key, lane);
      this.#size -= 1;
      return item;
    }
    return undefined;
  }

  /** Takes out all items that `leaves` says true of. */
  remove(leaves: (item: Item) => boolean): readonly Item[] {
    const removed: Item[] = [];
    for (const [key, lane] of this.#lanes) {
      const staying = lane.filter((item) => {
        if (!leaves(item)) return true;
        removed.push(item);
        return false;
      });
      if (staying.length === lane.length) continue;
      if (staying.length > 0) this.#lanes.set(key, staying);
      else this.#lanes.delete(key);
    }
    this.#size -= removed.length;
    return removed;
  }
}
