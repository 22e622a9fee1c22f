/**
 * The key in JmapMeta of a counter. The store raises it when a principal gets its first grant at
 * objects of a table in an account, or loses its last one: then the principal may reach other
 * accounts. It is not the access version. A change of access holds that one's row and may wait for
 * an account, and whoever writes a grant holds the account.
 */
export const SHARE_VERSION = 'shareVersion';

/** Raises the counter, on either database. Whoever else raises it waits for the commit. */
export const RAISE_SHARE_VERSION = `INSERT INTO "JmapMeta" ("key", "value")
 VALUES ('${SHARE_VERSION}', '1') ON CONFLICT ("key") DO UPDATE SET
 "value" = CAST(CAST("JmapMeta"."value" AS BIGINT) + 1 AS TEXT)`;
