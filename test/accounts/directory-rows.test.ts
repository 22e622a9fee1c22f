import { afterEach, beforeEach, expect, it } from 'vitest';
import { DirectoryRows } from '../../src/accounts/admin/directory-rows.js';
import type { DirectoryTransaction, DirectoryType } from '../../src/accounts/admin-port.js';
import {
  createAccount,
  createAuthenticator,
  createToken,
  renameAccount,
} from '../../src/accounts/index.js';
import type { Principal } from '../../src/accounts/principal.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { openTestDatabase, type TestDatabase } from './database.js';

const ids = createIdGenerator();
let database: TestDatabase;
let rows: DirectoryRows;

beforeEach(async () => {
  database = openTestDatabase();
  rows = new DirectoryRows(database.prisma, { ids, tasks: [] });
  await createAccount(database.prisma, ids, { name: 'A', user: 'ann' });
  await createAccount(database.prisma, ids, { name: 'B', user: 'bob' });
  await database.prisma.jmapUser.updateMany({ data: { roles: ['admin'] } });
});
afterEach(() => database.close());

/** Returns the user as an administrator, by a token of its own. */
async function administrator(user: string): Promise<Principal> {
  const token = await createToken(database.prisma, ids, { user });
  const { accessVersion } = database;
  const by = createAuthenticator(database.prisma, { accessVersion, directory: true });
  const principal = await by.authenticate(token);
  if (principal?.accounts.has('directory') !== true) throw new Error(`${user} is none.`);
  return principal;
}

/** Takes the role of a user. */
function takeRole(actor: Principal, userId: string): Promise<void> {
  return rows.change('AdminUser', actor, async (transaction: DirectoryTransaction) => {
    const [before] = await transaction.find([userId]);
    if (before === undefined) throw new Error('The user is missing.');
    await transaction.update({ before, after: { ...before, roles: [] }, changed: ['roles'] });
  });
}

it('two administrators that take each other’s role at once leave one', async () => {
  const [ann, bob] = [await administrator('ann'), await administrator('bob')];
  const results = await Promise.allSettled([takeRole(ann, bob.userId), takeRole(bob, ann.userId)]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { name: 'RefusedError', type: 'forbidden' },
  });
  const roles = (await database.prisma.jmapUser.findMany()).map((user) => user.roles);
  expect(roles).toContainEqual(['admin']);
});

it('a change of one whose user or token has ended is refused, and changes nothing', async () => {
  const [ann, bob] = [await administrator('ann'), await administrator('bob')];
  await database.prisma.jmapUser.update({ where: { id: ann.userId }, data: { disabled: 1n } });
  await database.prisma.jmapToken.delete({ where: { id: bob.credential.id } });
  const version = database.accessVersion();
  for (const actor of [ann, bob]) {
    let hasRun = false;
    const work = async () => {
      hasRun = true;
    };
    await expect(rows.change('AdminUser', actor, work)).rejects.toMatchObject({
      type: 'forbidden',
    });
    expect(hasRun).toBe(false);
  }
  expect(database.accessVersion()).toBe(version);
});

/** Ids that no row has, of which a database may not take one or a message may be full. */
const NO_IDS = ['u\0', `u-${'-'.repeat(1_000_000)}`, '', 'a-b-c'];

it('texts that are no ids name no object', async () => {
  const ann = await administrator('ann');
  for (const type of ['AdminUser', 'AdminAccount', 'AdminGrant', 'AdminToken'] as DirectoryType[]) {
    expect((await rows.read(type, NO_IDS)).objects).toEqual([]);
    await rows.change(type, ann, async (transaction) => {
      expect(await transaction.find(NO_IDS)).toEqual([]);
    });
  }
});

it('an account that is being deleted gets no other name', async () => {
  const ann = await administrator('ann');
  const { id } = await database.prisma.jmapAccount.findFirstOrThrow();
  await rows.change('AdminAccount', ann, (transaction) => transaction.destroy(id));
  await expect(renameAccount(database.prisma, id, 'C')).rejects.toThrow('being deleted');
});

it('a failing database makes reads and changes of the directory unavailable', async () => {
  const ann = await administrator('ann');
  database.db.exec('ALTER TABLE "JmapIdentity" RENAME TO "Gone"');
  const unavailable = { name: 'UnavailableError' };
  await expect(rows.read('AdminUser', [ann.userId])).rejects.toMatchObject(unavailable);
  const change = rows.change('AdminUser', ann, (transaction) => transaction.find([ann.userId]));
  await expect(change).rejects.toMatchObject(unavailable);
});
