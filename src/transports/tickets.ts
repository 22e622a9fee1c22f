import { randomBytes } from 'node:crypto';

/** D25: for browsers, which can't send headers with an EventSource or a WebSocket. */
const LIFETIME = 60_000;
/** Unused tickets that one token may have; a further one drops its oldest. */
const MAX_PER_TOKEN = 64;

export interface Ticket {
  readonly ticket: string;
  /** Epoch ms. */
  readonly expires: number;
}

interface Issued {
  readonly tokenId: string;
  readonly expires: number;
}

/** Tickets that stand for a token once, within 60 seconds. They live in memory alone. */
export class Tickets {
  readonly #issued = new Map<string, Issued>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  issue(tokenId: string): Ticket {
    this.#sweep(tokenId);
    const ticket = randomBytes(32).toString('base64url');
    const expires = this.#now() + LIFETIME;
    this.#issued.set(ticket, { tokenId, expires });
    return { ticket, expires };
  }

  /** Uses a ticket up: the token id it stands for, or null where it is unknown, used or too old. */
  redeem(ticket: string): string | null {
    const issued = this.#issued.get(ticket);
    if (issued === undefined) return null;
    this.#issued.delete(ticket);
    return issued.expires > this.#now() ? issued.tokenId : null;
  }

  /** The map is in order of issue, so the old ones are in front. */
  #sweep(tokenId: string): void {
    const now = this.#now();
    let oldest: string | null = null;
    let count = 0;
    for (const [ticket, issued] of this.#issued) {
      if (issued.expires <= now) {
        this.#issued.delete(ticket);
      } else if (issued.tokenId === tokenId) {
        oldest ??= ticket;
        count += 1;
      }
    }
    if (count >= MAX_PER_TOKEN && oldest !== null) this.#issued.delete(oldest);
  }
}
