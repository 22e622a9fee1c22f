import type { Audience, News, Receiver, ReceiverKind } from './audience.js';

/** How a receiver hears of its channel. */
export interface ChannelListener {
  /** There may be news to take. */
  readonly wake: () => void;
  /** The token may do nothing any more. */
  readonly ended: () => void;
}

/**
 * One receiver of state changes: an event source, a WebSocket or a PushSubscription. It is told of
 * news, and takes them when it can send: so a slow receiver gets the newest states alone.
 */
export class Channel implements Receiver {
  readonly kind: ReceiverKind;
  readonly #audience: Audience;
  readonly #listener: ChannelListener;
  /** The audience's stamp up to which the receiver has taken all; null before `begin`. */
  #stamp: number | null = null;
  /** The id of what the receiver was told before the channel was open, until it takes the rest. */
  #lastId: string | null = null;
  #isClosed = false;
  #isEnded = false;

  constructor(kind: ReceiverKind, audience: Audience, listener: ChannelListener) {
    this.kind = kind;
    this.#audience = audience;
    this.#listener = listener;
    audience.join(this);
  }

  /** Begins with the present states: they are news as far as `lastId` differs from them. */
  begin(lastId: string | null): void {
    this.#stamp = this.#audience.stamp;
    this.#lastId = lastId;
  }

  /** Returns the id of all present states: what the receiver was told, once it has no news. */
  get id(): string {
    return this.#audience.id();
  }

  /** Returns all that the receiver has not been told, and counts it as told; null for nothing. */
  take(): News | null {
    if (this.#stamp === null || this.#isClosed) return null;
    const news =
      this.#lastId === null
        ? this.#audience.newsSince(this.#stamp)
        : this.#audience.newsAfter(this.#lastId);
    this.#lastId = null;
    this.#stamp = this.#audience.stamp;
    return news;
  }

  wake(): void {
    if (this.#stamp !== null && !this.#isClosed) this.#listener.wake();
  }

  /** Returns whether the token may do nothing any more. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  end(): void {
    this.#isEnded = true;
    if (!this.#isClosed) this.#listener.ended();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#audience.leave(this);
  }
}
