import type { DoubtReason, Hints, HubCounts, HubListener } from './hub.js';

/** Hands on what a hub hears, and counts it. A doubt from before there is a listener is kept. */
export class HubReports {
  readonly #doubts: Record<DoubtReason, number> = {
    otherProcess: 0,
    connected: 0,
    peerFound: 0,
    peerLost: 0,
    shed: 0,
    floor: 0,
    poll: 0,
  };
  readonly #hints = { in: 0, out: 0, shed: 0 };
  #listener: HubListener | null = null;
  #kept: DoubtReason | null = null;

  listen(listener: HubListener): void {
    this.#listener = listener;
    if (this.#kept !== null) listener.doubt(this.#kept);
    this.#kept = null;
  }

  /** Nobody is told of anything any more. */
  end(): void {
    this.#listener = null;
  }

  doubt(reason: DoubtReason): void {
    this.#doubts[reason] += 1;
    if (this.#listener === null) this.#kept = reason;
    else this.#listener.doubt(reason);
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
}
