import type { PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { UnavailableError } from '../protocol/errors.js';
import { ACCESS_VERSION } from './change.js';
import { fingerprint, loadPrincipal } from './load-principal.js';
import type { Authenticator, Principal } from './principal.js';
import { parseToken, secretMatches } from './token-format.js';

export interface AuthenticatorOptions {
  /**
   * The committed access version. Asked at every request, so it should be cheap, and may be a moment old; `latest`
   * is asked where a token is read. By default it is read through Prisma.
   */
  readonly accessVersion?: (latest?: boolean) => number | string | Promise<number | string>;
  /** Epoch ms. */
  readonly now?: () => number;
  /** How many tokens are remembered. */
  readonly maxCached?: number;
}

interface Entry {
  /** The access version at which it was read. */
  readonly version: string;
  readonly secretHash: Uint8Array;
  readonly principal: Principal;
  readonly fingerprint: string;
}

const MAX_CACHED = 10_000;
/** How often a load starts anew where access changes under it. */
const LOADS = 4;

/**
 * Authenticates bearer tokens. What a token reaches is remembered by the token's id (never its text) for as long
 * as the access version stands still, so a change made by any process counts as soon as `accessVersion` tells of it.
 *
 * `prisma` must see committed rows alone: not the connection on which a transaction may be open.
 */
export function createAuthenticator(
  prisma: PrismaClient,
  options: AuthenticatorOptions = {},
): Authenticator {
  const now = options.now ?? Date.now;
  const maxCached = options.maxCached ?? MAX_CACHED;
  const readVersion = options.accessVersion ?? (() => storedVersion(prisma));
  const version = async (): Promise<string> => String(await readVersion(true));

  // In order of last use.
  const cache = new Map<string, Entry>();
  let latest = '';
  const loading = new Map<
    string,
    { readonly version: string; readonly entry: Promise<Entry | null> }
  >();

  const remember = (tokenId: string, entry: Entry): void => {
    if (tokenId === latest && cache.get(tokenId) === entry) return;
    latest = tokenId;
    cache.delete(tokenId);
    cache.set(tokenId, entry);
    for (const oldest of cache.keys()) {
      if (cache.size <= maxCached) break;
      cache.delete(oldest);
    }
  };

  const load = async (tokenId: string, at: string): Promise<Entry | null> => {
    let before = at;
    for (let attempt = 1; ; attempt += 1) {
      const loaded = await loadPrincipal(prisma, tokenId);
      const after = await version();
      if (after !== before && attempt < LOADS) {
        before = after;
        continue;
      }
      const known = cache.get(tokenId);
      if (loaded === null) {
        cache.delete(tokenId);
        return null;
      }
      const print = fingerprint(loaded.principal);
      // The same access is the same object, so that what hangs on it (a session's text) need not be made anew.
      const principal = known?.fingerprint === print ? known.principal : loaded.principal;
      const entry = { ...loaded, principal, version: before, fingerprint: print };
      remember(tokenId, entry);
      return entry;
    }
  };

  const current = async (
    tokenId: string,
    answer: ReturnType<typeof readVersion>,
  ): Promise<Entry | null> => {
    const at = String(await answer);
    const known = cache.get(tokenId);
    if (known !== undefined && known.version === at) {
      remember(tokenId, known);
      return known;
    }
    const running = loading.get(tokenId);
    if (running !== undefined && running.version === at) return running.entry;
    const entry = load(tokenId, at);
    const mine = { version: at, entry };
    loading.set(tokenId, mine);
    try {
      return await entry;
    } finally {
      if (loading.get(tokenId) === mine) loading.delete(tokenId);
    }
  };

  const unreadable = (error: unknown): UnavailableError =>
    new UnavailableError('The access tables could not be read.', { cause: error });

  /** No promise where the version is there at once and nothing has changed: every request asks. */
  const lookUp = (tokenId: string): Entry | null | Promise<Entry | null> => {
    try {
      const answer = readVersion();
      const known = cache.get(tokenId);
      if (known !== undefined && known.version === String(answer)) {
        remember(tokenId, known);
        return known;
      }
      return current(tokenId, answer).catch((error: unknown) => {
        throw unreadable(error);
      });
    } catch (error) {
      return Promise.reject(unreadable(error));
    }
  };

  const valid = (entry: Entry | null): Principal | null => {
    const expires = entry?.principal.expires ?? null;
    return entry === null || (expires !== null && expires <= now()) ? null : entry.principal;
  };

  return {
    authenticate(token) {
      const parsed = parseToken(token);
      if (parsed === null) return null;
      const matching = (entry: Entry | null): Principal | null =>
        secretMatches(parsed.secret, entry?.secretHash ?? null) ? valid(entry) : null;
      const found = lookUp(parsed.id);
      return found instanceof Promise ? found.then(matching) : matching(found);
    },

    async refresh(tokenId) {
      return valid(await lookUp(tokenId));
    },
  };
}

async function storedVersion(prisma: PrismaClient): Promise<string> {
  const row = await prisma.jmapMeta.findUnique({ where: { key: ACCESS_VERSION } });
  return row?.value ?? '0';
}
