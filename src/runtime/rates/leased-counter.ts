import { inTime } from '../deadlines.js';
import type { GrantedPoints, PointStore, RateCounter, Taken } from './rate-counter.js';
import type { RateRule } from './rate-rules.js';

/** How long a request waits for the store, ms; after that the memory counts. */
const ANSWER = 250;
/** The memory counts for so long after a failure, ms. Then one request tries the store. */
const AWAY = 1000;
/** Points that nobody has used for so long go back to the store, ms. */
const IDLE = 250;
/** A key that was refused asks again after so long: others may have given points back, ms. */
const REFUSED = 250;
/** Points that are taken in advance: so many at most, and so small a part of what is left. */
const MOST_POINTS = 64;
const PART = 4;

export interface LeasedCounterOptions {
  readonly rule: RateRule;
  readonly store: PointStore;
  /** Counts while the store is away. */
  readonly memory: RateCounter;
  /** Is told why the store doesn't answer. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Counts requests in a store that several processes share: together they grant exactly what the
 * rule allows. A process takes points of a busy key in advance, so few requests wait for the store.
 * It asks the store once at a time for a key, however many requests wait.
 */
export class LeasedCounter implements RateCounter {
  readonly #rule: RateRule;
  readonly #store: PointStore;
  readonly #memory: RateCounter;
  readonly #onFailure: (error: unknown) => void;
  readonly #leases = new Map<string, Lease>();
  /** Granted by the memory. */
  readonly #byMemory = new WeakSet<Taken>();
  #awayUntil = 0;
  #sweeps: NodeJS.Timeout | null = null;

  constructor({ rule, store, memory, onFailure }: LeasedCounterOptions) {
    this.#rule = rule;
    this.#store = store;
    this.#memory = memory;
    this.#onFailure = onFailure;
  }

  take(key: string): Promise<Taken> | Taken {
    const lease = this.#leaseOf(key);
    const now = performance.now();
    lease.usedAt = now;
    return lease.has(now) ? this.#use(key, lease, now) : this.#takeLater(key, lease);
  }

  async #takeLater(key: string, lease: Lease): Promise<Taken> {
    for (;;) {
      const now = performance.now();
      lease.usedAt = now;
      if (lease.has(now)) return this.#use(key, lease, now);
      if (now < lease.refusedUntil) return lease.refuse(key);
      if (now < this.#awayUntil) return this.#takeOfMemory(key);
      lease.waiting += 1;
      lease.asking ??= this.#ask(key, lease);
      await lease.asking;
      lease.waiting -= 1;
    }
  }

