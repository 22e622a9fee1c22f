import { describe, expect, it } from 'vitest';
import { changeAccess } from '../../../src/accounts/change.js';
import {
  createAccount,
  createToken,
  grantAccess,
  renameAccount,
} from '../../../src/accounts/index.js';
import { TokenRefusedError } from '../../../src/accounts/oidc/access-token.js';
import { pruneLogouts } from '../../../src/accounts/oidc/back-channel.js';
import { createWelcome } from '../../../src/accounts/oidc/first-sight.js';
import type { ProviderSettings } from '../../../src/accounts/oidc/settings.js';
import { SignIns } from '../../../src/accounts/oidc/sign-ins.js';
import { changeRoles, disableUser } from '../../../src/accounts/users.js';
import { UnavailableError } from '../../../src/protocol/errors.js';
import { usePostgresql } from '../../support/postgresql.js';
import { ids, openServer, reachOf, serverOf } from './provider-server.js';
import { AUDIENCE } from './test-provider.js';

const postgresql = usePostgresql();
const HOUR = 3_600_000;

const open = (
  engine: string,
  settings: Partial<ProviderSettings> = {},
  now: () => number = Date.now,
) => openServer(engine, postgresql, settings, now);

const RED = { claim: 'groups', is: /^team-([a-z]+)$/, account: '{1}', mode: 'write' } as const;
const READERS = { claim: 'reads', is: /^(.+)$/, account: '{1}', mode: 'read' } as const;

