import { Prisma } from '../../build/prisma/engine-sqlite/client.js';
import {
  ACCESS_KIND,
  MAX_ACCESS_CHARACTERS,
  NO_OBJECT,
  principalScope,
  tableOfScope,
} from '../capability/scopes.js';
import { inChunks } from '../database/in-chunks.js';
import { groupBy } from '../runtime/group-by.js';
import { findDeleted, type TransactionClient } from './change.js';

/**
 * The change records by which clients learn that a user joins a group or leaves it. There is one in
 * each account and type where the group has scopes, or had some once.
 * They are those of shares (store/access-port.ts).
 */

/** By the table of each type whose objects have scopes: the tables whose shares count for it. */
export type ScopedTables = ReadonlyMap<string, readonly string[]>;

/** A group gives a member its scopes, or takes them. */
export type MembershipKind = 'given' | 'taken';

/** A type in an account where a group has scopes. */
export interface Place {
  readonly accountId: string;
  readonly type: string;
  /** All that the group has there. */
  readonly scopes: readonly string[];
}

/** Undoes a change: others have shared with the group in accounts that it doesn't hold. */
export class MovedPlacesError extends Error {
  override readonly name = 'MovedPlacesError';
  readonly accountIds: readonly string[];

  constructor(accountIds: readonly string[]) {
    super('Others share with the group.');
    this.accountIds = accountIds;
  }
}

interface GroupInTables {
  readonly groupId: string;
  readonly tables: ScopedTables;
}

/**
 * Returns the places of a group, and holds their accounts until the transaction ends. From then on
 * nobody else gives the group a scope. Throws MovedPlacesError where somebody has done so: then a
 * new transaction begins with the accounts of the error, `known`. A transaction that held the group
 * and waited for an account could wait for one that waits for the group.
 */
export async function holdPlaces(
  transaction: TransactionClient,
  { groupId, tables }: GroupInTables,
  known: readonly string[],
): Promise<readonly Place[]> {
  const before = await findPlaces(transaction, { groupId, tables });
  const held = new Set([...known, ...before.map(({ accountId }) => accountId)]);
  await inChunks(held, async (chunk) => {
    // It holds the rows as a writer of the account does; SQLite has one writer at a time.
    await transaction.$executeRaw`
      UPDATE "JmapAccount" SET "name" = "name" WHERE "id" IN (${Prisma.join([...chunk])})`;
    return [];
  });
  await transaction.$executeRaw`UPDATE "JmapGroup" SET "name" = "name" WHERE "id" = ${groupId}`;
  const places = await findPlaces(transaction, { groupId, tables });
  const all = new Set([...held, ...places.map(({ accountId }) => accountId)]);
  if (all.size > held.size) throw new MovedPlacesError([...all]);
  return places;
}

async function findPlaces(
  transaction: TransactionClient,
  { groupId, tables }: GroupInTables,
): Promise<readonly Place[]> {
  if (tables.size === 0) return [];
  const grants = await transaction.jmapGrant.findMany({
    where: { principalId: groupId },
    orderBy: [{ accountId: 'asc' }, { scope: 'asc' }],
  });
  const own = principalScope(groupId);
  const places = new Map<string, Place>();
  const add = (accountId: string, type: string, scopes: readonly string[]): void => {
    const key = `${accountId} ${type}`;
    if (!places.has(key)) places.set(key, { accountId, type, scopes: [own, ...scopes] });
  };
  for (const [accountId, given] of groupBy(grants, (grant) => grant.accountId)) {
    for (const [type, shared] of tables) {
      const scopes = given.flatMap(({ scope }) =>
        shared.includes(tableOfScope(scope)) ? [scope] : [],
      );
      if (scopes.length > 0) add(accountId, type, scopes);
    }
  }
  const traces = await transaction.$queryRaw<readonly Omit<Place, 'scopes'>[]>(
    tracesOf(own, [...tables.keys()]),
  );
  for (const { accountId, type } of traces) add(accountId, type, []);
  // Nobody reads accounts that are being deleted.
  const ids = new Set(Array.from(places.values(), ({ accountId }) => accountId));
  const deleted = await findDeleted(transaction, [...ids]);
  return [...places.values()].filter(({ accountId }) => !deleted.has(accountId));
}

/**
 * Returns the query of where objects have a scope, or had it once: change records may tell of it.
 * It goes from one account to the next in the index, and passes over those without the scope.
 */
export function tracesOf(scope: string, types: readonly string[]): Prisma.Sql {
  const rows = types.map((type) => Prisma.sql`SELECT CAST(${type} AS TEXT) AS "type"`);
  const next = (more: Prisma.Sql) => Prisma.sql`(SELECT "s"."accountId" FROM "JmapScope" AS "s"
    WHERE "s"."scope" = ${scope}${more} ORDER BY "s"."accountId" LIMIT 1)`;
  // Of EXISTS, PostgreSQL would read all scopes into a hash table; the order leads to the index.
  return Prisma.sql`WITH RECURSIVE "reach" ("accountId") AS (SELECT ${next(Prisma.empty)}
    UNION ALL SELECT ${next(Prisma.sql` AND "s"."accountId" > "r"."accountId"`)}
    FROM "reach" AS "r" WHERE "r"."accountId" IS NOT NULL)
    SELECT "r"."accountId", "t"."type" FROM "reach" AS "r"
    CROSS JOIN (${Prisma.join(rows, ' UNION ALL ')}) AS "t"
    WHERE (SELECT "s"."number" FROM "JmapScope" AS "s" WHERE "s"."scope" = ${scope}
      AND "s"."accountId" = "r"."accountId" AND "s"."type" = "t"."type"
      ORDER BY "s"."number" LIMIT 1) IS NOT NULL ORDER BY "r"."accountId", "t"."type"`;
}

