import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createAccount,
  createAuthenticator,
  createToken,
  type Principal,
  PushDeliveryRows,
  PushSubscriptionRows,
  pruneOrphans,
  pruneSubscriptions,
  revokeToken,
  rotateVapidKey,
  sealSubscriptions,
  sealVapidKeys,
  VapidKeys,
} from '../../src/accounts/index.js';
import { ALL_SHARDS } from '../../src/accounts/push-port.js';
import type { PrismaClient } from '../../src/database/sqlite/prisma.js';
import { CreationLimits } from '../../src/methods/push-subscription/creation-limits.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { makeVapidKey } from '../../src/push/webpush/vapid-key.js';
import { createSealer } from '../../src/server/sealer.js';
import { usePostgresql } from '../support/postgresql.js';
import { openTestDatabase } from './database.js';
import { openForTwo } from './shared-database.js';

const ids = createIdGenerator();
const postgresql = usePostgresql();
const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 27);
const PLAIN = createSealer(null);

interface Two {
  readonly prismas: readonly [PrismaClient, PrismaClient];
  readonly owner: Principal;
  readonly token: string;
  /** The rows as the first or the second server has them. */
  rows(
    which?: 0 | 1,
    sealer?: ReturnType<typeof createSealer>,
    onExpired?: (id: string) => void,
  ): PushSubscriptionRows;
}

/** One database as two servers have it, with a token. */
async function two(engine: string): Promise<Two> {
  const prismas = await openForTwo(engine, postgresql);
  const [prisma] = prismas;
  await createAccount(prisma, ids, { name: 'A', user: 'alice' });
  const token = await createToken(prisma, ids, { user: 'alice' });
  const owner = await createAuthenticator(prisma).authenticate(token);
  if (owner === null) throw new Error('The token is good.');
  const rows: Two['rows'] = (which = 0, sealer = PLAIN, onExpired = expect.unreachable) =>
    new PushSubscriptionRows({
      ...{ prisma: prismas[which], sealer, now: () => NOW },
      vapidKey: () => 'k',
      onExpired,
    });
  return { prismas, owner, token, rows };
}

function subscription(more: object = {}) {
  const { id } = ids.next('r');
  const url = `https://push.example.net/${id}`;
  return {
    ...{ id, url, deviceClientId: 'd', host: 'push.example.net', code: 'c' },
    ...{ types: null, lastId: null },
    ...{ keys: { p256dh: 'point', auth: 'secret' }, expires: NOW + 24 * HOUR, created: NOW },
    ...more,
  };
}

/** Creates one as the method does; resolves to the type of the error, or null. */
function create(rows: PushSubscriptionRows, owner: Principal, more: object = {}) {
  const made = subscription(more);
  return rows.change(owner, true, async (transaction) => {
    const error = await new CreationLimits(transaction, NOW).refuse(made.host);
    if (error === null) await transaction.create(made);
    return error?.type ?? null;
  });
}

type DeliveryOptions = ConstructorParameters<typeof PushDeliveryRows>[0];

/** Returns the rows as a server that signs pushes reads them. */
function openDelivery(prisma: PrismaClient, more: Partial<DeliveryOptions> = {}): PushDeliveryRows {
  return new PushDeliveryRows({
    ...{ prisma, sealer: PLAIN, now: () => NOW, signs: true },
    ...{ onUnusable: expect.unreachable, onExpired: () => expect.unreachable() },
    ...more,
  });
}

/** Loads all shards, as a server that begins to serve them; resolves to the ids. */
async function serve(delivery: PushDeliveryRows): Promise<readonly string[]> {
  const served: string[] = [];
  for await (const part of delivery.load({ shards: ALL_SHARDS }))
    served.push(...part.map(({ id }) => id));
  return served;
}

