import { Prisma } from '../../build/prisma/engine-sqlite/client.js';
import { scopesOfTable } from '../capability/scopes.js';

/** A user, or a group that the user is in, has grants at objects of an account. */
export interface SharedAccount {
  readonly userId: string;
  /** The user itself, or the group. */
  readonly principalId: string;
  /** Null in the last row of each principal, which has no further account. */
  readonly accountId: string | null;
}

/**
 * Returns the query of the accounts in which users, or groups that they are in, have grants at
 * objects of these tables. Others may give a user as many grants as they like: it goes from one
 * account to the next in the index, and passes over the grants between.
 */
export function accountsSharedWith(
  userIds: readonly string[],
  tables: readonly string[],
): Prisma.Sql {
  const next = (from: string, more: Prisma.Sql) => Prisma.sql`(SELECT "g"."accountId"
    FROM "JmapGrant" AS "g" WHERE "g"."principalId" = ${Prisma.raw(from)}${more}
    ORDER BY "g"."accountId" LIMIT 1)`;
  const isShared = tables.map((table) => {
    const [begin, end] = scopesOfTable(table);
    // Of EXISTS, PostgreSQL would read all grants into a hash table; the order leads to the index.
    return Prisma.sql`(SELECT "g"."scope" FROM "JmapGrant" AS "g"
      WHERE "g"."accountId" = "r"."accountId" AND "g"."principalId" = "r"."principalId"
      AND "g"."scope" >= ${begin} AND "g"."scope" < ${end}
      ORDER BY "g"."scope" LIMIT 1) IS NOT NULL`;
  });
  const behind = Prisma.sql` AND "g"."accountId" > "r"."accountId"`;
  return Prisma.sql`WITH RECURSIVE "user" ("id") AS (
    SELECT "id" FROM "JmapUser" WHERE "id" IN (${Prisma.join([...userIds])})),
    "sharer" ("userId", "principalId") AS (SELECT "id", "id" FROM "user"
    UNION ALL SELECT "m"."userId", "m"."groupId" FROM "user" AS "u"
    JOIN "JmapMember" AS "m" ON "m"."userId" = "u"."id"),
    "reach" ("userId", "principalId", "accountId") AS (
    SELECT "p"."userId", "p"."principalId", ${next('"p"."principalId"', Prisma.empty)}
    FROM "sharer" AS "p"
    UNION ALL SELECT "r"."userId", "r"."principalId", ${next('"r"."principalId"', behind)}
    FROM "reach" AS "r" WHERE "r"."accountId" IS NOT NULL)
    SELECT "r"."userId", "r"."principalId", "r"."accountId" FROM "reach" AS "r"
    WHERE ${Prisma.join([Prisma.sql`"r"."accountId" IS NULL`, ...isShared], ' OR ')}`;
}
