import type { PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { retryBusy } from './change.js';

/** More changes than any type of an account sees between a backup and its restoring. */
const LEAP = 1_000_000_000n;
/** From here on `leapAt` counts, ms. */
const EPOCH = Date.UTC(2026, 0, 1);

const TRANSACTION = { maxWait: 10_000, timeout: 300_000 };

/** Changes that a type of an account may see in a millisecond; hundreds of leaps stay below 2^53 all the same. */
const FASTEST = 64n;

/**
 * How far to leap at a time. Two restores from one backup begin with the same counters: the later one must leap
 * beyond what was issued after the earlier one, an import of that time included. So each millisecond between them is
 * worth more changes than can be made in one.
 */
export function leapAt(now: number): bigint {
  return LEAP + FASTEST * BigInt(Math.max(0, Math.floor(now) - EPOCH));
}

/**
 * After a restore from a backup (decision 9): raises the counter of every type in every account far beyond what
 * was ever issued, and removes the change records, so that every older state is refused. A running server reads
 * both at each call, so it answers so at once. `tables` are those of the registered types: a type without a
 * change has no row yet, but clients have seen its state "0".
 */
export async function resetStates(
  prisma: PrismaClient,
  tables: readonly string[],
  leap = LEAP,
): Promise<void> {
  await retryBusy(() =>
    prisma.$transaction(async (transaction) => {
      // A write first: it takes the write lock before anything is read.
      await transaction.$executeRaw`UPDATE "JmapState" SET "number" = "number" + CAST(${leap} AS BIGINT)`;
      for (const table of tables) {
        await transaction.$executeRaw`INSERT INTO "JmapState" ("accountId", "type", "number")
          SELECT "id", CAST(${table} AS TEXT), CAST(${leap} AS BIGINT) FROM "JmapAccount" WHERE true ON CONFLICT DO NOTHING`;
      }
      // A state below the counter is answered where the record after it is kept: none may be.
      await transaction.$executeRaw`DELETE FROM "JmapChange"`;
    }, TRANSACTION),
  );
}
