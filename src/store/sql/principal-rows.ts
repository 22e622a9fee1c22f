import { ACCESS_VERSION, DELETION } from '../../capability/access-version.js';
import { NO_OWNER, SHARE_NOTICE } from '../../capability/principal-names.js';
import { SHARE_VERSION } from '../../capability/share-version.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import type {
  KeptNotice,
  KnownPrincipal,
  PrincipalFacts,
  PrincipalMark,
  PrincipalReads,
  ReachedAccount,
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
 UNION SELECT "g"."principalId" FROM ${GRANTEES}
 UNION SELECT "u"."userId" FROM ${GRANTEES} JOIN "JmapMember" AS "u"
 ON "u"."groupId" = "g"."principalId"
 UNION SELECT "groupId" FROM "own"
 UNION SELECT "u"."userId" FROM "own" JOIN "JmapMember" AS "u" ON "u"."groupId" = "own"."groupId"`;

const OF_VIEWER = `WITH "m" AS (SELECT "accountId", "whole" FROM ${ACCOUNTS_OF_USER}
 WHERE ${IS_LIVING}), "own" AS (SELECT "groupId" FROM "JmapMember" WHERE "userId" = ?),
 "known" ("id") AS (${KNOWN})`;

const IS_KNOWN = `"id" IN (SELECT "id" FROM "known")`;

const ACCOUNT = `"a"."ownerId", "a"."id", "a"."name"`;

export const PRINCIPAL_TEXTS = Object.freeze({
  principalVersions: `SELECT "key", "value" FROM "JmapMeta"
 WHERE "key" IN ('${ACCESS_VERSION}', '${SHARE_VERSION}')
 UNION ALL SELECT '${SHARE_NOTICE}', min("id") FROM "JmapTask"
 WHERE "accountId" = ? AND "kind" = '${SHARE_NOTICE}' HAVING min("id") IS NOT NULL`,

  allPrincipals: `SELECT "id", "name", 0 FROM "JmapUser"
 UNION ALL SELECT "id", "name", 1 FROM "JmapGroup" ORDER BY "id"`,

  knownPrincipals: `${OF_VIEWER} SELECT "id", "name", 0 FROM "JmapUser"
 WHERE "id" = ? OR ${IS_KNOWN}
 UNION ALL SELECT "id", "name", 1 FROM "JmapGroup" WHERE ${IS_KNOWN} ORDER BY "id"`,

  knownAmong: `${OF_VIEWER} SELECT "id" FROM "JmapUser"
 WHERE "id" IN ? AND ("id" = ? OR ${IS_KNOWN})
 UNION ALL SELECT "id" FROM "JmapGroup" WHERE "id" IN ? AND ${IS_KNOWN}`,

  usersOf: 'SELECT "id", "name", 0 FROM "JmapUser" WHERE "id" IN ?',

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
 SELECT value ->> 0, value ->> 1, '${SHARE_NOTICE}', value ->> 2, CAST(? AS BIGINT), 0
 FROM ROWS(?) WHERE TRUE`,

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

  async facts(viewer: string, all: boolean): Promise<PrincipalFacts> {
    const [principals, accounts] = await Promise.all([
      all ? this.#ask('allPrincipals') : this.#ask('knownPrincipals', ...ofViewer(viewer), viewer),
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

function knownPrincipal([id, name, isGroup]: Row): KnownPrincipal {
  return { id: id as string, name: name as string, isGroup: Number(isGroup) === 1 };
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

/** Returns the notice of a row; nothing for one that another version wrote in its own way. */
function noticeOf([id, payload]: Row): KeptNotice {
  const value: JsonValue = JSON.parse(payload as string);
  const { at, oldRights, newRights, ...texts } = isJsonObject(value) ? value : {};
  return {
    ...(texts as Pick<
      KeptNotice,
      'changedBy' | 'objectType' | 'objectId' | 'objectAccountId' | 'name'
    >),
    id: id as string,
    at: Number(at),
    oldRights: rightsOf(oldRights),
    newRights: rightsOf(newRights),
  };
}

function rightsOf(value: JsonValue | undefined): JsonObject | null {
  return value !== undefined && isJsonObject(value) ? value : null;
}