describe.each(['SQLite', 'PostgreSQL'])('Users of a provider on %s', (engine) => {
  it('are made once, with one account, by 16 first sights on two servers', async () => {
    const { prismas, provider } = await open(engine);
    const tokens = await Promise.all(
      Array.from({ length: 16 }, (_, n) =>
        provider.sign({ email: 'zoe@example.com', jti: `${n}` }),
      ),
    );
    const servers = tokens.map((_, n) => serverOf(prismas[n % 2 === 0 ? 0 : 1], provider));
    const seen = await Promise.all(
      servers.map(({ authenticator }, n) => authenticator.authenticate(tokens[n] ?? '')),
    );
    expect(new Set(seen.map((principal) => principal?.userId)).size).toBe(1);
    expect(seen[0]?.username).toBe('zoe@example.com');
    expect(seen.map(reachOf)).toEqual(seen.map(() => ['zoe@example.com:rw']));
    expect([...(seen[0]?.accounts.values() ?? [])][0]?.isPersonal).toBe(true);
    expect(await prismas[0].jmapUser.count()).toBe(1);
    expect(await prismas[0].jmapAccount.count()).toBe(1);
    expect(await prismas[0].jmapIdentity.count()).toBe(1);
  });

  it('are told apart by issuer and subject, never by a name', async () => {
    const { prisma, provider, authenticator } = await open(engine);
    await createAccount(prisma, ids, { name: 'Secrets', user: 'alice' });
    const first = await authenticator.authenticate(await provider.sign({ email: 'alice' }));
    expect(reachOf(first)).toEqual(['alice (id.example.com):rw']);
    const token = await provider.sign({ email: 'alice', sub: 's2' });
    const second = await authenticator.authenticate(token);
    expect(second?.userId).not.toBe(first?.userId);
    expect(second?.username).toMatch(/^alice \(id\.example\.com, [0-9a-f]{8}\)$/);
    expect(reachOf(second)).toEqual([`${second?.username}:rw`]);
  });

  it('have another name once the provider gives another one, and keep what they have', async () => {
    const { prisma, provider, authenticator } = await open(engine);
    const before = await authenticator.authenticate(await provider.sign({ email: 'zoe' }));
    const after = await authenticator.authenticate(await provider.sign({ email: 'zoe.smith' }));
    expect(after?.userId).toBe(before?.userId);
    expect(after?.username).toBe('zoe.smith');
    expect(reachOf(after)).toEqual(['zoe:rw']);
    const nameless = await authenticator.authenticate(await provider.sign());
    // Some clients' tokens have no name.
    expect(nameless?.username).toBe('zoe.smith');
    expect(await prisma.jmapUser.count()).toBe(1);
  });

  it('have a legal name whatever the provider says', async () => {
    const { provider, authenticator } = await open(engine);
    for (const [n, email] of ['a\u0000b\nc', ' \u2028 ', '\ud800', '😀'.repeat(400)].entries()) {
      const token = await provider.sign({ email, sub: `long${n}` });
      const principal = await authenticator.authenticate(token);
      expect(principal?.username).toMatch(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,255}$/u);
    }
  });

  it('are made only where the configuration says so', async () => {
    const user = { id: 'sub', names: [], create: false };
    const { prisma, provider, authenticator, refusals } = await open(engine, { user });
    const token = await provider.sign();
    expect(await authenticator.authenticate(token)).toBeNull();
    expect(await prisma.jmapUser.count()).toBe(0);
    expect(refusals).toEqual(['nobody has made its user, and "create" is false']);
    const { prisma: other, ...made } = await open(engine, { account: null });
    const principal = await made.authenticator.authenticate(await made.provider.sign());
    expect(reachOf(principal)).toEqual([]);
    expect(await other.jmapAccount.count()).toBe(0);
  });

  it('are not made for a token that is refused', async () => {
    const { prisma, provider, authenticator, refusals } = await open(engine);
    for (const claims of [{ aud: 'other' }, { exp: 1 }, { iss: 'https://evil.example' }]) {
      expect(await authenticator.authenticate(await provider.sign(claims))).toBeNull();
    }
    expect(await authenticator.authenticate('jms_not.a.token')).toBeNull();
    expect(await prisma.jmapUser.count()).toBe(0);
    // The one of an unknown issuer is refused before anybody is asked, and told to nobody.
    expect(refusals).toEqual(['"aud" does not name this server', '"exp" is over']);
  });

  it('reach the accounts of their claims, by that token alone', async () => {
    const { prisma, provider, authenticator } = await open(engine, { access: [RED, READERS] });
    const blue = await createAccount(prisma, ids, { name: 'blue' });
    await createAccount(prisma, ids, { name: 'red' });
    const reach = async (claims: object) =>
      reachOf(await authenticator.authenticate(await provider.sign({ ...claims })));
    expect(await reach({ groups: ['team-red', 'other'] })).toEqual(['red:rw', 's1:rw']);
    expect(await reach({ reads: [blue, 'red'] })).toEqual(['blue:ro', 'red:ro', 's1:rw']);
    expect(await reach({ reads: 'red', groups: 'team-red' })).toEqual(['red:rw', 's1:rw']);
    expect(await reach({})).toEqual(['s1:rw']);
    expect(await prisma.jmapAccess.count({ where: { accountId: blue } })).toBe(1);

    const principal = await authenticator.authenticate(await provider.sign());
    await grantAccess(prisma, ids, { accountId: blue, user: 's1', readOnly: true });
    expect(await reach({})).toEqual(['blue:ro', 's1:rw']);
    expect(await reach({ groups: ['team-blue'] })).toEqual(['blue:rw', 's1:rw']);
    const token = await createToken(prisma, ids, { user: principal?.username ?? '' });
    expect(reachOf(await authenticator.authenticate(token))).toEqual(['blue:ro', 's1:rw']);
  });

  it('reach no account by a name that two have or a user chose, and no deleted one', async () => {
    const { prisma, provider, authenticator } = await open(engine, { access: [RED] });
    const one = await createAccount(prisma, ids, { name: 'red' });
    const token = await provider.sign({ groups: ['team-red'] });
    expect(reachOf(await authenticator.authenticate(token))).toEqual(['red:rw', 's1:rw']);
    const two = await createAccount(prisma, ids, { name: 'red' });
    expect(reachOf(await authenticator.authenticate(token))).toEqual(['s1:rw']);
    await renameAccount(prisma, two, 'blue');
    expect(reachOf(await authenticator.authenticate(token))).toEqual(['red:rw', 's1:rw']);
    // A user who calls themselves "red" changes nothing.
    await authenticator.authenticate(await provider.sign({ sub: 's2', email: 'red' }));
    expect(reachOf(await authenticator.authenticate(token))).toEqual(['red:rw', 's1:rw']);
    await changeAccess(prisma, async ({ transaction, note }) => {
      await transaction.jmapMeta.create({ data: { key: `deletion:${one}`, value: '{}' } });
      await note({ action: 'account/delete', objectId: one });
    });
    expect(reachOf(await authenticator.authenticate(token))).toEqual(['s1:rw']);
  });

  it('have the roles of their token and their own', async () => {
    const roles = { claim: 'realm_access.roles', allow: new Set(['agent', 'customer']) };
    const { prisma, provider, authenticator } = await open(engine, { roles });
    const claims = { realm_access: { roles: ['customer', 'root', 'agent'] } };
    const principal = await authenticator.authenticate(await provider.sign(claims));
    expect(principal?.roles).toEqual(['agent', 'customer']);
    await changeRoles(prisma, 's1', ['admin', 'agent']);
    const again = await authenticator.authenticate(await provider.sign(claims));
    expect(again?.roles).toEqual(['admin', 'agent', 'customer']);
    const plain = await authenticator.authenticate(await provider.sign());
    expect(plain?.roles).toEqual(['admin', 'agent']);
  });

  it('can do nothing once they are disabled, on any server', async () => {
    const { prismas, prisma, provider, authenticator } = await open(engine);
    const token = await provider.sign();
    const principal = await authenticator.authenticate(token);
    const own = await createToken(prisma, ids, { user: 's1' });
    const other = serverOf(prismas[1], provider);
    expect(await other.authenticator.authenticate(token)).not.toBeNull();
    await disableUser(prisma, 's1');
    for (const by of [authenticator, other.authenticator]) {
      for (const text of [token, own, await provider.sign()])
        expect(await by.authenticate(text)).toBeNull();
      if (principal !== null) expect(await by.refresh(principal.credential)).toBeNull();
    }
  });

  it('are signed out up to a moment; tokens of ours and later sign-ins go on', async () => {
    let time = Date.now();
    const { prisma, provider, authenticator } = await open(engine, {}, () => time);
    const token = await provider.sign();
    await authenticator.authenticate(token);
    const own = await createToken(prisma, ids, { user: 's1' });
    await changeAccess(prisma, async ({ transaction, note }) => {
      await transaction.jmapUser.updateMany({ data: { signedOut: BigInt(time) } });
      await note({ action: 'user/sign-out', objectId: 's1' });
    });
    expect(await authenticator.authenticate(token)).toBeNull();
    expect(await authenticator.authenticate(own)).not.toBeNull();
    time += 1000;
    expect(await authenticator.authenticate(await provider.sign())).not.toBeNull();
  });

  it('have tickets that stand for their token on another server', async () => {
    const { prismas, prisma, provider, authenticator, tickets } = await open(engine, {
      access: [RED],
    });
    await createAccount(prisma, ids, { name: 'red' });
    const token = await provider.sign({ groups: ['team-red'], sid: 'session1' });
    const principal = await authenticator.authenticate(token);
    if (principal === null) throw new Error('The token is good.');
    const { ticket } = await tickets.issue(principal, token);
    const other = serverOf(prismas[1], provider);
    const credential = await other.tickets.redeem(ticket);
    if (credential === null) throw new Error('The ticket is good.');
    expect(credential).toEqual(principal.credential);
    const redeemed = await other.authenticator.refresh(credential);
    expect(reachOf(redeemed)).toEqual(['red:rw', 's1:rw']);
    expect(redeemed?.expires).toBe(principal.expires);
    // Connections there end with the key, as they do where the token itself came.
    await provider.rotate();
    provider.retire();
    await other.authenticator.authenticate(await provider.sign({ sub: 's2' }));
    expect(await other.authenticator.refresh(credential)).toBeNull();
  });
});

