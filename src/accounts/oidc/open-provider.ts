import { ProviderAwayError, UnavailableError } from '../../protocol/errors.js';
import type { Clocks } from './clocks.js';
import { discover, type ProviderPlaces, type ReadJson } from './discovery.js';
import { type FindKey, KeyRing, type ReadKeys } from './key-ring.js';
import { Renewal } from './renewal.js';
import type { ProviderSettings } from './settings.js';
import type { ProviderRecord, ProviderStore } from './stored-keys.js';

/** An identity provider as this server sees it. */
export interface Provider {
  readonly settings: ProviderSettings;
  /** Finds the key of a token, as `KeyRing.keyOf` does. */
  readonly keyOf: FindKey;
  /** Returns whether it still has a key, by the thumbprint: `KeyRing.hasKey`. */
  hasKey(thumbprint: string): boolean;
  /**
   * Resolves to where it can be asked about opaque tokens. Rejects with ProviderAwayError where
   * nobody can know, or where it says no place.
   */
  introspectionUrl(): Promise<URL>;
}

export interface ProviderPorts {
  readonly readJson: ReadJson;
  readonly store: ProviderStore;
  /** Is told why a provider could not be asked. */
  readonly onError: (issuer: string, error: unknown) => void;
  /** Is told why a record could not be read or written. */
  readonly onStoreError: (issuer: string, error: unknown) => void;
  readonly clocks: Clocks;
}

/**
 * Opens a provider without asking it anything: its first token does. Never rejects: a server starts
 * while its provider is away, and goes on with the keys that are stored.
 */
export async function openProvider(
  settings: ProviderSettings,
  ports: ProviderPorts,
): Promise<Provider> {
  const { issuer } = settings.rules;
  const record = await ports.store.read(issuer).catch((error: unknown) => {
    ports.onStoreError(issuer, error);
    return null;
  });
  return new OpenProvider(settings, ports, record);
}

/** The discovery document is read again when it is so old, ms. */
const FRESH = 60 * 60_000;

class OpenProvider implements Provider {
  readonly settings: ProviderSettings;
  readonly keyOf: FindKey;
  readonly #ports: ProviderPorts;
  readonly #ring: KeyRing;
  /** Null while nobody knows. */
  #places: ProviderRecord['places'];
  #keys: ReadKeys | null;
  /** Of the places. */
  readonly #renewal: Renewal;
  #writing: Promise<void> = Promise.resolve();

  constructor(settings: ProviderSettings, ports: ProviderPorts, record: ProviderRecord | null) {
    this.settings = settings;
    this.#ports = ports;
    const { wall, passed } = ports.clocks;
    this.#places = record?.places ?? null;
    this.#renewal = new Renewal({
      ...{ ask: () => this.#look(), fresh: FRESH, passed },
      // The document may be older than the clock says, where that was set back.
      age: this.#places && Math.max(0, wall() - this.#places.readAt),
      onError: (error) => this.#tell(error),
    });
    // Keys of another place may be the reason why it is configured.
    this.#keys = record?.jwks?.href === settings.jwks?.href ? (record?.keys ?? null) : null;
    this.#ring = new KeyRing({
      read: () => this.#readKeys(),
      stored: this.#keys,
      store: (keys) => {
        this.#keys = keys;
        this.#write();
      },
      onError: (error) => {
        // Of a failed look for the places #look has told.
        if (!(error instanceof UnavailableError)) this.#tell(error);
      },
      clocks: ports.clocks,
    });
    this.keyOf = this.#ring.keyOf;
  }

  hasKey(thumbprint: string): boolean {
    return this.#ring.hasKey(thumbprint);
  }

  async introspectionUrl(): Promise<URL> {
    const configured = this.settings.opaque?.endpoint ?? null;
    if (configured !== null) return configured;
    // Tokens don't wait where the place is known.
    const { introspection } = await this.#find(this.#places === null);
    if (introspection !== null) return introspection;
    const error = new Error('Its document has no "introspection_endpoint".');
    this.#tell(error);
    throw unavailable(error);
  }

  async #readKeys(): Promise<unknown> {
    const { jwks } = this.settings;
    const jwksUri = jwks ?? (await this.#find(true)).jwksUri;
    try {
      const keys = await this.#ports.readJson(jwksUri);
      if (keys === undefined) throw new Error(`There are no keys at ${jwksUri}.`);
      return keys;
    } catch (error) {
      // They may have moved: the document is read again before the next try.
      if (this.#places !== null) this.#places = { ...this.#places, readAt: 0 };
      this.#renewal.expire();
      throw error;
    }
  }

  /** Resolves to what the provider says now, or said last. */
  async #find(waits: boolean): Promise<ProviderPlaces> {
    this.#renewal.renew();
    if (waits) await this.#renewal.running;
    if (this.#places === null) throw unavailable(this.#renewal.error);
    return this.#places;
  }

  async #look(): Promise<void> {
    const readAt = this.#ports.clocks.wall();
    const places = await discover(this.settings.rules.issuer, this.#ports.readJson);
    this.#places = { ...places, readAt };
    this.#write();
  }

  /** One write after the other: the last has the newest of all. */
  #write(): void {
    const { issuer } = this.settings.rules;
    const write = (): Promise<void> =>
      this.#ports.store.write(issuer, {
        places: this.#places,
        jwks: this.settings.jwks,
        keys: this.#keys,
      });
    this.#writing = this.#writing.then(write).catch((error: unknown) => {
      this.#ports.onStoreError(issuer, error);
    });
  }

  #tell(error: unknown): void {
    this.#ports.onError(this.settings.rules.issuer, error);
  }
}

function unavailable(cause: unknown): UnavailableError {
  return new ProviderAwayError('The identity provider can not be asked where it has its keys.', {
    cause,
  });
}
