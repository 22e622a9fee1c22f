import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ACCESS_VERSION, changeAccess } from '../../../src/accounts/change.js';
import { createUser } from '../../../src/accounts/directory.js';
import { createAccount, createTickets } from '../../../src/accounts/index.js';
import type { ProviderSettings } from '../../../src/accounts/oidc/settings.js';
import { SignIns } from '../../../src/accounts/oidc/sign-ins.js';
import type { Credential } from '../../../src/accounts/principal.js';
import { openText } from '../../../src/accounts/sealed-text.js';
import type { PrismaClient } from '../../../src/database/sqlite/prisma.js';
import { UnavailableError } from '../../../src/protocol/errors.js';
import { until } from '../../http/harness.js';
import { usePostgresql } from '../../support/postgresql.js';
import { ids, openServer, reachOf, serverOf } from './provider-server.js';
import { AUDIENCE, clocksOf, ISSUER } from './test-provider.js';

const postgresql = usePostgresql();

const open = (
  engine: string,
  settings: Partial<ProviderSettings> = {},
  now: () => number = Date.now,
) => openServer(engine, postgresql, settings, now);

const OPAQUE = { endpoint: null, clientId: 'jmap', secret: 'secret', cache: 30_000 };

const active = (more: object = {}) => ({
  ...{ active: true, iss: ISSUER, aud: AUDIENCE, sub: 's1', scope: 'todos', ...more },
});

