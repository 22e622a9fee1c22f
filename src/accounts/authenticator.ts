import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { UnavailableError } from '../protocol/errors.js';
import type { IdGenerator } from '../protocol/ids.js';
import { ACCESS_VERSION } from './change.js';
import { capabilityList, groupBy } from './directory.js';
import type { AccountAccess, Authenticator, Principal } from './principal.js';

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
}

/** A token as the database has it, with what it reaches. */
interface LoadedToken {
  readonly secretHash: Uint8Array;
  readonly principal: Principal;
}

interface Entry extends LoadedToken {
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
 * Authenticates bearer tokens. It remembers a token's reach by its id (never its text) until the
 * access version changes: any process's change counts as soon as `accessVersion` tells of it.
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
  /** In the order in which they were loaded. */
  readonly #cache = new Map<string, Entry>();
  readonly #loading = new Map<string, Loading>();

  constructor(prisma: PrismaClient, options: AuthenticatorOptions) {
    this.#prisma = prisma;
    this.#now = options.now ?? Date.now;
    this.#maxCached = options.maxCached ?? MAX_CACHED;
    this.#readVersion = options.accessVersion ?? (() => readStoredVersion(prisma));
  }

  async authenticate(token: string): Promise<Principal | null> {
    const parsed = parseToken(token);
    if (parsed === null) return null;
    const entry = await this.#lookUp(parsed.id);
    return secretMatches(parsed.secret, entry?.secretHash ?? null) ? this.#valid(entry) : null;
  }

  async refresh(tokenId: string): Promise<Principal | null> {
    return this.#valid(await this.#lookUp(tokenId));
  }

  async refreshAll(tokenIds: readonly string[]): Promise<ReadonlyMap<string, Principal>> {
    const principals = new Map<string, Principal>();
    const version = await this.version();
    for (let from = 0; from < tokenIds.length; from += CHUNK) {
      const chunk = tokenIds.slice(from, from + CHUNK);
      for (const [id, entry] of await this.#lookUpAll(chunk, version)) {
        const principal = this.#valid(entry);
        if (principal !== null) principals.set(id, principal);
      }
    }
    return principals;
  }

