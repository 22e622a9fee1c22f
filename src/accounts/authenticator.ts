import type { PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { UnavailableError } from '../protocol/errors.js';
import { setNewest } from '../runtime/forget-oldest.js';
import { available } from './available.js';
import { formatVersion, parseVersion, VERSION_KEYS } from './change.js';
import {
  type CapabilitiesOfScopes,
  type LoadedCredential,
  loadPrincipals,
  type ReachSettings,
} from './load-principals.js';
import { MovedPrincipals } from './moved-principals.js';
import type { Authenticator, Credential, Gate, Principal, SharedTypes } from './principal.js';
import { isSameSignIn } from './sign-in.js';
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
   * Returns what a credential that `judge` has given, here or in another process, is now as far as
   * is known: what its token reaches may have changed. Null: it is good no more. Asks the provider
   * again in the background where that is long ago.
   */
  current(credential: Credential): Credential | null;

  /** Another number once `current` gives something else for a credential. */
  readonly revision: number;
}

type ReadVersion = () => number | string | Promise<number | string>;

export interface AuthenticatorOptions {
  /**
   * Returns the committed access version. Each request asks for it: it should be cheap, and may be
   * a moment old. By default Prisma reads the version.
   */
  readonly accessVersion?: ReadVersion;
  /** The same, and never old: a load asks for it. */
  readonly readAccessVersion?: ReadVersion;
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
  /** The types that users see by shares of objects: by default there are none. */
  readonly sharedTypes?: SharedTypes;
  /** The types of principals: by default there are none. */
  readonly principalTypes?: readonly string[] | null;
}

interface Entry extends LoadedCredential {
  /** The access version before it was read: what was read may be newer, and never older. */
  readonly version: string;
  readonly fingerprint: string;
}

interface Loading {
  readonly version: string;
  readonly credential: Credential;
  readonly entry: Promise<Entry | null>;
}

const MAX_CACHED = 10_000;
/** Tokens that are read together. */
const CHUNK = 500;
/** How often a load starts anew where access changes under it. */
const LOADS = 4;
/** In messages. */
const ROWS = 'access tables';

