import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { addMember, createAccount, createGroup, removeMember } from '../../src/accounts/index.js';
import type { DataTypeDefinition } from '../../src/capability/definition.js';
import { migrate, openPool } from '../../src/database/postgresql/index.js';
import { openPrisma } from '../../src/database/postgresql/prisma.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { createPostgresqlStore } from '../../src/store/postgresql/index.js';
import { sharedFolders } from '../methods/shared-folders.js';
import { conductor } from '../support/conductor.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';

const MIGRATIONS = fileURLToPath(new URL('../../prisma/postgresql/migrations', import.meta.url));
const TABLES = new Map([['Folder', ['Folder']]]);
const WAITING = 'SELECT count(*)::integer AS "count" FROM pg_locks WHERE NOT granted';

const postgresql = usePostgresql();
const ids = createIdGenerator();

it('a user who leaves a group is told of what somebody is giving the group', async () => {
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
  let leaving: Promise<void> | undefined;
  const options = { deadline: performance.now() + 60_000, exclusive: true };
  await store.write(accountId, options, async (transaction) => {
    const scopes = { after: [`p:${group}`], before: null };
    await transaction.record(folder, [{ objectId: 'f1', kind: 'created', scopes }]);
    leaving = removeMember(prisma, TABLES, membership);
    leaving.catch(() => undefined);
    await eventually(async () => {
      const { rows } = await pool.query<{ count: number }>(WAITING);
      expect(rows[0]?.count).toBe(1);
    }, 20_000);
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
