import type { Authenticator, Principal } from './principal.js';

type Listener = (current: Principal | null) => void;

interface Followed {
  principal: Principal;
  readonly listeners: Set<Listener>;
}

/**
 * Looks at the tokens of open connections again, at short intervals: a revoked or expired one
 * closes them within a second. It looks once for each token, however many connections it has.
 */
export class LivePrincipals {
  readonly #authenticator: Authenticator;
  readonly #onError: (error: unknown) => void;
  readonly #followed = new Map<string, Followed>();
  readonly #timer: NodeJS.Timeout;
  #busy = false;

  constructor(authenticator: Authenticator, interval: number, onError: (error: unknown) => void) {
    this.#authenticator = authenticator;
    this.#onError = onError;
    this.#timer = setInterval(() => void this.#look(), interval);
    this.#timer.unref();
  }

  /**
   * Calls `listener` whenever the token's reach changes, and with null once the token may do
   * nothing any more. Returns a function that ends this.
   */
  follow(principal: Principal, listener: Listener): () => void {
    const { tokenId } = principal;
    let followed = this.#followed.get(tokenId);
    if (followed === undefined) {
      followed = { principal, listeners: new Set() };
      this.#followed.set(tokenId, followed);
    }
    const { listeners } = followed;
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#followed.get(tokenId)?.listeners === listeners) {
        this.#followed.delete(tokenId);
      }
    };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#followed.clear();
  }

  async #look(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      for (const [tokenId, followed] of [...this.#followed]) await this.#lookAt(tokenId, followed);
    } catch (error) {
      // The database may be away for a while: the connections stay as they were.
      this.#onError(error);
    } finally {
      this.#busy = false;
    }
  }

  async #lookAt(tokenId: string, followed: Followed): Promise<void> {
    const { expires } = followed.principal;
    const expired = expires !== null && expires <= Date.now();
    const current = expired ? null : await this.#authenticator.refresh(tokenId);
    if (current === followed.principal) return;
    if (current === null) this.#followed.delete(tokenId);
    else followed.principal = current;
    for (const listener of [...followed.listeners]) listener(current);
  }
}