/**
 * Authenticates bearer tokens. It remembers a credential's reach by its id (never its text) until
 * the access version changes: any process's change counts as soon as `accessVersion` tells of it.
 * Of the share version, changes that concern the user count alone.
 * The reach of a provider's token counts for its claims alone.
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
  readonly #version: ReadVersion;
  readonly #readVersion: ReadVersion;
  readonly #providers: ProviderTokens | null;
  readonly #settings: ReachSettings;
  readonly #moved: MovedPrincipals;
  /** In the order in which they were loaded. */
  readonly #cache = new Map<string, Entry>();
  readonly #loading = new Map<string, Loading>();

  constructor(prisma: PrismaClient, options: AuthenticatorOptions) {
    this.#prisma = prisma;
    this.#moved = new MovedPrincipals(prisma);
    this.#now = options.now ?? Date.now;
    this.#maxCached = options.maxCached ?? MAX_CACHED;
    this.#readVersion = options.readAccessVersion ?? (() => readStoredVersion(prisma));
    this.#version = options.accessVersion ?? this.#readVersion;
    this.#providers = options.providers ?? null;
    this.#settings = {
      capabilitiesOf: options.capabilitiesOf ?? (() => null),
      hasDirectory: options.directory ?? false,
      ...(options.sharedTypes && { sharedTypes: options.sharedTypes }),
      ...(options.principalTypes && { principalTypes: options.principalTypes }),
    };
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
    const current = this.#current(credential);
    return current && this.#valid(await this.#lookUp(current));
  }

  async refreshAll(credentials: readonly Credential[]): Promise<ReadonlyMap<string, Principal>> {
    const principals = new Map<string, Principal>();
    const version = await this.#accessVersion();
    for (let from = 0; from < credentials.length; from += CHUNK) {
      const chunk = credentials.slice(from, from + CHUNK);
      const good = chunk.flatMap((credential) => this.#current(credential) ?? []);
      for (const [id, entry] of await this.#lookUpAll(good, version)) {
        const principal = this.#valid(entry);
        if (principal !== null) principals.set(id, principal);
      }
    }
    return principals;
  }

  async version(): Promise<string> {
    const version = await this.#accessVersion();
    return this.#providers === null ? version : `${version} ${this.#providers.revision}`;
  }

  async #accessVersion(): Promise<string> {
    const version = await askFor(this.#version);
    await this.#followTo(version);
    return version;
  }

  async #followTo(version: string): Promise<void> {
    const { shares } = parseVersion(version);
    if (!this.#moved.isKnown(shares)) await available(ROWS, () => this.#moved.follow(shares));
  }

  /** Returns whether nothing has changed of principals' reach from one version to a later one. */
  #isSame(principalIds: readonly string[], before: string, after: string): boolean {
    if (before === after) return true;
    const [old, now] = [parseVersion(before), parseVersion(after)];
    if (old.access !== now.access) return false;
    return !principalIds.some((id) => this.#moved.hasMoved(id, old.shares));
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

  #current(credential: Credential): Credential | null {
    if (credential.signIn === null || this.#providers === null) return credential;
    return this.#providers.current(credential);
  }

  #valid(entry: Entry | null): Principal | null {
    const expires = entry?.principal.expires ?? null;
    if (entry === null || (expires !== null && expires <= this.#now())) return null;
    return entry.principal;
  }

  async #lookUp(credential: Credential): Promise<Entry | null> {
    const version = await this.#accessVersion();
    return this.#find(credential, version) ?? this.#loadOnce(credential, version);
  }

  /** Returns what is remembered of this very credential: the claims of an id may change. */
  #find({ id, signIn }: Credential, version: string): Entry | null {
    const known = this.#cache.get(id);
    if (known === undefined) return null;
    if (!this.#isSame(sharersOf(known.principal), known.version, version)) return null;
    return isSameSignIn(known.principal.credential.signIn, signIn) ? known : null;
  }

  async #lookUpAll(
    credentials: readonly Credential[],
    version: string,
  ): Promise<ReadonlyMap<string, Entry | null>> {
    const entries = new Map<string, Entry | null>();
    const unknown: Credential[] = [];
    for (const credential of credentials) {
      const known = this.#find(credential, version);
      if (known === null) unknown.push(credential);
      else entries.set(credential.id, known);
    }
    if (unknown.length === 0) return entries;
    return new Map([...entries, ...(await this.#load(unknown, version))]);
  }

  /** Requests that come meanwhile wait for the same load. */
  async #loadOnce(credential: Credential, version: string): Promise<Entry | null> {
    const { id, signIn } = credential;
    const running = this.#loading.get(id);
    if (running?.version === version && isSameSignIn(running.credential.signIn, signIn))
      return running.entry;
    const entry = this.#load([credential], version).then((loaded) => loaded.get(id) ?? null);
    const loading = { version, credential, entry };
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
    const loaded = await available(ROWS, () => this.#loadUnchanged(credentials, version));
    return new Map(credentials.map(({ id }) => [id, this.#take(id, loaded.get(id), version)]));
  }

  /**
   * Reads credentials until no access changes meanwhile: the statements of one reading must not see
   * a token before a change, and a grant after it. `version` may be a moment old, so the database
   * is asked for the version.
   */
  async #loadUnchanged(
    credentials: readonly Credential[],
    version: string,
  ): Promise<ReadonlyMap<string, LoadedCredential>> {
    let before = version;
    for (let attempt = 1; ; attempt += 1) {
      const loaded = await loadPrincipals(this.#prisma, credentials, this.#settings);
      const after = await askFor(this.#readVersion);
      await this.#followTo(after);
      const users = Array.from(loaded.values(), ({ principal }) => sharersOf(principal));
      if (this.#isSame(users.flat(), before, after) || attempt === LOADS) return loaded;
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
    setNewest(this.#cache, id, entry, this.#maxCached);
    return entry;
  }
}

/** Returns those whose shares give a principal accounts: the user, and its groups. */
function sharersOf({ userId, groupIds = [] }: Principal): readonly string[] {
  return [userId, ...groupIds];
}

async function askFor(version: ReadVersion): Promise<string> {
  try {
    return String(await version());
  } catch (cause) {
    // Each storage has errors of its own.
    throw new UnavailableError('The access version could not be read.', { cause });
  }
}

/** Returns a text that two principals share if and only if all their members are equal. */
function fingerprint(principal: Principal): string {
  return JSON.stringify(principal, (_, value: unknown) => {
    return value instanceof Map || value instanceof Set ? [...value] : value;
  });
}

async function readStoredVersion(prisma: PrismaClient): Promise<string> {
  const where = { key: { in: [...VERSION_KEYS] } };
  return formatVersion(await prisma.jmapMeta.findMany({ where }));
}
