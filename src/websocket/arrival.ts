import type { Shared } from '../http/shared.js';

/** Octets of a control frame from a client, besides its payload (RFC 6455 5.2: header and mask). */
const CONTROL_FRAME = 6;

/** What a peer sends, as octets: those of a message that isn't whole yet are held of the budget. */
export class Arrival {
  readonly #shared: Shared;
  readonly #user: string;
  #held = 0;
  /** The same when the last beat came. */
  #heldAtBeat = 0;

  constructor(shared: Shared, user: string) {
    this.#shared = shared;
    this.#user = user;
  }

  /** False where the octets that have come don't fit. */
  take(octets: number): boolean {
    if (!this.#shared.budget.take(this.#user, octets)) return false;
    this.#held += octets;
    return true;
  }

  /** What has come was a control frame: it is no part of the message that it came within. */
  control(payload: Buffer): void {
    this.#release(payload.length + CONTROL_FRAME);
  }

  /** What has come is a whole message, or nothing more comes. */
  whole(): void {
    this.#release(this.#held);
    this.#heldAtBeat = 0;
  }

  /** At intervals: whether a message comes too slowly. Of one that isn't read on nothing arrives. */
  isSlow(isReading: boolean): boolean {
    const { bodyRate, heartbeat } = this.#shared.timings;
    const before = isReading ? this.#heldAtBeat : 0;
    this.#heldAtBeat = isReading ? this.#held : 0;
    return before > 0 && this.#held - before < (bodyRate * heartbeat) / 1000;
  }

  #release(octets: number): void {
    const released = Math.min(octets, this.#held);
    this.#held -= released;
    this.#shared.budget.release(this.#user, released);
  }
}