describe.each(['SQLite', 'PostgreSQL'])('A back-channel logout on %s', (engine) => {
  it('ends the tokens of a session, and no others of the user', async () => {
    const { prismas, provider, authenticator, logOut } = await open(engine);
    const [gone, kept, bare] = await Promise.all([
      provider.sign({ sid: 'gone' }),
      provider.sign({ sid: 'kept' }),
      provider.sign({ jti: 'bare' }),
    ]);
    const other = serverOf(prismas[1], provider).authenticator;
    for (const token of [gone, kept, bare]) expect(await other.authenticate(token)).not.toBeNull();
    await logOut(await provider.signLogout({ sid: 'gone' }));
    expect(await other.authenticate(gone)).toBeNull();
    expect(await authenticator.authenticate(gone)).toBeNull();
    expect(await other.authenticate(kept)).not.toBeNull();
    expect(await other.authenticate(bare)).not.toBeNull();
    // A token without a session might be of the one that the message names.
    await logOut(await provider.signLogout({ sid: 'third', sub: 's1' }));
    expect(await other.authenticate(bare)).toBeNull();
    expect(await other.authenticate(kept)).not.toBeNull();
    // The session is over for good: its refresh token may have made a later access token.
    const late = await provider.sign({ sid: 'gone', iat: Math.floor(Date.now() / 1000) + 20 });
    expect(await other.authenticate(late)).toBeNull();
  });

  it('ends all tokens of a user before it, where it names no session', async () => {
    let time = Date.now();
    const { provider, authenticator, logOut } = await open(engine, {}, () => time);
    const tokens = [await provider.sign({ sid: 'a' }), await provider.sign({})];
    const other = await provider.sign({ sub: 's2' });
    for (const token of [...tokens, other])
      expect(await authenticator.authenticate(token)).not.toBeNull();
    await logOut(await provider.signLogout({ sub: 's1' }));
    for (const token of tokens) expect(await authenticator.authenticate(token)).toBeNull();
    expect(await authenticator.authenticate(other)).not.toBeNull();
    time += 2000;
    expect(await authenticator.authenticate(await provider.sign({ sid: 'a' }))).not.toBeNull();
  });

  it('counts once, for a client that may say so, from a provider that is known', async () => {
    const { prismas, provider, logOut } = await open(engine);
    const token = await provider.signLogout({ sub: 's1' });
    await logOut(token);
    await expect(logOut(token)).rejects.toThrow(TokenRefusedError);
    const other = serverOf(prismas[1], provider);
    await expect(other.logOut(token)).rejects.toThrow('it was used before');
    for (const claims of [{ aud: 'other' }, { aud: AUDIENCE }, { iss: 'https://evil.example' }]) {
      const wrong = await provider.signLogout({ sub: 's1', ...claims });
      await expect(logOut(wrong)).rejects.toThrow(TokenRefusedError);
    }
    await expect(logOut('no.token.x')).rejects.toThrow(TokenRefusedError);
    const closed = await open(engine, { logout: null });
    const refused = closed.logOut(await closed.provider.signLogout({ sub: 's1' }));
    await expect(refused).rejects.toThrow('no client of the provider may sign out here');
  });

  it('that comes late takes back nothing of a later one', async () => {
    let time = Date.now();
    const { provider, authenticator, logOut } = await open(engine, {}, () => time);
    const early = await provider.signLogout({ sub: 's1' });
    time += 10_000;
    const token = await provider.sign();
    expect(await authenticator.authenticate(token)).not.toBeNull();
    time += 10_000;
    await logOut(await provider.signLogout({ sub: 's1' }));
    await logOut(early);
    expect(await authenticator.authenticate(token)).toBeNull();
  });

  it('is asked for again while the keys of the provider can not be had', async () => {
    const { prisma, provider, logOut } = await open(engine);
    const token = await provider.signLogout({ sub: 's1' });
    provider.isAway = true;
    await expect(logOut(token)).rejects.toThrow(UnavailableError);
    expect(await prisma.jmapLogout.count()).toBe(0);
    provider.isAway = false;
    await logOut(token);
  });

  it('ends the push subscriptions of what it ends', async () => {
    const { prisma, provider, authenticator, logOut } = await open(engine);
    const subscribe = async (id: string, claims: object): Promise<void> => {
      const principal = await authenticator.authenticate(await provider.sign({ ...claims }));
      if (principal === null) throw new Error('The token is good.');
      const { userId, credential } = principal;
      await prisma.jmapPushSubscription.create({
        data: {
          ...{ id, userId, tokenId: credential.owner, deviceClientId: 'd', url: 'u', code: 'c' },
          signIn: JSON.parse(JSON.stringify(credential.signIn)) as object,
          ...{ expires: 1n, created: 1n, wrongCodes: 0n, failures: 0n, shard: 0 },
        },
      });
    };
    const left = async (): Promise<readonly string[]> =>
      (await prisma.jmapPushSubscription.findMany({ orderBy: { id: 'asc' } })).map(({ id }) => id);
    await subscribe('p1', { sid: 'a' });
    await subscribe('p2', { sid: 'b' });
    await subscribe('p3', {});
    await subscribe('p4', { sub: 's2' });
    await logOut(await provider.signLogout({ sid: 'a' }));
    expect(await left()).toEqual(['p2', 'p3', 'p4']);
    await logOut(await provider.signLogout({ sid: 'c', sub: 's1' }));
    expect(await left()).toEqual(['p2', 'p4']);
    await logOut(await provider.signLogout({ sub: 's1' }));
    expect(await left()).toEqual(['p4']);
  });

  it('is forgotten once it means nothing any more', async () => {
    const { prisma, provider, logOut } = await open(engine);
    await logOut(await provider.signLogout({ sub: 's1' }));
    expect(await pruneLogouts(prisma, Date.now(), 10)).toBe(0);
    expect(await pruneLogouts(prisma, Date.now() + HOUR, 10)).toBe(1);
    expect(await pruneLogouts(prisma, Date.now() + 32 * 24 * HOUR, 10)).toBe(1);
    expect(await prisma.jmapLogout.count()).toBe(0);
  });
});

