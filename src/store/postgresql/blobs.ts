import { type BlobKey, blobKeyOf } from '../sql/records.js';
import { COLLECTABLE, tableText } from '../sql/table-texts.js';
import type { Connection } from './connection.js';
import { postgresql } from './dialect.js';

const SELECT = tableText(
  postgresql,
  `SELECT "b"."accountId", "b"."id" FROM "JmapBlob" AS "b"
 WHERE ${COLLECTABLE} ORDER BY "b"."unreferencedSince" LIMIT ?`,
);

const DELETE = tableText(
  postgresql,
  `DELETE FROM "JmapBlob" AS "b" WHERE ${COLLECTABLE}
 AND "b"."accountId" = ? AND "b"."id" IN ? RETURNING "b"."accountId", "b"."id"`,
);

/** One statement: blobs of any account that may be collected, those unreferenced for longest first. */
export async function collectableBlobs(
  connection: Connection,
  before: number,
  limit: number,
): Promise<readonly BlobKey[]> {
  return (await connection.all(SELECT, before, limit)).map(blobKeyOf);
}

/** One statement, in a transaction that holds the account: no reference can come in between. */
export async function collectBlobs(
  connection: Connection,
  before: number,
  accountId: string,
  ids: readonly string[],
): Promise<readonly BlobKey[]> {
  const rows = await connection.writing(DELETE, before, accountId, JSON.stringify(ids));
  return rows.map(blobKeyOf);
}
