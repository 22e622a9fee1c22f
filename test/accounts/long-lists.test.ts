import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DirectoryRows } from '../../src/accounts/admin/directory-rows.js';
import { type DirectoryType, grantId } from '../../src/accounts/admin-port.js';
import { createAccount, createAuthenticator, createToken } from '../../src/accounts/index.js';
import type { Principal } from '../../src/accounts/principal.js';
import { signInCredential } from '../../src/accounts/sign-in.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { usePostgresql } from '../support/postgresql.js';
import { KINDS, type OpenedDatabase, openKind } from './two-databases.js';

const ISSUER = 'https://id.example.com';
/** MAX_OBJECTS_IN_GET and MAX_OBJECTS_IN_SET by default: more than Prisma puts in a statement. */
const MANY = 1000;

const ids = createIdGenerator();
const postgresql = usePostgresql();
const numbers = Array.from({ length: MANY }, (_, n) => n);

describe.each(KINDS)('lists of a thousand on %s', (kind) => {
  let database: OpenedDatabase;
  let rows: DirectoryRows;

  beforeEach(async () => {
    database = await openKind(kind, postgresql, 'lists');
    rows = new DirectoryRows(database.prisma, { ids, tasks: [] });
  });
  afterEach(() => database.close());

  /** Stores accounts of one user, none of which a provider has made; resolves to their ids. */
  async function storeAccounts(ownerId: string): Promise<readonly string[]> {
    const data = numbers.map((n) => ({ id: ids.next('a').id, name: `team-${n}`, ownerId }));
    await database.prisma.jmapAccount.createMany({
      data: data.map((row) => ({ ...row, created: 1n })),
    });
    return data.map(({ id }) => id);
  }

  async function storeUsers(): Promise<readonly string[]> {
    const data = numbers.map((n) => ({ id: ids.next('u').id, name: `user-${n}`, created: 1n }));
    await database.prisma.jmapUser.createMany({ data });
    return data.map(({ id }) => id);
  }

  async function administrator(): Promise<Principal> {
    await createAccount(database.prisma, ids, { name: 'Root', user: 'root' });
    await database.prisma.jmapUser.updateMany({
      where: { name: 'root' },
      data: { roles: ['admin'] },
    });
    const token = await createToken(database.prisma, ids, { user: 'root' });
    const by = createAuthenticator(database.prisma, { directory: true });
    const principal = await by.authenticate(token);
    if (principal === null) throw new Error('The token is good.');
    return principal;
  }

  const found = async (type: DirectoryType, which: readonly string[]) =>
    (await rows.read(type, which)).objects.map(({ id }) => id).sort();

  it('claims reach all accounts that they name', async () => {
    const userId = ids.next('u').id;
    const user = { id: userId, name: 'ann', created: 1n };
    await database.prisma.jmapUser.create({ data: user });
    const identity = { issuer: ISSUER, subject: 's', userId, created: 1n };
    await database.prisma.jmapIdentity.create({ data: identity });
    const accountIds = await storeAccounts('another');
    const credential = signInCredential('hash', {
      ...{ issuer: ISSUER, subject: 's', name: 's', session: null, client: null, issued: 1 },
      ...{ expires: null, roles: [], scopes: [] },
      accounts: Object.fromEntries(numbers.map((n) => [`team-${n}`, false])),
    });
    const principal = await createAuthenticator(database.prisma).refresh(credential);
    expect([...(principal?.accounts.keys() ?? [])].sort()).toEqual([...accountIds].sort());
  });

  it('users and their tokens are read by their ids, and in order', async () => {
    const userIds = await storeUsers();
    const data = userIds.map((userId, n) => ({
      ...{ id: ids.next('t').id, userId, secretHash: Buffer.from(`${n}`) },
      ...{ readOnly: false, scoped: true, created: 1n },
    }));
    await database.prisma.jmapToken.createMany({ data });
    const scopes = data.map(({ id: tokenId }) => ({ tokenId, accountId: 'a1', readOnly: true }));
    await database.prisma.jmapTokenAccount.createMany({ data: scopes });
    expect(await found('AdminUser', userIds)).toEqual([...userIds].sort());
    const tokens = await rows.read(
      'AdminToken',
      data.map(({ id }) => id),
    );
    expect(tokens.objects).toHaveLength(MANY);
    for (const { accounts } of tokens.objects) expect(accounts).toEqual({ a1: 'read' });
    const { objects } = await rows.read('AdminUser', { first: MANY });
    expect(objects.map(({ id }) => id)).toEqual([...userIds].sort());
  });

  it('grants are read by the pairs in their ids, not by each user of each account', async () => {
    const [accountIds, userIds] = [await storeAccounts('another'), await storeUsers()];
    const pairs = numbers.flatMap((n) => [
      { accountId: accountIds[n] ?? '', userId: userIds[n] ?? '' },
      { accountId: accountIds[n] ?? '', userId: userIds[(n + 1) % MANY] ?? '' },
    ]);
    const data = pairs.map((pair) => ({ ...pair, readOnly: false }));
    await database.prisma.jmapAccess.createMany({ data });
    const half = pairs.filter((_, n) => n % 2 === 0);
    let count = 0;
    const counted = database.prisma.$extends({
      query: {
        jmapAccess: {
          async findMany({ args, query }) {
            const read = await query(args);
            count += read.length;
            return read;
          },
        },
      },
    });
    const prisma = counted as unknown as OpenedDatabase['prisma'];
    const wanted = half.map(({ accountId, userId }) => grantId(accountId, userId));
    const { objects } = await new DirectoryRows(prisma, { ids, tasks: [] }).read('AdminGrant', [
      ...wanted,
      ...wanted.slice(0, 1),
    ]);
    expect(objects.map(({ id }) => id).sort()).toEqual([...wanted].sort());
    expect(count).toBe(MANY);
  });

  it('accounts are read beside a thousand that are being deleted', async () => {
    const actor = await administrator();
    const doomed = await storeAccounts('another');
    await database.prisma.jmapMeta.createMany({
      data: doomed.map((id) => ({ key: `deletion:${id}`, value: '1' })),
    });
    const living = await storeAccounts('another');
    expect(await found('AdminAccount', living)).toEqual([...living].sort());
    expect(await found('AdminAccount', doomed)).toEqual([]);
    const list = async (first: number) =>
      (await rows.read('AdminAccount', { first })).objects.map(({ id }) => id);
    const own = [...actor.accounts.keys()].filter((id) => id !== 'directory');
    const all = [...living, ...own].sort();
    expect(await list(MANY + 10)).toEqual(all);
    expect(await list(7)).toEqual(all.slice(0, 7));
    await rows.change('AdminAccount', actor, async (transaction) => {
      const [first] = await transaction.find(living);
      await transaction.destroy(first?.id ?? '');
    });
    expect(await list(MANY + 10)).toHaveLength(MANY);
  });
});
