import { createLocalJWKSet, errors, type JWK, type JWTVerifyGetKey } from 'jose';
import { ProviderAwayError } from '../../protocol/errors.js';

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
  /** Epoch ms. */
  readonly now: () => number;
}

const MINUTE = 60_000;
/** The provider is asked again when keys are so old, ms. */
const FRESH = 10 * MINUTE;
/** Keys count so long while the provider can't be asked, ms. */
const USABLE = 24 * 60 * MINUTE;
/** Between two looks for keys that are unknown, and after a failure, ms. */
const PAUSE = 30_000;
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
  #known: ReadKeys | null = null;
  #find: JWTVerifyGetKey = () => Promise.reject(new errors.JWKSNoMatchingKey());
  #names: ReadonlySet<string | undefined> = new Set();
  /** Another number once a key is gone: tokens that it signed are to be judged again. */
  #generation = 0;
  #reading: Promise<void> | null = null;
  /** Readings that have begun. */
  #begun = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  #storedAt = Number.NEGATIVE_INFINITY;
  #error: unknown;

  constructor(options: KeyRingOptions) {
    this.#options = options;
    const { stored } = options;
    const now = options.now();
    // A clock that was set back makes no key younger than it is.
    if (stored !== null && this.#take({ ...stored, readAt: Math.min(stored.readAt, now) }))
      this.#storedAt = stored.readAt;
  }

  get generation(): number {
    return this.#generation;
  }

  /**
   * Resolves to the key that signed a token. Rejects with jose's JWKSNoMatchingKey where the
   * provider has no such key, with ProviderAwayError where nobody can know.
   */
  readonly keyOf: JWTVerifyGetKey = async (header, token) => {
    const { kid } = header;
    const isKnown = (): boolean => this.#isUsable() && (!kid || this.#names.has(kid));
    // A reading that is under way is the look for this key.
    const begun = this.#reading === null ? this.#begun : this.#begun - 1;
    if (this.#isDue()) void this.#read();
    if (!isKnown() && this.#reading !== null) await this.#reading;
    if (!isKnown() && this.#begun === begun && this.#mayLook()) {
      this.#lookedAt = this.#options.now();
      await this.#read();
    }
    if (!this.#isUsable() || (!isKnown() && this.#isAway())) {
      throw new ProviderAwayError('The identity provider can not be asked for its keys.', {
        cause: this.#error,
      });
    }
    if (!isKnown()) throw new errors.JWKSNoMatchingKey();
    return this.#find(header, token);
  };

  #isDue(): boolean {
    const now = this.#options.now();
    const isOld = this.#known === null || now - this.#known.readAt >= FRESH;
    return isOld && now - this.#failedAt >= PAUSE;
  }

  #mayLook(): boolean {
    const now = this.#options.now();
    return now - this.#lookedAt >= PAUSE && now - this.#failedAt >= PAUSE;
  }

  #isUsable(): boolean {
    return this.#known !== null && this.#options.now() - this.#known.readAt < USABLE;
  }

  /** Returns whether the last reading failed. */
  #isAway(): boolean {
    return this.#failedAt > Number.NEGATIVE_INFINITY;
  }

  /** Never rejects. */
  #read(): Promise<void> {
    this.#reading ??= this.#readNow().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #readNow(): Promise<void> {
    this.#begun += 1;
    const readAt = this.#options.now();
    try {
      const keys = usableKeys(await this.#options.read());
      const isNew = JSON.stringify(keys) !== JSON.stringify(this.#known?.keys);
      this.#take({ keys, readAt });
      this.#failedAt = Number.NEGATIVE_INFINITY;
      if (!isNew && readAt - this.#storedAt < STORED) return;
      this.#storedAt = readAt;
      this.#options.store({ keys, readAt });
    } catch (error) {
      this.#failedAt = this.#options.now();
      this.#error = error;
      this.#options.onError(error);
    }
  }

  /** Returns false where there is no usable key. */
  #take(read: ReadKeys): boolean {
    const { keys } = read;
    if (keys.length === 0) return false;
    const names = new Set(keys.map(({ kid }) => kid));
    const texts = new Set(keys.map((key) => JSON.stringify(key)));
    const isGone = this.#known?.keys.some((key) => !texts.has(JSON.stringify(key)));
    if (isGone === true) this.#generation += 1;
    this.#known = read;
    this.#names = names;
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
