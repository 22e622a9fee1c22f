import { Prisma, type PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { NO_OWNER } from '../capability/principal-names.js';
import type { IdGenerator } from '../protocol/ids.js';
import { NAMED_CAPABILITIES } from '../protocol/session.js';
import { groupBy } from '../runtime/group-by.js';
import { grantId } from './admin-port.js';
import {
  type Change,
  changeAccess,
  DirectoryError,
  deletionKey,
  type TransactionClient,
} from './change.js';

/** Owns accounts that are created for nobody in particular; the first token is this user's. */
export const DEFAULT_USER = 'owner';

export interface AccountListing {
  readonly id: string;
  readonly name: string;
  /** Name of the user it belongs to. */
  readonly owner: string;
  /** Everybody with access, the owner too, in order of name. */
  readonly access: readonly { readonly user: string; readonly readOnly: boolean }[];
  /** URNs it is limited to; null is all. */
  readonly capabilities: readonly string[] | null;
  /** Epoch ms. */
  readonly created: number;
}

/** An account to create. */
interface NewAccount {
  readonly name: string;
  /** Its owner, who is created where new; DEFAULT_USER where absent. */
  readonly user?: string | undefined;
  readonly capabilities?: readonly string[] | null;
  /** Kinds of tasks to store with the account (listAccountCreatedKinds). */
  readonly tasks?: readonly string[];
}

/**
 * Creates an account with its owner's access, and the owner where new. Resolves to its id. Throws
 * DirectoryError.
 */
export function createAccount(
  prisma: PrismaClient,
  ids: IdGenerator,
  account: NewAccount,
): Promise<string> {
  return changeAccess(prisma, (change) => insertAccount(change, ids, account));
}

/** Does the same for a caller whose transaction is open. */
export async function insertAccount(
  change: Change,
  ids: IdGenerator,
  { name, user = DEFAULT_USER, capabilities = null, tasks = [] }: NewAccount,
): Promise<string> {
  legalName('account', name);
  const ownerId = await userOnDemand(change, ids, user);
  const { transaction } = change;
  const { id, time } = ids.next('a');
  const urns = capabilities && [...new Set(capabilities)];
  const own = urns?.find((urn) => NAMED_CAPABILITIES.has(urn));
  if (own !== undefined) throw new DirectoryError(`${own} is for accounts of the server alone.`);
  await transaction.jmapAccount.create({
    data: {
      id,
      name,
      ownerId,
      capabilities: urns ?? Prisma.DbNull,
      created: BigInt(time),
    },
  });
  await transaction.jmapAccess.create({
    data: { accountId: id, userId: ownerId, readOnly: false },
  });
  const task = { accountId: id, payload: '{}', due: BigInt(time), attempts: 0n };
  await transaction.jmapTask.createMany({
    data: tasks.map((kind) => ({ ...task, id: ids.next('t').id, kind })),
  });
  await change.note({
    action: 'account/create',
    objectId: id,
    detail: { name, owner: user, ownerId, capabilities: urns },
    also: [{ type: 'AdminGrant', kind: 'created', id: grantId(id, ownerId) }],
  });
  return id;
}

/** Returns every account, in order of creation. */
export async function listAccounts(prisma: PrismaClient): Promise<readonly AccountListing[]> {
  const accounts = await prisma.jmapAccount.findMany({
    where: { ownerId: { not: NO_OWNER } },
    orderBy: [{ created: 'asc' }, { id: 'asc' }],
  });
  const users = new Map((await prisma.jmapUser.findMany()).map((user) => [user.id, user.name]));
  const nameOf = (userId: string): string => users.get(userId) ?? userId;
  const accessOf = groupBy(await prisma.jmapAccess.findMany(), (row) => row.accountId);
  return accounts.map((account) => ({
    id: account.id,
    name: account.name,
    owner: nameOf(account.ownerId),
    access: (accessOf.get(account.id) ?? [])
      .map((row) => ({ user: nameOf(row.userId), readOnly: row.readOnly }))
      .sort((a, b) => (a.user < b.user ? -1 : 1)),
    capabilities: capabilityList(account.capabilities),
    created: Number(account.created),
  }));
}

export async function renameAccount(prisma: PrismaClient, id: string, name: string): Promise<void> {
  await changeAccess(prisma, (change) => rename(change, id, name));
}

/** Does the same for a caller whose change is open. */
export async function rename({ transaction, note }: Change, id: string, name: string) {
  const legal = legalName('account', name);
  await livingAccount(transaction, id);
  await transaction.jmapAccount.update({ where: { id }, data: { name: legal } });
  await note({ action: 'account/rename', objectId: id, detail: { name: legal } });
}

/** Gives a user (created where new) access to an account, or changes the mode of what it has. */
export async function grantAccess(
  prisma: PrismaClient,
  ids: IdGenerator,
  grant: { readonly accountId: string; readonly user: string; readonly readOnly: boolean },
): Promise<void> {
  const { accountId, user, readOnly } = grant;
  await changeAccess(prisma, async (change) => {
    await livingAccount(change.transaction, accountId);
    const userId = await userOnDemand(change, ids, user);
    await writeAccess(change, { accountId, user, userId, readOnly });
  });
}

/** A user's access to an account. */
interface Access {
  readonly accountId: string;
  readonly user: string;
  readonly userId: string;
  readonly readOnly: boolean;
}

/** Writes access to an account for a caller whose change is open. */
export async function writeAccess(
  { transaction, note }: Change,
  { accountId, user, userId, readOnly }: Access,
): Promise<void> {
  const where = { accountId_userId: { accountId, userId } };
  const isNew = (await transaction.jmapAccess.findUnique({ where })) === null;
  await transaction.jmapAccess.upsert({
    where,
    create: { accountId, userId, readOnly },
    update: { readOnly },
  });
  await note({
    action: 'account/grant',
    objectId: accountId,
    detail: { user, userId, readOnly },
    also: [
      {
        type: 'AdminGrant',
        kind: isNew ? 'created' : 'updated',
        id: grantId(accountId, userId),
      },
    ],
  });
}

/** Takes a user's access away, the owner's too. Throws DirectoryError where it has none. */
export async function revokeAccess(
  prisma: PrismaClient,
  accountId: string,
  user: string,
): Promise<void> {
  await changeAccess(prisma, async (change) => {
    await existingAccount(change.transaction, accountId);
    const { id: userId } = await existingUser(change.transaction, user);
    if (await removeAccess(change, { accountId, user, userId })) return;
    throw new DirectoryError(`User ${JSON.stringify(user)} has no access to account ${accountId}.`);
  });
}

/** Takes access away for a caller whose change is open. Resolves to whether there was any. */
export async function removeAccess(
  { transaction, note }: Change,
  { accountId, user, userId }: Omit<Access, 'readOnly'>,
): Promise<boolean> {
  const { count } = await transaction.jmapAccess.deleteMany({ where: { accountId, userId } });
  if (count === 0) return false;
  await note({
    action: 'account/revoke',
    objectId: accountId,
    detail: { user, userId },
    also: [{ type: 'AdminGrant', kind: 'destroyed', id: grantId(accountId, userId) }],
  });
  return true;
}

/** Control characters, lone surrogates, line ends break a list's lines; U+0000 some databases. */
const NAME = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,255}$/u;

