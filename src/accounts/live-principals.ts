import type { Authenticator, Principal } from './principal.js';

type Listener = (current: Principal | null) => void;

interface Followed {
  principal: Principal;
  readonly listeners: Set<Listener>;
}

/**
 * Looks at the tokens of open connections again, at short intervals: a revoked or expired one
 * closes them within a second. While nothing changes, a look costs one comparison of versions.
 */
export class LivePrincipals {
  readonly #authenticator: Authenticator;
  readonly #onError: (error: unknown) => void;
  readonly #followed = new Map<string, Followed>();
  readonly #timer: NodeJS.Timeout;
  /** Tokens that nobody has looked at since they are followed. */
  readonly #unseen = new Set<string>();
  /** The access version of the last look; null: all tokens are to be looked at. */
  #version: string | null = null;
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
      this.#unseen.add(tokenId);
    }
    const { listeners } = followed;
    listeners.add(listener);
    // The caller may have looked before the last change, or after it: the next look tells.
    if (followed.principal !== principal) listener(followed.principal);
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
    if (this.#busy || this.#followed.size === 0) return;
    this.#busy = true;
    try {
      const version = await this.#authenticator.version();
      const all = version !== this.#version;
      const now = Date.now();
      const due = [...this.#followed].filter(
        ([
          tokenId,
          {
            principal: { expires },
          },
        ]) => all || this.#unseen.has(tokenId) || (expires !== null && expires <= now),
      );
      this.#unseen.clear();
      if (due.length > 0) await this.#lookAt(due, now);
      this.#version = version;
    } catch (error) {
      // The database may be away for a while: the connections stay as they were.
      this.#version = null;
      this.#onError(error);
    } finally {
      this.#busy = false;
    }
  }

  async #lookAt(due: readonly (readonly [string, Followed])[], now: number): Promise<void> {
    const principals = await this.#authenticator.refreshAll(due.map(([tokenId]) => tokenId));
    for (const [tokenId, followed] of due) {
      const { expires } = followed.principal;
      const expired = expires !== null && expires <= now;
      const current = expired ? null : (principals.get(tokenId) ?? null);
      if (current === followed.principal) continue;
      if (current === null) this.#followed.delete(tokenId);
      else followed.principal = current;
      for (const listener of [...followed.listeners]) listener(current);
    }
  }
}
