import type { PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import type { Sealer } from './push-port.js';
import { TABLE } from './push-subscriptions.js';

/** What keeps the rows of push subscriptions right, beside the methods. */

const HOUR = 3_600_000;
/** An unverified subscription lives so long, ms. */
const UNVERIFIED_LIFE = HOUR;
/** Rows of a step. */
const STEP = 500;

/**
 * Destroys subscriptions that have ended, at most `limit` of them; resolves to their ids. They have
 * expired, nobody has verified them within an hour, the key that they are bound to has retired, or
 * their token is gone.
 */
export async function pruneSubscriptions(
  prisma: PrismaClient,
  now: number,
  limit: number,
): Promise<readonly string[]> {
  await pruneCreations(prisma, now, limit);
  // Nearly always there is none, and a look waits for nobody.
  const found = await prisma.$queryRaw<readonly { readonly id: string }[]>`
    SELECT "id" FROM "JmapPushSubscription" WHERE "expires" <= ${BigInt(now)}
      OR ("verified" IS NULL AND "created" <= ${BigInt(now - UNVERIFIED_LIFE)})
      OR "vapidKey" IN (SELECT "id" FROM "JmapVapidKey" WHERE "retires" <= ${BigInt(now)})
      OR NOT EXISTS (SELECT 1 FROM "JmapToken" WHERE "JmapToken"."id" = "tokenId")
    LIMIT ${limit}`;
  const ids = found.map(({ id }) => id);
  if (ids.length > 0) await prisma.jmapPushSubscription.deleteMany({ where: { id: { in: ids } } });
  if (ids.length < limit)
    await prisma.jmapVapidKey.deleteMany({ where: { retires: { lte: BigInt(now) } } });
  return ids;
}

/** Forgets creations that count towards no limit any more. */
async function pruneCreations(prisma: PrismaClient, now: number, limit: number): Promise<void> {
  const where = { at: { lte: BigInt(now - HOUR) } };
  if ((await prisma.jmapPushCreation.findFirst({ where, select: { id: true } })) === null) return;
  await prisma.jmapPushCreation.deleteMany({ where, limit });
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
