import { Prisma, type PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { duplicateKeys } from './duplicate-rows.js';
import type { UniqueCheck } from './migrations.js';
import { quote } from './quote.js';

/** Objects of an account that have the same values, which must be unique. */
export interface Duplicate {
  /** The name that clients use. */
  readonly type: string;
  /** `code`, or `list+position`. */
  readonly property: string;
  readonly accountId: string;
  /** The first `IDS` of them. */
  readonly ids: readonly string[];
  readonly count: number;
}

/** Accounts of one statement, and how many duplicates it finds at most. */
const ACCOUNTS = 500;
const FOUND = 1000;
/** How many objects are named. */
const IDS = 10;

interface Row {
  readonly accountId: string;
  readonly first: string;
  readonly last: string;
  readonly count: number | bigint;
}

/** Finds duplicates in all accounts, one statement on the index of the unique for a few of them. */
export async function* findDuplicates(
  prisma: PrismaClient,
  check: UniqueCheck,
): AsyncGenerator<readonly Duplicate[]> {
  for (let after = ''; ; ) {
    const accounts = await prisma.jmapAccount.findMany({
      where: { id: { gt: after } },
      orderBy: { id: 'asc' },
      take: ACCOUNTS,
      select: { id: true },
    });
    const last = accounts.at(-1)?.id;
    if (last === undefined) return;
    const ids = accounts.map(({ id }) => id);
    yield await duplicatesOf(prisma, check, ids);
    after = last;
  }
}

async function duplicatesOf(
  prisma: PrismaClient,
  check: UniqueCheck,
  accounts: readonly string[],
): Promise<readonly Duplicate[]> {
  const { columns, condition } = duplicateKeys(check);
  const rows = await prisma.$queryRaw<Row[]>`
    SELECT "accountId", min("id") AS "first", max("id") AS "last", count(*) AS "count"
    FROM ${Prisma.raw(quote(check.table))}
    WHERE "accountId" IN (${Prisma.join([...accounts])}) AND ${Prisma.raw(condition)}
    GROUP BY "accountId", ${Prisma.raw(columns)} HAVING count(*) > 1
    ORDER BY "accountId", min("id") LIMIT ${FOUND}`;
  const found: Duplicate[] = [];
  for (const row of rows) {
    const { accountId, first, last } = row;
    const count = Number(row.count);
    const ids = count > 2 ? await idsOf(prisma, check, row) : [first, last];
    found.push({ type: check.type ?? check.table, property: check.name, accountId, ids, count });
  }
  return found;
}

/** Returns the ids of objects that have the values of the first one. */
async function idsOf(
  prisma: PrismaClient,
  { table, columns }: UniqueCheck,
  { accountId, first }: Row,
): Promise<readonly string[]> {
  const from = Prisma.raw(quote(table));
  const isSame = columns
    .map(quote)
    .map((name) => `("o".${name} = "f".${name} OR ("o".${name} IS NULL AND "f".${name} IS NULL))`)
    .join(' AND ');
  const rows = await prisma.$queryRaw<{ id: string }[]>`
    SELECT "o"."id" FROM ${from} AS "o"
    JOIN ${from} AS "f" ON "f"."accountId" = "o"."accountId" AND ${Prisma.raw(isSame)}
    WHERE "o"."accountId" = ${accountId} AND "f"."id" = ${first} ORDER BY "o"."id" LIMIT ${IDS}`;
  return rows.map(({ id }) => id);
}
