import type { Prisma, PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import type { PushSubscription, Sealer } from './push-port.js';
import { TABLE, timeOf, typesOf } from './push-subscriptions.js';

/* The methods create and change the rows of push subscriptions; this does all else for them. */

/** An unverified subscription lives so long, and a creation counts so long, ms. */
const UNVERIFIED_LIFE = 3_600_000;
/** Why a push failed that no key signed (PushRow's failures). */
export const UNSIGNED = 'unsigned';
/** Rows of a step. */
const STEP = 500;

/**
 * Destroys subscriptions that have ended, at most `limit` of each kind; resolves to their ids. They
 * have expired, nobody has verified them within an hour, or the key that signs for them retires.
 */
export async function pruneSubscriptions(
  prisma: PrismaClient,
  now: number,
  limit: number,
): Promise<readonly string[]> {
  return [
    ...(await destroy(prisma, { expires: { lte: BigInt(now) } }, limit)),
    ...(await pruneUnverified(prisma, now, limit)),
    ...(await pruneRetired(prisma, now, limit)),
  ];
}

type Where = Prisma.JmapPushSubscriptionWhereInput;

async function destroy(
  prisma: PrismaClient,
  where: Where,
  limit: number,
): Promise<readonly string[]> {
  // Nearly always there is none, and a look waits for nobody.
  const found = await prisma.jmapPushSubscription.findMany({
    where,
    take: limit,
    select: { id: true },
  });
  const ids = found.map(({ id }) => id);
  if (ids.length > 0)
    await prisma.jmapPushSubscription.deleteMany({ where: { ...where, id: { in: ids } } });
  return ids;
}

/** Forgets the creations of an hour ago, and what came of them if nobody has verified it. */
async function pruneUnverified(
  prisma: PrismaClient,
  now: number,
  limit: number,
): Promise<readonly string[]> {
  const creations = await prisma.jmapPushCreation.findMany({
    where: { at: { lte: BigInt(now - UNVERIFIED_LIFE) } },
    take: limit,
    select: { id: true },
  });
  if (creations.length === 0) return [];
  const id = { in: creations.map((creation) => creation.id) };
  const gone = await destroy(prisma, { id, verified: null }, limit);
  await prisma.jmapPushCreation.deleteMany({ where: { id } });
  return gone;
}

/** RFC 9749 5: a subscription ends with the key that signs for it. */
async function pruneRetired(
  prisma: PrismaClient,
  now: number,
  limit: number,
): Promise<readonly string[]> {
  const retired = await prisma.jmapVapidKey.findMany({
    where: { retires: { lte: BigInt(now) } },
    select: { id: true },
  });
  if (retired.length === 0) return [];
  const ids = retired.map(({ id }) => id);
  const gone = await destroy(prisma, { vapidKey: { in: ids } }, limit);
  if (gone.length < limit) await prisma.jmapVapidKey.deleteMany({ where: { id: { in: ids } } });
  return gone;
}

/**
 * Destroys subscriptions whose token is gone: a command of the version before has revoked it, which
 * knows no subscriptions.
 */
export async function pruneOrphans(prisma: PrismaClient): Promise<number> {
  return prisma.$executeRaw`DELETE FROM "JmapPushSubscription"
    WHERE "signIn" IS NULL AND NOT EXISTS
      (SELECT 1 FROM "JmapToken" WHERE "JmapToken"."id" = "JmapPushSubscription"."tokenId")`;
}

/**
 * Ends the waits of subscriptions of shards whose last push or verification no key signed: they
 * waited for want of a contact, or of a key that SECRETS_KEY decrypts. A process that has both
 * calls it for shards that it begins to serve.
 */
export async function endUnsignedWaits(
  prisma: PrismaClient,
  shards: readonly number[],
): Promise<void> {
  const where = { lastFailureReason: UNSIGNED, shard: { in: [...shards] } };
  await prisma.jmapPushSubscription.updateMany({
    where: { ...where, notBefore: { not: null } },
    data: { notBefore: null, failures: 0n },
  });
  await prisma.jmapPushSubscription.updateMany({
    where: { ...where, verified: null },
    data: { lastFailureReason: null },
  });
}

/** A subscription without its secrets. Times are epoch ms. */
export interface SubscriptionListing
  extends Pick<PushSubscription, 'id' | 'types' | 'expires' | 'lastSuccess' | 'lastFailure'>,
    Pick<PushSubscription, 'lastFailureReason'> {
  /** Name of its token's user. */
  readonly user: string;
  /** Null: not yet. */
  readonly verified: number | null;
}

/** Returns every subscription in order of creation, without its secrets. */
export async function listSubscriptions(
  prisma: PrismaClient,
): Promise<readonly SubscriptionListing[]> {
  const rows = await prisma.jmapPushSubscription.findMany({
    orderBy: { id: 'asc' },
    omit: { url: true, p256dh: true, auth: true, code: true },
  });
  const users = new Map((await prisma.jmapUser.findMany()).map((user) => [user.id, user.name]));
  return rows.map((row) => ({
    id: row.id,
    user: users.get(row.userId) ?? row.userId,
    types: typesOf(row.types),
    verified: timeOf(row.verified),
    expires: Number(row.expires),
    lastSuccess: timeOf(row.lastSuccess),
    lastFailure: timeOf(row.lastFailure),
    lastFailureReason: row.lastFailureReason,
  }));
}

/**
 * Encrypts the secrets of subscriptions that were stored without a SECRETS_KEY. Returns how many
 * subscriptions had some.
 */
export async function sealSubscriptions(prisma: PrismaClient, sealer: Sealer): Promise<number> {
  let count = 0;
  for (let after = ''; ; ) {
    const rows = await prisma.jmapPushSubscription.findMany({
      where: { id: { gt: after } },
      orderBy: { id: 'asc' },
      take: STEP,
      select: { id: true, url: true, p256dh: true, auth: true },
    });
    for (const { id, url, p256dh, auth } of rows) {
      if (sealer.isCurrent(url)) continue;
      const seal = (text: string, column: string) =>
        sealer.seal(text, { table: TABLE, id, column });
      const { count: changed } = await prisma.jmapPushSubscription.updateMany({
        // Another server may have done so meanwhile.
        where: { id, url },
        data: {
          url: seal(url, 'url'),
          p256dh: p256dh && seal(p256dh, 'p256dh'),
          auth: auth && seal(auth, 'auth'),
        },
      });
      count += changed;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < STEP) return count;
    after = last.id;
  }
}
