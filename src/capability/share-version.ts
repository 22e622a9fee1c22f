import { EVERYONE } from './scopes.js';

/**
 * The key in JmapMeta of a counter. The store raises it when a principal gets its first grant at
 * objects of a table in an account, or loses its last one. Then the principal may reach other
 * accounts, and a row of JmapReach has the number. It is not the access version. A change of access
 * holds that one's row and may wait for an account, and whoever writes a grant holds the account.
 */
export const SHARE_VERSION = 'shareVersion';

/** Raises the counter, on either database. Others who raise it wait for the commit. */
export const RAISE_SHARE_VERSION = `INSERT INTO "JmapMeta" ("key", "value")
 VALUES ('${SHARE_VERSION}', '1') ON CONFLICT ("key") DO UPDATE SET
 "value" = CAST(CAST("JmapMeta"."value" AS BIGINT) + 1 AS TEXT)`;

/** Returns the SQL that gives principals the number of the counter, which was raised before. */
function noteMoved(principals: string): string {
  return `INSERT INTO "JmapReach" ("principalId", "number")
 SELECT ${principals} ON CONFLICT ("principalId") DO UPDATE SET "number" = excluded."number"`;
}

const NUMBER = `(SELECT CAST("value" AS BIGINT) FROM "JmapMeta" WHERE "key" = '${SHARE_VERSION}')`;

/** Notes the principals of some rows, in the words of the store's statements. */
export const NOTE_MOVED = noteMoved(`value ->> 0, ${NUMBER} FROM ROWS(?) WHERE TRUE`);

/** Notes that any principal may have moved. */
export const NOTE_ALL_MOVED = noteMoved(`'${EVERYONE}', ${NUMBER} WHERE TRUE`);
