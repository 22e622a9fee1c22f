import { FairQueue } from '../../runtime/fair-slots.js';
import type { Busy } from './back-off.js';

/** How a work went, as far as its host is concerned; `none`: it has not asked the host. */
export type HostOutcome = 'good' | 'bad' | 'none' | Busy;

export interface LaneLimits {
  /** Works that run at once. */
  readonly size: number;
  /** Those of one host. */
  readonly width: number;
  /** The first pause of a host that is busy, ms. Each further answer doubles it. */
  readonly pause: number;
}

const LIMITS: LaneLimits = { size: 256, width: 8, pause: 60_000 };

/** A host begins with this width: it has to earn more. */
const FIRST_WIDTH = 2;
const LONGEST_PAUSE = 5 * 60_000;

/** Beyond it the bad ones that have nothing to do are forgotten, too. */
const MOST_HOSTS = 10_000;

interface Host<Item> {
  running: number;
  /** Works of it that may run at once. */
  width: number;
  /** Its last work went badly. */
  isSuspect: boolean;
  /** The item that it was too busy for, if no other went well since. */
  busyFor: Item | null;
  /** Of `performance.now()`. */
  heldUntil: number;
  pause: number;
}

/**
 * Runs works for many hosts: the hosts take turns, each has a few works at once, and a host that
 * answers badly has one. Hosts that answer badly have half of all places together. A host that is
 * too busy for one item may be so for that item alone: it is held once it is so for another, too.
 */
export class HostLanes<Item extends { readonly host: string }> {
  readonly #work: (item: Item) => Promise<HostOutcome>;
  readonly #limits: LaneLimits;
  readonly #queue = new FairQueue<Item>();
  readonly #hosts = new Map<string, Host<Item>>();
  readonly #whenIdle: (() => void)[] = [];
  #running = 0;
  #suspects = 0;
  #isStopped = false;

  /** `work` never rejects. */
  constructor(work: (item: Item) => Promise<HostOutcome>, limits: LaneLimits = LIMITS) {
    this.#work = work;
    this.#limits = limits;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Returns items that come next, of hosts that answer well. */
  next(count: number): readonly Item[] {
    return this.#queue.first(count, (name) => {
      const host = this.#hosts.get(name);
      return host === undefined || (!host.isSuspect && performance.now() >= host.heldUntil);
    });
  }

  push(item: Item): void {
    if (this.#isStopped) return;
    this.#queue.push(item.host, item);
    this.#pump();
  }

  /** Begins no further work. Resolves when none runs. */
  stop(): Promise<void> {
    this.#isStopped = true;
    this.#queue.remove(() => true);
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenIdle.push(resolve);
    });
  }

  #pump(): void {
    while (this.#running < this.#limits.size) {
      const item = this.#queue.shift((name) => this.#mayRun(name));
      if (item === undefined) return;
      void this.#run(item);
    }
  }

  #mayRun(name: string): boolean {
    const host = this.#hosts.get(name);
    if (host === undefined) return true;
    if (host.running >= host.width || performance.now() < host.heldUntil) return false;
    return !host.isSuspect || this.#suspects < this.#limits.size / 2;
  }

  async #run(item: Item): Promise<void> {
    const host = this.#hosts.get(item.host) ?? {
      ...{ running: 0, width: FIRST_WIDTH, isSuspect: false },
      ...{ busyFor: null, heldUntil: 0, pause: 0 },
    };
    this.#hosts.set(item.host, host);
    const { isSuspect } = host;
    host.running += 1;
    this.#running += 1;
    if (isSuspect) this.#suspects += 1;
    const outcome = await this.#work(item);
    host.running -= 1;
    this.#running -= 1;
    if (isSuspect) this.#suspects -= 1;
    this.#judge(item, host, outcome);
    this.#pump();
    if (this.#running === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  #judge(item: Item, host: Host<Item>, outcome: HostOutcome): void {
    if (outcome === 'good') {
      host.width = Math.min(this.#limits.width, host.width + 1);
      host.isSuspect = false;
      host.busyFor = null;
      host.pause = 0;
    } else if (outcome !== 'none') {
      host.width = 1;
      host.isSuspect = true;
    }
    if (typeof outcome === 'object') {
      if (host.busyFor !== null && host.busyFor !== item) this.#hold(host, outcome);
      host.busyFor = item;
    }
    const isUnused = host.running === 0 && this.#queue.waiting(item.host) === 0;
    const isForgettable = !host.isSuspect || this.#hosts.size > MOST_HOSTS;
    if (isUnused && isForgettable) this.#hosts.delete(item.host);
  }

  /** Holds a host for minutes at most: each subscription waits for as long as it was told. */
  #hold(host: Host<Item>, { retryAfter }: Busy): void {
    host.pause = Math.min(LONGEST_PAUSE, host.pause * 2 || this.#limits.pause);
    const pause = Math.min(LONGEST_PAUSE, retryAfter ?? host.pause);
    host.heldUntil = Math.max(host.heldUntil, performance.now() + pause);
    // A timer may come a little early.
    setTimeout(() => this.#pump(), pause + 2).unref();
  }
}
