import { ACCESS_VERSION, DELETION } from '../../capability/access-version.js';
import { NO_OWNER, principalAccountId, SHARE_NOTICE } from '../../capability/principal-names.js';
import { SHARE_VERSION } from '../../capability/share-version.js';
import type { FirstObjects } from '../port.js';
import type {
  KeptNotice,
  KnownUser,
  PrincipalFacts,
  PrincipalMark,
  PrincipalReads,
  ReachedAccount,
  ShareNotice,
} from '../principals-port.js';
import type { Row } from './row-codec.js';

/** The statements about users who see each other, and their rows. */

/** The account "m" is not being deleted. */
const IS_LIVING = `NOT EXISTS (SELECT 1 FROM "JmapMeta" AS "d"
 WHERE "d"."key" = '${DELETION}' || "m"."accountId")`;

/** The accounts "m" of a user: those that it has, and those in which others share with it. */
const ACCOUNTS_OF_USER = `(SELECT "accountId", 1 AS "whole" FROM "JmapAccess" WHERE "userId" = ?
 UNION ALL SELECT DISTINCT "accountId", 0 FROM "JmapGrant" WHERE "principalId" = ?) AS "m"`;

/**
 * The users with whom a user has an account in common. Those with whom objects of it are shared see
 * whoever has the account, and not each other.
 */
const KNOWN_USERS = `SELECT "a"."ownerId" FROM "m" JOIN "JmapAccount" AS "a"
 ON "a"."id" = "m"."accountId" WHERE "a"."ownerId" <> '${NO_OWNER}'
 UNION SELECT "x"."userId" FROM "m" JOIN "JmapAccess" AS "x" ON "x"."accountId" = "m"."accountId"
 UNION SELECT "g"."principalId" FROM "m" JOIN "JmapGrant" AS "g"
 ON "g"."accountId" = "m"."accountId" WHERE "m"."whole" = 1`;

/**
 * The condition that user "u" is one of them. PostgreSQL would read all of them for an EXISTS; the
 * limit leads to the indexes.
 */
const KNOWS_USER = `(SELECT 1 FROM "m" JOIN "JmapAccount" AS "a" ON "a"."id" = "m"."accountId"
 WHERE "a"."ownerId" = "u"."id" LIMIT 1) IS NOT NULL
 OR (SELECT 1 FROM "m" JOIN "JmapAccess" AS "x" ON "x"."accountId" = "m"."accountId"
 WHERE "x"."userId" = "u"."id" LIMIT 1) IS NOT NULL
 OR (SELECT 1 FROM "m" JOIN "JmapGrant" AS "g" ON "g"."accountId" = "m"."accountId"
 WHERE "g"."principalId" = "u"."id" AND "m"."whole" = 1 LIMIT 1) IS NOT NULL`;

const OF_VIEWER = `WITH "m" AS (SELECT "accountId", "whole" FROM ${ACCOUNTS_OF_USER}
 WHERE ${IS_LIVING})`;

/** The columns of a user "u". */
const USER = `"id", "name",
 CASE WHEN EXISTS (SELECT 1 FROM "JmapIdentity" WHERE "userId" = "u"."id") THEN 1 ELSE 0 END`;

const ACCOUNT = `"a"."ownerId", "a"."id", "a"."name"`;

export const PRINCIPAL_TEXTS = Object.freeze({
  principalVersions: `SELECT "key", "value" FROM "JmapMeta"
 WHERE "key" IN ('${ACCESS_VERSION}', '${SHARE_VERSION}')
 UNION ALL SELECT '${SHARE_NOTICE}', min("id") FROM "JmapTask"
 WHERE "accountId" = ? AND "kind" = '${SHARE_NOTICE}' HAVING min("id") IS NOT NULL`,

  allUsers: `SELECT ${USER} FROM "JmapUser" AS "u"
 WHERE "id" > ? ORDER BY "id" LIMIT CAST(? AS BIGINT)`,

  knownUsers: `${OF_VIEWER} SELECT ${USER} FROM "JmapUser" AS "u"
 WHERE ("id" = ? OR "id" IN (${KNOWN_USERS})) AND "id" > ?
 ORDER BY "id" LIMIT CAST(? AS BIGINT)`,

  // Each is looked up: whoever has an account in common may be one of many.
  knownAmong: `${OF_VIEWER} SELECT "id" FROM "JmapUser" AS "u"
 WHERE "id" IN ? AND ("id" = ? OR ${KNOWS_USER})`,

  usersOf: `SELECT ${USER} FROM "JmapUser" AS "u" WHERE "id" IN ?`,

  reachedAccounts: `SELECT ${ACCOUNT}, CAST("m"."readOnly" AS INTEGER), 0,
 CAST("a"."capabilities" AS TEXT) FROM "JmapAccess" AS "m" JOIN "JmapAccount" AS "a"
 ON "a"."id" = "m"."accountId" WHERE "m"."userId" = ? AND ${IS_LIVING}
 UNION ALL SELECT ${ACCOUNT}, 0, 1, CAST("a"."capabilities" AS TEXT)
 FROM (SELECT DISTINCT "accountId" FROM "JmapGrant" WHERE "principalId" = ?) AS "m"
 JOIN "JmapAccount" AS "a" ON "a"."id" = "m"."accountId"
 WHERE NOT EXISTS (SELECT 1 FROM "JmapAccess" AS "x" WHERE "x"."accountId" = "m"."accountId"
 AND "x"."userId" = ?) AND ${IS_LIVING}`,

  notices: `SELECT "id", "payload" FROM "JmapTask" WHERE "accountId" = ?
 AND "kind" = '${SHARE_NOTICE}' ORDER BY "id" LIMIT CAST(? AS BIGINT)`,

  // No server takes them as tasks: the user's account does, whenever somebody looks at it.
  keepNotices: `INSERT INTO "JmapTask" ("accountId", "id", "kind", "payload", "due", "attempts")
 SELECT value ->> 0, value ->> 1, '${SHARE_NOTICE}', value ->> 2, CAST(? AS BIGINT), 0
 FROM ROWS(?) WHERE NOT EXISTS (SELECT 1 FROM "JmapAccess" AS "x" WHERE "x"."accountId" = ?
 AND "x"."userId" = value ->> 3 AND CAST("x"."readOnly" AS INTEGER) = 0)`,

  endNotices: `DELETE FROM "JmapTask" WHERE "accountId" = ? AND "id" IN ?`,
});