/** As AccessChange of the store's port. */
interface Change {
  readonly kind: MembershipKind;
  readonly principalId: string;
  readonly memberId?: string;
  readonly scopes: readonly string[];
}

/** Tells in each place that users have joined a group, or have left it. */
export async function recordMemberships(
  transaction: TransactionClient,
  places: readonly Place[],
  about: {
    readonly kind: MembershipKind;
    readonly groupId: string;
    readonly userIds: readonly string[];
  },
): Promise<void> {
  const { kind, groupId, userIds } = about;
  const records = places.map(({ scopes, ...place }) => {
    const parts = inParts(scopes);
    const changes = userIds.flatMap((memberId) =>
      parts.map((part): Change => ({ kind, principalId: groupId, memberId, scopes: part })),
    );
    return { ...place, changes: inParts(changes) };
  });
  await writeRecords(transaction, records);
}

/** Divides a list so that each part makes a record that isn't too large, or has one element. */
function inParts<T>(list: readonly T[]): readonly (readonly T[])[] {
  const parts: T[][] = [];
  let room = 0;
  for (const element of list) {
    const length = JSON.stringify(element).length + 1;
    if (length > room) {
      parts.push([]);
      room = MAX_ACCESS_CHARACTERS;
    }
    parts.at(-1)?.push(element);
    room -= length;
  }
  return parts;
}

/** The records of a place, in order. */
interface PlaceRecords extends Omit<Place, 'scopes'> {
  readonly changes: readonly (readonly Change[])[];
}

/** Places that are written together: a database bounds the parameters of a statement. */
const PLACES_AT_ONCE = 150;

async function writeRecords(
  transaction: TransactionClient,
  all: readonly PlaceRecords[],
): Promise<void> {
  const at = BigInt(Date.now());
  for (let from = 0; from < all.length; from += PLACES_AT_ONCE) {
    const some = all.slice(from, from + PLACES_AT_ONCE);
    const states = await raiseStates(transaction, some);
    const records = some.flatMap(({ accountId, type, changes }) => {
      const first = (states.get(`${accountId} ${type}`) ?? 0n) - BigInt(changes.length) + 1n;
      return changes.map((part, index) => ({
        ...{ accountId, type, number: first + BigInt(index), objectId: NO_OBJECT },
        ...{ kind: ACCESS_KIND, at, scopes: JSON.stringify(part) },
      }));
    });
    await transaction.jmapChange.createMany({ data: records });
    await noteViews(transaction, some, states);
  }
}

/** Raises the states of the places by the number of their records. Returns them by place. */
async function raiseStates(
  transaction: TransactionClient,
  places: readonly PlaceRecords[],
): Promise<ReadonlyMap<string, bigint>> {
  const rows = places.map(
    ({ accountId, type, changes }) => Prisma.sql`(${accountId}, ${type}, ${changes.length})`,
  );
  const raised = await transaction.$queryRaw<
    readonly { readonly accountId: string; readonly type: string; readonly number: bigint }[]
  >`INSERT INTO "JmapState" ("accountId", "type", "number") VALUES ${Prisma.join(rows)}
    ON CONFLICT ("accountId", "type")
    DO UPDATE SET "number" = "JmapState"."number" + excluded."number"
    RETURNING "accountId", "type", "number"`;
  return new Map(
    raised.map(({ accountId, type, number }) => [`${accountId} ${type}`, BigInt(number)]),
  );
}

/** Has the views of the principals know that their access changed. */
async function noteViews(
  transaction: TransactionClient,
  places: readonly PlaceRecords[],
  states: ReadonlyMap<string, bigint>,
): Promise<void> {
  const rows = places.flatMap(({ accountId, type, changes }) => {
    const number = states.get(`${accountId} ${type}`) ?? 0n;
    const ids = changes.flat().map(({ memberId, principalId }) => memberId ?? principalId);
    return Array.from(new Set(ids), (id) => ({
      accountId,
      type,
      scope: principalScope(id),
      number,
    }));
  });
  for (let from = 0; from < rows.length; from += PLACES_AT_ONCE) {
    const values = rows
      .slice(from, from + PLACES_AT_ONCE)
      .map(
        ({ accountId, type, scope, number }) =>
          Prisma.sql`(${accountId}, ${type}, ${NO_OBJECT}, ${scope}, ${number}, TRUE)`,
      );
    await transaction.$executeRaw`
      INSERT INTO "JmapScope" ("accountId", "type", "objectId", "scope", "number", "gone")
      VALUES ${Prisma.join(values)} ON CONFLICT ("accountId", "type", "objectId", "scope")
      DO UPDATE SET "number" = excluded."number", "gone" = excluded."gone"`;
  }
}