  version(): Promise<string> {
    return available(async () => String(await this.#readVersion()));
  }

  #valid(entry: Entry | null): Principal | null {
    const expires = entry?.principal.expires ?? null;
    if (entry === null || (expires !== null && expires <= this.#now())) return null;
    return entry.principal;
  }

  #lookUp(tokenId: string): Promise<Entry | null> {
    return available(async () => {
      const version = String(await this.#readVersion());
      const known = this.#cache.get(tokenId);
      if (known === undefined || known.version !== version) {
        return this.#loadOnce(tokenId, version);
      }
      return known;
    });
  }

  #lookUpAll(
    tokenIds: readonly string[],
    version: string,
  ): Promise<ReadonlyMap<string, Entry | null>> {
    const entries = new Map<string, Entry | null>();
    const unknown: string[] = [];
    for (const id of tokenIds) {
      const known = this.#cache.get(id);
      if (known?.version === version) entries.set(id, known);
      else unknown.push(id);
    }
    return available(async () => {
      if (unknown.length === 0) return entries;
      return new Map([...entries, ...(await this.#load(unknown, version))]);
    });
  }

  /** Requests that come meanwhile wait for the same load. */
  async #loadOnce(tokenId: string, version: string): Promise<Entry | null> {
    const running = this.#loading.get(tokenId);
    if (running?.version === version) return running.entry;
    const entry = this.#load([tokenId], version).then((loaded) => loaded.get(tokenId) ?? null);
    const loading = { version, entry };
    this.#loading.set(tokenId, loading);
    try {
      return await entry;
    } finally {
      if (this.#loading.get(tokenId) === loading) this.#loading.delete(tokenId);
    }
  }

  async #load(
    tokenIds: readonly string[],
    version: string,
  ): Promise<ReadonlyMap<string, Entry | null>> {
    let before = version;
    for (let attempt = 1; ; attempt += 1) {
      const loaded = await loadPrincipals(this.#prisma, tokenIds);
      const after = String(await this.#readVersion(true));
      if (after === before || attempt === LOADS)
        return new Map(tokenIds.map((id) => [id, this.#take(id, loaded.get(id), before)]));
      before = after;
    }
  }

  #take(tokenId: string, loaded: LoadedToken | undefined, version: string): Entry | null {
    const known = this.#cache.get(tokenId);
    if (loaded === undefined) {
      this.#cache.delete(tokenId);
      return null;
    }
    const print = fingerprint(loaded.principal);
    // The same access is the same object: what hangs on it (a session's text) stays good.
    const principal = known?.fingerprint === print ? known.principal : loaded.principal;
    const entry = { ...loaded, principal, version, fingerprint: print };
    this.#remember(tokenId, entry);
    return entry;
  }

  #remember(tokenId: string, entry: Entry): void {
    this.#cache.delete(tokenId);
    this.#cache.set(tokenId, entry);
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= this.#maxCached) break;
      this.#cache.delete(oldest);
    }
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

/**
 * Reads tokens and their reach, in five statements for any number of tokens and accounts. A token
 * narrows its user's access, never widens it: an account is read-only where the grant, the token or
 * the token's entry for the account says so. Unknown tokens are left out.
 */
async function loadPrincipals(
  prisma: PrismaClient,
  tokenIds: readonly string[],
): Promise<ReadonlyMap<string, LoadedToken>> {
  const tokens = await prisma.jmapToken.findMany({ where: { id: { in: [...tokenIds] } } });
  if (tokens.length === 0) return new Map();
  const userIds = [...new Set(tokens.map(({ userId }) => userId))];
  const users = await prisma.jmapUser.findMany({ where: { id: { in: userIds } } });
  const access = await prisma.jmapAccess.findMany({ where: { userId: { in: userIds } } });
  const scopedIds = tokens.filter(({ scoped }) => scoped).map(({ id }) => id);
  const scopes =
    scopedIds.length === 0
      ? []
      : await prisma.jmapTokenAccount.findMany({ where: { tokenId: { in: scopedIds } } });
  const accountIds = [...new Set(access.map(({ accountId }) => accountId))];
  const accounts = await prisma.jmapAccount.findMany({ where: { id: { in: accountIds } } });
  accounts.sort((a, b) => Number(a.created - b.created) || (a.id < b.id ? -1 : 1));

  const usersById = new Map(users.map((user) => [user.id, user]));
  const accessOf = groupBy(access, ({ userId }) => userId);
  const scopesOf = groupBy(scopes, ({ tokenId }) => tokenId);
  const loaded = new Map<string, LoadedToken>();
  for (const token of tokens) {
    const user = usersById.get(token.userId);
    if (user === undefined) continue;
    const modes = modesOf(token, accessOf.get(user.id) ?? [], scopesOf.get(token.id) ?? []);
    const principal: Principal = Object.freeze({
      userId: user.id,
      username: user.name,
      tokenId: token.id,
      expires: token.expires === null ? null : Number(token.expires),
      accounts: reachOf(accounts, modes, user.id),
    });
    loaded.set(token.id, { secretHash: token.secretHash, principal });
  }
  return loaded;
}

interface AccountMode {
  readonly accountId: string;
  readonly readOnly: boolean;
}

/** Returns the accounts that a token reaches: true where it only reads. */
function modesOf(
  token: { readonly scoped: boolean; readonly readOnly: boolean },
  access: readonly AccountMode[],
  scopes: readonly AccountMode[],
): ReadonlyMap<string, boolean> {
  const narrowed = new Map(scopes.map(({ accountId, readOnly }) => [accountId, readOnly]));
  const modes = new Map<string, boolean>();
  for (const { accountId, readOnly } of access) {
    const scope = token.scoped ? narrowed.get(accountId) : false;
    if (scope !== undefined) modes.set(accountId, readOnly || token.readOnly || scope);
  }
  return modes;
}

type AccountRow = Awaited<ReturnType<PrismaClient['jmapAccount']['findMany']>>[number];

/** Returns the accounts of `modes`, in the order of `rows`. */
function reachOf(
  rows: readonly AccountRow[],
  modes: ReadonlyMap<string, boolean>,
  userId: string,
): ReadonlyMap<string, AccountAccess> {
  const accounts = new Map<string, AccountAccess>();
  for (const { id, name, ownerId, capabilities: stored } of rows) {
    const isReadOnly = modes.get(id);
    if (isReadOnly === undefined) continue;
    const list = capabilityList(stored);
    const capabilities = list === null ? null : new Set(list);
    const access = { id, name, isPersonal: ownerId === userId, isReadOnly, capabilities };
    accounts.set(id, Object.freeze(access));
  }
  return accounts;
}

/** Returns a text that two principals share if and only if all their members are equal. */
function fingerprint(principal: Principal): string {
  return JSON.stringify(principal, (_, value: unknown) => {
    if (value instanceof Map) return [...value.values()];
    return value instanceof Set ? [...value] : value;
  });
}

async function readStoredVersion(prisma: PrismaClient): Promise<string> {
  const row = await prisma.jmapMeta.findUnique({ where: { key: ACCESS_VERSION } });
  return row?.value ?? '0';
}

/**
 * A token's text: `jms_<token id>_<secret>`. Scanners find leaked tokens by the prefix, and the
 * server finds the row by the id. The secret is 32 random octets in base64url. The database keeps
 * its plain SHA-256 alone, which is enough for a secret that no dictionary holds.
 */
const TOKEN = /^jms_[a-z0-9]{2,64}_[A-Za-z0-9_-]{43}$/;
const PREFIX_LENGTH = 4;
const SECRET_LENGTH = 43;
const SECRET_OCTETS = 32;

/** Compared with the secret of an unknown token: no hash is all zeros, so it never matches. */
const NO_HASH = Buffer.alloc(32);

export interface NewToken {
  readonly id: string;
  /** Epoch ms. */
  readonly created: number;
  /** The whole token: shown once, to whoever asked for it, and never kept or logged. */
  readonly token: string;
  readonly secretHash: Buffer;
}

export function makeToken(ids: IdGenerator): NewToken {
  const { id, time } = ids.next('t');
  const secret = randomBytes(SECRET_OCTETS).toString('base64url');
  return { id, created: time, token: `jms_${id}_${secret}`, secretHash: hashSecret(secret) };
}

/** Returns the parts of a token, or null where it has not the form of one. */
export function parseToken(text: string): { readonly id: string; readonly secret: string } | null {
  // By position: what a match captures would be an array for each request.
  if (!TOKEN.test(text)) return null;
  return {
    id: text.slice(PREFIX_LENGTH, -SECRET_LENGTH - 1),
    secret: text.slice(-SECRET_LENGTH),
  };
}

export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/**
 * Compares in constant time. For an unknown token `kept` is null and costs the same comparison, so
 * that the time of an answer tells nothing of a secret.
 */
export function secretMatches(secret: string, kept: Uint8Array | null): boolean {
  const matches = timingSafeEqual(hashSecret(secret), kept ?? NO_HASH);
  return matches && kept !== null;
}