/** Gives back a name that may be kept. Throws DirectoryError. */
export function legalName(what: 'account' | 'group' | 'user', name: string): string {
  if (NAME.test(name) && name.trim() === name) return name;
  throw new DirectoryError(
    `${JSON.stringify(name)} can't be the name of ${what === 'account' ? 'an' : 'a'} ${what}: ` +
      'it takes 1 to 255 characters without control characters, and no space at either end.',
  );
}

/** Returns the id of the user with this name, who is created where there is none. */
async function userOnDemand(change: Change, ids: IdGenerator, name: string): Promise<string> {
  const { transaction } = change;
  const known = await transaction.jmapUser.findUnique({ where: { name } });
  return known === null ? createUser(change, ids, name) : known.id;
}

/** Creates a user whose name is new, for a caller whose change is open. Resolves to its id. */
export async function createUser(
  { transaction, note }: Change,
  ids: IdGenerator,
  name: string,
): Promise<string> {
  const { id, time } = ids.next('u');
  await transaction.jmapUser.create({
    data: { id, name: legalName('user', name), created: BigInt(time) },
  });
  await note({ action: 'user/create', objectId: id, detail: { name } });
  return id;
}

/** Returns the row of the user with this name. Throws DirectoryError where there is none. */
export async function existingUser(
  prisma: PrismaClient | TransactionClient,
  name: string,
): Promise<Prisma.JmapUserGetPayload<object>> {
  const user = await prisma.jmapUser.findUnique({ where: { name } });
  if (user === null) throw new DirectoryError(`There is no user ${JSON.stringify(name)}.`);
  return user;
}

/** Returns the row of an account. Throws DirectoryError where there is none. */
export async function existingAccount(
  transaction: TransactionClient,
  id: string,
): Promise<Prisma.JmapAccountGetPayload<object>> {
  const account = await transaction.jmapAccount.findUnique({ where: { id } });
  if (account === null || account.ownerId === NO_OWNER)
    throw new DirectoryError(`There is no account ${JSON.stringify(id)}.`);
  return account;
}

/** Returns the same; throws DirectoryError also where the account is being deleted. */
export async function livingAccount(
  transaction: TransactionClient,
  id: string,
): Promise<Prisma.JmapAccountGetPayload<object>> {
  const account = await existingAccount(transaction, id);
  if ((await transaction.jmapMeta.count({ where: { key: deletionKey(id) } })) === 0) return account;
  throw new DirectoryError(`Account ${id} is being deleted.`);
}

/** Reads the JSON column: URNs that an account is limited to, or null for all. */
export function capabilityList(column: unknown): readonly string[] | null {
  return Array.isArray(column) ? column.filter((urn) => typeof urn === 'string') : null;
}