/** Returns the rows of one of these statements. */
type Ask = (
  text: keyof typeof PRINCIPAL_TEXTS,
  ...parameters: readonly (string | number)[]
) => Promise<readonly Row[]>;

/** Reads about users who see each other, in the transaction of an account. */
export class PrincipalRows implements PrincipalReads {
  readonly #ask: Ask;
  readonly #accountId: string;

  constructor(ask: Ask, accountId: string) {
    this.#ask = ask;
    this.#accountId = accountId;
  }

  async mark(): Promise<PrincipalMark> {
    return markOf(await this.#ask('principalVersions', this.#accountId));
  }

  async facts(
    viewer: string,
    all: boolean,
    { first, after = '' }: FirstObjects,
  ): Promise<PrincipalFacts> {
    const [users, accounts] = await Promise.all([
      all
        ? this.#ask('allUsers', after, first)
        : this.#ask('knownUsers', viewer, viewer, viewer, after, first),
      this.#ask('reachedAccounts', viewer, viewer, viewer),
    ]);
    return { users: users.map(knownUser), accounts: accounts.map(reachedAccount) };
  }

  async knownAmong(viewer: string, ids: readonly string[]): Promise<readonly string[]> {
    if (ids.length === 0) return [];
    const rows = await this.#ask('knownAmong', viewer, viewer, JSON.stringify(ids), viewer);
    return rows.map(([id]) => id as string);
  }

  async users(ids: readonly string[]): Promise<readonly KnownUser[]> {
    if (ids.length === 0) return [];
    return (await this.#ask('usersOf', JSON.stringify(ids))).map(knownUser);
  }

  async notices(limit: number): Promise<readonly KeptNotice[]> {
    return (await this.#ask('notices', this.#accountId, limit)).map(noticeOf);
  }
}

function markOf(rows: readonly Row[]): PrincipalMark {
  const values = new Map(rows.map(([key, value]) => [key, value]));
  const hasNotices = values.delete(SHARE_NOTICE);
  const version = [ACCESS_VERSION, SHARE_VERSION].map((key) => String(values.get(key) ?? 0));
  return { version: version.join('.'), hasNotices };
}

function knownUser([id, name, isNamedByProvider]: Row): KnownUser {
  return {
    ...{ id: id as string, name: name as string },
    isNamedByProvider: Number(isNamedByProvider) === 1,
  };
}

function reachedAccount(row: Row): ReachedAccount {
  const [ownerId, id, name, isReadOnly, isShared, capabilities] = row;
  return {
    ...({ ownerId, id, name } as Pick<ReachedAccount, 'ownerId' | 'id' | 'name'>),
    isReadOnly: Number(isReadOnly) === 1,
    isShared: Number(isShared) === 1,
    capabilities: typeof capabilities === 'string' ? capabilities : null,
  };
}

/** Digits of a number in a key: the order of keys is that of numbers. */
const DIGITS = 16;

/**
 * Returns the rows `[accountId, id, payload, holder]` of notices about objects of an account.
 * `number`: of the last change record of their type. A user who may write in all of the
 * account gets none where it is the holder.
 */
export function noticeRows(
  notices: ReadonlyMap<string, readonly ShareNotice[]>,
  about: Pick<KeptNotice, 'objectType' | 'objectAccountId'>,
  number: number,
): readonly (readonly (string | null)[])[] {
  return [...notices].flatMap(([userId, all]) =>
    all.map((notice) => [
      principalAccountId(userId),
      `${String(number).padStart(DIGITS, '0')}.${notice.id}`,
      JSON.stringify({ ...notice, ...about }),
      notice.kind === 'rights' ? userId : null,
    ]),
  );
}

function noticeOf([key, payload]: Row): KeptNotice {
  return Object.assign(JSON.parse(payload as string) as KeptNotice, { key: key as string });
}
