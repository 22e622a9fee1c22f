import type { Shared } from '../http/shared.js';

/** Octets of a control frame from a client, besides its payload (RFC 6455 5.2: header and mask). */
const CONTROL_FRAME = 6;

/** The octets that a peer sends: the budget holds those of a message until it is whole. */
export class Arrival {
  readonly #shared: Shared;
  readonly #user: string;
  #octets = 0;
  /** `#octets` at the last beat. */
  #octetsAtBeat = 0;

  constructor(shared: Shared, user: string) {
    this.#shared = shared;
    this.#user = user;
  }

  /** Returns false where the octets that have come don't fit. */
  take(octets: number): boolean {
    if (!this.#shared.budget.take(this.#user, octets)) return false;
    this.#octets += octets;
    return true;
  }

  /** Releases the octets of a control frame: they are no part of the message around it. */
  control(payload: Buffer): void {
    this.#release(payload.length + CONTROL_FRAME);
  }

  /** Releases all octets: a message is whole, or nothing more comes. */
  whole(): void {
    this.#release(this.#octets);
    this.#octetsAtBeat = 0;
  }

  /** Tells, at each beat, whether a message comes too slowly; false while nothing is read. */
  isSlow(isReading: boolean): boolean {
    const { bodyRate, heartbeat } = this.#shared.timings;
    const before = isReading ? this.#octetsAtBeat : 0;
    this.#octetsAtBeat = isReading ? this.#octets : 0;
    return before > 0 && this.#octets - before < (bodyRate * heartbeat) / 1000;
  }

  #release(octets: number): void {
    const released = Math.min(octets, this.#octets);
    this.#octets -= released;
    this.#shared.budget.release(this.#user, released);
  }
}
