import type { Authenticator, Principal } from './principal.js';

type Listener = (current: Principal | null) => void;

interface Followed {
  principal: Principal;
  readonly listeners: Set<Listener>;
}

/** How often sign-ins are looked at although nothing has changed here, ms. */
const SIGN_INS = 5000;
/** Tokens that are looked at together: where that fails, it fails for these alone. */
const CHUNK = 100;

/**
 * Looks at the tokens of open connections again, at short intervals: a revoked or expired one
 * closes them within a second. While nothing changes, a look costs one comparison of versions.
 */
export class LivePrincipals {
  readonly #authenticator: Authenticator;
  readonly #onError: (error: unknown) => void;
  readonly #followed = new Map<string, Followed>();
  readonly #timer: NodeJS.Timeout;
  /** Tokens that nobody has looked at since they are followed, or whose last look failed. */
  readonly #unseen = new Set<string>();
  /** When sign-ins at identity providers were last looked at, epoch ms. */
  #signInsAt = 0;
  /** The access version of the last look; null: all tokens are to be looked at. */
  #version: string | null = null;
  /** Resolves when the look that runs has ended. */
  #running: Promise<void> | null = null;
  #onChange: () => void = () => undefined;

  constructor(authenticator: Authenticator, interval: number, onError: (error: unknown) => void) {
    this.#authenticator = authenticator;
    this.#onError = onError;
    this.#timer = setInterval(() => void (this.#running ?? this.#begin()), interval);
    this.#timer.unref();
  }

  /**
   * Calls `listener` whenever the token's reach changes, and with null once the token may do
   * nothing any more. Returns a function that ends this.
   */
  follow(principal: Principal, listener: Listener): () => void {
    const { id } = principal.credential;
    let followed = this.#followed.get(id);
    if (followed === undefined) {
      followed = { principal, listeners: new Set() };
      this.#followed.set(id, followed);
      this.#unseen.add(id);
    }
    const { listeners } = followed;
    listeners.add(listener);
    // The caller may have looked before the last change, or after it: the next look tells.
    if (followed.principal !== principal) listener(followed.principal);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#followed.get(id)?.listeners === listeners) {
        this.#followed.delete(id);
      }
    };
  }

  /** Calls `listener` after looks that found access changed. */
  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  /** Returns the users whose tokens are followed. */
  userIds(): ReadonlySet<string> {
    return new Set(Array.from(this.#followed.values(), ({ principal }) => principal.userId));
  }

  /** Resolves when a look that began after this call has ended. */
  async lookNow(): Promise<void> {
    while (this.#running !== null) await this.#running;
    await this.#begin();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#followed.clear();
  }

  #begin(): Promise<void> {
    this.#running = this.#look().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #look(): Promise<void> {
    if (this.#followed.size === 0) return;
    try {
      const version = await this.#authenticator.version();
      const all = version !== this.#version;
      const now = Date.now();
      // A provider tells of some ends only when it is asked.
      const withSignIns = Math.abs(now - this.#signInsAt) >= SIGN_INS;
      if (withSignIns) this.#signInsAt = now;
      const due = [...this.#followed].filter(
        ([id, { principal }]) =>
          all ||
          this.#unseen.has(id) ||
          hasExpired(principal, now) ||
          (withSignIns && principal.credential.signIn !== null),
      );
      this.#unseen.clear();
      for (let from = 0; from < due.length; from += CHUNK)
        await this.#tryLookAt(due.slice(from, from + CHUNK), now);
      this.#version = version;
      if (all) this.#onChange();
    } catch (error) {
      // The database may be away for a while: the connections stay as they were.
      this.#version = null;
      this.#onError(error);
    }
  }

  /**
   * A failure is no reason to leave others open: then they are looked at one by one. The next look
   * is at tokens that fail alone.
   */
  async #tryLookAt(due: readonly (readonly [string, Followed])[], now: number): Promise<void> {
    try {
      await this.#lookAt(due, now);
    } catch (error) {
      const [one] = due;
      if (one !== undefined && due.length === 1) {
        this.#unseen.add(one[0]);
        this.#onError(error);
        return;
      }
      for (const single of due) await this.#tryLookAt([single], now);
    }
  }

  async #lookAt(due: readonly (readonly [string, Followed])[], now: number): Promise<void> {
    const credentials = due.map(([, { principal }]) => principal.credential);
    const principals = await this.#authenticator.refreshAll(credentials);
    for (const [id, followed] of due) {
      // Others may follow the token since then: the next look tells them.
      if (this.#followed.get(id) !== followed) continue;
      const current = hasExpired(followed.principal, now) ? null : (principals.get(id) ?? null);
      if (current === followed.principal) continue;
      if (current === null) this.#followed.delete(id);
      else followed.principal = current;
      for (const listener of [...followed.listeners]) listener(current);
    }
  }
}

function hasExpired({ expires }: Principal, now: number): boolean {
  return expires !== null && expires <= now;
}
