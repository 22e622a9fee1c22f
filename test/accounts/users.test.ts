import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  changeRoles,
  createAccount,
  createAuthenticator,
  createTickets,
  createToken,
  disableUser,
  enableUser,
  listUsers,
  type Principal,
  PushSubscriptionRows,
  rolesOfUser,
  signOutUser,
} from '../../src/accounts/index.js';
import type { Credential } from '../../src/accounts/principal.js';
import { PushTokenError } from '../../src/accounts/push-port.js';
import { signInCredential } from '../../src/accounts/sign-in.js';
import type { PrismaClient } from '../../src/database/sqlite/prisma.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { usePostgresql } from '../support/postgresql.js';
import { KINDS, type OpenedDatabase, openKind } from './two-databases.js';

const ids = createIdGenerator();
const postgresql = usePostgresql();
const ISSUER = 'https://id.example.com';

/** A sign-in of the provider's user `alice-1`, issued at a time, epoch ms. */
function signInOf(issued: number): Credential {
  return signInCredential(`token-of-${issued}`, {
    ...{
      issuer: ISSUER,
      subject: 'alice-1',
      name: 'alice-1',
      session: null,
      client: 'app',
      issued,
    },
    ...{ expires: issued + 3_600_000, accounts: {}, roles: ['agent'], scopes: [] },
  });
}

