import { ACCESS_VERSION, DELETION } from '../../capability/access-version.js';
import { NO_OWNER, principalAccountId, SHARE_NOTICE } from '../../capability/principal-names.js';
import { SHARE_VERSION } from '../../capability/share-version.js';
import type { FirstObjects } from '../port.js';
import type {
  KeptNotice,
  KnownPrincipal,
  PrincipalFacts,
  PrincipalMark,
  PrincipalReads,
  ReachedAccount,
  ShareNotice,
} from '../principals-port.js';
import type { Row } from './row-codec.js';

/** The statements about principals that users see, and their rows. */

/** The account "m" is not being deleted. */
const IS_LIVING = `NOT EXISTS (SELECT 1 FROM "JmapMeta" AS "d"
 WHERE "d"."key" = '${DELETION}' || "m"."accountId")`;

/** The accounts in which others share with a user, or with a group that it is in. */
const SHARED_ACCOUNTS = `SELECT DISTINCT "accountId" FROM "JmapGrant"
 WHERE "principalId" IN THEIRS(?, ?)`;

/** The accounts "m" of a user: those that it has, and those in which others share with it. */
const ACCOUNTS_OF_USER = `(SELECT "accountId", 1 AS "whole" FROM "JmapAccess" WHERE "userId" = ?
 UNION ALL SELECT "accountId", 0 FROM (${SHARED_ACCOUNTS}) AS "shared") AS "m"`;

/** The principals "g" with whom objects of a user's own accounts are shared. */
const GRANTEES = `"m" JOIN "JmapGrant" AS "g" ON "g"."accountId" = "m"."accountId"
 AND "m"."whole" = 1`;

/**
 * The principals with whom a user has an account or a group in common. Those with whom objects of
 * an account are shared see whoever has it, and not each other.
 */
const KNOWN = `SELECT "a"."ownerId" FROM "m" JOIN "JmapAccount" AS "a"
 ON "a"."id" = "m"."accountId" WHERE "a"."ownerId" <> '${NO_OWNER}'
 UNION SELECT "x"."userId" FROM "m" JOIN "JmapAccess" AS "x" ON "x"."accountId" = "m"."accountId"
 UNION SELECT "principalId" FROM "grantee"
 UNION SELECT "u"."userId" FROM "grantee" JOIN "JmapMember" AS "u"
 ON "u"."groupId" = "grantee"."principalId"
 UNION SELECT "groupId" FROM "own"
 UNION SELECT "u"."userId" FROM "own" JOIN "JmapMember" AS "u" ON "u"."groupId" = "own"."groupId"`;

/**
 * The conditions that user or group "u" is one of them. PostgreSQL would read all of them for an
 * EXISTS; the limit leads to the indexes.
 */
const KNOWS_USER = `(SELECT 1 FROM "m" JOIN "JmapAccount" AS "a" ON "a"."id" = "m"."accountId"
 WHERE "a"."ownerId" = "u"."id" LIMIT 1) IS NOT NULL
 OR (SELECT 1 FROM "m" JOIN "JmapAccess" AS "x" ON "x"."accountId" = "m"."accountId"
 WHERE "x"."userId" = "u"."id" LIMIT 1) IS NOT NULL
 OR (SELECT 1 FROM ${GRANTEES} WHERE "g"."principalId" = "u"."id" LIMIT 1) IS NOT NULL
 OR (SELECT 1 FROM ${GRANTEES} JOIN "JmapMember" AS "y" ON "y"."groupId" = "g"."principalId"
 WHERE "y"."userId" = "u"."id" LIMIT 1) IS NOT NULL
 OR (SELECT 1 FROM "own" JOIN "JmapMember" AS "y" ON "y"."groupId" = "own"."groupId"
 WHERE "y"."userId" = "u"."id" LIMIT 1) IS NOT NULL`;

const KNOWS_GROUP = `(SELECT 1 FROM ${GRANTEES}
 WHERE "g"."principalId" = "u"."id" LIMIT 1) IS NOT NULL
 OR "u"."id" IN (SELECT "groupId" FROM "own")`;

const OF_VIEWER = `WITH "m" AS (SELECT "accountId", "whole" FROM ${ACCOUNTS_OF_USER}
 WHERE ${IS_LIVING}), "own" AS (SELECT "groupId" FROM "JmapMember" WHERE "userId" = ?),
 "grantee" AS (SELECT DISTINCT "g"."principalId" FROM ${GRANTEES}),
 "known" ("id") AS (${KNOWN})`;

const IS_KNOWN = `"id" IN (SELECT "id" FROM "known")`;

/** The columns of a user "u", and of a group. */
const USER = `"id", "name", 0,
 CASE WHEN EXISTS (SELECT 1 FROM "JmapIdentity" WHERE "userId" = "u"."id") THEN 1 ELSE 0 END`;

const GROUP = '"id", "name", 1, 0';

const ACCOUNT = `"a"."ownerId", "a"."id", "a"."name"`;

