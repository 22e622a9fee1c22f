import type { Prisma, PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { DIRECTORY, DIRECTORY_TYPES, type DirectoryType } from './admin-port.js';

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

/** Records that one statement writes: a database bounds the parameters of a statement. */
const BATCH = 1000;

/** Writes change records in the transaction that makes the changes, many by few statements. */
export async function recordChanges(
  transaction: Prisma.TransactionClient,
  changes: readonly DirectoryChange[],
): Promise<void> {
  const at = BigInt(Date.now());
  for (const type of DIRECTORY_TYPES) {
    const ofType = changes.filter((change) => change.type === type);
    if (ofType.length === 0) continue;
    const last = await advanceState(transaction, type, ofType.length);
    const first = last - BigInt(ofType.length) + 1n;
    const place = { accountId: DIRECTORY, type };
    for (let from = 0; from < ofType.length; from += BATCH) {
      const data = ofType.slice(from, from + BATCH).map(({ id: objectId, kind }, index) => {
        const number = first + BigInt(from + index);
        return { ...place, objectId, number, kind: KINDS[kind], at };
      });
      await transaction.jmapChange.createMany({ data });
    }
  }
}

/** Raises the counter behind the state of a type, and returns it. */
async function advanceState(
  transaction: Prisma.TransactionClient,
  type: DirectoryType,
  count: number,
): Promise<bigint> {
  const [row] = await transaction.$queryRaw<readonly { readonly number: bigint }[]>`
    INSERT INTO "JmapState" ("accountId", "type", "number") VALUES (${DIRECTORY}, ${type}, ${count})
    ON CONFLICT ("accountId", "type")
    DO UPDATE SET "number" = "JmapState"."number" + excluded."number"
    RETURNING "number"`;
  if (row === undefined) throw new Error('The state of the directory was not raised.');
  return BigInt(row.number);
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
