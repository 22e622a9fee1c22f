import type { BlobKey } from '../port.js';
import { blobKeyOf } from '../sql/records.js';
import { COLLECTABLE, tableText } from '../sql/table-texts.js';
import type { Connection } from './connection.js';
import { postgresql } from './dialect.js';

const SELECT = tableText(
  postgresql,
  `SELECT "accountId", json_agg("id") FROM (
 SELECT "b"."accountId", "b"."id" FROM "JmapBlob" AS "b"
 WHERE ${COLLECTABLE} ORDER BY "b"."unreferencedSince" LIMIT ?) AS "found" GROUP BY "accountId"`,
);

const DELETE = tableText(
  postgresql,
  `DELETE FROM "JmapBlob" AS "b" WHERE ${COLLECTABLE}
 AND "b"."accountId" = ? AND "b"."id" IN ? RETURNING "b"."accountId", "b"."id"`,
);

/**
 * One statement: accounts, each with a JSON list of its blobs that may be collected. There are no more blobs than
 * `limit`, those unreferenced for longest first.
 */
export function collectableBlobs(
  connection: Connection,
  before: number,
  limit: number,
): Promise<readonly (readonly [accountId: string, ids: string])[]> {
  return connection.all(SELECT, before, limit) as Promise<[]>;
}

/** One statement, in a transaction that holds the account: no reference can come in between. */
export async function collectBlobs(
  connection: Connection,
  before: number,
  accountId: string,
  ids: string,
): Promise<readonly BlobKey[]> {
  const rows = await connection.writing(DELETE, before, accountId, ids);
  return rows.map(blobKeyOf);
}