describe('An opaque token', () => {
  it('is asked about once in 30 seconds, whatever the answer', async () => {
    let time = Date.now();
    const { provider, authenticator } = await open('SQLite', { opaque: OPAQUE }, () => time);
    provider.opaque.set('good', active());
    const principal = await authenticator.authenticate('good');
    expect(principal?.username).toBe('s1');
    expect(await authenticator.authenticate('good')).toBe(principal);
    expect(await authenticator.authenticate('bad')).toBeNull();
    expect(await authenticator.authenticate('bad')).toBeNull();
    expect(provider.counts.questions).toBe(2);
    time += 30_001;
    expect(await authenticator.authenticate('good')).toBe(principal);
    provider.opaque.delete('good');
    expect(await authenticator.authenticate('good')).toBe(principal);
    time += 30_001;
    expect(await authenticator.authenticate('good')).toBeNull();
  });

  it('of an open connection is asked about again; it stays good while nobody answers', async () => {
    let time = Date.now();
    const { provider, authenticator } = await open('SQLite', { opaque: OPAQUE }, () => time);
    provider.opaque.set('good', active());
    const principal = await authenticator.authenticate('good');
    if (principal === null) throw new Error('The token is good.');
    const { credential } = principal;
    time += 30_001;
    provider.isAway = true;
    expect(await authenticator.refresh(credential)).toBe(principal);
    await expect(authenticator.authenticate('good')).rejects.toThrow(UnavailableError);
    provider.isAway = false;
    provider.opaque.delete('good');
    await until(async () => (await authenticator.refreshAll([credential])).size === 0);
    expect(await authenticator.refresh(credential)).toBeNull();
  });

  it('of an open connection ends where nobody answers for a quarter of an hour', async () => {
    let time = Date.now();
    const { provider, authenticator } = await open('SQLite', { opaque: OPAQUE }, () => time);
    provider.opaque.set('good', active());
    const principal = await authenticator.authenticate('good');
    if (principal === null) throw new Error('The token is good.');
    const { credential } = principal;
    provider.isAway = true;
    time += 30_000;
    /** Looks, and waits until the question that follows has failed. */
    const look = async () => {
      const { questions } = provider.counts;
      const current = await authenticator.refresh(credential);
      await until(() => provider.counts.questions > questions);
      await setImmediate();
      return current;
    };
    for (let n = 0; n < 19; n += 1) {
      expect(await look()).toBe(principal);
      time += 50_000;
    }
    expect(await look()).toBeNull();
    provider.isAway = false;
    time += 1000;
    expect(await authenticator.authenticate('good')).toBe(principal);
  });

  it('that nobody has asked about for long is good, and asked about', async () => {
    let time = Date.now();
    const { provider, authenticator } = await open('SQLite', { opaque: OPAQUE }, () => time);
    provider.opaque.set('good', active());
    const principal = await authenticator.authenticate('good');
    if (principal === null) throw new Error('The token is good.');
    time += 3_600_000;
    expect(await authenticator.refresh(principal.credential)).toBe(principal);
    await until(() => provider.counts.questions === 2);
  });

  it('is asked about by requests once a second while nobody answers', async () => {
    let time = Date.now();
    const { provider, authenticator } = await open('SQLite', { opaque: OPAQUE }, () => time);
    provider.opaque.set('good', active());
    await authenticator.authenticate('good');
    provider.isAway = true;
    time += 30_001;
    for (let n = 0; n < 5; n += 1)
      await expect(authenticator.authenticate('good')).rejects.toThrow(UnavailableError);
    expect(provider.counts.questions).toBe(2);
    time += 1000;
    await expect(authenticator.authenticate('good')).rejects.toThrow(UnavailableError);
    expect(provider.counts.questions).toBe(3);
  });

  it('is no change for others where its end moves on with each answer', async () => {
    let time = Date.now();
    const { provider, authenticator } = await open('SQLite', { opaque: OPAQUE }, () => time);
    const endIn = (seconds: number) => ({ exp: Math.floor(time / 1000) + seconds });
    provider.opaque.set('t', active(endIn(60)));
    const before = await authenticator.authenticate('t');
    const version = await authenticator.version();
    time += 31_000;
    provider.opaque.set('t', active(endIn(60)));
    const after = await authenticator.authenticate('t');
    expect((after?.expires ?? 0) - (before?.expires ?? 0)).toBe(31_000);
    expect(await authenticator.version()).toBe(version);
  });

  it('of many open connections are all asked about, some at a time', async () => {
    let time = Date.now();
    const { provider, authenticator } = await open('SQLite', { opaque: OPAQUE }, () => time);
    const credentials: Credential[] = [];
    for (let n = 0; n < 100; n += 1) {
      provider.opaque.set(`t${n}`, active());
      const principal = await authenticator.authenticate(`t${n}`);
      if (principal !== null) credentials.push(principal.credential);
    }
    time += 30_001;
    provider.opaque.clear();
    await authenticator.refreshAll(credentials);
    await until(async () => (await authenticator.refreshAll(credentials)).size === 0);
    expect(provider.counts.questions).toBe(200);
  });

  it('needs the audience of this server, and ends when the provider says', async () => {
    let time = Date.now();
    const { provider, authenticator, refusals } = await open(
      'SQLite',
      { opaque: OPAQUE },
      () => time,
    );
    provider.opaque.set('other', active({ aud: 'other' }));
    expect(await authenticator.authenticate('other')).toBeNull();
    expect(refusals).toEqual(['"aud" does not name this server']);
    provider.opaque.set('short', active({ exp: Math.floor(time / 1000) + 5 }));
    const principal = await authenticator.authenticate('short');
    expect(principal?.expires).toBe((Math.floor(time / 1000) + 35) * 1000);
    time += 36_000;
    expect(await authenticator.authenticate('short')).toBeNull();
  });

  it('waits for few others: made-up ones fill no memory', async () => {
    const { provider, authenticator } = await open('SQLite', { opaque: OPAQUE });
    const all = await Promise.allSettled(
      Array.from({ length: 200 }, (_, n) => authenticator.authenticate(`made-up-${n}`)),
    );
    const refused = all.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBe(200 - provider.counts.questions);
    expect(provider.counts.questions).toBeLessThanOrEqual(64);
  });

  it('is asked about while made-up ones have all places, past no gate', async () => {
    let time = Date.now();
    const { provider } = await open('SQLite', { opaque: OPAQUE }, () => time);
    provider.opaque.set('good', active());
    let waiting = 0;
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const signIns = new SignIns({
      providers: [provider],
      async post(url, form, authorization) {
        if (form.get('token') !== 'good') {
          waiting += 1;
          await answered;
        }
        return provider.post(url, form, authorization);
      },
      ...{ welcome: async () => true, onFailure: () => undefined, onRefused: () => undefined },
      clocks: clocksOf(() => time),
    });
    const credential = await signIns.judge('good');
    time += 30_001;
    const guesses = Promise.allSettled(
      Array.from({ length: 200 }, (_, n) => signIns.judge(`made-up-${n}`)),
    );
    await until(() => waiting === 64);
    const gate = async (): Promise<void> => expect.unreachable();
    expect(await signIns.judge('good', gate)).toBe(credential);
    expect(waiting).toBe(64);
    answer();
    await guesses;
  });

  it('holds no place while its user is made', async () => {
    const { provider } = await open('SQLite', { opaque: OPAQUE });
    for (let n = 0; n < 200; n += 1) provider.opaque.set(`t${n}`, active({ sub: `s${n}` }));
    let welcomed = 0;
    let make: (isMade: boolean) => void = () => undefined;
    const made = new Promise<boolean>((resolve) => {
      make = resolve;
    });
    const signIns = new SignIns({
      ...{ providers: [provider], post: provider.post },
      welcome: () => {
        welcomed += 1;
        return made;
      },
      onFailure: () => undefined,
      onRefused: () => undefined,
    });
    const judged: Promise<Credential | null>[] = [];
    for (let n = 0; n < 200; n += 50) {
      for (let at = n; at < n + 50; at += 1) judged.push(signIns.judge(`t${at}`));
      await until(() => welcomed === n + 50);
    }
    make(true);
    expect(await Promise.all(judged)).not.toContain(null);
  });
});

