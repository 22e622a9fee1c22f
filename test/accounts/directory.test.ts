import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createAccount,
  createToken,
  DirectoryError,
  grantAccess,
  listAccounts,
  listTokens,
  renameAccount,
  revokeAccess,
} from '../../src/accounts/index.js';
import { openPrismaStandalone } from '../../src/database/sqlite/prisma.js';
import { createIdGenerator, isId } from '../../src/protocol/ids.js';
import { openTestDatabase, type TestDatabase } from './database.js';

const ids = createIdGenerator();
let database: TestDatabase;

beforeEach(() => {
  database = openTestDatabase();
});

afterEach(() => database.close());

const users = (): readonly unknown[] =>
  database.db.prepare('SELECT "name" FROM "JmapUser" ORDER BY "name"').pluck().all();

describe('accounts', () => {
  it('are listed in order of creation with owner, access and capabilities', async () => {
    const zebra = await createAccount(database.prisma, ids, { name: 'Zebra', user: 'zoe' });
    const ant = await createAccount(database.prisma, ids, {
      name: 'Ant',
      user: 'alice',
      capabilities: ['urn:x'],
    });
    await grantAccess(database.prisma, ids, { accountId: zebra, user: 'bob', readOnly: true });
    expect(await listAccounts(database.prisma)).toMatchObject([
      {
        id: zebra,
        name: 'Zebra',
        owner: 'zoe',
        capabilities: null,
        access: [
          { user: 'bob', readOnly: true },
          { user: 'zoe', readOnly: false },
        ],
      },
      {
        id: ant,
        name: 'Ant',
        owner: 'alice',
        capabilities: ['urn:x'],
        access: [{ user: 'alice', readOnly: false }],
      },
    ]);
  });

  it('leave the tasks that their maker knows, and no others', async () => {
    const { prisma } = database;
    await createAccount(prisma, ids, { name: 'A' });
    expect(await prisma.jmapTask.count()).toBe(0);
    const accountId = await createAccount(prisma, ids, { name: 'B', tasks: ['one', 'two'] });
    const tasks = await prisma.jmapTask.findMany({ orderBy: { kind: 'asc' } });
    const task = { accountId, attempts: 0n, due: expect.any(BigInt), error: null };
    expect(tasks).toMatchObject([
      { ...task, kind: 'one' },
      { ...task, kind: 'two' },
    ]);
  });

  it('have ids of the project and belong to "owner" where no user is named', async () => {
    const id = await createAccount(database.prisma, ids, { name: 'A' });
    expect(isId(id)).toBe(true);
    expect(id).toMatch(/^a[0-9a-z]{26}$/);
    expect((await listAccounts(database.prisma))[0]?.owner).toBe('owner');
  });

  it('make their users once, and a grant makes them too', async () => {
    const a = await createAccount(database.prisma, ids, { name: 'A', user: 'alice' });
    await createAccount(database.prisma, ids, { name: 'B', user: 'alice' });
    await grantAccess(database.prisma, ids, { accountId: a, user: 'bob', readOnly: false });
    expect(users()).toEqual(['alice', 'bob']);
  });

  it('may share a name, and take any script in it', async () => {
    await createAccount(database.prisma, ids, { name: 'Пошта 📮', user: 'أحمد' });
    const id = await createAccount(database.prisma, ids, { name: 'Пошта 📮', user: 'أحمد' });
    await renameAccount(database.prisma, id, '邮件');
    expect((await listAccounts(database.prisma)).map((account) => account.name)).toEqual([
      'Пошта 📮',
      '邮件',
    ]);
  });

  it('refuse a name that is empty, too long, or would break a line', async () => {
    const id = await createAccount(database.prisma, ids, { name: 'A', user: 'alice' });
    for (const name of [
      '',
      ' ',
      ' A',
      'A ',
      'A\nB',
      'A\0',
      'A\u2028B',
      '\ud800',
      'A'.repeat(256),
    ]) {
      await expect(async () => createAccount(database.prisma, ids, { name })).rejects.toThrow(
        DirectoryError,
      );
      await expect(renameAccount(database.prisma, id, name)).rejects.toThrow(DirectoryError);
      const grant = { accountId: id, user: name, readOnly: false };
      await expect(grantAccess(database.prisma, ids, grant)).rejects.toThrow(DirectoryError);
    }
    expect(await listAccounts(database.prisma)).toHaveLength(1);
    expect(users()).toEqual(['alice']);
  });
});