describe.each(['SQLite', 'PostgreSQL'])('rows of push subscriptions on %s', (engine) => {
  it('limits of creations hold over servers that create at the same moment', async () => {
    const { rows, owner, prismas } = await two(engine);
    const servers = [rows(0), rows(1)] as const;
    const made = await Promise.all(
      Array.from({ length: 14 }, (_, n) => create(servers[n % 2 === 0 ? 0 : 1], owner)),
    );
    expect(made.filter((error) => error === null)).toHaveLength(10);
    expect(made.filter((error) => error === 'rateLimit')).toHaveLength(4);
    expect(await prismas[0].jmapPushSubscription.count()).toBe(10);
  });

  it('creations for a host are limited over all users, until they are verified', async () => {
    const { rows, owner, prismas } = await two(engine);
    const at = BigInt(NOW - 1);
    await prismas[0].jmapPushCreation.createMany({
      data: Array.from({ length: 60 }, (_, n) => ({
        ...{ id: `c${n}`, userId: `u${n}`, host: 'push.example.net', at },
      })),
    });
    expect(await create(rows(), owner)).toBe('rateLimit');
    expect(await create(rows(), owner, { host: 'other.example.net' })).toBeNull();
    await rows().change(owner, false, (transaction) => transaction.change('c7', { verified: NOW }));
    expect(await create(rows(), owner)).toBeNull();
  });

  it('a revocation ends the subscriptions of its token, one in the making too', async () => {
    const { rows, owner, prismas, token } = await two(engine);
    await create(rows(), owner);
    const late = create(rows(1), owner).catch((error: unknown) => (error as Error).name);
    await Promise.all([late, revokeToken(prismas[0], token)]);
    expect([null, 'PushTokenError']).toContain(await late);
    expect(await prismas[0].jmapPushSubscription.count()).toBe(0);
    await expect(create(rows(), owner)).rejects.toThrow('The token has ended.');
  });

  it('the upkeep destroys what has expired, was never verified, or has a retired key', async () => {
    const { rows, owner, prismas } = await two(engine);
    const [prisma] = prismas;
    const verified = { verified: BigInt(NOW) };
    const names = ['expired', 'unverified', 'young', 'verified', 'retired', 'orphan'];
    for (const id of names) await create(rows(), owner, { id, deviceClientId: id });
    const where = { id: { in: ['expired', 'verified', 'retired', 'orphan'] } };
    await prisma.jmapPushSubscription.updateMany({ where, data: verified });
    const set = (id: string, data: object) =>
      prisma.jmapPushSubscription.update({ where: { id }, data });
    await set('expired', { expires: BigInt(NOW) });
    await set('retired', { vapidKey: 'old' });
    await set('orphan', { tokenId: 'gone' });
    await prisma.jmapPushCreation.updateMany({
      where: { id: { not: 'young' } },
      data: { at: BigInt(NOW - HOUR) },
    });
    await prisma.jmapVapidKey.create({
      data: { id: 'old', private: 'x', public: 'y', created: 0n, retires: BigInt(NOW) },
    });
    expect([...(await pruneSubscriptions(prisma, NOW, 500))].sort()).toEqual(
      ['expired', 'retired', 'unverified'].sort(),
    );
    expect(await prisma.jmapVapidKey.count()).toBe(0);
    expect(await prisma.jmapPushCreation.count()).toBe(1);
    expect(await pruneOrphans(prisma)).toBe(1);
    const left = await rows().list(owner.credential.owner, { first: 10 });
    expect(left.map(({ id }) => id)).toEqual(['verified', 'young']);
  });

  it('an expired subscription is not served, whether the upkeep has run or not', async () => {
    const { rows, owner } = await two(engine);
    const expired: string[] = [];
    const seen = rows(0, PLAIN, (id) => expired.push(id));
    await create(seen, owner, { id: 'old', expires: NOW });
    expect(await seen.list(owner.credential.owner, { first: 10 })).toEqual([]);
    const found = await seen.change(owner, false, (transaction) => transaction.find(['old']));
    expect([found, expired]).toEqual([[], ['old']]);
  });

  it('a sender reads what lives; an expired one that it has seen never comes back', async () => {
    const { rows, owner, prismas } = await two(engine);
    const [prisma] = prismas;
    for (const id of ['living', 'old']) await create(rows(), owner, { id });
    await prisma.jmapPushSubscription.updateMany({ data: { verified: BigInt(NOW) } });
    const soon = { expires: BigInt(NOW + HOUR) };
    await prisma.jmapPushSubscription.update({ where: { id: 'old' }, data: soon });
    const clock = { now: NOW };
    let removed = 0;
    const onExpired = (count: number): void => {
      removed += count;
    };
    const delivery = openDelivery(prisma, { now: () => clock.now, onExpired });
    const read = async (): Promise<readonly string[]> =>
      (await delivery.read(['old', 'living', 'missing'])).map(({ id }) => id).sort();
    expect(await read()).toEqual(['living', 'old']);
    clock.now = NOW + HOUR;
    expect(await read()).toEqual(['living']);
    clock.now = NOW;
    expect([await read(), removed]).toEqual([['living'], 1]);
  });

  it('one is found among a thousand ids', async () => {
    const { rows, owner, prismas } = await two(engine);
    await create(rows(), owner);
    const { id } = await prismas[0].jmapPushSubscription.findFirstOrThrow();
    await prismas[0].jmapPushSubscription.updateMany({ data: { verified: 1n } });
    const many = [...Array.from({ length: 1100 }, () => ids.next('r').id), id];
    const listed = await rows().list(owner.credential.owner, { ids: many });
    expect(listed.map((one) => one.id)).toEqual([id]);
    const loaded: string[] = [];
    for await (const part of openDelivery(prismas[0]).load({ ids: many }))
      loaded.push(...part.map((one) => one.id));
    expect(loaded).toEqual([id]);
  });

  it('a client that has seen one expire never sees it again', async () => {
    const { rows, owner, prismas } = await two(engine);
    for (const id of ['living', 'old', 'older']) await create(rows(), owner, { id });
    const ends = { old: NOW + 2 * HOUR, older: NOW + HOUR };
    for (const [id, end] of Object.entries(ends))
      await prismas[0].jmapPushSubscription.update({ where: { id }, data: { expires: end } });
    const clock = { now: NOW };
    const expired: string[] = [];
    const seen = new PushSubscriptionRows({
      ...{ prisma: prismas[0], sealer: PLAIN, vapidKey: () => null, now: () => clock.now },
      onExpired: (id) => expired.push(id),
    });
    const list = async (): Promise<readonly string[]> =>
      (await seen.list(owner.credential.owner, { first: 2 })).map(({ id }) => id);
    const find = (id: string): Promise<number> =>
      seen.change(owner, false, async (transaction) => (await transaction.find([id])).length);
    expect(await list()).toEqual(['living', 'old']);
    clock.now = NOW + HOUR;
    expect(await find('older')).toBe(0);
    clock.now = NOW;
    expect([await find('older'), await find('old')]).toEqual([0, 1]);
    clock.now = NOW + 2 * HOUR;
    expect(await list()).toEqual(['living']);
    clock.now = NOW;
    expect(await list()).toEqual(['living']);
    expect(expired).toEqual(['older', 'old']);
  });

  it('one that is renewed while a look finds it expired is kept', async () => {
    const { rows, owner, prismas } = await two(engine);
    await create(rows(), owner, { id: 'old', expires: NOW });
    const [prisma] = prismas;
    const renewing = new Proxy(prisma.jmapPushSubscription, {
      get(target, name) {
        const method = Reflect.get(target, name) as (args: object) => Promise<unknown>;
        if (name !== 'findMany') return method.bind(target);
        return async (args: object) => {
          const found = await method.call(target, args);
          await target.update({ where: { id: 'old' }, data: { expires: BigInt(NOW + HOUR) } });
          return found;
        };
      },
    });
    const seen = new PushSubscriptionRows({
      prisma: new Proxy(prisma, {
        get: (target, name) =>
          name === 'jmapPushSubscription' ? renewing : Reflect.get(target, name),
      }),
      ...{ sealer: PLAIN, now: () => NOW, vapidKey: () => null, onExpired: expect.unreachable },
    });
    expect(await seen.list(owner.credential.owner, { first: 10 })).toEqual([]);
    const list = await rows().list(owner.credential.owner, { first: 10 });
    expect(list.map(({ id }) => id)).toEqual(['old']);
  });

  it('verifications that nobody has begun are found, oldest first, those of a shard', async () => {
    const { rows, owner, prismas } = await two(engine);
    const [prisma] = prismas;
    const ages = { new: 5, old: 60, older: 90, sent: 60, unsigned: 30, verified: 60 };
    for (const [id, age] of Object.entries(ages))
      await create(rows(), owner, { id, created: NOW - age * 1000 });
    const delivery = openDelivery(prisma);
    expect(await delivery.beginVerification('sent')).toBe(true);
    await delivery.noteVerification('unsigned', NOW, 'unsigned');
    await rows().change(owner, false, (transaction) =>
      transaction.change('verified', { verified: NOW }),
    );
    const look = (shards: readonly number[] = ALL_SHARDS) =>
      delivery.forgotten(NOW - 10_000, shards);
    expect(await look()).toEqual(['older', 'old']);
    const { shard } = await prisma.jmapPushSubscription.findUniqueOrThrow({ where: { id: 'old' } });
    expect(await look([shard])).toContain('old');
    expect(await look(ALL_SHARDS.filter((one) => one !== shard))).not.toContain('old');
    expect(await look([])).toEqual([]);
    await serve(openDelivery(prisma, { signs: false }));
    expect(await look()).toEqual(['older', 'old']);
    // One that signs may have the key.
    await serve(delivery);
    expect(await look()).toEqual(['older', 'old', 'unsigned']);
  });

  it('failures are stored together; a server that signs ends waits for want of a key', async () => {
    const { rows, owner, prismas } = await two(engine);
    const [prisma] = prismas;
    const names = ['a', 'b', 'c'];
    for (const id of names) await create(rows(), owner, { id });
    await prisma.jmapPushSubscription.updateMany({ data: { verified: BigInt(NOW) } });
    const delivery = openDelivery(prisma);
    const note = (id: string, reason: string, firstFailure: number | null = null) => ({
      ...{ id, failures: 2, firstFailure, notBefore: NOW + HOUR, at: NOW, reason },
    });
    await delivery.noteFailures([note('a', 'unsigned'), note('b', 'status-403', NOW - HOUR)]);
    const read = () =>
      prisma.jmapPushSubscription.findMany({
        orderBy: { id: 'asc' },
        select: { failures: true, firstFailure: true, notBefore: true, lastFailureReason: true },
      });
    const later = BigInt(NOW + HOUR);
    const refused = {
      ...{ failures: 2n, firstFailure: BigInt(NOW - HOUR), notBefore: later },
      lastFailureReason: 'status-403',
    };
    const fine = { failures: 0n, firstFailure: null, notBefore: null, lastFailureReason: null };
    const unsigned = { ...fine, lastFailureReason: 'unsigned' };
    const waiting = { ...unsigned, failures: 2n, notBefore: later };
    expect(await read()).toEqual([waiting, refused, fine]);
    await serve(delivery);
    expect(await read()).toEqual([unsigned, refused, fine]);
  });

  it('secrets are encrypted with SECRETS_KEY, those of before too', async () => {
    const { rows, owner, prismas } = await two(engine);
    const [prisma] = prismas;
    const key = createSealer(new Uint8Array(32).fill(1));
    await create(rows(), owner, { id: 'a' });
    await create(rows(0, key), owner, { id: 'b' });
    expect(await sealSubscriptions(prisma, key)).toBe(1);
    expect(await sealSubscriptions(prisma, key)).toBe(0);
    for (const row of await prisma.jmapPushSubscription.findMany())
      for (const text of [row.url, row.p256dh, row.auth])
        expect(text).toMatch(/^aes256gcm-bound\$/);
    const read = (sealer: typeof key) =>
      rows(0, sealer).list(owner.credential.owner, { first: 10 });
    for (const one of await read(key)) {
      expect(one.url).toMatch(/^https:/);
      expect(one.keys).toEqual({ p256dh: 'point', auth: 'secret' });
    }
    for (const wrong of [PLAIN, createSealer(new Uint8Array(32).fill(2))])
      for (const one of await read(wrong)) expect([one.url, one.keys]).toEqual([null, null]);
  });

  it('one that SECRETS_KEY does not decrypt is told once, and holds no other up', async () => {
    const { rows, owner, prismas } = await two(engine);
    const sealerOf = (octet: number) => createSealer(new Uint8Array(32).fill(octet));
    const [right, wrong] = [sealerOf(1), sealerOf(2)];
    const old = { created: NOW - 60_000 };
    await create(rows(0, right), owner, { id: 'waits', ...old });
    await create(rows(0, right), owner, { id: 'served', ...old });
    await rows().change(owner, false, (transaction) =>
      transaction.change('served', { verified: NOW }),
    );
    const told: string[] = [];
    const onUnusable = (id: string): void => void told.push(id);
    const delivery = openDelivery(prismas[0], { sealer: wrong, onUnusable });
    const look = () => delivery.forgotten(NOW - 10_000, ALL_SHARDS);
    expect(await look()).toEqual(['waits']);
    for (let round = 0; round < 2; round += 1) {
      expect(await delivery.unverified('waits')).toBeNull();
      expect(await serve(delivery)).toEqual([]);
    }
    expect(told.sort()).toEqual(['served', 'waits']);
    expect(await look()).toEqual([]);
  });

  it('servers that start at once make one VAPID key, and a rotation reaches both', async () => {
    const { prismas } = await two(engine);
    const unusable: string[] = [];
    const keysOf = (prisma: PrismaClient, sealer = PLAIN) =>
      new VapidKeys({
        ...{ prisma, sealer, makeKey: makeVapidKey },
        onUnusable: (id) => unusable.push(id),
      });
    const [one, other] = [keysOf(prismas[0]), keysOf(prismas[1])];
    await Promise.all([one.open(), other.open()]);
    const first = one.current;
    expect(other.current).toEqual(first);
    const again = keysOf(prismas[0]);
    await again.open();
    expect(again.current).toEqual(first);
    const { version } = other;
    const rotation = { sealer: PLAIN, makeKey: makeVapidKey, id: 'next', now: NOW, keep: HOUR };
    const made = await rotateVapidKey(prismas[0], rotation);
    const { privateText, publicText } = made ?? expect.unreachable();
    await other.reload();
    expect(other.current).toEqual({ id: 'next', privateText, publicText });
    expect(other.version).not.toBe(version);
    expect(await other.find(first?.id ?? '')).toEqual(first);
    const key = createSealer(new Uint8Array(32).fill(1));
    expect(await sealVapidKeys(prismas[0], key)).toBe(2);
    const wrong = keysOf(prismas[0], createSealer(new Uint8Array(32).fill(2)));
    await wrong.open();
    expect([wrong.current, unusable]).toEqual([null, ['next']]);
  });
});

it('SQLite keeps nothing of a destroyed subscription once its log is written back', async () => {
  const database = openTestDatabase();
  const { prisma, db, file } = database;
  onTestFinished(() => database.close());
  await createAccount(prisma, ids, { name: 'A', user: 'alice' });
  const token = await createToken(prisma, ids, { user: 'alice' });
  const owner = await createAuthenticator(prisma).authenticate(token);
  if (owner === null) throw new Error('The token is good.');
  const rows = new PushSubscriptionRows({
    ...{ prisma, sealer: PLAIN, now: () => NOW, vapidKey: () => null },
    onExpired: expect.unreachable,
  });
  await create(rows, owner, { id: 'a', url: 'https://push.example.net/very-secret' });
  await rows.change(owner, false, (transaction) => transaction.change('a', { types: ['Todo'] }));
  const isIn = (): boolean => {
    db.pragma('wal_checkpoint(TRUNCATE)');
    return readFileSync(file).includes('very-secret');
  };
  expect(isIn()).toBe(true);
  await rows.change(owner, false, (transaction) => transaction.destroy(['a']));
  expect(isIn()).toBe(false);
});
