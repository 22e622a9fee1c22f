import type { PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { UnavailableError } from '../protocol/errors.js';
import { forgetOldest } from '../runtime/forget-oldest.js';
import { ACCESS_VERSION } from './change.js';
import {
  type CapabilitiesOfScopes,
  type LoadedCredential,
  loadPrincipals,
} from './load-principals.js';
import type { Authenticator, Credential, Gate, Principal } from './principal.js';
import { parseToken, secretMatches, TOKEN_PREFIX, tokenCredential } from './token-text.js';

/** Judges tokens of identity providers. */
export interface ProviderTokens {
  /**
   * Resolves to the credential of a token that is good; null where it is not. Rejects with
   * UnavailableError where nobody can know. Passes `gate` before it verifies or asks anything for a
   * token that it doesn't remember as a good one, and rejects as `gate` does.
   */
  judge(token: string, gate?: Gate): Promise<Credential | null>;

  /**
   * Returns whether a credential that `judge` has given, here or in another process, is still good
   * as far as is known. Asks the provider again in the background where that is long ago.
   */
  isGood(credential: Credential): boolean;
}

export interface AuthenticatorOptions {
  /**
   * Returns the committed access version. Each request asks for it: it should be cheap, and may be
   * a moment old. Reading a token asks for the `latest`. By default Prisma reads the version.
   */
  readonly accessVersion?: (latest?: boolean) => number | string | Promise<number | string>;
  /** Epoch ms. */
  readonly now?: () => number;
  /** How many tokens are remembered. */
  readonly maxCached?: number;
  /** By default there are no identity providers. */
  readonly providers?: ProviderTokens | undefined;
  /** By default scopes of providers open everything. */
  readonly capabilitiesOf?: CapabilitiesOfScopes;
  /** Administrators have the account of the directory. */
  readonly directory?: boolean;
}

interface Entry extends LoadedCredential {
  /** The access version at which it was read. */
  readonly version: string;
  readonly fingerprint: string;
}

interface Loading {
  readonly version: string;
  readonly entry: Promise<Entry | null>;
}

const MAX_CACHED = 10_000;
/** Tokens that are read together. */
const CHUNK = 500;
/** How often a load starts anew where access changes under it. */
const LOADS = 4;

/**
 * Authenticates bearer tokens. It remembers a credential's reach by its id (never its text) until
 * the access version changes: any process's change counts as soon as `accessVersion` tells of it.
 *
 * `prisma` must see committed rows alone: not the connection on which a transaction may be open.
 */
export function createAuthenticator(
  prisma: PrismaClient,
  options: AuthenticatorOptions = {},
): Authenticator {
  return new CachingAuthenticator(prisma, options);
}

class CachingAuthenticator implements Authenticator {
  readonly #prisma: PrismaClient;
  readonly #now: () => number;
  readonly #maxCached: number;
  readonly #readVersion: NonNullable<AuthenticatorOptions['accessVersion']>;
  readonly #providers: ProviderTokens | null;
  readonly #capabilitiesOf: CapabilitiesOfScopes;
  readonly #directory: boolean;
  /** In the order in which they were loaded. */
  readonly #cache = new Map<string, Entry>();
  readonly #loading = new Map<string, Loading>();

  constructor(prisma: PrismaClient, options: AuthenticatorOptions) {
    this.#prisma = prisma;
    this.#now = options.now ?? Date.now;
    this.#maxCached = options.maxCached ?? MAX_CACHED;
    this.#readVersion = options.accessVersion ?? (() => readStoredVersion(prisma));
    this.#providers = options.providers ?? null;
    this.#capabilitiesOf = options.capabilitiesOf ?? (() => null);
    this.#directory = options.directory ?? false;
  }

  async authenticate(token: string, gate?: Gate): Promise<Principal | null> {
    const parsed = parseToken(token);
    if (parsed !== null) return this.#authenticateOwn(parsed, gate);
    // A token of ours with a slip in it is nobody else's business.
    if (this.#providers === null || token.startsWith(TOKEN_PREFIX)) return null;
    const credential = await this.#providers.judge(token, gate);
    return credential && this.#valid(await this.#lookUp(credential));
  }

  async refresh(credential: Credential): Promise<Principal | null> {
    if (!this.#isGood(credential)) return null;
    return this.#valid(await this.#lookUp(credential));
  }

  async refreshAll(credentials: readonly Credential[]): Promise<ReadonlyMap<string, Principal>> {
    const principals = new Map<string, Principal>();
    const version = await this.version();
    for (let from = 0; from < credentials.length; from += CHUNK) {
      const chunk = credentials.slice(from, from + CHUNK);
      const good = chunk.filter((credential) => this.#isGood(credential));
      for (const [id, entry] of await this.#lookUpAll(good, version)) {
        const principal = this.#valid(entry);
        if (principal !== null) principals.set(id, principal);
      }
    }
    return principals;
  }

  version(): Promise<string> {
    return available(async () => String(await this.#readVersion()));
  }

  /** A token that was good at an earlier access version passes no gate. */
  async #authenticateOwn(
    { id, secret }: { readonly id: string; readonly secret: string },
    gate?: Gate,
  ): Promise<Principal | null> {
    const known = this.#cache.get(id) ?? null;
    const isKnown = known !== null && secretMatches(secret, known.secretHash);
    if (!isKnown) await gate?.();
    const entry = await this.#lookUp(tokenCredential(id));
    const isSame = known !== null && entry === known;
    const isGood = isSame ? isKnown : secretMatches(secret, entry?.secretHash ?? null);
    return isGood ? this.#valid(entry) : null;
  }

  #isGood(credential: Credential): boolean {
    return credential.signIn === null || (this.#providers?.isGood(credential) ?? true);
  }

  #valid(entry: Entry | null): Principal | null {
    const expires = entry?.principal.expires ?? null;
    if (entry === null || (expires !== null && expires <= this.#now())) return null;
    return entry.principal;
  }

  #lookUp(credential: Credential): Promise<Entry | null> {
    return available(async () => {
      const version = String(await this.#readVersion());
      const known = this.#cache.get(credential.id);
      if (known === undefined || known.version !== version) {
        return this.#loadOnce(credential, version);
      }
      return known;
    });
  }

  #lookUpAll(
    credentials: readonly Credential[],
    version: string,
  ): Promise<ReadonlyMap<string, Entry | null>> {
    const entries = new Map<string, Entry | null>();
    const unknown: Credential[] = [];
    for (const credential of credentials) {
      const known = this.#cache.get(credential.id);
      if (known?.version === version) entries.set(credential.id, known);
      else unknown.push(credential);
    }
    return available(async () => {
      if (unknown.length === 0) return entries;
      return new Map([...entries, ...(await this.#load(unknown, version))]);
    });
  }

  /** Requests that come meanwhile wait for the same load. */
  async #loadOnce(credential: Credential, version: string): Promise<Entry | null> {
    const { id } = credential;
    const running = this.#loading.get(id);
    if (running?.version === version) return running.entry;
    const entry = this.#load([credential], version).then((loaded) => loaded.get(id) ?? null);
    const loading = { version, entry };
    this.#loading.set(id, loading);
    try {
      return await entry;
    } finally {
      if (this.#loading.get(id) === loading) this.#loading.delete(id);
    }
  }

  async #load(
    credentials: readonly Credential[],
    version: string,
  ): Promise<ReadonlyMap<string, Entry | null>> {
    let before = version;
    for (let attempt = 1; ; attempt += 1) {
      const [capabilitiesOf, directory] = [this.#capabilitiesOf, this.#directory];
      const loaded = await loadPrincipals(this.#prisma, credentials, capabilitiesOf, directory);
      const after = String(await this.#readVersion(true));
      if (after === before || attempt === LOADS)
        return new Map(credentials.map(({ id }) => [id, this.#take(id, loaded.get(id), before)]));
      before = after;
    }
  }

  #take(id: string, loaded: LoadedCredential | undefined, version: string): Entry | null {
    const known = this.#cache.get(id);
    if (loaded === undefined) {
      this.#cache.delete(id);
      return null;
    }
    const print = fingerprint(loaded.principal);
    // The same access is the same object: what hangs on it (a session's text) stays good.
    const principal = known?.fingerprint === print ? known.principal : loaded.principal;
    const entry = { ...loaded, principal, version, fingerprint: print };
    this.#remember(id, entry);
    return entry;
  }

  #remember(id: string, entry: Entry): void {
    this.#cache.delete(id);
    this.#cache.set(id, entry);
    forgetOldest(this.#cache, this.#maxCached);
  }
}

/** Runs a read of the access tables. Rejects with UnavailableError where it fails. */
async function available<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new UnavailableError('The access tables could not be read.', { cause: error });
  }
}

/** Returns a text that two principals share if and only if all their members are equal. */
function fingerprint(principal: Principal): string {
  return JSON.stringify(principal, (_, value: unknown) => {
    return value instanceof Map || value instanceof Set ? [...value] : value;
  });
}

async function readStoredVersion(prisma: PrismaClient): Promise<string> {
  const row = await prisma.jmapMeta.findUnique({ where: { key: ACCESS_VERSION } });
  return row?.value ?? '0';
}