describe('a grant', () => {
  it('given again changes the mode, also the owner’s', async () => {
    const accountId = await createAccount(database.prisma, ids, { name: 'A', user: 'alice' });
    for (const readOnly of [true, false, true]) {
      await grantAccess(database.prisma, ids, { accountId, user: 'alice', readOnly });
      expect((await listAccounts(database.prisma))[0]?.access).toEqual([
        { user: 'alice', readOnly },
      ]);
    }
  });

  it('is revoked for one user alone', async () => {
    const accountId = await createAccount(database.prisma, ids, { name: 'A', user: 'alice' });
    await grantAccess(database.prisma, ids, { accountId, user: 'bob', readOnly: false });
    await revokeAccess(database.prisma, accountId, 'alice');
    expect((await listAccounts(database.prisma))[0]).toMatchObject({
      owner: 'alice',
      access: [{ user: 'bob', readOnly: false }],
    });
  });
});

it('an unknown account, user or token is refused by name, and changes nothing', async () => {
  const id = await createAccount(database.prisma, ids, { name: 'A', user: 'alice' });
  await createAccount(database.prisma, ids, { name: 'B', user: 'bob' });
  const version = database.accessVersion();
  const unknown = { accountId: 'a-none', user: 'carol', readOnly: false };
  await expect(renameAccount(database.prisma, 'a-none', 'B')).rejects.toThrow(
    'no account "a-none"',
  );
  await expect(grantAccess(database.prisma, ids, unknown)).rejects.toThrow('no account "a-none"');
  await expect(revokeAccess(database.prisma, 'a-none', 'alice')).rejects.toThrow('no account');
  await expect(revokeAccess(database.prisma, id, 'carol')).rejects.toThrow('no user "carol"');
  await expect(revokeAccess(database.prisma, id, 'bob')).rejects.toThrow('"bob" has no access');
  expect(users()).toEqual(['alice', 'bob']);
  expect(database.accessVersion()).toBe(version);
});

it('every change raises the access version', async () => {
  let last = Number(database.accessVersion());
  const raised = async (change: Promise<unknown>): Promise<void> => {
    await change;
    const version = Number(database.accessVersion());
    expect(version).toBeGreaterThan(last);
    last = version;
  };
  await raised(createAccount(database.prisma, ids, { name: 'A', user: 'alice' }));
  const id = (await listAccounts(database.prisma))[0]?.id ?? '';
  await raised(grantAccess(database.prisma, ids, { accountId: id, user: 'bob', readOnly: true }));
  await raised(renameAccount(database.prisma, id, 'B'));
  await raised(createToken(database.prisma, ids, { user: 'bob' }));
  await raised(revokeAccess(database.prisma, id, 'bob'));
});

it('many changes at once all happen, beside a writer of another connection', async () => {
  const other = openPrismaStandalone(database.file);
  try {
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => [
        createAccount(database.prisma, ids, { name: `A${index}`, user: 'alice' }),
        createAccount(other, ids, { name: `B${index}`, user: 'alice' }),
      ]).flat(),
    );
  } finally {
    await other.$disconnect();
  }
  expect(await listAccounts(database.prisma)).toHaveLength(40);
  expect(users()).toEqual(['alice']);
  // Nobody has shared an object.
  expect(database.accessVersion()).toBe('40.0');
  expect(await listTokens(database.prisma)).toEqual([]);
});