export const PRINCIPAL_TEXTS = Object.freeze({
  principalVersions: `SELECT "key", "value" FROM "JmapMeta"
 WHERE "key" IN ('${ACCESS_VERSION}', '${SHARE_VERSION}')
 UNION ALL SELECT '${SHARE_NOTICE}', min("id") FROM "JmapTask"
 WHERE "accountId" = ? AND "kind" = '${SHARE_NOTICE}' HAVING min("id") IS NOT NULL`,

  allPrincipals: `SELECT ${USER} FROM "JmapUser" AS "u" WHERE "id" > ?
 UNION ALL SELECT ${GROUP} FROM "JmapGroup" WHERE "id" > ?
 ORDER BY "id" LIMIT CAST(? AS BIGINT)`,

  knownPrincipals: `${OF_VIEWER} SELECT ${USER} FROM "JmapUser" AS "u"
 WHERE ("id" = ? OR ${IS_KNOWN}) AND "id" > ?
 UNION ALL SELECT ${GROUP} FROM "JmapGroup" WHERE ${IS_KNOWN} AND "id" > ?
 ORDER BY "id" LIMIT CAST(? AS BIGINT)`,

  // Each is looked up: whoever has an account in common may be one of many.
  knownAmong: `${OF_VIEWER} SELECT "id" FROM "JmapUser" AS "u"
 WHERE "id" IN ? AND ("id" = ? OR ${KNOWS_USER})
 UNION ALL SELECT "id" FROM "JmapGroup" AS "u" WHERE "id" IN ? AND (${KNOWS_GROUP})`,

  usersOf: `SELECT ${USER} FROM "JmapUser" AS "u" WHERE "id" IN ?`,

  reachedAccounts: `SELECT ${ACCOUNT}, CAST("m"."readOnly" AS INTEGER), 0,
 CAST("a"."capabilities" AS TEXT) FROM "JmapAccess" AS "m" JOIN "JmapAccount" AS "a"
 ON "a"."id" = "m"."accountId" WHERE "m"."userId" = ? AND ${IS_LIVING}
 UNION ALL SELECT ${ACCOUNT}, 0, 1, CAST("a"."capabilities" AS TEXT)
 FROM (${SHARED_ACCOUNTS}) AS "m"
 JOIN "JmapAccount" AS "a" ON "a"."id" = "m"."accountId"
 WHERE NOT EXISTS (SELECT 1 FROM "JmapAccess" AS "x" WHERE "x"."accountId" = "m"."accountId"
 AND "x"."userId" = ?) AND ${IS_LIVING}`,

  notices: `SELECT "id", "payload" FROM "JmapTask" WHERE "accountId" = ?
 AND "kind" = '${SHARE_NOTICE}' ORDER BY "id" LIMIT CAST(? AS BIGINT)`,

  // No server takes them as tasks: the user's account does, whenever somebody looks at it.
  keepNotices: `INSERT INTO "JmapTask" ("accountId", "id", "kind", "payload", "due", "attempts")
 SELECT value ->> 0, value ->> 1, '${SHARE_NOTICE}', CASE WHEN EXISTS (SELECT 1
 FROM "JmapAccess" AS "x" WHERE "x"."accountId" = ? AND "x"."userId" = value ->> 4
 AND CAST("x"."readOnly" AS INTEGER) = 0) THEN value ->> 3 ELSE value ->> 2 END,
 CAST(? AS BIGINT), 0 FROM ROWS(?)`,

  endNotices: `DELETE FROM "JmapTask" WHERE "accountId" = ? AND "id" IN ?`,
});

/** Returns the rows of one of these statements. */
type Ask = (
  text: keyof typeof PRINCIPAL_TEXTS,
  ...parameters: readonly (string | number)[]
) => Promise<readonly Row[]>;

/** Reads about principals that users see, in the transaction of an account. */
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
    const page = [after, after, first] as const;
    const [principals, accounts] = await Promise.all([
      all
        ? this.#ask('allPrincipals', ...page)
        : this.#ask('knownPrincipals', ...ofViewer(viewer), viewer, ...page),
      this.#ask('reachedAccounts', viewer, viewer, viewer, viewer),
    ]);
    return {
      principals: principals.map(knownPrincipal),
      accounts: accounts.map(reachedAccount),
    };
  }

  async knownAmong(viewer: string, ids: readonly string[]): Promise<readonly string[]> {
    if (ids.length === 0) return [];
    const list = JSON.stringify(ids);
    const rows = await this.#ask('knownAmong', ...ofViewer(viewer), list, viewer, list);
    return rows.map(([id]) => id as string);
  }

  async users(ids: readonly string[]): Promise<readonly KnownPrincipal[]> {
    if (ids.length === 0) return [];
    return (await this.#ask('usersOf', JSON.stringify(ids))).map(knownPrincipal);
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

/** Returns the parameters of OF_VIEWER. */
function ofViewer(viewer: string): readonly string[] {
  return [viewer, viewer, viewer, viewer];
}

function knownPrincipal([id, name, isGroup, isNamedByProvider]: Row): KnownPrincipal {
  return {
    ...{ id: id as string, name: name as string },
    isGroup: Number(isGroup) === 1,
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
 * Returns the rows `[accountId, id, payload, ending, userId]` of notices about objects of an
 * account. `number`: of the last change record of their type. `ending` takes the place of the
 * payload where the user may write in all of the account: the user needs no notes of rights there.
 */
export function noticeRows(
  notices: ReadonlyMap<string, readonly ShareNotice[]>,
  about: Pick<KeptNotice, 'objectType' | 'objectAccountId'>,
  number: number,
): readonly (readonly string[])[] {
  return [...notices].flatMap(([userId, all]) =>
    all.map((notice) => [
      principalAccountId(userId),
      `${String(number).padStart(DIGITS, '0')}.${notice.id}`,
      JSON.stringify({ ...notice, ...about }),
      JSON.stringify({ kind: 'end', id: notice.id, objectId: notice.objectId, ...about }),
      userId,
    ]),
  );
}

/** Earlier versions wrote notices of rights alone, with the id as the key. */
function noticeOf([key, payload]: Row): KeptNotice {
  const id = key as string;
  return { kind: 'rights', id, ...JSON.parse(payload as string), key: id };
}
