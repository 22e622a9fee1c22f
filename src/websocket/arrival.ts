import type { Shared } from '../http/shared.js';

/** Octets of a control frame from a client, besides its payload (RFC 6455 5.2: header and mask). */
const CONTROL_FRAME = 6;
/** Pings that a peer may leave unanswered. */
const SILENT_PINGS = 2;

/** What a peer sends, as octets: those of a message that isn't whole yet are held of the budget. */
export class Arrival {
  readonly #shared: Shared;
  readonly #user: string;
  #held = 0;
  /** The same when the last beat came. */
  #heldAtBeat = 0;
  #silentPings = 0;

  constructor(shared: Shared, user: string) {
    this.#shared = shared;
    this.#user = user;
  }

  /** False where the octets that have come don't fit. */
  take(octets: number): boolean {
    this.#silentPings = 0;
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

  /**
   * At intervals, before a ping: whether the peer has fallen silent, or sends a message too slowly. Of a message that
   * isn't read on nothing arrives.
   */
  isDead(isReading: boolean): boolean {
    const { bodyRate, heartbeat } = this.#shared.timings;
    const before = isReading ? this.#heldAtBeat : 0;
    this.#heldAtBeat = isReading ? this.#held : 0;
    const slow = before > 0 && this.#held - before < (bodyRate * heartbeat) / 1000;
    return slow || this.#silentPings >= SILENT_PINGS;
  }

  /** The peer has shown that it lives. */
  heard(): void {
    this.#silentPings = 0;
  }

  /** A ping goes out that the peer can answer. */
  pinged(): void {
    this.#silentPings += 1;
  }

  #release(octets: number): void {
    const released = Math.min(octets, this.#held);
    this.#held -= released;
    this.#shared.budget.release(this.#user, released);
  }
}
