import { setTimeout as sleep } from 'node:timers/promises';
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
  recordMemberships,
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
  await recordMemberships(transaction, places, { kind, groupId, userIds: [userId] });
  const action = kind === 'given' ? 'group/add' : 'group/remove';
  await note({ action, objectId: groupId, detail: { name: group, user, userId } });
}

/** Members that one transaction of a deletion removes, and rows by which it tells of them. */
const MEMBERS_AT_ONCE = 100;
const ROWS_AT_ONCE = 5000;
/** Milliseconds between two of them, in which others get the lock. */
const PAUSE = 5;

/**
 * Deletes a group. First its members leave, some at a time: after an interruption, it is called
 * again. Where objects are shared with the group, it goes no further. Resolves to the accounts of
 * those: the caller takes the group out of `shareWith` there, and calls again. None: the group is
 * deleted. Throws DirectoryError.
 */
export async function deleteGroup(
  prisma: PrismaClient,
  tables: ScopedTables,
  name: string,
): Promise<readonly string[]> {
  for (;;) {
    let sharing: readonly string[] = [];
    const done = await changeGroup(prisma, async (change, known) => {
      const { transaction } = change;
      const { id: groupId } = await existingGroup(transaction, name);
      const places = await holdPlaces(transaction, { groupId, tables }, known);
      sharing = sharingAmong(places);
      return sharing.length > 0 ? null : deletePart(change, places, { groupId, name });
    });
    if (done !== 'members') return sharing;
    await sleep(PAUSE);
  }
}

/** Returns the accounts where shares give the group scopes. */
function sharingAmong(places: readonly Place[]): readonly string[] {
  const shared = places.filter(({ scopes }) => scopes.length > 1);
  return [...new Set(shared.map(({ accountId }) => accountId))].sort();
}

/** Removes some members of a group, or a group without members. Returns which. */
async function deletePart(
  { transaction, note }: Change,
  places: readonly Place[],
  { groupId, name }: Readonly<Record<'groupId' | 'name', string>>,
): Promise<'members' | 'group'> {
  const most = Math.ceil(ROWS_AT_ONCE / Math.max(1, places.length));
  const members = await transaction.jmapMember.findMany({
    ...{ where: { groupId }, orderBy: { userId: 'asc' } },
    take: Math.min(MEMBERS_AT_ONCE, most),
  });
  if (members.length === 0) {
    // The grants that are left are of types that nobody shares now.
    await transaction.jmapGrant.deleteMany({ where: { principalId: groupId } });
    await transaction.jmapGroup.delete({ where: { id: groupId } });
    await note({ action: 'group/delete', objectId: groupId, detail: { name } });
    return 'group';
  }
  const userIds = members.map(({ userId }) => userId);
  await transaction.jmapMember.deleteMany({ where: { groupId, userId: { in: userIds } } });
  await recordMemberships(transaction, places, { kind: 'taken', groupId, userIds });
  await note({ action: 'group/remove', objectId: groupId, detail: { name, userIds } });
  return 'members';
}

/** Returns the row of the group with this name. Throws DirectoryError where there is none. */
export async function existingGroup(
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
async function changeGroup<T>(
  prisma: PrismaClient,
  work: (change: Change, known: readonly string[]) => Promise<T>,
): Promise<T> {
  let known: readonly string[] = [];
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    try {
      return await changeAccess(prisma, (change) => work(change, known));
    } catch (error) {
      if (!(error instanceof MovedPlacesError)) throw error;
      known = error.accountIds;
    }
  }
  throw new UnavailableError('Others go on sharing with the group.');
}