describe.each(KINDS)('users on %s', (kind) => {
  let database: OpenedDatabase;
  let prisma: PrismaClient;
  let userId: string;
  let token: string;

  beforeEach(async () => {
    database = await openKind(kind, postgresql, 'users');
    ({ prisma } = database);
    await createAccount(prisma, ids, { name: 'A', user: 'alice' });
    await createAccount(prisma, ids, { name: 'B', user: 'bob' });
    token = await createToken(prisma, ids, { user: 'alice' });
    userId = (await prisma.jmapUser.findUniqueOrThrow({ where: { name: 'alice' } })).id;
    await prisma.jmapIdentity.create({
      data: { issuer: ISSUER, subject: 'alice-1', userId, created: 0n },
    });
  });

  afterEach(() => database.close());

  const byToken = (): Promise<Principal | null> => createAuthenticator(prisma).authenticate(token);
  const bySignIn = (issued: number): Promise<Principal | null> =>
    createAuthenticator(prisma).refresh(signInOf(issued));
  const rows = () =>
    new PushSubscriptionRows({
      ...{ prisma, vapidKey: () => null, onExpired: () => undefined, now: Date.now },
      sealer: { seal: (text) => text, open: (text) => text, isCurrent: () => true },
    });

  async function principals(): Promise<readonly [Principal, Principal]> {
    const both = [await byToken(), await bySignIn(Date.now())] as const;
    if (both[0] === null || both[1] === null) throw new Error('Both are good.');
    return [both[0], both[1]];
  }

  async function subscribe(principal: Principal): Promise<void> {
    const { id, time: created } = ids.next('s');
    await rows().change(principal, true, (transaction) =>
      transaction.create({
        ...{ id, created, deviceClientId: id, keys: null, types: null, code: 'c' },
        ...{ url: 'https://push.example.com', host: 'push.example.com' },
        ...{ expires: created + 3_600_000, lastId: null },
      }),
    );
  }

  /** Push subscriptions and tickets, each with whether a provider's token made it. */
  async function kept(): Promise<readonly string[]> {
    const how = ({ signIn }: { readonly signIn: unknown }) => (signIn === null ? 'own' : 'sign-in');
    const subscriptions = await prisma.jmapPushSubscription.findMany();
    const tickets = await prisma.jmapTicket.findMany();
    return [
      ...subscriptions.map((row) => `subscription ${how(row)}`),
      ...tickets.map((row) => `ticket ${how(row)}`),
    ].sort();
  }

  async function keepSome(): Promise<void> {
    for (const principal of await principals()) {
      await subscribe(principal);
      await createTickets(prisma).issue(principal, 'a token');
    }
  }

  it('lose all that they have if they are disabled, and get it back but for push', async () => {
    const both = await principals();
    await keepSome();
    await disableUser(prisma, 'alice');
    expect([await byToken(), await bySignIn(Date.now() + 1000)]).toEqual([null, null]);
    expect(await kept()).toEqual([]);
    for (const principal of both)
      await expect(subscribe(principal)).rejects.toThrow(PushTokenError);
    expect(await kept()).toEqual([]);
    await enableUser(prisma, 'alice');
    const after = await principals();
    expect(after.map((principal) => principal.userId)).toEqual([userId, userId]);
    expect(await kept()).toEqual([]);
    for (const principal of after) await subscribe(principal);
    expect(await kept()).toHaveLength(2);
  });

  it('keep what others have if they are disabled', async () => {
    const bob = await createToken(prisma, ids, { user: 'bob' });
    const principal = await createAuthenticator(prisma).authenticate(bob);
    await subscribe(principal as Principal);
    await disableUser(prisma, 'alice');
    expect(await createAuthenticator(prisma).authenticate(bob)).toEqual(principal);
    expect(await kept()).toEqual(['subscription own']);
  });

  it('lose their sign-ins up to now if they are signed out, and keep tokens', async () => {
    const before = Date.now();
    await keepSome();
    expect(await kept()).toHaveLength(4);
    await signOutUser(prisma, 'alice');
    expect(await bySignIn(before)).toBeNull();
    expect(await byToken()).not.toBeNull();
    expect(await kept()).toEqual(['subscription own', 'ticket own']);
    expect(await bySignIn(Date.now() + 1000)).not.toBeNull();
  });

  it('have the roles that they were given, beside those of their sign-in', async () => {
    await changeRoles(prisma, 'alice', ['support', 'admin', 'support']);
    expect(await rolesOfUser(prisma, 'alice')).toEqual(['admin', 'support']);
    const [own, signIn] = await principals();
    expect(own.roles).toEqual(['admin', 'support']);
    expect(signIn.roles).toEqual(['admin', 'agent', 'support']);
    await changeRoles(prisma, 'alice', []);
    expect((await byToken())?.roles).toEqual([]);
    for (const role of ['', 'two words', 'a,b', '\u0007', 'x'.repeat(256)])
      await expect(changeRoles(prisma, 'alice', [role])).rejects.toThrow(/can't be a role/);
  });

  it('are listed in order of creation', async () => {
    await changeRoles(prisma, 'bob', ['admin']);
    await disableUser(prisma, 'bob');
    expect(await listUsers(prisma)).toMatchObject([
      {
        ...{ id: userId, name: 'alice', disabled: null, roles: [] },
        identities: [{ issuer: ISSUER, subject: 'alice-1' }],
      },
      { name: 'bob', disabled: expect.any(Number), roles: ['admin'], identities: [] },
    ]);
  });

  it('change once: the same act again is no act', async () => {
    for (let time = 0; time < 2; time += 1) await disableUser(prisma, 'alice');
    for (let time = 0; time < 2; time += 1) await enableUser(prisma, 'alice');
    for (let time = 0; time < 2; time += 1) await changeRoles(prisma, 'alice', ['admin']);
    for (let time = 0; time < 2; time += 1) await signOutUser(prisma, 'alice');
    const acts = await prisma.jmapAudit.findMany({
      where: { objectId: userId, action: { not: 'user/create' } },
      orderBy: [{ version: 'asc' }, { place: 'asc' }],
    });
    expect(acts.map(({ action }) => action)).toEqual([
      ...['user/disable', 'user/enable', 'user/roles', 'user/sign-out', 'user/sign-out'],
    ]);
    expect(acts[2]?.detail).toEqual({ roles: ['admin'] });
  });

  it('are named by their own name alone', async () => {
    for (const work of [disableUser, enableUser, signOutUser, rolesOfUser])
      await expect(work(prisma, 'Alice')).rejects.toThrow('There is no user "Alice".');
    await expect(changeRoles(prisma, 'Alice', ['admin'])).rejects.toThrow(/no user/);
  });
});
