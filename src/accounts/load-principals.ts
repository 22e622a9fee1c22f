import type { PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { NO_OWNER, PRINCIPALS, principalAccountId } from '../capability/principal-names.js';
import { inChunks } from '../database/in-chunks.js';
import { BLOB, NAMED_CAPABILITIES } from '../protocol/session.js';
import { groupBy } from '../runtime/group-by.js';
import { ADMIN_CAPABILITY, ADMIN_ROLE, DIRECTORY } from './admin-port.js';
import { findDeleted, type TransactionClient } from './change.js';
import { capabilityList } from './directory.js';
import type {
  AccessMode,
  AccountAccess,
  Credential,
  Principal,
  SharedTypes,
  SignIn,
} from './principal.js';
import { PRINCIPAL_ACCOUNT } from './principal-accounts.js';
import { accountsSharedWith, type SharedAccount } from './shared-accounts.js';
import { sessionKey, subjectKey, unnamedSessionKey } from './sign-in.js';
import { textsOf } from './stored-texts.js';
import { tokenCredential } from './token-text.js';

/** A credential as the database has it, with what it reaches. */
export interface LoadedCredential {
  readonly principal: Principal;
  /** Null: a provider's token, whose text proves itself. */
  readonly secretHash: Uint8Array | null;
}

/** Returns the capabilities that scopes of a provider open; null: all. */
export type CapabilitiesOfScopes = (
  scopes: readonly string[],
) => ReadonlyMap<string, AccessMode> | null;

/** The facts of a server by which it knows what credentials reach. */
export interface ReachSettings {
  readonly capabilitiesOf: CapabilitiesOfScopes;
  /** Administrators have the account of the directory. */
  readonly hasDirectory?: boolean;
  /** By default there are none. */
  readonly sharedTypes?: SharedTypes;
  /** Users have an account with principals, whose types these are; by default they have none. */
  readonly principalTypes?: readonly string[] | null;
}

/** The part of a credential in the reach of its user. */
interface Claimant extends Omit<Principal, 'username' | 'accounts' | 'roles'> {
  readonly secretHash: Uint8Array | null;
  /** Roles beside the user's own. */
  readonly roles: readonly string[];
  /** Narrows what the user has: true where only to read. Null: it doesn't. */
  readonly narrowed: ReadonlyMap<string, boolean> | null;
  readonly readOnly: boolean;
  /** Ids or names of accounts that it reaches beside the user's. */
  readonly claimed: ReadonlyMap<string, boolean>;
}

/**
 * Reads credentials and their reach, in few statements for any number of credentials and accounts.
 * A token of ours narrows its user's access, never widens it: an account is read-only where the
 * grant, the token or the token's entry for the account says so. A provider's token has its user's
 * access and what its claims give beside it. Credentials that may do nothing are left out.
 */
export async function loadPrincipals(
  prisma: PrismaClient | TransactionClient,
  credentials: readonly Credential[],
  settings: ReachSettings,
): Promise<ReadonlyMap<string, LoadedCredential>> {
  const { capabilitiesOf, hasDirectory = false } = settings;
  const { sharedTypes = NO_TYPES, principalTypes = null } = settings;
  const claimants = await loadClaimants(prisma, credentials, capabilitiesOf);
  if (claimants.length === 0) return new Map();
  const userIds = new Set(claimants.map(({ userId }) => userId));
  const users = await inChunks(userIds, (chunk) =>
    prisma.jmapUser.findMany({ where: { id: { in: chunk } } }),
  );
  const access = await inChunks(userIds, (chunk) =>
    prisma.jmapAccess.findMany({ where: { userId: { in: chunk } } }),
  );
  const claimed = new Set(claimants.flatMap((claimant) => [...claimant.claimed.keys()]));
  const claimable = await findClaimable(prisma, [...claimed]);
  const shares = await findShares(prisma, [...userIds], sharedTypes);
  const accountIds = new Set(access.map(({ accountId }) => accountId));
  for (const { accountId } of shares) if (accountId !== null) accountIds.add(accountId);
  for (const id of claimable.values()) accountIds.add(id);
  const accounts = await inChunks(accountIds, (chunk) =>
    prisma.jmapAccount.findMany({ where: { id: { in: chunk } } }),
  );
  accounts.sort((a, b) => Number(a.created - b.created) || (a.id < b.id ? -1 : 1));

  const usersById = new Map(users.map((user) => [user.id, user]));
  const accessOf = groupBy(access, ({ userId }) => userId);
  const sharesOf = groupBy(shares, ({ userId }) => userId);
  const loaded = new Map<string, LoadedCredential>();
  for (const claimant of claimants) {
    const user = usersById.get(claimant.userId);
    if (user === undefined || isOver(user, claimant.credential.signIn)) continue;
    const { credential, expires, capabilities, types, secretHash } = claimant;
    const shared = sharesOf.get(user.id) ?? [];
    const groupIds = groupsIn(shared);
    const modes = new Map([
      ...sharedModesOf(claimant, shared),
      ...modesOf(claimant, accessOf.get(user.id) ?? [], claimable),
    ]);
    const roles = [...new Set([...textsOf(user.roles), ...claimant.roles])].sort();
    const principal: Principal = Object.freeze({
      userId: user.id,
      username: user.name,
      ...{ credential, expires, roles, capabilities, types },
      ...(groupIds.length > 0 && { groupIds }),
      accounts: new Map([
        ...reachOf(accounts, modes, { userId: user.id, sharedTypes, principalTypes }),
        ...(hasDirectory && administrates(claimant, roles) ? [directoryFor(claimant)] : []),
        ...(seesPrincipals(claimant, principalTypes) ? [principalsFor(claimant)] : []),
      ]),
    });
    loaded.set(credential.id, { principal, secretHash });
  }
  return loaded;
}

const NOTHING: ReadonlyMap<string, boolean> = new Map();
const NO_TYPES: SharedTypes = Object.freeze({
  haveRules: false,
  tables: [],
  capabilities: new Map<string, boolean>(),
});

async function loadClaimants(
  prisma: PrismaClient | TransactionClient,
  credentials: readonly Credential[],
  capabilitiesOf: CapabilitiesOfScopes,
): Promise<readonly Claimant[]> {
  const own = credentials.filter(({ signIn }) => signIn === null);
  return [
    ...(await loadTokens(prisma, own)),
    ...(await loadSignIns(prisma, credentials, capabilitiesOf)),
  ];
}

async function loadTokens(
  prisma: PrismaClient | TransactionClient,
  credentials: readonly Credential[],
): Promise<readonly Claimant[]> {
  if (credentials.length === 0) return [];
  const ids = credentials.map(({ id }) => id);
  const tokens = await inChunks(ids, (chunk) =>
    prisma.jmapToken.findMany({ where: { id: { in: chunk } } }),
  );
  const scopedIds = tokens.filter(({ scoped }) => scoped).map(({ id }) => id);
  const scopes = await inChunks(scopedIds, (chunk) =>
    prisma.jmapTokenAccount.findMany({ where: { tokenId: { in: chunk } } }),
  );
  const scopesOf = groupBy(scopes, ({ tokenId }) => tokenId);
  return tokens.map(({ id, userId, secretHash, readOnly, scoped, expires, ...token }) => {
    const entries = (scopesOf.get(id) ?? []).map(
      ({ accountId, readOnly: isReadOnly }) => [accountId, isReadOnly] as const,
    );
    return {
      credential: tokenCredential(id),
      ...{ userId, secretHash, readOnly },
      expires: expires === null ? null : Number(expires),
      capabilities: modesIn(token.capabilities),
      types: modesIn(token.types),
      roles: [],
      narrowed: scoped ? new Map(entries) : null,
      claimed: NOTHING,
    };
  });
}

async function loadSignIns(
  prisma: PrismaClient | TransactionClient,
  credentials: readonly Credential[],
  capabilitiesOf: CapabilitiesOfScopes,
): Promise<readonly Claimant[]> {
  const signIns = credentials.flatMap(({ signIn }) => signIn ?? []);
  if (signIns.length === 0) return [];
  const subjects = signIns.map(({ subject }) => subject);
  const identities = await inChunks(subjects, (chunk) =>
    prisma.jmapIdentity.findMany({ where: { subject: { in: chunk } } }),
  );
  const ends = await inChunks(credentials.flatMap(endKeysOf), (chunk) =>
    prisma.jmapLogout.findMany({ where: { key: { in: chunk } } }),
  );
  const userIds = new Map(
    identities.map(({ issuer, subject, userId }) => [subjectKey(issuer, subject), userId]),
  );
  const endedAt = new Map(ends.map(({ key, at }) => [key, Number(at)]));
  return credentials.flatMap((credential) => {
    const { signIn } = credential;
    const userId = signIn && userIds.get(subjectKey(signIn.issuer, signIn.subject));
    if (!signIn || !userId) return [];
    if (endKeysOf(credential).some((key) => signIn.issued <= (endedAt.get(key) ?? -1))) return [];
    const { expires, roles, scopes } = signIn;
    return {
      ...{ credential, userId, expires, roles },
      ...{ secretHash: null, readOnly: false, narrowed: null, types: null },
      capabilities: capabilitiesOf(scopes),
      claimed: new Map(Object.entries(signIn.accounts)),
    };
  });
}

/** Returns the keys of the messages that end a sign-in. */
function endKeysOf({ signIn }: Credential): readonly string[] {
  if (signIn === null) return [];
  const { issuer, name, session } = signIn;
  const ofUser = subjectKey(issuer, name);
  return [ofUser, session === null ? unnamedSessionKey(issuer, name) : sessionKey(issuer, session)];
}

/** Returns whether nothing of the user, or not this sign-in, is good any more. */
function isOver(
  user: { readonly disabled: bigint | null; readonly signedOut: bigint | null },
  signIn: SignIn | null,
): boolean {
  if (user.disabled !== null) return true;
  return signIn !== null && user.signedOut !== null && signIn.issued <= user.signedOut;
}

/**
 * Finds accounts that claims may name: by their id, else by a name that one account alone has.
 * Users of providers may choose the name of an account that was made for them, so claims reach none
 * of those. Returns ids by what names them.
 */
async function findClaimable(
  prisma: PrismaClient | TransactionClient,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const select = { id: true, name: true, ownerId: true } as const;
  // Nobody can claim the accounts in which users find principals.
  const ownerId = { not: NO_OWNER };
  const byId = await inChunks(names, (chunk) =>
    prisma.jmapAccount.findMany({ where: { id: { in: chunk }, ownerId }, select }),
  );
  const byName = await inChunks(names, (chunk) =>
    prisma.jmapAccount.findMany({ where: { name: { in: chunk }, ownerId }, select }),
  );
  const found = [...new Map([...byId, ...byName].map((row) => [row.id, row])).values()];
  const ownerIds = found.map(({ ownerId }) => ownerId);
  const owners = await inChunks(ownerIds, (chunk) =>
    prisma.jmapIdentity.findMany({ where: { userId: { in: chunk } }, select: { userId: true } }),
  );
  const foundIds = found.map(({ id }) => id);
  const deleted = await findDeleted(prisma, foundIds);
  const provided = new Set(owners.map(({ userId }) => userId));
  const living = found.filter(({ id }) => !deleted.has(id));
  const named = groupBy(
    living.filter(({ ownerId }) => !provided.has(ownerId)),
    ({ name }) => name,
  );
  const ids = new Map<string, string>();
  for (const [name, [first, second]] of named) {
    if (first !== undefined && second === undefined) ids.set(name, first.id);
  }
  // An id is nobody's name where both are there.
  for (const { id, ownerId } of living) if (!provided.has(ownerId)) ids.set(id, id);
  return ids;
}

/**
 * Finds the accounts in which users, or their groups, have grants at objects of shared types,
 * without those that are deleted. Of each group there is a row without an account, also where
 * nothing is shared: access rules may name it. A version with other shared types may have left
 * grants.
 */
async function findShares(
  prisma: PrismaClient | TransactionClient,
  userIds: readonly string[],
  { haveRules, tables }: SharedTypes,
): Promise<readonly SharedAccount[]> {
  if (!haveRules) return [];
  const shares = await inChunks(userIds, (chunk) =>
    prisma.$queryRaw<SharedAccount[]>(accountsSharedWith(chunk, tables)),
  );
  const accountIds = new Set(shares.flatMap(({ accountId }) => accountId ?? []));
  const deleted = await findDeleted(prisma, [...accountIds]);
  return shares.filter(({ accountId }) => accountId === null || !deleted.has(accountId));
}

/** How a credential reaches an account. */
interface Reach {
  readonly isReadOnly: boolean;
  /** Its user may only read, by the account's grant or by a claim. */
  readonly isReader: boolean;
  /** By shares of objects alone. */
  readonly isShared?: true;
  /** By a claim alone. */
  readonly isClaimed?: true;
}

/** Returns the groups that a user is in, in order. */
function groupsIn(shares: readonly SharedAccount[]): readonly string[] {
  const ids = shares.flatMap(({ userId, principalId }) =>
    principalId === userId ? [] : [principalId],
  );
  return [...new Set(ids)].sort();
}

/** Returns the accounts that a credential reaches by shares of objects. */
function sharedModesOf(
  { narrowed, readOnly }: Claimant,
  shares: readonly SharedAccount[],
): ReadonlyMap<string, Reach> {
  const modes = new Map<string, Reach>();
  for (const { accountId } of shares) {
    if (accountId === null) continue;
    const scope = narrowed === null ? false : narrowed.get(accountId);
    if (scope === undefined) continue;
    modes.set(accountId, { isReader: false, isReadOnly: readOnly || scope, isShared: true });
  }
  return modes;
}

/** Returns the accounts that a credential reaches. */
function modesOf(
  { narrowed, readOnly, claimed }: Claimant,
  access: readonly { readonly accountId: string; readonly readOnly: boolean }[],
  claimable: ReadonlyMap<string, string>,
): ReadonlyMap<string, Reach> {
  const modes = new Map<string, Reach>();
  for (const { accountId, readOnly: isReader } of access) {
    const scope = narrowed === null ? false : narrowed.get(accountId);
    if (scope === undefined) continue;
    modes.set(accountId, { isReader, isReadOnly: isReader || readOnly || scope });
  }
  for (const [name, isReadOnly] of claimed) {
    const id = claimable.get(name);
    if (id === undefined) continue;
    const granted = modes.get(id);
    // The wider one counts.
    modes.set(id, {
      isReadOnly: isReadOnly && granted?.isReadOnly !== false,
      isReader: isReadOnly && granted?.isReader !== false,
      ...(granted === undefined && { isClaimed: true }),
    });
  }
  return modes;
}

type AccountRow = Awaited<ReturnType<PrismaClient['jmapAccount']['findMany']>>[number];

/** A user, with the facts of the server by which the user's accounts are known. */
interface ReachOwner extends Required<Pick<ReachSettings, 'sharedTypes' | 'principalTypes'>> {
  readonly userId: string;
}

/** Returns the accounts of `modes`, in the order of `rows`. */
function reachOf(
  rows: readonly AccountRow[],
  modes: ReadonlyMap<string, Reach>,
  { userId, sharedTypes, principalTypes }: ReachOwner,
): ReadonlyMap<string, AccountAccess> {
  const accounts = new Map<string, AccountAccess>();
  for (const { id, name, ownerId, capabilities: stored } of rows) {
    const reach = modes.get(id);
    if (reach === undefined) continue;
    const { isReadOnly, isReader, isShared, isClaimed } = reach;
    // A claim alone lets nobody see the owner.
    const isOwned = principalTypes !== null && ownerId !== NO_OWNER && !isClaimed;
    // A row that offers what is the server's alone must not stand for it.
    const list = capabilityList(stored)?.filter((urn) => !NAMED_CAPABILITIES.has(urn)) ?? null;
    const urns = isShared ? sharedIn(list, sharedTypes) : list;
    const capabilities = urns === null ? null : new Set(urns);
    if (isShared && capabilities?.size === 0) continue;
    const access = { id, name, isPersonal: ownerId === userId, isReadOnly, capabilities };
    const more = { ...(isReader && { isReader }), ...(isShared && { isShared }) };
    accounts.set(id, Object.freeze({ ...access, ...more, ...(isOwned && { ownerId }) }));
  }
  return accounts;
}

/** Returns the capabilities that users get who reach an account by shares of objects. */
function sharedIn(list: readonly string[] | null, { capabilities }: SharedTypes) {
  const urns = [...capabilities.keys()].filter((urn) => offers(list, urn));
  const hasFiles = urns.some((urn) => capabilities.get(urn) === true);
  return hasFiles && offers(list, BLOB) ? [...urns, BLOB] : urns;
}

/** `list`: the capabilities that an account is limited to; null for all. */
function offers(list: readonly string[] | null, urn: string): boolean {
  return list?.includes(urn) !== false;
}

/**
 * Returns whether a credential that nothing narrows has the role. Scopes narrow too, whatever they
 * open: the directory would lead to the rest.
 */
function administrates(
  { narrowed, capabilities, types }: Claimant,
  roles: readonly string[],
): boolean {
  if (!roles.includes(ADMIN_ROLE) || narrowed !== null || types !== null) return false;
  return capabilities === null;
}

/** Returns the account of the directory, which has no row. */
function directoryFor({ readOnly }: Claimant): readonly [string, AccountAccess] {
  const access = {
    ...{ id: DIRECTORY, name: 'Directory', isPersonal: false },
    isReadOnly: readOnly,
    capabilities: new Set([ADMIN_CAPABILITY]),
  };
  return [DIRECTORY, Object.freeze(access)];
}

/**
 * Returns whether a credential reaches principals: it is narrowed to no accounts, and to no other
 * capabilities and types.
 */
function seesPrincipals(
  { narrowed, capabilities, types }: Claimant,
  principalTypes: readonly string[] | null,
): boolean {
  if (principalTypes === null || narrowed !== null) return false;
  if (capabilities?.has(PRINCIPALS) === false) return false;
  return types === null || principalTypes.some((type) => types.has(type));
}

/** Returns the account in which a user finds principals. Its row comes with the first call. */
function principalsFor({ userId, readOnly }: Claimant): readonly [string, AccountAccess] {
  const id = principalAccountId(userId);
  const access = {
    ...{ id, name: PRINCIPAL_ACCOUNT, isPersonal: false, isReadOnly: readOnly },
    capabilities: new Set([PRINCIPALS]),
  };
  return [id, Object.freeze(access)];
}

/** Reads a JSON column of modes by name, in order of the names; null: all. */
export function modesIn(column: unknown): ReadonlyMap<string, AccessMode> | null {
  if (typeof column !== 'object' || column === null) return null;
  const modes = Object.entries(column).map(
    ([name, mode]) => [name, mode === 'full' ? 'full' : 'read'] as const,
  );
  return new Map(modes.sort(([a], [b]) => (a < b ? -1 : 1)));
}
