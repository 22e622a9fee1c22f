import { Prisma, type PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import type { IdGenerator } from '../protocol/ids.js';
import { groupBy } from '../runtime/group-by.js';
import { type Change, changeAccess, DirectoryError, type TransactionClient } from './change.js';
import { existingUser } from './directory.js';
import { modesIn } from './load-principals.js';
import type { AccessMode } from './principal.js';
import { makeToken, parseToken, secretMatches } from './token-text.js';

/** The last moment that a UTCDate can say, in the year 9999; ms. */
export const LAST_TIME = 253_402_300_799_999;

export interface TokenScope {
  readonly accountId: string;
  readonly readOnly: boolean;
}

/** Modes by name. */
type Modes = ReadonlyMap<string, AccessMode>;

export interface TokenListing {
  readonly id: string;
  readonly user: string;
  readonly readOnly: boolean;
  /** The accounts it was made for; null follows its user's. */
  readonly accounts: readonly TokenScope[] | null;
  /** By URN; null: all. */
  readonly capabilities: Modes | null;
  /** By name; null: all. */
  readonly types: Modes | null;
  /** Epoch ms; null never. */
  readonly expires: number | null;
  readonly created: number;
}

/** A token to make. */
interface NewToken {
  readonly user: string;
  /** Accounts in the user's reach that narrow it; empty or absent: it follows its user's. */
  readonly accounts?: readonly TokenScope[];
  readonly readOnly?: boolean;
  /** The capabilities that narrow it, by URN; empty or absent: all. */
  readonly capabilities?: Modes | undefined;
  /** The data types that narrow it, by name; empty or absent: all. */
  readonly types?: Modes | undefined;
  /** Milliseconds from now. */
  readonly lifetime?: number | undefined;
  /** Epoch ms, in the place of a lifetime. */
  readonly expires?: number | undefined;
}

/** Makes a token for a user. Resolves to its text, which is kept nowhere. Throws DirectoryError. */
export function createToken(
  prisma: PrismaClient,
  ids: IdGenerator,
  newToken: NewToken,
): Promise<string> {
  return changeAccess(prisma, (change) => insertToken(change, ids, newToken));
}

/** Does the same for a caller whose transaction is open. */
export async function insertToken(
  change: Change,
  ids: IdGenerator,
  newToken: NewToken,
): Promise<string> {
  const { user, accounts = [], readOnly = false, lifetime } = newToken;
  const { transaction } = change;
  const { id: userId } = await existingUser(transaction, user);
  const scopes = await reachable(transaction, userId, accounts);
  const { id, created, token, secretHash } = makeToken(ids);
  const expires = newToken.expires ?? (lifetime === undefined ? null : created + lifetime);
  if (expires !== null && expires > LAST_TIME) {
    throw new DirectoryError(
      'The token would expire after the end of time: leave it without an end.',
    );
  }
  await transaction.jmapToken.create({
    data: {
      id,
      secretHash: new Uint8Array(secretHash),
      userId,
      readOnly,
      scoped: scopes.size > 0,
      capabilities: modesColumn(newToken.capabilities),
      types: modesColumn(newToken.types),
      expires: expires === null ? null : BigInt(expires),
      created: BigInt(created),
    },
  });
  for (const [accountId, isReadOnly] of scopes) {
    const data = { tokenId: id, accountId, readOnly: isReadOnly };
    await transaction.jmapTokenAccount.create({ data });
  }
  const detail = {
    ...{ user, userId, readOnly, expires },
    accounts: scopes.size === 0 ? null : Object.fromEntries(scopes),
    capabilities: modesDetail(newToken.capabilities),
    types: modesDetail(newToken.types),
  };
  await change.note({ action: 'token/create', objectId: id, detail });
  return token;
}

/** An empty map narrows nothing. */
function modesDetail(modes: Modes | undefined): Record<string, AccessMode> | null {
  return modes === undefined || modes.size === 0 ? null : Object.fromEntries(modes);
}

function modesColumn(modes: Modes | undefined): Record<string, AccessMode> | typeof Prisma.DbNull {
  return modesDetail(modes) ?? Prisma.DbNull;
}

/** Account ids to modes, each in the user's reach; one named twice has the narrower mode. */
async function reachable(
  transaction: TransactionClient,
  userId: string,
  scopes: readonly TokenScope[],
): Promise<ReadonlyMap<string, boolean>> {
  const result = new Map<string, boolean>();
  for (const { accountId, readOnly } of scopes) {
    const access = await transaction.jmapAccess.findUnique({
      where: { accountId_userId: { accountId, userId } },
    });
    // One answer for an unknown account and another's.
    if (access === null) {
      throw new DirectoryError(
        `The user has no access to an account ${JSON.stringify(accountId)}.`,
      );
    }
    result.set(accountId, readOnly || result.get(accountId) === true);
  }
  return result;
}

/** Returns every token in order of creation, without its secret. */
export async function listTokens(prisma: PrismaClient): Promise<readonly TokenListing[]> {
  const tokens = await prisma.jmapToken.findMany({
    orderBy: [{ created: 'asc' }, { id: 'asc' }],
    omit: { secretHash: true },
  });
  const users = new Map((await prisma.jmapUser.findMany()).map((user) => [user.id, user.name]));
  const rows = await prisma.jmapTokenAccount.findMany({ orderBy: { accountId: 'asc' } });
  const scopesOf = groupBy(rows, (row) => row.tokenId);
  return tokens.map((token) => ({
    id: token.id,
    user: users.get(token.userId) ?? token.userId,
    readOnly: token.readOnly,
    accounts: token.scoped
      ? (scopesOf.get(token.id) ?? []).map(({ accountId, readOnly }) => ({ accountId, readOnly }))
      : null,
    capabilities: modesIn(token.capabilities),
    types: modesIn(token.types),
    expires: token.expires === null ? null : Number(token.expires),
    created: Number(token.created),
  }));
}

/** Revokes a token by its text or id. Throws DirectoryError, which never repeats a text. */
export async function revokeToken(prisma: PrismaClient, tokenOrId: string): Promise<void> {
  const parsed = parseToken(tokenOrId);
  const id = parsed?.id ?? tokenOrId;
  await changeAccess(prisma, async (change) => {
    const row = await change.transaction.jmapToken.findUnique({ where: { id } });
    const known =
      parsed === null ? row !== null : secretMatches(parsed.secret, row?.secretHash ?? null);
    if (row === null || !known) throw new DirectoryError('There is no such token.');
    await removeToken(change, row);
  });
}

/** Ends a token for a caller whose change is open. */
export async function removeToken(
  { transaction, note }: Change,
  { id, userId }: { readonly id: string; readonly userId: string },
): Promise<void> {
  await transaction.jmapTokenAccount.deleteMany({ where: { tokenId: id } });
  await transaction.jmapTicket.deleteMany({ where: { tokenId: id } });
  // Behind the row, for which a call that creates subscriptions makes this wait.
  await transaction.jmapToken.delete({ where: { id } });
  await transaction.jmapPushSubscription.deleteMany({ where: { tokenId: id } });
  await note({ action: 'token/revoke', objectId: id, detail: { userId } });
}
