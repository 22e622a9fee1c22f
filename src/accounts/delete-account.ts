import { setTimeout as sleep } from 'node:timers/promises';
import { Prisma, type PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { quote } from '../database/quote.js';
import { changeAccess, retryBusy } from './change.js';
import { existingAccount } from './directory.js';

/** Rows a step removes: a few milliseconds of the write lock. */
const STEP = 500;
/** Milliseconds between two steps, in which a running server gets the lock. */
const PAUSE = 5;
/** How often all is gone through again for what calls that were running have written meanwhile. */
const PASSES = 20;

interface Table {
  readonly name: string;
  /** Columns of its key behind accountId. */
  readonly key: readonly string[];
}

/** What the engine itself keeps of an account, in the order in which it goes. */
const ENGINE_TABLES: readonly Table[] = [
  { name: 'JmapBlobReference', key: ['blobId', 'type', 'objectId'] },
  { name: 'JmapBlob', key: ['id'] },
  {
    name: 'JmapReference',
    key: ['toType', 'toId', 'fromType', 'property', 'fromId'],
  },
  { name: 'JmapChange', key: ['type', 'number'] },
  { name: 'JmapState', key: ['type'] },
];

/**
 * Deletes an account with all of its data: `tables` are those of the registered data types, to which come those that
 * PostgreSQL has of types that another version serves; `deleteBlobs` removes its files. Access goes first, so that
 * nothing new comes; then the data in small steps, so that a running server is never blocked; the account's own row
 * last, so that a deletion that was interrupted can be called again.
 * Throws DirectoryError where there is no such account.
 */
export async function deleteAccount(
  prisma: PrismaClient,
  account: {
    readonly id: string;
    readonly tables: readonly string[];
    readonly database: 'sqlite' | 'postgresql';
    readonly deleteBlobs: (accountId: string) => Promise<void>;
  },
): Promise<void> {
  const { id } = account;
  await changeAccess(prisma, async (transaction) => {
    await existingAccount(transaction, id);
    await transaction.jmapAccess.deleteMany({ where: { accountId: id } });
    await transaction.jmapTokenAccount.deleteMany({ where: { accountId: id } });
  });

  const others = account.database === 'postgresql' ? await dataTables(prisma) : [];
  const names = [...new Set([...account.tables, ...others])];
  const tables = [...names.map((name) => ({ name, key: ['id'] })), ...ENGINE_TABLES];
  for (let pass = 1; pass <= PASSES; pass += 1) {
    let removed = 0;
    for (const table of tables) removed += await emptyTable(prisma, table, id);
    if (removed === 0) break;
  }
  await account.deleteBlobs(id);
  await changeAccess(prisma, (transaction) =>
    transaction.jmapAccount.deleteMany({ where: { id } }),
  );
}

/**
 * The table of a type that is dropped stays for one release, and the version before doesn't know the next
 * one's: what has the columns of a data type's table, in their collation too, which no other table is likely
 * to have.
 */
async function dataTables(prisma: PrismaClient): Promise<readonly string[]> {
  const rows = await prisma.$queryRaw<{ name: string }[]>`
    SELECT "table_name"::text AS "name"
    FROM information_schema.columns JOIN information_schema.tables USING ("table_schema", "table_name")
    WHERE "table_schema" = current_schema() AND "table_type" = 'BASE TABLE'
    AND "table_name" NOT LIKE 'Jmap%'
    AND ("column_name" IN ('accountId', 'id') AND "data_type" = 'text' AND "collation_name" = 'C'
      OR "column_name" IN ('created', 'updated') AND "data_type" = 'bigint')
    GROUP BY "table_name" HAVING count(*) = 4`;
  return rows.map(({ name }) => name);
}

/**
 * Removes an account's rows of one table, step by step; resolves to how many there were. Each step begins
 * behind the last one: PostgreSQL would go through what is gone already again and again.
 */
async function emptyTable(prisma: PrismaClient, table: Table, accountId: string): Promise<number> {
  const key = Prisma.raw(table.key.map(quote).join(', '));
  const name = Prisma.raw(quote(table.name));
  let rest = Prisma.sql`"accountId" = ${accountId}`;
  for (let total = 0; ; ) {
    const [last] = await retryBusy(
      () =>
        prisma.$queryRaw<readonly Readonly<Record<string, string | bigint>>[]>`
        SELECT ${key} FROM ${name} WHERE ${rest} ORDER BY ${key} LIMIT 1 OFFSET ${STEP - 1}`,
    );
    const end = last && Prisma.join(table.key.map((column) => last[column]));
    const step = end === undefined ? rest : Prisma.sql`${rest} AND (${key}) <= (${end})`;
    total += await retryBusy(() => prisma.$executeRaw`DELETE FROM ${name} WHERE ${step}`);
    if (end === undefined) return total;
    rest = Prisma.sql`"accountId" = ${accountId} AND (${key}) > (${end})`;
    await sleep(PAUSE);
  }
}