  give(taken: Taken): void {
    const { key, window } = taken;
    if (this.#byMemory.has(taken)) this.#memory.give(taken);
    else if (performance.now() < taken.until) {
      const lease = this.#leases.get(key);
      if (lease?.window === window) lease.points += 1;
      else void this.#putBack(key, 1, window);
    }
  }

  /** Puts all points back that were taken in advance. */
  async close(): Promise<void> {
    if (this.#sweeps !== null) clearInterval(this.#sweeps);
    const now = performance.now();
    const leases = [...this.#leases];
    this.#leases.clear();
    await Promise.all(leases.map(([key, lease]) => this.#end(key, lease, now)));
    await this.#memory.close();
  }

  #leaseOf(key: string): Lease {
    const known = this.#leases.get(key);
    if (known !== undefined) return known;
    const lease = new Lease();
    this.#leases.set(key, lease);
    if (this.#sweeps === null) {
      this.#sweeps = setInterval(() => this.#sweep(), IDLE);
      this.#sweeps.unref();
    }
    return lease;
  }

  #use(key: string, lease: Lease, now: number): Taken {
    const taken = lease.use(key);
    // The next points are there before these are used up.
    if (lease.runsLow && lease.asking === null && now >= this.#awayUntil) {
      lease.asking = this.#ask(key, lease);
    }
    return taken;
  }

  async #takeOfMemory(key: string): Promise<Taken> {
    const taken = await this.#memory.take(key);
    this.#byMemory.add(taken);
    return taken;
  }

  /** Asks the store for points. Never rejects: after a failure the memory counts. */
  async #ask(key: string, lease: Lease): Promise<void> {
    const sentAt = performance.now();
    // While one request tries a store that was away, the others don't wait for it.
    if (this.#awayUntil > 0) this.#awayUntil = sentAt + AWAY;
    const deadline = sentAt + ANSWER;
    const most = Math.min(this.#rule.count, Math.max(lease.waiting, lease.size));
    const answer = this.#store.take(key, most, deadline);
    try {
      lease.receive(await inTime(deadline, answer, lateStore), sentAt);
      this.#awayUntil = 0;
    } catch (error) {
      this.#awayUntil = performance.now() + AWAY;
      this.#onFailure(error);
      answer.then(
        ({ points, window }) => this.#putBack(key, points, window),
        () => undefined,
      );
    } finally {
      lease.asking = null;
    }
  }

  #sweep(): void {
    const now = performance.now();
    for (const [key, lease] of this.#leases) {
      if (!lease.isIdle(now)) continue;
      this.#leases.delete(key);
      void this.#end(key, lease, now);
    }
    if (this.#leases.size > 0 || this.#sweeps === null) return;
    clearInterval(this.#sweeps);
    this.#sweeps = null;
  }

  async #end(key: string, lease: Lease, now: number): Promise<void> {
    if (lease.has(now)) await this.#putBack(key, lease.points, lease.window);
  }

  /** Never rejects: points that can't be put back are lost until their window ends. */
  async #putBack(key: string, points: number, window: string): Promise<void> {
    if (points === 0) return;
    try {
      await inTime(performance.now() + ANSWER, this.#store.give(key, points, window), lateStore);
    } catch (error) {
      this.#onFailure(error);
    }
  }
}

function lateStore(): Error {
  return new Error(`The store of rate limits has not answered within ${ANSWER} ms.`);
}

/** The points of one key that this process has taken in advance. */
class Lease {
  points = 0;
  window = '';
  /** Points to take at the next time: twice as many each time, one after a pause. */
  size = 1;
  refusedUntil = 0;
  usedAt = 0;
  /** Requests that wait for `asking`. */
  waiting = 0;
  asking: Promise<void> | null = null;
  /** By `performance.now()`; no later than the store ends it. */
  #endsAt = 0;
  /** Points that nobody had taken when the store last answered. */
  #unclaimed = 0;

  get runsLow(): boolean {
    return this.size > 1 && this.points <= this.size / 4 && this.#unclaimed > 0;
  }

  has(now: number): boolean {
    return this.points > 0 && now < this.#endsAt;
  }

  isIdle(now: number): boolean {
    return this.waiting === 0 && this.asking === null && now - this.usedAt >= IDLE;
  }

  use(key: string): Taken {
    this.points -= 1;
    const left = this.points + this.#unclaimed;
    return { isGranted: true, key, left, until: this.#endsAt, window: this.window };
  }

  refuse(key: string): Taken {
    return { isGranted: false, key, left: 0, until: this.#endsAt, window: this.window };
  }

  /** Takes an answer of the store to a statement that was sent at `sentAt`. */
  receive({ points, left, window, endsIn }: GrantedPoints, sentAt: number): void {
    if (window !== this.window) {
      this.points = 0;
      this.window = window;
      this.#endsAt = sentAt + endsIn;
    }
    this.points += points;
    this.#unclaimed = left;
    const isRefused = points === 0;
    this.refusedUntil = isRefused ? Math.min(performance.now() + REFUSED, this.#endsAt) : 0;
    const fair = Math.max(1, Math.floor(left / PART));
    this.size = isRefused ? 1 : Math.min(2 * this.size, MOST_POINTS, fair);
  }
}
