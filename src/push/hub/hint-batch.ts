import type { StateChange } from '../../store/port.js';
import { LONGEST_PAYLOAD, shedPayload, takeHints, takeSubscriptions } from './payload.js';

/** Accounts and subscriptions that may wait to be told. Beyond it they are dropped. */
const MOST = 2000;

/** A payload, and how many accounts it tells of. */
export interface Payload {
  readonly text: string;
  readonly accounts: number;
}

/** The hints that wait to be told: each type's newest state alone, to bound the memory. */
export class HintBatch {
  readonly #hints = new Map<string, Map<string, number> | null>();
  readonly #subscriptions = new Set<string>();
  readonly #most: number;
  /** Some were dropped, and the others haven't been told yet. */
  #hasShed = false;
  /** Octets of the hints, about. */
  #octets = 0;

  constructor(most = MOST) {
    this.#most = most;
  }

  get isEmpty(): boolean {
    return this.#hints.size + this.#subscriptions.size === 0 && !this.#hasShed;
  }

  /** Whether a payload can be filled. */
  get isFull(): boolean {
    return this.#octets >= LONGEST_PAYLOAD;
  }

  /** Adds a commit. Returns how many accounts were dropped for want of room. */
  add({ accountId, changed, urgent }: StateChange): number {
    const dropped = this.#hints.has(accountId) ? 0 : this.#makeRoom();
    // Its receivers read the account, and hold back nothing of what they read.
    if (urgent !== undefined) this.#hints.set(accountId, null);
    for (const [name, state] of Object.entries(changed)) this.#addState(accountId, name, state);
    return dropped;
  }

  /** Adds a push subscription. Returns how many accounts were dropped for want of room. */
  addSubscription(id: string): number {
    const dropped = this.#makeRoom();
    this.#subscriptions.add(id);
    return dropped;
  }

  /** Returns the next payload; null where there is none. */
  take(head: string): Payload | null {
    if (this.#hasShed) {
      this.#hasShed = false;
      return { text: shedPayload(head), accounts: 0 };
    }
    const subscriptions = takeSubscriptions(head, this.#subscriptions);
    if (subscriptions !== null) return { text: subscriptions, accounts: 0 };
    const hints = takeHints(head, this.#hints);
    this.#octets = this.#hints.size === 0 ? 0 : Math.max(0, this.#octets - LONGEST_PAYLOAD);
    return hints;
  }

  clear(): void {
    this.#hints.clear();
    this.#subscriptions.clear();
    this.#hasShed = false;
    this.#octets = 0;
  }

  #makeRoom(): number {
    const { size } = this.#hints;
    if (size + this.#subscriptions.size < this.#most) return 0;
    this.clear();
    this.#hasShed = true;
    return size;
  }

  #addState(accountId: string, name: string, text: string): void {
    const state = Number(text);
    const states = this.#hints.get(accountId);
    if (!Number.isSafeInteger(state)) this.#hints.set(accountId, null);
    else if (states === undefined) this.#hints.set(accountId, new Map([[name, state]]));
    else if (states !== null) {
      const known = states.get(name);
      if (known !== undefined && known >= state) return;
      states.set(name, state);
      if (known !== undefined) return;
    }
    const account = states === undefined ? accountId.length + 6 : 0;
    this.#octets += account + Buffer.byteLength(name) + text.length + 4;
  }
}