describe('A token of a provider', () => {
  it('is verified once, until it ends', async () => {
    let time = Date.now();
    const { provider, authenticator } = await open('SQLite', {}, () => time);
    const token = await provider.sign();
    const first = await authenticator.authenticate(token);
    expect(await authenticator.authenticate(token)).toBe(first);
    expect(provider.counts.keys).toBe(1);
    time += 300_000 + 29_000;
    expect(await authenticator.authenticate(token)).toBe(first);
    time += 2000;
    expect(await authenticator.authenticate(token)).toBeNull();
  });

  it('outlives the other keys of its provider, and ends with its own', async () => {
    let time = Date.now();
    const { provider, authenticator } = await open('SQLite', {}, () => time);
    const old = await authenticator.authenticate(await provider.sign());
    await provider.rotate();
    const token = await provider.sign();
    const principal = await authenticator.authenticate(token);
    if (old === null || principal === null) throw new Error('The tokens are good.');
    provider.retire();
    time += 660_000;
    // A reading of the keys.
    await authenticator.authenticate(await provider.sign({ jti: 'next' }));
    await authenticator.authenticate(await provider.sign({ jti: 'later' }));
    time -= 660_000;
    expect(await authenticator.refresh(principal.credential)).toBe(principal);
    expect(await authenticator.authenticate(token)).toBe(principal);
    expect(await authenticator.refresh(old.credential)).toBeNull();
  });

  it('that many requests bring at once is verified once', async () => {
    const { provider, authenticator } = await open('SQLite');
    const token = await provider.sign();
    const seen = await Promise.all(
      Array.from({ length: 20 }, () => authenticator.authenticate(token)),
    );
    expect(new Set(seen).size).toBe(1);
    expect(provider.counts.keys).toBe(1);
  });

  it('of an unknown provider is refused without asking anybody', async () => {
    const { provider, authenticator } = await open('SQLite');
    const token = await provider.sign({ iss: 'https://other.example' });
    expect(await authenticator.authenticate(token)).toBeNull();
    expect(await authenticator.authenticate('opaque')).toBeNull();
    expect(
      await authenticator.authenticate(`${'a'.repeat(4000)}.${'b'.repeat(5000)}.c`),
    ).toBeNull();
    expect(provider.counts).toEqual({ keys: 0, questions: 0 });
  });

  it('is answered by nobody while the keys can not be had; a known one is', async () => {
    const { provider, authenticator } = await open('SQLite');
    const known = await provider.sign();
    const principal = await authenticator.authenticate(known);
    provider.isAway = true;
    expect(await authenticator.authenticate(known)).toBe(principal);
    const unknown = await provider.sign({ jti: 'other' });
    await expect(authenticator.authenticate(unknown)).rejects.toThrow(UnavailableError);
  });

  it('is forgotten for newer ones, and verified again', async () => {
    const { prisma, provider } = await open('SQLite');
    const providers = new SignIns({
      ...{
        providers: [provider],
        post: provider.post,
        maxCached: 2,
        onRefused: expect.unreachable,
        onFailure: () => expect.unreachable(),
      },
      welcome: createWelcome({ prisma, ids, tasks: [] }),
    });
    const tokens = await Promise.all(['1', '2', '3'].map((jti) => provider.sign({ jti })));
    for (const token of [...tokens, ...tokens]) expect(await providers.judge(token)).not.toBeNull();
    expect(provider.counts.keys).toBe(6);
  });
});
