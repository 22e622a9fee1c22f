import type { Prisma, PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { DIRECTORY, type DirectoryType } from './admin-port.js';

/**
 * The change records of the directory: users, accounts, access and tokens as objects of an account
 * that has no row of its own. The methods and push read its records as those of any account. A
 * change of access holds the access version's row, so numbers grow in the order of commits.
 */

/** A change of an object of the directory. */
export interface DirectoryChange {
  readonly type: DirectoryType;
  readonly kind: keyof typeof KINDS;
  readonly id: string;
}

/** As in JmapChange. */
const KINDS = { created: 0, updated: 1, destroyed: 2 } as const;

/** Writes a change record in the transaction that makes the change. */
export async function recordChange(
  transaction: Prisma.TransactionClient,
  { type, kind, id: objectId }: DirectoryChange,
): Promise<void> {
  const place = { accountId: DIRECTORY, type };
  await transaction.$executeRaw`INSERT INTO "JmapState" ("accountId", "type", "number")
    VALUES (${DIRECTORY}, ${type}, 1)
    ON CONFLICT ("accountId", "type") DO UPDATE SET "number" = "JmapState"."number" + 1`;
  const number = await directoryState(transaction, type);
  await transaction.jmapChange.create({
    data: {
      ...{ ...place, objectId, number },
      ...{ kind: KINDS[kind], at: BigInt(Date.now()) },
    },
  });
}

/** Returns the counter behind the state of a type: 0 before the first change. */
export async function directoryState(
  client: Pick<Prisma.TransactionClient, 'jmapState'>,
  type: DirectoryType,
): Promise<bigint> {
  const where = { accountId_type: { accountId: DIRECTORY, type } };
  return (await client.jmapState.findUnique({ where }))?.number ?? 0n;
}

/**
 * Forgets change records of before a time (epoch ms), at most `limit`, from the oldest on without
 * a gap. Resolves to how many. The store does it for accounts that have a row.
 */
export async function pruneDirectory(
  prisma: PrismaClient,
  before: number,
  limit: number,
): Promise<number> {
  const states = await prisma.jmapState.findMany({ where: { accountId: DIRECTORY } });
  let count = 0;
  for (const { type } of states) {
    const where = { accountId: DIRECTORY, type };
    const records = await prisma.jmapChange.findMany({
      ...{ where, orderBy: { number: 'asc' as const }, take: limit - count },
      select: { number: true, at: true },
    });
    const kept = records.findIndex(({ at }) => at >= before);
    const last = (kept < 0 ? records : records.slice(0, kept)).at(-1);
    if (last === undefined) continue;
    const gone = await prisma.jmapChange.deleteMany({
      where: { ...where, number: { lte: last.number } },
    });
    count += gone.count;
    if (count >= limit) break;
  }
  return count;
}
