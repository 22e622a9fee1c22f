import { ACCESS_VERSION, DELETION } from '../../capability/access-version.js';
import { NO_OWNER, SHARE_NOTICE } from '../../capability/principal-names.js';
import { SHARE_VERSION } from '../../capability/share-version.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import type {
  KeptNotice,
  KnownUser,
  PrincipalFacts,
  PrincipalMark,
  PrincipalReads,
  ReachedAccount,
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

const OF_VIEWER = `WITH "m" AS (SELECT "accountId", "whole" FROM ${ACCOUNTS_OF_USER}
 WHERE ${IS_LIVING})`;

const ACCOUNT = `"a"."ownerId", "a"."id", "a"."name"`;

export const PRINCIPAL_TEXTS = Object.freeze({
  principalVersions: `SELECT "key", "value" FROM "JmapMeta"
 WHERE "key" IN ('${ACCESS_VERSION}', '${SHARE_VERSION}')
 UNION ALL SELECT '${SHARE_NOTICE}', min("id") FROM "JmapTask"
 WHERE "accountId" = ? AND "kind" = '${SHARE_NOTICE}' HAVING min("id") IS NOT NULL`,

  allUsers: 'SELECT "id", "name" FROM "JmapUser" ORDER BY "id"',

  knownUsers: `${OF_VIEWER} SELECT "id", "name" FROM "JmapUser"
 WHERE "id" = ? OR "id" IN (${KNOWN_USERS}) ORDER BY "id"`,

  knownAmong: `${OF_VIEWER} SELECT "id" FROM "JmapUser"
 WHERE "id" IN ? AND ("id" = ? OR "id" IN (${KNOWN_USERS}))`,

  usersOf: 'SELECT "id", "name" FROM "JmapUser" WHERE "id" IN ?',

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
 FROM ROWS(?) WHERE TRUE`,

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

  async facts(viewer: string, all: boolean): Promise<PrincipalFacts> {
    const [users, accounts] = await Promise.all([
      all ? this.#ask('allUsers') : this.#ask('knownUsers', viewer, viewer, viewer),
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

function knownUser([id, name]: Row): KnownUser {
  return { id: id as string, name: name as string };
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