const RED = { claim: 'groups', is: /^team-([a-z]+)$/, account: '{1}', mode: 'write' } as const;

describe('An opaque token whose claims change', () => {
  it('reaches what it has now, by requests and by open connections', async () => {
    let time = Date.now();
    const settings = { opaque: OPAQUE, access: [RED] };
    const { prisma, provider, authenticator } = await open('SQLite', settings, () => time);
    await createAccount(prisma, ids, { name: 'red' });
    const exp = Math.floor(time / 1000) + 60;
    provider.opaque.set('t', active({ groups: ['team-red'], scope: 'full', exp }));
    const wide = await authenticator.authenticate('t');
    if (wide === null) throw new Error('The token is good.');
    expect(reachOf(wide)).toEqual(['red:rw', 's1:rw']);
    const version = await authenticator.version();

    provider.opaque.set('t', active({ scope: 'read', exp: exp + 3600 }));
    time += 31_000;
    const narrow = await authenticator.authenticate('t');
    expect(reachOf(narrow)).toEqual(['s1:rw']);
    expect(narrow?.credential.signIn?.scopes).toEqual(['read']);
    // Streams look again at once.
    expect(await authenticator.version()).not.toBe(version);
    // They have the credential with which they began, and give the old reach back to nobody.
    expect(await authenticator.refresh(wide.credential)).toBe(narrow);
    const looks = await authenticator.refreshAll([wide.credential]);
    expect(looks.get(wide.credential.id)).toBe(narrow);
    expect(await authenticator.authenticate('t')).toBe(narrow);

    time += 61_000;
    expect(reachOf(await authenticator.authenticate('t'))).toEqual(['s1:rw']);
    expect(reachOf(await authenticator.refresh(wide.credential))).toEqual(['s1:rw']);
  });
});

describe('The end of an opaque token', () => {
  it.each([
    ['by its time', { exp: Math.floor(Date.now() / 1000) + 40 }],
    ['by its provider', {}],
  ])('%s is found by each server, and writes nothing', async (_, more) => {
    let time = Date.now();
    const settings = { opaque: OPAQUE };
    const { prismas, prisma, provider, ...first } = await open('SQLite', settings, () => time);
    const second = serverOf(prismas[1], provider, () => time);
    provider.opaque.set('t', active(more));
    for (const { authenticator } of [first, second])
      expect(await authenticator.authenticate('t')).not.toBeNull();
    const [acts, version] = [await prisma.jmapAudit.count(), await accessVersionOf(prisma)];
    time += 71_000;
    provider.opaque.delete('t');
    for (const { authenticator } of [first, second])
      expect(await authenticator.authenticate('t')).toBeNull();
    expect(await accessVersionOf(prisma)).toBe(version);
    expect(await prisma.jmapAudit.count()).toBe(acts);
    expect(await prisma.jmapLogout.count()).toBe(0);
  });
});

