import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Prisma } from '../../build/prisma/engine-sqlite/client.js';
import { changeAccess, deletionKey } from '../../src/accounts/change.js';
import {
  addMember,
  createAccount,
  createAuthenticator,
  createGroup,
  createToken,
  disableUser,
  removeMember,
} from '../../src/accounts/index.js';
import { openBackfillDatabase } from '../../src/database/backfill-database.js';
import { migrate as migratePostgresql, openPool } from '../../src/database/postgresql/index.js';
import { openPrisma } from '../../src/database/postgresql/prisma.js';
import { openDatabase, Writer } from '../../src/database/sqlite/index.js';
import type { PrismaClient } from '../../src/database/sqlite/prisma.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { BLOB } from '../../src/protocol/session.js';
import type { Grant, Store, Transaction } from '../../src/store/port.js';
import { createPostgresqlStore } from '../../src/store/postgresql/index.js';
import { createSqliteStore } from '../../src/store/sqlite/index.js';
import { sharedFolders } from '../methods/shared-folders.js';
import { conductor } from '../support/conductor.js';
import { type PostgresqlServer, usePostgresql } from '../support/postgresql.js';
import { openTestDatabase } from './database.js';

// A user reaches an account while it has grants there.

const MIGRATIONS = fileURLToPath(new URL('../../prisma/postgresql/migrations', import.meta.url));
const { dataTypes: types } = sharedFolders().capability;
const [folder] = types;
const URN = folder?.capability ?? '';
const TABLES = new Map([['Folder', ['Folder']]]);

interface Opened {
  readonly prisma: PrismaClient;
  readonly store: Store;
  close(): Promise<void>;
}

async function onSqlite(): Promise<Opened> {
  const { prisma, file, close } = openTestDatabase();
  const writerDatabase = openDatabase({ file });
  const store = createSqliteStore({
    ...{ writer: new Writer(writerDatabase, conductor), writerDatabase, types },
    reader: openDatabase({ file, readonly: true }),
  });
  return {
    ...{ prisma, store },
    close: async () => {
      await store.close();
      writerDatabase.close();
      await close();
    },
  };
}

