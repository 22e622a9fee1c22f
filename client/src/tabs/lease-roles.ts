import { sleep } from '../call/retry.js';
import { followSignal } from '../call/scope.js';
import type { OpenStore } from '../persist/port.js';
import { FencedError } from '../persist/store-errors.js';
import type { Role, Roles, Work } from './roles.js';

/** How often the holder of a role shows that it is there, ms. */
const BEAT = 1000;
/** After so many looks without a new beat the role is free. */
const MOST_SILENT = 5;

/** How long others may take to write a lease that they have found free, ms. */
const RIVALS = 100;

/** The row of a role in the store: who has it, and a number that grows with each beat. */
interface Lease {
  readonly holder: string;
  readonly beat: number;
}

/**
 * Roles by rows of the store, for browsers without Web Locks and for processes that share a file.
 * Nobody compares clocks: a tab takes a role whose row it sees unchanged.
 */
export class LeaseRoles implements Roles {
  readonly #store: OpenStore;

  constructor(store: OpenStore) {
    this.#store = store;
  }

  async run<T>(role: Role, work: Work<T>, signal: AbortSignal): Promise<T> {
    const key = `lease ${role}`;
    const holder = crypto.randomUUID();
    await this.#acquire(key, holder, signal, role === 'sync');
    const own = followSignal(signal);
    const beats = this.#beat(key, holder, own.signal).catch(own.abort);
    try {
      own.signal.throwIfAborted();
      return await work(own.signal);
    } finally {
      own.abort(undefined);
      await beats;
      await this.#release(key, holder);
    }
  }

  async #acquire(
    key: string,
    holder: string,
    signal: AbortSignal,
    isFenced: boolean,
  ): Promise<void> {
    let seen = await this.#read(key);
    for (let silent = 0; ; silent += 1) {
      if (seen === null || silent >= MOST_SILENT) {
        const take = isFenced ? this.#take(key, holder, seen) : this.#write(key, holder);
        if (await take) return;
      }
      await sleep(BEAT, signal);
      const now = await this.#read(key);
      if (!isSame(seen, now)) silent = -1;
      seen = now;
    }
  }

  /** Writes the lease, unless another one was faster: of two fences the later one wins. */
  async #take(key: string, holder: string, seen: Lease | null): Promise<boolean> {
    const epoch = await this.#store.fence();
    if (!isSame(seen, await this.#read(key))) return false;
    try {
      await this.#store.commit([{ table: 'meta', key, value: { holder, beat: 0 } }], { epoch });
      return true;
    } catch (error) {
      if (error instanceof FencedError) return false;
      throw error;
    }
  }

  /**
   * Writes the lease without a fence, which would end the turn of a tab: the last of those that
   * write at once has it. Where two have it for a moment, no harm is done.
   */
  async #write(key: string, holder: string): Promise<boolean> {
    await this.#store.commit([{ table: 'meta', key, value: { holder, beat: 0 } }], {});
    await new Promise((resolve) => setTimeout(resolve, RIVALS));
    return (await this.#read(key))?.holder === holder;
  }

  /** Beats until the signal is aborted; rejects where another one has the role. */
  async #beat(key: string, holder: string, signal: AbortSignal): Promise<never> {
    for (let beat = 1; ; beat += 1) {
      await sleep(BEAT, signal);
      const lease = await this.#read(key);
      if (lease?.holder !== holder) throw new DOMException('The role was taken.', 'AbortError');
      await this.#store.commit([{ table: 'meta', key, value: { holder, beat } }], {});
    }
  }

  async #release(key: string, holder: string): Promise<void> {
    try {
      const lease = await this.#read(key);
      if (lease?.holder === holder) await this.#store.commit([{ table: 'meta', key }], {});
    } catch {
      // Others find it silent.
    }
  }

  async #read(key: string): Promise<Lease | null> {
    const rows = await this.#store.load('meta', key);
    const row = rows.find(([name]) => name === key);
    return (row?.[1] ?? null) as Lease | null;
  }
}

function isSame(one: Lease | null, other: Lease | null): boolean {
  return one?.holder === other?.holder && one?.beat === other?.beat;
}
