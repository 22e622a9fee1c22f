import { setTimeout as sleep } from 'node:timers/promises';
import { Prisma, type PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { DIRECTORY, DIRECTORY_TYPES } from '../../src/accounts/admin-port.js';
import { SERVER } from '../../src/accounts/audit.js';
import {
  ACCESS_VERSION,
  changeAccess,
  retryBusy,
  type TransactionClient,
} from '../../src/accounts/change.js';
import { EVERYONE, PRUNED, rulesKey } from '../../src/capability/scopes.js';
import { renewEpoch } from '../../src/database/state-epoch.js';
import { STATE_LEAP } from '../../src/protocol/leap.js';

const LEAP = BigInt(STATE_LEAP);
/** From here on `leapAt` counts, ms. */
const BEGINNING = Date.UTC(2026, 0, 1);

const TRANSACTION = { maxWait: 10_000, timeout: 300_000 };

/**
 * Changes that a type of an account may see in a millisecond; hundreds of leaps stay below 2^53 all
 * the same.
 */
const FASTEST = 64n;

/** Accounts of a step: their writers wait for each other's. */
const ACCOUNTS = 100;
/** Pairs of an account and a type that one statement reads. */
const PAGE = 500;
/** Records a step removes: a few milliseconds of the write lock. */
const STEP = 500;
/** Milliseconds between two steps, in which others get the lock. */
const PAUSE = 5;

/**
 * How far to leap at a time. Two restores from one backup begin with the same counters: the later
 * one must leap beyond what was issued after the earlier one, an import of that time included. So
 * each millisecond between them is worth more changes than can be made in one.
 */
export function leapAt(now: number): bigint {
  return LEAP + FASTEST * BigInt(Math.max(0, Math.floor(now) - BEGINNING));
}

/**
 * Raises the counter of every type in every account far beyond what was ever issued, after a
 * restore from a backup (docs/reference/protocol.md#reset-states); the types of an account in one
 * transaction. From its commit on every older state is refused for its distance
 * (`requireUnbroken`), by a running server too, which reads the counter at each call. Push
 * subscriptions end then, as after a restore. The change records of before go afterwards. Both in
 * small steps, beside others that read and write. Where that is cut short it is to be called again,
 * for some accounts are as they were; records that are left go when their time has passed. `tables`
 * are those of the registered types: a type without a change has no row yet, but clients have seen
 * its state "0".
 */
export async function resetStates(
  prisma: PrismaClient,
  tables: readonly string[],
  leap = LEAP,
): Promise<void> {
  for (let after = ''; ; ) {
    const [last] = await retryBusy(
      () => prisma.$queryRaw<readonly { readonly id: string }[]>`SELECT "id" FROM "JmapAccount"
        WHERE "id" > ${after} ORDER BY "id" LIMIT 1 OFFSET ${ACCOUNTS - 1}`,
    );
    await raiseStep(prisma, tables, leap, { after, end: last?.id });
    if (last === undefined) break;
    after = last.id;
    await sleep(PAUSE);
  }
  // Servers look at the epoch again whenever the access version is another one.
  await changeAccess(prisma, async (change) => {
    // As after a restore: some may have been destroyed since.
    await change.transaction.jmapPushSubscription.deleteMany();
    await raiseDirectory(change.transaction, leap);
    await renewEpoch(change.transaction);
    await change.note({ action: 'server/reset-states', objectId: SERVER });
  });
  await removeBefore(prisma, leap);
}

/**
 * The same in a database that nobody else uses: all records go at once, which SQLite does without
 * reading them.
 */
export function resetAllAtOnce(
  prisma: PrismaClient,
  tables: readonly string[],
  leap = LEAP,
): Promise<void> {
  return retryBusy(() =>
    prisma.$transaction(async (transaction) => {
      await raise(transaction, tables, leap, () => EVERY);
      await raiseDirectory(transaction, leap);
      await transaction.$executeRaw`DELETE FROM "JmapChange"`;
    }, TRANSACTION),
  );
}

const EVERY = Prisma.sql`1 = 1`;

/** Behind one id, up to another or to the end: so no row of an account that is gone is left out. */
interface Range {
  readonly after: string;
  readonly end: string | undefined;
}

function raiseStep(
  prisma: PrismaClient,
  tables: readonly string[],
  leap: bigint,
  { after, end }: Range,
): Promise<void> {
  const within = (column: Prisma.Sql) =>
    end === undefined
      ? Prisma.sql`${column} > ${after}`
      : Prisma.sql`${column} > ${after} AND ${column} <= ${end}`;
  return retryBusy(() =>
    prisma.$transaction(async (transaction) => {
      // A change of a group holds the access version, and then some accounts, too.
      await transaction.$executeRaw`
        UPDATE "JmapMeta" SET "value" = "value" WHERE "key" = ${ACCESS_VERSION}`;
      // The accounts' rows first, as every transaction of the engine: two that take the counters of
      // an account in different orders would wait for each other. On SQLite it takes the write lock
      // before anything is read.
      await transaction.$executeRaw`UPDATE "JmapAccount" SET "name" = "name" WHERE ${within(ID)}`;
      await raise(transaction, tables, leap, within);
    }, TRANSACTION),
  );
}

const ID = Prisma.sql`"id"`;
const ACCOUNT_ID = Prisma.sql`"accountId"`;

async function raise(
  transaction: TransactionClient,
  tables: readonly string[],
  leap: bigint,
  within: (column: Prisma.Sql) => Prisma.Sql,
): Promise<void> {
  // A write first: it takes the write lock before anything is read.
  await transaction.$executeRaw`UPDATE "JmapState" SET "number" = "number" + CAST(${leap} AS BIGINT)
    WHERE ${within(ACCOUNT_ID)} AND "accountId" <> ${DIRECTORY}`;
  for (const table of tables) {
    await transaction.$executeRaw`INSERT INTO "JmapState" ("accountId", "type", "number")
      SELECT "id", CAST(${table} AS TEXT), CAST(${leap} AS BIGINT) FROM "JmapAccount"
      WHERE ${within(ID)} ON CONFLICT DO NOTHING`;
  }
  // The states of users who have views of a type of their own go by the numbers of scopes.
  await transaction.$executeRaw`INSERT INTO "JmapScope"
    ("accountId", "type", "objectId", "scope", "number", "gone")
    SELECT "accountId", "type", ${PRUNED}, ${EVERYONE}, "number", TRUE FROM "JmapState"
    WHERE ${within(ACCOUNT_ID)} AND EXISTS (SELECT 1 FROM "JmapMeta"
    WHERE "key" = ${rulesKey('')} || "JmapState"."type")
    ON CONFLICT ("accountId", "type", "objectId", "scope")
    DO UPDATE SET "number" = excluded."number"`;
}

/** The account of the directory has no row, so each of its types is named here. */
async function raiseDirectory(transaction: TransactionClient, leap: bigint): Promise<void> {
  for (const type of DIRECTORY_TYPES)
    await transaction.$executeRaw`INSERT INTO "JmapState" ("accountId", "type", "number")
      VALUES (${DIRECTORY}, ${type}, CAST(${leap} AS BIGINT)) ON CONFLICT ("accountId", "type")
      DO UPDATE SET "number" = "JmapState"."number" + CAST(${leap} AS BIGINT)`;
}

interface Log {
  readonly accountId: string;
  readonly type: string;
  readonly number: bigint;
}

/**
 * Goes over the states that have records of before, in the order of their key: they name every pair
 * that has.
 */
async function removeBefore(prisma: PrismaClient, leap: bigint): Promise<void> {
  let [accountId, type] = ['', ''];
  for (;;) {
    const page = await retryBusy(
      () => prisma.$queryRaw<readonly Log[]>`
        SELECT "accountId", "type", CAST("number" AS BIGINT) AS "number" FROM "JmapState" AS "s"
        WHERE ("accountId", "type") > (${accountId}, ${type})
          AND EXISTS (SELECT 1 FROM "JmapChange" AS "c"
          WHERE "c"."accountId" = "s"."accountId" AND "c"."type" = "s"."type"
            AND "c"."number" <= "s"."number" - CAST(${leap} AS BIGINT))
        ORDER BY "accountId", "type" LIMIT ${PAGE}`,
    );
    for (const log of page) await removeOf(prisma, log, BigInt(log.number) - leap);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    [accountId, type] = [last.accountId, last.type];
  }
}

/**
 * Records written since the counter was raised lie behind `last`, by nearly the whole leap. Each
 * step begins behind the one before it: PostgreSQL would go through what is gone already again and
 * again.
 */
async function removeOf(prisma: PrismaClient, log: Log, last: bigint): Promise<void> {
  const { accountId, type } = log;
  for (let after = 0n; ; ) {
    const [full] = await retryBusy(
      () => prisma.$queryRaw<readonly { readonly number: bigint }[]>`
        SELECT CAST("number" AS BIGINT) AS "number" FROM "JmapChange"
        WHERE "accountId" = ${accountId} AND "type" = ${type}
          AND "number" > ${after} AND "number" <= ${last}
        ORDER BY "number" LIMIT 1 OFFSET ${STEP - 1}`,
    );
    const end = full === undefined ? last : BigInt(full.number);
    const gone = await retryBusy(
      () => prisma.$executeRaw`DELETE FROM "JmapChange"
        WHERE "accountId" = ${accountId} AND "type" = ${type}
          AND "number" > ${after} AND "number" <= ${end}`,
    );
    if (full === undefined) return;
    if (gone > 0) await sleep(PAUSE);
    after = end;
  }
}