async function onPostgresql(server: PostgresqlServer): Promise<Opened> {
  const url = await server.createDatabase('shares');
  const pool = openPool({ url, size: 4 });
  await migratePostgresql(pool, MIGRATIONS);
  const prisma = openPrisma(pool);
  const storePool = openPool({ url, size: 4, pipeline: true });
  const store = createPostgresqlStore({ conductor, pool: storePool, types });
  return {
    ...{ prisma, store },
    close: async () => {
      await store.close();
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

const postgresql = usePostgresql();
const ids = createIdGenerator();

describe.each([
  ['SQLite', onSqlite],
  ['PostgreSQL', () => onPostgresql(postgresql())],
] as const)('on %s', (_, open) => {
  let opened: Opened;
  let accountId: string;
  let bobId: string;
  let token: string;
  let count = 0;

  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  beforeEach(async () => {
    const { prisma } = opened;
    count += 1;
    const [ann, bob] = [`ann${count}`, `bob${count}`];
    accountId = await createAccount(prisma, ids, { name: 'A', user: ann });
    await createAccount(prisma, ids, { name: 'B', user: bob });
    token = await createToken(prisma, ids, { user: bob });
    bobId = await idOf(bob);
  });

  const idOf = async (name: string): Promise<string> =>
    (await opened.prisma.jmapUser.findUniqueOrThrow({ where: { name } })).id;

  const by = () =>
    createAuthenticator(opened.prisma, {
      sharedTypes: { haveRules: true, tables: ['Folder'], capabilities: new Map([[URN, false]]) },
    });

  const reached = async () => (await by().authenticate(token))?.accounts.get(accountId) ?? null;

  const write = <T>(work: (transaction: Transaction) => Promise<T>): Promise<T> =>
    opened.store.write(accountId, { deadline: performance.now() + 60_000 }, work);

  /** `right`: of a folder. */
  const grant = (right: string, principalId = bobId): Grant => ({
    ...{ principalId, scope: `Folder:f/${right}` },
  });

  const change = (removed: readonly Grant[], added: readonly Grant[]): Promise<void> =>
    write((transaction) => transaction.changeGrants(removed, added));

  it('the version rises with the first grant and the last one alone', async () => {
    const versions: string[] = [];
    const note = async () => void versions.push(await by().version());
    await note();
    await change([], [grant('mayRead')]);
    await note();
    await change([], [grant('mayWrite')]);
    await note();
    await change([grant('mayRead'), grant('mayWrite')], [grant('mayAdmin')]);
    await note();
    await change([grant('mayAdmin')], []);
    await note();
    const [none, first, ...rest] = versions;
    expect(none).not.toBe(first);
    expect(rest).toEqual([first, first, rest[2]]);
    expect(rest[2]).not.toBe(first);
  });

  it('the account offers the shared types, and can be written to', async () => {
    expect(await reached()).toBeNull();
    await change([], [grant('mayRead'), grant('mayWrite')]);
    expect(await reached()).toEqual({
      ...{ id: accountId, name: 'A', isPersonal: false, isReadOnly: false, isShared: true },
      capabilities: new Set([URN]),
    });
    await change([grant('mayRead'), grant('mayWrite')], []);
    expect(await reached()).toBeNull();
  });

  it('a server without shared types gives nobody an account for grants', async () => {
    await change([], [grant('mayRead')]);
    const principal = await createAuthenticator(opened.prisma).authenticate(token);
    expect(principal?.accounts.has(accountId)).toBe(false);
  });

  it('those alone are loaded anew whose grants are the first or the last ones', async () => {
    let loads = 0;
    const counted = opened.prisma.$extends({
      query: {
        jmapUser: {
          findMany: ({ args, query }) => {
            loads += 1;
            return query(args);
          },
        },
      },
    });
    const server = createAuthenticator(counted as never, {
      sharedTypes: { haveRules: true, tables: ['Folder'], capabilities: new Map([[URN, false]]) },
    });
    const look = async () => (await server.authenticate(token))?.accounts.has(accountId);
    const lookAfter = async (work: () => Promise<void>) => {
      await work();
      return { isReached: await look(), loads };
    };
    const given = [grant('mayRead')];
    const others = [grant('mayRead', 'eve'), grant('mayRead', 'dan')];
    expect(await lookAfter(async () => undefined)).toEqual({ isReached: false, loads: 1 });
    expect(await lookAfter(() => change([], others))).toEqual({ isReached: false, loads: 1 });
    expect(await lookAfter(() => change(others, given))).toEqual({ isReached: true, loads: 2 });
    expect(await lookAfter(() => change([], others))).toEqual({ isReached: true, loads: 2 });
    expect(await lookAfter(() => change(given, []))).toEqual({ isReached: false, loads: 3 });
    await lookAfter(() => change([], given));
    const take = () => openBackfillDatabase(opened.prisma).dropGrants('Folder');
    expect(await lookAfter(take)).toEqual({ isReached: false, loads: 5 });
    expect(await lookAfter(() => change([], given))).toEqual({ isReached: true, loads: 6 });
  });

  it('grants that a version with other shared types has left open no account', async () => {
    const stray = { principalId: bobId, scope: 'Paper:p/mayRead' };
    await change([], [stray]);
    expect(await reached()).toBeNull();
    const version = await by().version();
    await change([], [grant('mayRead')]);
    expect(await by().version()).not.toBe(version);
    expect(await reached()).not.toBeNull();
    await change([grant('mayRead')], []);
    expect(await reached()).toBeNull();
  });

  it('the version rises where a start takes grants, and not where there are none', async () => {
    const database = openBackfillDatabase(opened.prisma);
    await change([], [grant('mayRead')]);
    const version = await by().version();
    await database.dropGrants('Folder');
    const after = await by().version();
    expect(after).not.toBe(version);
    expect(await reached()).toBeNull();
    await database.dropGrants('Folder');
    expect(await by().version()).toBe(after);
  });

  it('an account that is limited to other capabilities is not reached', async () => {
    await change([], [grant('mayRead')]);
    const limit = (capabilities: readonly string[]) =>
      opened.prisma.jmapAccount.update({
        ...{ where: { id: accountId }, data: { capabilities: [...capabilities] } },
      });
    await limit(['urn:example:other']);
    expect(await reached()).toBeNull();
    await limit(['urn:example:other', URN]);
    expect((await reached())?.capabilities).toEqual(new Set([URN]));
  });

  it('files are offered where a type has some whose capability is offered', async () => {
    await change([], [grant('mayRead')]);
    const [files, none] = ['urn:example:files', 'urn:example:none'];
    const sharedTypes = {
      haveRules: true,
      tables: ['Folder'],
      capabilities: new Map([
        [files, true],
        [none, false],
      ]),
    };
    const look = async (limit: readonly string[] | null) => {
      const data = { capabilities: limit === null ? Prisma.DbNull : [...limit] };
      await opened.prisma.jmapAccount.update({ where: { id: accountId }, data });
      const principal = await createAuthenticator(opened.prisma, { sharedTypes }).authenticate(
        token,
      );
      return [...(principal?.accounts.get(accountId)?.capabilities ?? [])].sort();
    };
    expect(await look(null)).toEqual([files, none, BLOB].sort());
    expect(await look([none, BLOB])).toEqual([none]);
    expect(await look([files])).toEqual([files]);
    expect(await look([files, BLOB])).toEqual([files, BLOB].sort());
  });

  it('an account that is given whole stays so beside grants', async () => {
    await change([], [grant('mayRead')]);
    await opened.prisma.jmapAccess.create({
      data: { accountId, userId: bobId, readOnly: true },
    });
    const access = await reached();
    expect(access).toMatchObject({ isReadOnly: true, isReader: true, capabilities: null });
    expect(access).not.toHaveProperty('isShared');
  });

  it('an account that is being deleted, and any account of a disabled user, is lost', async () => {
    await change([], [grant('mayRead')]);
    const where = { key: deletionKey(accountId) };
    await opened.prisma.jmapMeta.create({ data: { ...where, value: '0' } });
    expect(await reached()).toBeNull();
    await opened.prisma.jmapMeta.delete({ where });
    expect(await reached()).not.toBeNull();
    await disableUser(opened.prisma, `bob${count}`);
    expect(await by().authenticate(token)).toBeNull();
  });

  it('users and groups are found to share with, but not the owner', async () => {
    const ann = await idOf(`ann${count}`);
    const team = await createGroup(opened.prisma, ids, `team${count}`);
    const asked = [ann, bobId, 'nobody', team];
    const found = await write((transaction) => transaction.existingPrincipals(asked));
    expect(found).toEqual([bobId, team]);
  });

  it('members of a group reach an account from its first grant to its last one', async () => {
    const [group, user] = [`team${count}`, `bob${count}`];
    const team = await createGroup(opened.prisma, ids, group);
    await addMember(opened.prisma, TABLES, { group, user });
    const authenticator = by();
    const reach = async () => (await authenticator.authenticate(token))?.accounts.has(accountId);
    expect(await reach()).toBe(false);
    await change([], [grant('mayRead', team)]);
    expect(await reach()).toBe(true);
    await change([grant('mayRead', team)], [grant('mayWrite', team)]);
    await removeMember(opened.prisma, TABLES, { group, user });
    expect(await reach()).toBe(false);
    await addMember(opened.prisma, TABLES, { group, user });
    expect(await reach()).toBe(true);
    await change([grant('mayWrite', team)], []);
    expect(await reach()).toBe(false);
  });

  it('a change of access and a first grant do not wait for one another', async () => {
    // The one holds the access version and wants the account; the other one holds the account.
    await Promise.all([
      ...Array.from({ length: 5 }, (_value, index) =>
        changeAccess(opened.prisma, async ({ transaction, note }) => {
          await transaction.jmapAccount.update({
            ...{ where: { id: accountId }, data: { name: `A${index}` } },
          });
          await note({ action: 'account/rename', objectId: accountId, detail: { name: 'A' } });
        }),
      ),
      ...Array.from({ length: 5 }, async () => {
        await change([], [grant('mayRead')]);
        await change([grant('mayRead')], []);
      }),
    ]);
    expect(await reached()).toBeNull();
  });
});
