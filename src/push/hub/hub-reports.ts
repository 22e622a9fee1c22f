import type { DoubtReason, Hints, HubCounts, HubListener } from './hub.js';

/** The least time between two doubts for the same reason, ms: strangers may cause some of them. */
const PACE = 1000;

/** Hands on what a hub hears, and counts it. A doubt from before there is a listener is kept. */
export class HubReports {
  readonly #pace: number;
  readonly #toldAt = new Map<DoubtReason, number>();
  readonly #later = new Map<DoubtReason, NodeJS.Timeout>();
  readonly #doubts: Record<DoubtReason, number> = {
    otherProcess: 0,
    connected: 0,
    peerFound: 0,
    peerLost: 0,
    shed: 0,
    otherEpoch: 0,
    floor: 0,
    poll: 0,
  };
  readonly #hints = { in: 0, out: 0, shed: 0 };
  #listener: HubListener | null = null;
  #kept: DoubtReason | null = null;

  constructor(pace = PACE) {
    this.#pace = pace;
  }

  listen(listener: HubListener): void {
    this.#listener = listener;
    if (this.#kept !== null) listener.doubt(this.#kept);
    this.#kept = null;
  }

  /** Nobody is told of anything any more. */
  end(): void {
    this.#listener = null;
    for (const timer of this.#later.values()) clearTimeout(timer);
  }

  /** Tells of a doubt: at once, or a moment after the last one for the same reason. */
  doubt(reason: DoubtReason): void {
    if (this.#later.has(reason)) return;
    const wait = (this.#toldAt.get(reason) ?? Number.NEGATIVE_INFINITY) + this.#pace;
    const now = performance.now();
    if (now >= wait) {
      this.#tell(reason);
      return;
    }
    const tell = (): void => {
      this.#later.delete(reason);
      this.#tell(reason);
    };
    this.#later.set(reason, setTimeout(tell, wait - now).unref());
  }

  hints(hints: Hints): void {
    this.#hints.in += hints.size;
    if (this.#listener === null) this.#kept ??= 'connected';
    else this.#listener.hints(hints);
  }

  subscription(id: string): void {
    this.#listener?.subscription(id);
  }

  /** Counts accounts that were told to others. */
  sent(accounts: number): void {
    this.#hints.out += accounts;
  }

  /** Counts accounts that were dropped. */
  shed(accounts: number): void {
    this.#hints.shed += accounts;
  }

  counts(): Pick<HubCounts, 'doubts' | 'hints'> {
    return { doubts: { ...this.#doubts }, hints: { ...this.#hints } };
  }

  #tell(reason: DoubtReason): void {
    this.#toldAt.set(reason, performance.now());
    this.#doubts[reason] += 1;
    if (this.#listener === null) this.#kept = reason;
    else this.#listener.doubt(reason);
  }
}
