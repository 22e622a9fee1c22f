import { Prisma, type PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import type { Aggregate } from '../capability/aggregates.js';
import { EVOLVED } from '../capability/evolution.js';
import {
  EVERYONE,
  PRUNED,
  rightMark,
  rulesKey,
  scopesOfTable,
  WHOLE,
} from '../capability/scopes.js';
import { NOTE_ALL_MOVED, RAISE_SHARE_VERSION } from '../capability/share-version.js';
import { type Duplicate, findDuplicates } from './duplicate-search.js';
import type { UniqueCheck } from './migrations.js';
import { quote } from './quote.js';

/** A row of JmapMeta that a migration wrote for the server's next start. */
export interface BackfillNote {
  /**
   * `adopt:`, `normalize:`, `follow:` or `reset:TABLE`, `compute:TABLE/COLUMN`, or
   * `evolve:MIGRATION/TABLE`, or `kept:TABLE/ACCOUNT/ID` of an object that keeps a text which is
   * not normalised.
   */
  readonly key: string;
  readonly value: string;
}

/** The records that objects of `table` may have. */
export interface LinkingTable {
  readonly table: string;
  /** The keys of its references. */
  readonly references: readonly string[];
  readonly hasBlobs: boolean;
  /** Users have values of their own there. */
  readonly hasValues: boolean;
}

export type RowKey = readonly [accountId: string, id: string];

/** A row's key, and the ms when an object was last changed, where that was asked for. */
export interface BackfillRow {
  readonly accountId: string;
  readonly id: string;
  readonly updated: number | bigint;
}

/** The rows of a work: those of `from`, called "t", that meet the condition. */
export interface BackfillRows {
  readonly from: Prisma.Sql;
  readonly where: Prisma.Sql;
  /** The ms of their last change; 0 where nobody asks. */
  readonly updated?: Prisma.Sql;
}

/**
 * Change records of objects have kinds up to this one, that of destroyed ones
 * (store/sql/records.ts).
 */
const LAST_KIND = 2;

export type BackfillDatabase = ReturnType<typeof openBackfillDatabase>;

/** A reset may have many change records to delete, ms. */
const RESET_TIME = 600_000;

/** Returns the condition of a row "t" with a wrong aggregate; null where no condition tells. */
export type Miscounted = (aggregate: Aggregate) => string | null;

/** Returns the database as the work sees it that migrations leave to the engine. */
export function openBackfillDatabase(prisma: PrismaClient, miscounted: Miscounted = () => null) {
  return {
    ...notesOf(prisma),
    ...scopesOf(prisma),

    miscountedRows: (aggregate: Aggregate) => miscountedRows(aggregate, miscounted),

    newest: () => newestMigration(prisma),

    /** Finds objects with the same values where none may have them, a few accounts at a time. */
    duplicates: (check: UniqueCheck): AsyncIterable<readonly Duplicate[]> =>
      findDuplicates(prisma, check),

    count: (rows: BackfillRows): Promise<number> => countRows(prisma, rows),

    /** Notes objects that keep a text as it is, because another object has its normal form. */
    noteKept: (table: string, accountId: string, ids: readonly string[]) =>
      noteKept(prisma, { table, accountId, ids }),

    /** Resolves to all that is noted so. */
    kept: () => keptObjects(prisma),

    /**
     * Takes the note. If it was there, the type's counter steps and its change records go, so that
     * old states are refused. One of several starting servers takes it; the others wait.
     */
    reset: (key: string, type: string) => resetStates(prisma, key, type),

    /** Returns the rows behind `after` in order of key, at most `limit`. */
    rows(
      { from, where, updated = Prisma.sql`0` }: BackfillRows,
      after: RowKey | null,
      limit: number,
    ): Promise<readonly BackfillRow[]> {
      const behind =
        after === null
          ? Prisma.empty
          : Prisma.sql` AND ("t"."accountId", "t"."id") > (${Prisma.join([...after])})`;
      return prisma.$queryRaw<BackfillRow[]>`
        SELECT "t"."accountId", "t"."id", ${updated} AS "updated" FROM ${from} AS "t"
        WHERE ${where}${behind}
        ORDER BY "t"."accountId", "t"."id" LIMIT ${limit}`;
    },
  };
}

async function countRows(prisma: PrismaClient, { from, where }: BackfillRows): Promise<number> {
  const [row] = await prisma.$queryRaw<{ number: number | bigint }[]>`
    SELECT count(*) AS "number" FROM ${from} AS "t" WHERE ${where}`;
  return Number(row?.number ?? 0);
}

/** The work on rules, and on what follows from them. */
function scopesOf(prisma: PrismaClient) {
  return {
    /**
     * Notes by which rules the objects of a table have their scopes, and has old states refused: of
     * users who see a part of the type, too. One of several starting servers does it.
     */
    noteRules: (table: string, rules: string) => noteRules(prisma, table, rules),

    /** Takes the grants that shares of a table's objects have given: it is no shared type. */
    dropGrants: (table: string): Promise<void> =>
      prisma.$transaction((transaction) => takeGrants(transaction, table, Prisma.sql`TRUE`), {
        timeout: RESET_TIME,
      }),
  };
}

/** The notes by themselves. */
function notesOf(prisma: PrismaClient) {
  return {
    notes(): Promise<readonly BackfillNote[]> {
      const kinds = [
        ...['adopt:', 'compute:', 'evolve:', 'follow:', 'kept:', 'normalize:', 'reset:'],
      ];
      return prisma.jmapMeta.findMany({
        where: { OR: kinds.map((startsWith) => ({ key: { startsWith } })) },
        orderBy: { key: 'asc' },
      });
    },

    /** Returns the value of a note; null where there is none. */
    async note(key: string): Promise<string | null> {
      return (await prisma.jmapMeta.findUnique({ where: { key } }))?.value ?? null;
    },

    /** Makes a note anew; resolves to false where its value isn't `old`. Null stands for none. */
    async swap(key: string, old: string | null, value: string): Promise<boolean> {
      if (old === null) {
        await prisma.jmapMeta.upsert({ where: { key }, update: {}, create: { key, value } });
        return true;
      }
      const { count } = await prisma.jmapMeta.updateMany({
        where: { key, value: old },
        data: { value },
      });
      return count === 1;
    },

    /** Keeps how far a note's work is, where the note is still there. */
    async keep(key: string, value: string): Promise<void> {
      await prisma.jmapMeta.updateMany({ where: { key }, data: { value } });
    },

    /**
     * Notes that objects which are written from `since` (epoch ms) on are looked at again; those of
     * an earlier note go on to be.
     */
    async follow(table: string, since: number): Promise<void> {
      const [key, value] = [`follow:${table}`, String(since)];
      await prisma.jmapMeta.upsert({ where: { key }, update: {}, create: { key, value } });
    },

    async forget(key: string): Promise<void> {
      await prisma.jmapMeta.deleteMany({ where: { key } });
    },
  };
}

async function resetStates(prisma: PrismaClient, key: string, type: string): Promise<void> {
  await prisma.$transaction(
    async (transaction) => {
      const { count } = await transaction.jmapMeta.deleteMany({ where: { key } });
      if (count === 0) return;
      await refuseStates(transaction, type);
      // The states of views go with the scopes.
      await transaction.jmapMeta.deleteMany({ where: { key: rulesKey(type) } });
    },
    { timeout: RESET_TIME },
  );
}

async function refuseStates(transaction: Prisma.TransactionClient, type: string): Promise<void> {
  const data = { number: { increment: 1 } };
  await transaction.jmapState.updateMany({ where: { type }, data });
  await transaction.jmapChange.deleteMany({ where: { type } });
}

async function noteRules(prisma: PrismaClient, type: string, rules: string): Promise<void> {
  const key = rulesKey(type);
  await prisma.$transaction(
    async (transaction) => {
      const before = await transaction.jmapMeta.findUnique({ where: { key } });
      if (before?.value === rules) return;
      const value = { value: rules };
      await transaction.jmapMeta.upsert({
        where: { key },
        update: value,
        create: { key, ...value },
      });
      await refuseStates(transaction, type);
      await transaction.$executeRaw`
        DELETE FROM "JmapScope" WHERE "type" = ${type} AND ("gone" OR NOT EXISTS (
        SELECT 1 FROM ${name(type)} AS "t" WHERE "t"."accountId" = "JmapScope"."accountId"
        AND "t"."id" = "JmapScope"."objectId"))`;
      // Every view has this scope: its number moves, and no state leads there.
      await transaction.$executeRaw`
        INSERT INTO "JmapScope" ("accountId", "type", "objectId", "scope", "number", "gone")
        SELECT "accountId", "type", ${PRUNED}, ${EVERYONE}, "number", TRUE FROM "JmapState"
        WHERE "type" = ${type}`;
      // A version without its shares may have destroyed their objects.
      const isStray = Prisma.sql`NOT EXISTS (
        SELECT 1 FROM "JmapScope" AS "s" WHERE "s"."accountId" = "JmapGrant"."accountId"
        AND "s"."type" = ${type} AND "s"."scope" = ${rightMark('')} || "JmapGrant"."scope")`;
      await takeGrants(transaction, type, isStray);
    },
    { timeout: RESET_TIME },
  );
}

/**
 * Takes grants at objects of a table, and tells servers of users who had some. That comes last:
 * others wait for it.
 */
async function takeGrants(
  transaction: Prisma.TransactionClient,
  table: string,
  where: Prisma.Sql,
): Promise<void> {
  const [begin, end] = scopesOfTable(table);
  const count = await transaction.$executeRaw`
    DELETE FROM "JmapGrant" WHERE "scope" >= ${begin} AND "scope" < ${end} AND ${where}`;
  if (count === 0) return;
  await transaction.$executeRaw(Prisma.raw(RAISE_SHARE_VERSION));
  await transaction.$executeRaw(Prisma.raw(NOTE_ALL_MOVED));
}

/** An object that keeps a text which is not normalised. */
export interface KeptObject {
  readonly key: string;
  readonly table: string;
  readonly accountId: string;
  readonly id: string;
}

const KEPT = 'kept:';

async function noteKept(
  prisma: PrismaClient,
  of: { readonly table: string; readonly accountId: string; readonly ids: readonly string[] },
): Promise<void> {
  const { table, accountId, ids } = of;
  for (const id of ids) {
    const key = `${KEPT}${table}/${accountId}/${id}`;
    const value = JSON.stringify([accountId, id]);
    await prisma.jmapMeta.upsert({ where: { key }, create: { key, value }, update: {} });
  }
}

/** Returns the objects that are noted as keeping a text which is not normalised. */
export async function keptObjects(prisma: PrismaClient): Promise<readonly KeptObject[]> {
  const notes = await prisma.jmapMeta.findMany({
    where: { key: { startsWith: KEPT } },
    orderBy: { key: 'asc' },
  });
  return notes.map(({ key, value }) => {
    const [accountId, id] = JSON.parse(value) as RowKey;
    return { key, table: key.slice(KEPT.length, key.indexOf('/')), accountId, id };
  });
}

/** Returns the last migration that was applied, this version's or a newer one's, and when (ms). */
async function newestMigration(
  prisma: PrismaClient,
): Promise<{ readonly name: string; readonly at: number }> {
  const [last] = await prisma.$queryRaw<{ name: string; at: Date }[]>`
    SELECT "migration_name" AS "name", "finished_at" AS "at" FROM "_prisma_migrations"
    WHERE "rolled_back_at" IS NULL AND "finished_at" IS NOT NULL
    ORDER BY "migration_name" DESC LIMIT 1`;
  return { name: last?.name ?? '', at: Number(last?.at ?? 0) };
}

function name(identifier: string): Prisma.Sql {
  return Prisma.raw(quote(identifier));
}

/** Returns all rows of a table. */
export function allRows(table: string): BackfillRows {
  return { from: name(table), where: Prisma.sql`TRUE` };
}

/** Returns the rows of a table that are not converted for a migration (capability/evolution.ts). */
export function unconvertedRows(table: string, migration: number): BackfillRows {
  const where = Prisma.sql`abs("t".${name(EVOLVED)}) < ${BigInt(migration)}`;
  return { from: name(table), where };
}

/**
 * Returns the rows of a table that were written since then (ms). `column`: the time of their last
 * change; without one, the change records tell.
 */
export function writtenRows(table: string, since: number, column: string | null): BackfillRows {
  const time = BigInt(Math.trunc(since));
  if (column !== null) {
    const updated = Prisma.sql`"t".${name(column)}`;
    return { from: name(table), where: Prisma.sql`${updated} >= ${time}`, updated };
  }
  const from = Prisma.sql`(SELECT "accountId", "objectId" AS "id", max("at") AS "at"
    FROM "JmapChange" WHERE "type" = ${table} AND "at" >= ${time}
    GROUP BY "accountId", "objectId")`;
  return { from, where: Prisma.sql`TRUE`, updated: Prisma.sql`"t"."at"` };
}

/** Returns the rows of a table with something in the column. */
export function filledRows(table: string, column: string): BackfillRows {
  return { from: name(table), where: Prisma.sql`"t".${name(column)} IS NOT NULL` };
}

/** Returns objects that have in one of the columns a text which begins with `prefix`. */
export function beginningRows(
  prefix: string,
  { table, columns }: { readonly table: string; readonly columns: readonly string[] },
): BackfillRows {
  const length = Prisma.raw(String(prefix.length));
  const begins = columns.map(
    (column) => Prisma.sql`substr("t".${name(column)}, 1, ${length}) = ${prefix}`,
  );
  return { from: name(table), where: Prisma.sql`(${Prisma.join(begins, ' OR ')})` };
}

/**
 * Returns a row for each account with changes since then (ms) that aren't counted for users who see
 * all.
 */
export function uncountedRows(table: string, since: number): BackfillRows {
  const from = Prisma.sql`(SELECT "c"."accountId", 'all' AS "id" FROM "JmapChange" AS "c"
    WHERE "c"."type" = ${table} AND "c"."at" >= ${BigInt(Math.trunc(since))}
    AND "c"."kind" <= ${LAST_KIND}
    GROUP BY "c"."accountId" HAVING max("c"."number") > coalesce((
    SELECT max("s"."number") FROM "JmapScope" AS "s" WHERE "s"."accountId" = "c"."accountId"
    AND "s"."type" = ${table} AND "s"."scope" = ${WHOLE}), 0))`;
  return { from, where: Prisma.sql`TRUE` };
}

/** Returns a row for each account: that of a singleton, whether it has been written or not. */
export function accountRows(): BackfillRows {
  const from = Prisma.sql`(SELECT "id" AS "accountId", 'singleton' AS "id" FROM "JmapAccount")`;
  return { from, where: Prisma.sql`TRUE` };
}

/** Returns objects whose aggregate is wrong; all of them where no condition tells. */
function miscountedRows(aggregate: Aggregate, miscounted: Miscounted): BackfillRows {
  if (aggregate.reference === null) return accountRows();
  const condition = miscounted(aggregate);
  const rows = allRows(aggregate.type.table);
  return condition === null ? rows : { ...rows, where: Prisma.sql`${Prisma.raw(condition)}` };
}

/**
 * Returns objects that are gone, and have left records of references or blobs, or values. `since`:
 * those that were destroyed since then (ms); null looks at all records.
 */
export function goneRows(
  { table, references, hasBlobs, hasValues }: LinkingTable,
  since: number | null,
): BackfillRows {
  const properties = Prisma.join(references.length > 0 ? [...references] : ['']);
  const linked = Prisma.sql`SELECT "accountId", "fromId" AS "id" FROM "JmapReference"
    WHERE "fromType" = ${table} AND "property" IN (${properties})`;
  const holders = Prisma.sql`SELECT "accountId", "objectId" AS "id" FROM "JmapBlobReference"
    WHERE "type" = ${table}`;
  const owners = Prisma.sql`SELECT "accountId", "objectId" AS "id" FROM "JmapUserValue"
    WHERE "type" = ${table}`;
  const kinds = [
    ...(references.length > 0 ? [linked] : []),
    ...(hasBlobs ? [holders] : []),
    ...(hasValues ? [owners] : []),
  ];
  const left = Prisma.join(kinds, ' UNION ALL ');
  const rows =
    since === null
      ? left
      : Prisma.sql`SELECT "c"."accountId", "c"."objectId" AS "id" FROM "JmapChange" AS "c"
    WHERE "c"."type" = ${table} AND "c"."at" >= ${BigInt(Math.trunc(since))}
    AND "c"."kind" = ${LAST_KIND}
    AND EXISTS (SELECT 1 FROM (${left}) AS "l"
    WHERE "l"."accountId" = "c"."accountId" AND "l"."id" = "c"."objectId")`;
  const from = Prisma.sql`(SELECT DISTINCT "r"."accountId", "r"."id"
    FROM (${rows}) AS "r"
    WHERE NOT EXISTS (SELECT 1 FROM ${name(table)} AS "o"
    WHERE "o"."accountId" = "r"."accountId" AND "o"."id" = "r"."id"))`;
  return { from, where: Prisma.sql`TRUE` };
}
