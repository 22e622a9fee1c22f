import { type CryptoKey, createLocalJWKSet, errors, type JWK, type JWTVerifyGetKey } from 'jose';
import { ProviderAwayError } from '../../protocol/errors.js';
import type { Clocks } from './clocks.js';
import { PAUSE, Renewal } from './renewal.js';
import { thumbprintOfJwk } from './thumbprint.js';

/** The public keys of a provider, and when it was asked for them, epoch ms. */
export interface ReadKeys {
  readonly keys: readonly JWK[];
  readonly readAt: number;
}

export interface KeyRingOptions {
  /** Asks the provider. Resolves to a JWK set (RFC 7517 5); rejects where none can be had. */
  readonly read: () => Promise<unknown>;
  /** The keys that another process has read, or this one before its start. */
  readonly stored: ReadKeys | null;
  /** Keeps what was read for other processes. Never rejects. */
  readonly store: (keys: ReadKeys) => void;
  /** Is told why the provider could not be asked. */
  readonly onError: (error: unknown) => void;
  readonly clocks: Clocks;
}

/** Finds the key that signed a token, for jose's `jwtVerify`. */
export type FindKey = (...input: Parameters<JWTVerifyGetKey>) => Promise<CryptoKey>;

const MINUTE = 60_000;
/** The provider is asked again when keys are so old, ms. */
const FRESH = 10 * MINUTE;
/** Keys count so long while the provider can't be asked, ms. */
const USABLE = 24 * 60 * MINUTE;
/** Keys that have not changed are stored so often, ms. */
const STORED = 60 * MINUTE;

/**
 * The public keys of one provider, for jose's `jwtVerify`. A token of a new key has the provider
 * asked at once, and made-up keys once in 30 seconds at most. While the provider is away its keys
 * count for a day. jose's own `createRemoteJWKSet` has neither: it waits after any reading, and
 * throws away keys that it can't renew.
 */
export class KeyRing {
  readonly #options: KeyRingOptions;
  readonly #renewal: Renewal;
  #keys: readonly JWK[] | null = null;
  #find: FindKey = () => Promise.reject(new errors.JWKSNoMatchingKey());
  #names: ReadonlySet<string | undefined> = new Set();
  #thumbprints: ReadonlySet<string | null> = new Set();
  /** When unknown keys were last looked for, and keys last stored, on the clock of what passes. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  #storedAt = Number.NEGATIVE_INFINITY;

  constructor(options: KeyRingOptions) {
    this.#options = options;
    const { stored, onError, clocks } = options;
    const isUsable = stored !== null && this.#take(stored.keys);
    // A clock that was set back makes no key younger than it is.
    const age = isUsable ? Math.max(0, clocks.wall() - stored.readAt) : null;
    if (age !== null) this.#storedAt = clocks.passed() - age;
    const { passed } = clocks;
    this.#renewal = new Renewal({ ask: () => this.#read(), fresh: FRESH, age, onError, passed });
  }

  /** Returns whether the provider still has a key, by its thumbprint. */
  hasKey(thumbprint: string): boolean {
    return this.#thumbprints.has(thumbprint);
  }

  /**
   * Resolves to the key that signed a token. Rejects with jose's JWKSNoMatchingKey where the
   * provider has no such key, with ProviderAwayError where nobody can know.
   */
  readonly keyOf: FindKey = async (header, token) => {
    const { kid } = header;
    const renewal = this.#renewal;
    const isKnown = (): boolean => this.#isUsable() && (!kid || this.#names.has(kid));
    // A reading that is under way is the look for this key.
    const begun = renewal.running === null ? renewal.begun : renewal.begun - 1;
    renewal.renew();
    if (!isKnown() && renewal.running !== null) await renewal.running;
    if (!isKnown() && renewal.begun === begun && this.#mayLook()) {
      this.#lookedAt = this.#options.clocks.passed();
      await renewal.ask();
    }
    if (!this.#isUsable() || (!isKnown() && renewal.isAway)) {
      throw new ProviderAwayError('The identity provider can not be asked for its keys.', {
        cause: renewal.error,
      });
    }
    if (!isKnown()) throw new errors.JWKSNoMatchingKey();
    return this.#find(header, token);
  };

  #mayLook(): boolean {
    return this.#options.clocks.passed() - this.#lookedAt >= PAUSE && !this.#renewal.isPausing;
  }

  #isUsable(): boolean {
    return this.#keys !== null && this.#renewal.age < USABLE;
  }

  async #read(): Promise<void> {
    const { clocks, read, store } = this.#options;
    const [readAt, at] = [clocks.wall(), clocks.passed()];
    const keys = usableKeys(await read());
    const isNew = JSON.stringify(keys) !== JSON.stringify(this.#keys);
    this.#take(keys);
    if (!isNew && at - this.#storedAt < STORED) return;
    this.#storedAt = at;
    store({ keys, readAt });
  }

  /** Returns false where there is no usable key. */
  #take(keys: readonly JWK[]): boolean {
    if (keys.length === 0) return false;
    this.#keys = keys;
    this.#names = new Set(keys.map(({ kid }) => kid));
    this.#thumbprints = new Set(keys.map(thumbprintOfJwk));
    this.#find = createLocalJWKSet({ keys: [...keys] });
    return true;
  }
}

const KINDS: ReadonlySet<unknown> = new Set(['RSA', 'EC', 'OKP']);

/**
 * Returns the public keys for signatures of a JWK set. Throws where it has none: an empty set must
 * not take the place of good keys. A symmetric key is no secret once it is there.
 */
function usableKeys(set: unknown): readonly JWK[] {
  const keys: unknown = (set as { readonly keys?: unknown } | null)?.keys;
  const usable = (Array.isArray(keys) ? (keys as readonly (JWK | null)[]) : []).filter(
    (key): key is JWK =>
      typeof key === 'object' &&
      key !== null &&
      KINDS.has(key.kty) &&
      key.d === undefined &&
      (key.use ?? 'sig') === 'sig',
  );
  if (usable.length === 0) throw new Error('The identity provider gives no key for signatures.');
  // "EdDSA" and "Ed25519" name the same algorithm (RFC 9864).
  return usable.map(({ alg, ...key }) => (key.kty === 'OKP' || !alg ? key : { ...key, alg }));
}
