import type { PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { GROUP_PREFIX } from '../capability/principal-names.js';
import { UnavailableError } from '../protocol/errors.js';
import type { IdGenerator } from '../protocol/ids.js';
import { groupBy } from '../runtime/group-by.js';
import { type Change, changeAccess, DirectoryError, type TransactionClient } from './change.js';
import { existingUser, legalName } from './directory.js';
import {
  holdPlaces,
  type MembershipKind,
  MovedPlacesError,
  type Place,
  recordEnd,
  recordMembership,
  type ScopedTables,
} from './membership-records.js';

export type { ScopedTables } from './membership-records.js';

export interface GroupListing {
  readonly id: string;
  readonly name: string;
  /** Names of its users, in order. */
  readonly members: readonly string[];
  /** Epoch ms. */
  readonly created: number;
}

/** A user of a group, by their names. */
export interface Membership {
  readonly group: string;
  readonly user: string;
}

/** Creates a group without members. Resolves to its id. Throws DirectoryError. */
export function createGroup(prisma: PrismaClient, ids: IdGenerator, name: string): Promise<string> {
  return changeAccess(prisma, async ({ transaction, note }) => {
    const legal = legalName('group', name);
    if ((await transaction.jmapGroup.findUnique({ where: { name: legal } })) !== null)
      throw new DirectoryError(`There is a group ${JSON.stringify(name)} already.`);
    const { id, time } = ids.next(GROUP_PREFIX);
    await transaction.jmapGroup.create({ data: { id, name: legal, created: BigInt(time) } });
    await note({ action: 'group/create', objectId: id, detail: { name: legal } });
    return id;
  });
}

/** Returns every group, in order of creation. */
export async function listGroups(prisma: PrismaClient): Promise<readonly GroupListing[]> {
  const groups = await prisma.jmapGroup.findMany({ orderBy: [{ created: 'asc' }, { id: 'asc' }] });
  const users = new Map((await prisma.jmapUser.findMany()).map((user) => [user.id, user.name]));
  const membersOf = groupBy(await prisma.jmapMember.findMany(), ({ groupId }) => groupId);
  return groups.map(({ id, name, created }) => ({
    ...{ id, name },
    members: (membersOf.get(id) ?? []).map(({ userId }) => users.get(userId) ?? userId).sort(),
    created: Number(created),
  }));
}

/**
 * Makes a user a member of a group. Changes nothing where it is one. In each account and type where
 * the group is known, a change record tells it. Throws DirectoryError.
 */
export function addMember(
  prisma: PrismaClient,
  tables: ScopedTables,
  membership: Membership,
): Promise<void> {
  return changeMembership(prisma, tables, { ...membership, kind: 'given' });
}

/** Does the opposite. Throws DirectoryError, also where the user is no member. */
export function removeMember(
  prisma: PrismaClient,
  tables: ScopedTables,
  membership: Membership,
): Promise<void> {
  return changeMembership(prisma, tables, { ...membership, kind: 'taken' });
}

async function changeMembership(
  prisma: PrismaClient,
  tables: ScopedTables,
  { group, user, kind }: Membership & { readonly kind: MembershipKind },
): Promise<void> {
  await changeGroup(prisma, async (change, known) => {
    const { transaction } = change;
    const { id: groupId } = await existingGroup(transaction, group);
    const { id: userId } = await existingUser(transaction, user);
    const isMember = (await transaction.jmapMember.count({ where: { userId, groupId } })) > 0;
    if (isMember && kind === 'given') return null;
    if (!isMember && kind === 'taken')
      throw new DirectoryError(
        `User ${JSON.stringify(user)} is no member of group ${JSON.stringify(group)}.`,
      );
    const places = await holdPlaces(transaction, { groupId, tables }, known);
    return writeMembership(change, places, { group, groupId, user, userId, kind });
  });
}

interface MembershipChange extends Membership {
  readonly groupId: string;
  readonly userId: string;
  readonly kind: MembershipKind;
}

async function writeMembership(
  { transaction, note }: Change,
  places: readonly Place[],
  { group, groupId, user, userId, kind }: MembershipChange,
): Promise<void> {
  const data = { userId, groupId };
  if (kind === 'given') await transaction.jmapMember.create({ data });
  else await transaction.jmapMember.deleteMany({ where: data });
  await recordMembership(transaction, places, { kind, groupId, userId });
  const action = kind === 'given' ? 'group/add' : 'group/remove';
  await note({ action, objectId: groupId, detail: { name: group, user, userId } });
}

/**
 * Deletes a group, with what shares have given it. Objects may go on naming it in `shareWith`: the
 * caller takes it out before (`sharesOfGroup`). Throws DirectoryError.
 */
export async function deleteGroup(
  prisma: PrismaClient,
  tables: ScopedTables,
  name: string,
): Promise<void> {
  await changeGroup(prisma, async ({ transaction, note }, known) => {
    const { id: groupId } = await existingGroup(transaction, name);
    const places = await holdPlaces(transaction, { groupId, tables }, known);
    const members = await transaction.jmapMember.findMany({ where: { groupId } });
    await transaction.jmapGrant.deleteMany({ where: { principalId: groupId } });
    await transaction.jmapMember.deleteMany({ where: { groupId } });
    await transaction.jmapGroup.delete({ where: { id: groupId } });
    const userIds = members.map(({ userId }) => userId);
    await recordEnd(transaction, places, { groupId, userIds });
    await note({ action: 'group/delete', objectId: groupId, detail: { name } });
  });
}

/** Returns the accounts in which objects are shared with a group. Throws DirectoryError. */
export async function sharesOfGroup(
  prisma: PrismaClient,
  name: string,
): Promise<{ readonly groupId: string; readonly accountIds: readonly string[] }> {
  const { id: groupId } = await existingGroup(prisma, name);
  const where = { principalId: groupId };
  const grants = await prisma.jmapGrant.groupBy({ by: ['accountId'], where });
  return { groupId, accountIds: grants.map(({ accountId }) => accountId).sort() };
}

/** Returns the row of the group with this name. Throws DirectoryError where there is none. */
async function existingGroup(
  prisma: PrismaClient | TransactionClient,
  name: string,
): Promise<{ readonly id: string }> {
  const group = await prisma.jmapGroup.findUnique({ where: { name } });
  if (group === null) throw new DirectoryError(`There is no group ${JSON.stringify(name)}.`);
  return group;
}

/** How often a change begins anew since others share with the group meanwhile. */
const ATTEMPTS = 20;

/**
 * Changes a group. `work` may run several times: it gets the accounts that earlier runs have found.
 */
async function changeGroup(
  prisma: PrismaClient,
  work: (change: Change, known: readonly string[]) => Promise<unknown>,
): Promise<void> {
  let known: readonly string[] = [];
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    try {
      await changeAccess(prisma, (change) => work(change, known));
      return;
    } catch (error) {
      if (!(error instanceof MovedPlacesError)) throw error;
      known = error.accountIds;
    }
  }
  throw new UnavailableError('Others go on sharing with the group.');
}
