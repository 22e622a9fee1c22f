import type { PrismaClient } from '../../build/prisma/engine-sqlite/client.js';

/** By how much clocks of servers and of the database may differ, ms. */
const CLOCKS = 60_000;

/** Deletes at most `limit` rows of JmapRate whose windows have ended; resolves to their number. */
export async function pruneRates(
  prisma: PrismaClient,
  now: number,
  limit: number,
): Promise<number> {
  const where = { expires: { lte: BigInt(now - CLOCKS) } };
  // Nearly always there is none, and a look waits for nobody.
  if ((await prisma.jmapRate.findFirst({ where, select: { key: true } })) === null) return 0;
  return (await prisma.jmapRate.deleteMany({ where, limit })).count;
}
