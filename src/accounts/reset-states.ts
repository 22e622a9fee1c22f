import { setTimeout as sleep } from 'node:timers/promises';
import type { PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { STATE_LEAP } from '../protocol/leap.js';
import { retryBusy, type TransactionClient } from './change.js';

const LEAP = BigInt(STATE_LEAP);
/** From here on `leapAt` counts, ms. */
const EPOCH = Date.UTC(2026, 0, 1);

const TRANSACTION = { maxWait: 10_000, timeout: 300_000 };

/** Changes that a type of an account may see in a millisecond; hundreds of leaps stay below 2^53 all the same. */
const FASTEST = 64n;

/** Pairs of an account and a type that one statement reads. */
const PAGE = 500;
/** Records a step removes: a few milliseconds of the write lock. */
const STEP = 500;
/** Milliseconds between two steps, in which others get the lock. */
const PAUSE = 5;

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
 * was ever issued, in one transaction. From its commit on every older state is refused for its distance
 * (`requireUnbroken`), by a running server too, which reads the counter at each call. The change records of before
 * go in small steps afterwards, beside others that read and write; what is left where that is cut short goes
 * when its time has passed. `tables` are those of the registered types: a type without a change has no row yet,
 * but clients have seen its state "0".
 */
export async function resetStates(
  prisma: PrismaClient,
  tables: readonly string[],
  leap = LEAP,
): Promise<void> {
  await raise(prisma, tables, leap, async () => undefined);
  await removeBefore(prisma, leap);
}

/** The same in a database that nobody else uses: all records go at once, which SQLite does without reading them. */
export function resetAllAtOnce(
  prisma: PrismaClient,
  tables: readonly string[],
  leap = LEAP,
): Promise<void> {
  return raise(prisma, tables, leap, async (transaction) => {
    await transaction.$executeRaw`DELETE FROM "JmapChange"`;
  });
}

function raise(
  prisma: PrismaClient,
  tables: readonly string[],
  leap: bigint,
  further: (transaction: TransactionClient) => Promise<void>,
): Promise<void> {
  return retryBusy(() =>
    prisma.$transaction(async (transaction) => {
      // A write first: it takes the write lock before anything is read.
      await transaction.$executeRaw`UPDATE "JmapState" SET "number" = "number" + CAST(${leap} AS BIGINT)`;
      for (const table of tables) {
        await transaction.$executeRaw`INSERT INTO "JmapState" ("accountId", "type", "number")
          SELECT "id", CAST(${table} AS TEXT), CAST(${leap} AS BIGINT) FROM "JmapAccount" WHERE true ON CONFLICT DO NOTHING`;
      }
      await further(transaction);
    }, TRANSACTION),
  );
}

interface Log {
  readonly accountId: string;
  readonly type: string;
  readonly number: bigint;
}

/** Goes over all states, in the order of their key, which name every pair that has records. */
async function removeBefore(prisma: PrismaClient, leap: bigint): Promise<void> {
  let [accountId, type] = ['', ''];
  for (;;) {
    const page = await retryBusy(
      () => prisma.$queryRaw<readonly Log[]>`
        SELECT "accountId", "type", CAST("number" AS BIGINT) AS "number" FROM "JmapState"
        WHERE ("accountId", "type") > (${accountId}, ${type})
        ORDER BY "accountId", "type" LIMIT ${PAGE}`,
    );
    for (const log of page) await removeOf(prisma, log, BigInt(log.number) - leap);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    [accountId, type] = [last.accountId, last.type];
  }
}

/**
 * What was written since the counter was raised lies behind `last`, by nearly the whole leap. Each step begins
 * behind the one before it: PostgreSQL would go through what is gone already again and again.
 */
async function removeOf(prisma: PrismaClient, log: Log, last: bigint): Promise<void> {
  const { accountId, type } = log;
  for (let after = 0n; ; ) {
    const [full] = await retryBusy(
      () => prisma.$queryRaw<readonly { readonly number: bigint }[]>`
        SELECT CAST("number" AS BIGINT) AS "number" FROM "JmapChange"
        WHERE "accountId" = ${accountId} AND "type" = ${type} AND "number" > ${after} AND "number" <= ${last}
        ORDER BY "number" LIMIT 1 OFFSET ${STEP - 1}`,
    );
    const end = full === undefined ? last : BigInt(full.number);
    const gone = await retryBusy(
      () => prisma.$executeRaw`DELETE FROM "JmapChange"
        WHERE "accountId" = ${accountId} AND "type" = ${type} AND "number" > ${after} AND "number" <= ${end}`,
    );
    if (full === undefined) return;
    if (gone > 0) await sleep(PAUSE);
    after = end;
  }
}
