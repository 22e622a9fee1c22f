import { Prisma, type PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { inChunks } from '../database/in-chunks.js';
import { groupBy } from '../runtime/group-by.js';
import { type Change, changeAccess, DirectoryError, type TransactionClient } from './change.js';
import { existingUser } from './directory.js';
import { textsOf } from './stored-texts.js';

export interface UserListing {
  readonly id: string;
  readonly name: string;
  /** Since when nothing of the user is good, epoch ms; null: all is. */
  readonly disabled: number | null;
  /** In the whole server, in order. */
  readonly roles: readonly string[];
  /** The user as identity providers know it, in order. */
  readonly identities: readonly Identity[];
  /** Epoch ms. */
  readonly created: number;
}

/** Returns every user, in order of creation. */
export async function listUsers(prisma: PrismaClient): Promise<readonly UserListing[]> {
  const users = await prisma.jmapUser.findMany({ orderBy: [{ created: 'asc' }, { id: 'asc' }] });
  const identities = await readIdentities(prisma);
  return users.map(({ id, name, disabled, roles, created }) => ({
    ...{ id, name },
    disabled: disabled === null ? null : Number(disabled),
    roles: textsOf(roles),
    identities: identities.get(id) ?? [],
    created: Number(created),
  }));
}

/** A user as an identity provider knows it. */
export type Identity = Readonly<Record<'issuer' | 'subject', string>>;

/** Returns the identities by user, each user's in order; `userIds`: of these users alone. */
export async function readIdentities(
  client: PrismaClient | TransactionClient,
  userIds?: readonly string[],
): Promise<ReadonlyMap<string, readonly Identity[]>> {
  const read = (where: Prisma.JmapIdentityWhereInput) =>
    client.jmapIdentity.findMany({ where, orderBy: [{ issuer: 'asc' }, { subject: 'asc' }] });
  const rows =
    userIds === undefined
      ? await read({})
      : await inChunks(userIds, (chunk) => read({ userId: { in: chunk } }));
  const byUser = groupBy(rows, ({ userId }) => userId);
  return new Map(
    Array.from(byUser, ([id, own]) => [
      id,
      own.map(({ issuer, subject }) => ({ issuer, subject })),
    ]),
  );
}

/**
 * Has nothing of a user be good any more: no token, no sign-in, no ticket. Destroys its push
 * subscriptions. Changes nothing where it is so already. Throws DirectoryError.
 */
export async function disableUser(prisma: PrismaClient, name: string): Promise<void> {
  await changeAccess(prisma, async (change) => {
    const user = await existingUser(change.transaction, name);
    return user.disabled === null ? disable(change, user.id) : null;
  });
}

/** Undoes `disableUser`. Push subscriptions are to be created again. Throws DirectoryError. */
export async function enableUser(prisma: PrismaClient, name: string): Promise<void> {
  await changeAccess(prisma, async (change) => {
    const user = await existingUser(change.transaction, name);
    return user.disabled === null ? null : enable(change, user.id);
  });
}

/**
 * Ends a user's sign-ins by identity providers, with their tickets and push subscriptions. Tokens
 * of ours go on. Throws DirectoryError.
 */
export async function signOutUser(prisma: PrismaClient, name: string): Promise<void> {
  await changeAccess(prisma, async (change) => {
    const { id } = await existingUser(change.transaction, name);
    await signOut(change, id);
  });
}

/** Returns the roles that a user has in the whole server, in order. Throws DirectoryError. */
export async function rolesOfUser(prisma: PrismaClient, name: string): Promise<readonly string[]> {
  return textsOf((await existingUser(prisma, name)).roles);
}

/** Gives a user these roles in the whole server, and no others. Throws DirectoryError. */
export async function changeRoles(
  prisma: PrismaClient,
  name: string,
  roles: readonly string[],
): Promise<void> {
  await changeAccess(prisma, async (change) => {
    const user = await existingUser(change.transaction, name);
    const legal = legalRoles(roles);
    const isSame = JSON.stringify(legal) === JSON.stringify(textsOf(user.roles));
    return isSame ? null : writeRoles(change, user.id, legal);
  });
}

/** Does what `disableUser` does for a caller whose change is open. */
export async function disable({ transaction, note }: Change, id: string): Promise<void> {
  // The user's row and those of its tokens first: a call that creates subscriptions locks one.
  await transaction.jmapUser.update({ where: { id }, data: { disabled: BigInt(Date.now()) } });
  await transaction.$executeRaw`
    UPDATE "JmapToken" SET "readOnly" = "readOnly" WHERE "userId" = ${id}`;
  await transaction.jmapPushSubscription.deleteMany({ where: { userId: id } });
  await transaction.jmapTicket.deleteMany({ where: { userId: id } });
  await note({ action: 'user/disable', objectId: id });
}

export async function enable({ transaction, note }: Change, id: string): Promise<void> {
  await transaction.jmapUser.update({ where: { id }, data: { disabled: null } });
  await note({ action: 'user/enable', objectId: id });
}

export async function signOut({ transaction, note }: Change, id: string): Promise<void> {
  await transaction.jmapUser.update({ where: { id }, data: { signedOut: BigInt(Date.now()) } });
  const where = { userId: id, signIn: { not: Prisma.DbNull } };
  await transaction.jmapPushSubscription.deleteMany({ where });
  await transaction.jmapTicket.deleteMany({ where });
  await note({ action: 'user/sign-out', objectId: id });
}

/** `roles` are legal ones (legalRoles). */
export async function writeRoles(
  { transaction, note }: Change,
  id: string,
  roles: readonly string[],
): Promise<void> {
  const stored = roles.length === 0 ? Prisma.DbNull : [...roles];
  await transaction.jmapUser.update({ where: { id }, data: { roles: stored } });
  await note({ action: 'user/roles', objectId: id, detail: { roles } });
}

/** A list of roles has commas and spaces between them. */
const ROLE = /^[^\s,\p{Cc}\p{Cs}]{1,255}$/u;

/** Gives back roles that may be kept, in order, each once. Throws DirectoryError. */
export function legalRoles(roles: readonly string[]): readonly string[] {
  const illegal = roles.find((role) => !ROLE.test(role));
  if (illegal === undefined) return [...new Set(roles)].sort();
  throw new DirectoryError(
    `${JSON.stringify(illegal)} can't be a role: it takes 1 to 255 characters without spaces, ` +
      'commas and control characters.',
  );
}