describe.each(['SQLite', 'PostgreSQL'])('The ticket of an opaque token on %s', (engine) => {
  /** Gives a ticket at the first server, and uses it at the second one. */
  async function passOn(claims: object = {}) {
    const clock = { now: Date.now() };
    const now = () => clock.now;
    const { prismas, prisma, provider, ...first } = await open(engine, { opaque: OPAQUE }, now);
    provider.opaque.set('t', active(claims));
    const principal = await first.authenticator.authenticate('t');
    if (principal === null) throw new Error('The token is good.');
    const { ticket } = await first.tickets.issue(principal, 't');
    const second = serverOf(prismas[1], provider, now);
    return { clock, prisma, provider, principal, ticket, first, second };
  }

  it('has the other server ask about it: what is open there ends with it', async () => {
    const { clock, provider, principal, ticket, second } = await passOn();
    const credential = await second.tickets.redeem(ticket);
    if (credential === null) throw new Error('The ticket is good.');
    expect(credential).toEqual(principal.credential);
    const there = await second.authenticator.refresh(credential);
    expect(there?.userId).toBe(principal.userId);
    // The first server asks nothing more: it may have stopped.
    clock.now += 31_000;
    provider.opaque.delete('t');
    await until(async () => (await second.authenticator.refreshAll([credential])).size === 0);
  });

  it('keeps the token where nobody who reads the database finds it', async () => {
    const { prisma, ticket, principal } = await passOn();
    const [row] = await prisma.jmapTicket.findMany();
    const { sealed = '' } = (row?.signIn ?? {}) as { readonly sealed?: string };
    expect(openText(sealed, ticket)).toBe('t');
    for (const wrong of [ticket.slice(0, -1), '', row?.tokenId ?? '', principal.userId])
      expect(openText(sealed, wrong)).toBeNull();
    const other = sealed.startsWith('A') ? 'B' : 'A';
    expect(openText(`${other}${sealed.slice(1)}`, ticket)).toBeNull();
    expect(openText('', ticket)).toBeNull();
  });

  it('is good for nothing once the token is over, or where no provider is asked', async () => {
    const { prisma, provider, principal, ticket, first, second } = await passOn();
    const other = await first.tickets.issue(principal, 't');
    expect(await createTickets(prisma).redeem(other.ticket)).toBeNull();
    provider.opaque.delete('t');
    expect(await second.tickets.redeem(ticket)).toBeNull();
    // A token is not good where nobody can ask about it.
    expect(await second.authenticator.refresh(principal.credential)).toBeNull();
  });

  it('is taken where the token was refused before, once that counts no more', async () => {
    const clock = { now: Date.now() };
    const user = { id: 'sub', names: [], create: false };
    const settings = { opaque: OPAQUE, user };
    const { prismas, prisma, provider, ...first } = await open(engine, settings, () => clock.now);
    const second = serverOf(prismas[1], provider, () => clock.now);
    provider.opaque.set('t', active());
    expect(await second.authenticator.authenticate('t')).toBeNull();
    await identify(prisma);
    const principal = await first.authenticator.authenticate('t');
    if (principal === null) throw new Error('The token is good.');
    clock.now += 30_001;
    const { ticket } = await first.tickets.issue(principal, 't');
    const credential = await second.tickets.redeem(ticket);
    expect(credential && (await second.authenticator.refresh(credential))).not.toBeNull();
  });
});

it('An answer about an opaque token counts as long where the clock is set back', async () => {
  const clock = { now: Date.now(), ahead: 0 };
  const { prisma, provider } = await open('SQLite', { opaque: OPAQUE }, () => clock.now);
  const now = () => clock.now + clock.ahead;
  const { authenticator } = serverOf(prisma, provider, now, {
    wall: now,
    passed: () => clock.now,
  });
  provider.opaque.set('t', active());
  expect(await authenticator.authenticate('t')).not.toBeNull();
  provider.opaque.delete('t');
  clock.ahead = -3_600_000;
  clock.now += 30_001;
  expect(await authenticator.authenticate('t')).toBeNull();
});

async function accessVersionOf(prisma: PrismaClient): Promise<string | undefined> {
  return (await prisma.jmapMeta.findUnique({ where: { key: ACCESS_VERSION } }))?.value;
}

/** Makes the user of the provider's subject. */
async function identify(prisma: PrismaClient): Promise<void> {
  await changeAccess(prisma, async (change) => {
    const userId = await createUser(change, ids, 's1');
    const data = { issuer: ISSUER, subject: 's1', userId, created: BigInt(Date.now()) };
    await change.transaction.jmapIdentity.create({ data });
  });
}
