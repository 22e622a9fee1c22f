import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import {
  addMember,
  createAccount,
  createGroup,
  deleteGroup,
  removeMember,
} from '../../src/accounts/index.js';
import type { DataTypeDefinition } from '../../src/capability/definition.js';
import { migrate, openPool } from '../../src/database/postgresql/index.js';
import { openPrisma } from '../../src/database/postgresql/prisma.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import type { Transaction } from '../../src/store/port.js';
import { createPostgresqlStore } from '../../src/store/postgresql/index.js';
import { sharedFolders } from '../methods/shared-folders.js';
import { conductor } from '../support/conductor.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';

const MIGRATIONS = fileURLToPath(new URL('../../prisma/postgresql/migrations', import.meta.url));
const TABLES = new Map([['Folder', ['Folder']]]);
const WAITING = `SELECT count(*)::integer AS "count" FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

const postgresql = usePostgresql();
const ids = createIdGenerator();

/** Makes a group with a member, and an account that shares with it. */
async function open() {
  const url = await postgresql().createDatabase('held_groups');
  const pool = openPool({ url, size: 4 });
  await migrate(pool, MIGRATIONS);
  const prisma = openPrisma(pool);
  const { dataTypes: types } = sharedFolders().capability;
  const folder = types[0] as DataTypeDefinition;
  const storePool = openPool({ url, size: 2, pipeline: true });
  const store = createPostgresqlStore({ conductor, pool: storePool, types });
  onTestFinished(async () => {
    await store.close();
    await prisma.$disconnect();
    await pool.end();
  });
  const accountId = await createAccount(prisma, ids, { name: 'A', user: 'ann' });
  await createAccount(prisma, ids, { name: 'B', user: 'bob' });
  const group = await createGroup(prisma, ids, 'team');
  const membership = { group: 'team', user: 'bob' };
  await addMember(prisma, TABLES, membership);
  const options = () => ({ deadline: performance.now() + 60_000, exclusive: true });
  return {
    ...{ prisma, folder, accountId, group, membership },
    write: <T>(work: (transaction: Transaction) => Promise<T>) =>
      store.write(accountId, options(), work),
    /** Resolves once a transaction waits for another. */
    waits: () =>
      eventually(async () => {
        const { rows } = await pool.query<{ count: number }>(WAITING);
        expect(rows[0]?.count).toBe(1);
      }, 20_000),
  };
}

it('a user who leaves a group is told of what somebody is giving the group', async () => {
  const { prisma, folder, accountId, group, membership, write, waits } = await open();
  let leaving: Promise<void> | undefined;
  await write(async (transaction) => {
    const scopes = { after: [`p:${group}`], before: null };
    await transaction.record(folder, [{ objectId: 'f1', kind: 'created', scopes }]);
    leaving = removeMember(prisma, TABLES, membership);
    leaving.catch(() => undefined);
    await waits();
  });
  await leaving;
  const records = await prisma.jmapChange.findMany({ orderBy: { number: 'asc' } });
  const { id: memberId } = await prisma.jmapUser.findUniqueOrThrow({ where: { name: 'bob' } });
  const scopes = JSON.stringify([
    { kind: 'taken', principalId: group, memberId, scopes: [`p:${group}`] },
  ]);
  expect(records.filter((record) => record.type === 'Folder').slice(1)).toMatchObject([
    { accountId, number: 2n, objectId: '', kind: 3, scopes },
  ]);
});

it('a group that somebody is about to share with is not deleted meanwhile', async () => {
  const { prisma, accountId, group, membership, write, waits } = await open();
  let deleting: Promise<readonly string[]> | undefined;
  await removeMember(prisma, TABLES, membership);
  await write(async (transaction) => {
    expect(await transaction.existingPrincipals([group])).toEqual([group]);
    deleting = deleteGroup(prisma, TABLES, 'team');
    deleting.catch(() => undefined);
    await waits();
    await transaction.changeGrants([], [{ principalId: group, scope: 'Folder:f/mayRead' }]);
  });
  expect(await deleting).toEqual([accountId]);
  await write((transaction) =>
    transaction.changeGrants([{ principalId: group, scope: 'Folder:f/mayRead' }], []),
  );
  expect(await deleteGroup(prisma, TABLES, 'team')).toEqual([]);
  expect(await write((transaction) => transaction.existingPrincipals([group]))).toEqual([]);
});
