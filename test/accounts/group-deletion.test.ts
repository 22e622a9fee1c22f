import { describe, expect, it, onTestFinished } from 'vitest';
import {
  addMember,
  createAccount,
  createGroup,
  deleteGroup,
  listGroups,
} from '../../src/accounts/index.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { usePostgresql } from '../support/postgresql.js';
import { KINDS, openKind } from './two-databases.js';

// A group is deleted in parts, each a transaction.

const TABLES = new Map([['Folder', ['Folder']]]);
const postgresql = usePostgresql();
const ids = createIdGenerator();

describe.each(KINDS)('on %s', (kind) => {
  /** Makes a group with members in so many accounts. */
  async function open({ members, places }: Readonly<Record<'members' | 'places', number>>) {
    const { prisma, close } = await openKind(kind, postgresql, 'group_deletion');
    onTestFinished(close);
    await createAccount(prisma, ids, { name: 'A', user: 'bob' });
    const groupId = await createGroup(prisma, ids, 'team');
    await prisma.jmapScope.createMany({
      data: Array.from({ length: places }, (_, index) => ({
        ...{ accountId: `a${index}`, type: 'Folder', objectId: 'f', scope: `p:${groupId}` },
        ...{ number: 1n, gone: false },
      })),
    });
    await prisma.jmapMember.createMany({
      data: Array.from({ length: members }, (_, index) => ({
        groupId,
        userId: `u${1000 + index}`,
      })),
    });
    /** Returns how many members each transaction has removed. */
    const parts = async () => {
      const acts = await prisma.jmapAudit.findMany({
        ...{ where: { action: 'group/remove' }, orderBy: { version: 'asc' } },
      });
      return acts.map(
        ({ detail }) => (detail as unknown as { userIds: readonly string[] }).userIds.length,
      );
    };
    const records = (accountId: string) =>
      prisma.jmapChange.findMany({ where: { accountId }, orderBy: { number: 'asc' } });
    return { prisma, groupId, parts, records };
  }

  it('its members leave a hundred at a time, and fewer where they leave many places', async () => {
    const few = await open({ members: 230, places: 1 });
    expect(await deleteGroup(few.prisma, TABLES, 'team')).toEqual([]);
    expect(await few.parts()).toEqual([100, 100, 30]);
    const told = await few.records('a0');
    const left = told.flatMap(({ scopes }) => JSON.parse(scopes ?? '') as object[]);
    expect(told.map(({ number }) => number)).toEqual([1n, 2n, 3n]);
    expect(left).toHaveLength(230);
    const { groupId } = few;
    expect(left[229]).toEqual({
      ...{ kind: 'taken', principalId: groupId, memberId: 'u1229', scopes: [`p:${groupId}`] },
    });
    const many = await open({ members: 45, places: 250 });
    expect(await deleteGroup(many.prisma, TABLES, 'team')).toEqual([]);
    expect(await many.parts()).toEqual([20, 20, 5]);
    expect(await many.records('a249')).toHaveLength(3);
    expect(await listGroups(many.prisma)).toEqual([]);
  });

  it('a deletion that was interrupted is repeated', async () => {
    const { prisma, parts } = await open({ members: 230, places: 1 });
    let count = 0;
    const failing = prisma.$extends({
      query: {
        jmapMember: {
          deleteMany: ({ args, query }) => {
            count += 1;
            if (count === 2) throw new Error('The command ends.');
            return query(args);
          },
        },
      },
    });
    await expect(deleteGroup(failing as never, TABLES, 'team')).rejects.toThrow('ends');
    expect(await prisma.jmapMember.count()).toBe(130);
    await addMember(prisma, TABLES, { group: 'team', user: 'bob' });
    expect(await deleteGroup(prisma, TABLES, 'team')).toEqual([]);
    expect(await parts()).toEqual([100, 100, 31]);
    expect(await prisma.jmapMember.count()).toBe(0);
    await expect(deleteGroup(prisma, TABLES, 'team')).rejects.toThrow('There is no group "team".');
  });

  it('nothing is deleted while objects are shared with it', async () => {
    const { prisma, groupId } = await open({ members: 2, places: 1 });
    const grants = ['Folder:f/mayRead', 'Paper:p/mayRead'].map((scope, index) => ({
      ...{ accountId: `b${index}`, principalId: groupId, scope },
    }));
    await prisma.jmapGrant.createMany({ data: grants });
    expect(await deleteGroup(prisma, TABLES, 'team')).toEqual(['b0']);
    expect(await prisma.jmapMember.count()).toBe(2);
    // An account that is being deleted takes its shares along; papers are shared no more.
    await prisma.jmapMeta.create({ data: { key: 'deletion:b0', value: '0' } });
    expect(await deleteGroup(prisma, TABLES, 'team')).toEqual([]);
    expect(await prisma.jmapGrant.count()).toBe(0);
  });
});
