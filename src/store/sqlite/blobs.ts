import { type BlobKey, blobKeyOf } from '../sql/records.js';
import { COLLECTABLE } from '../sql/table-texts.js';
import type { Connection } from './connection.js';
import { BOUND } from './reader.js';

const COLLECT = `DELETE FROM "JmapBlob" WHERE ("accountId", "id") IN (
 SELECT "b"."accountId", "b"."id" FROM "JmapBlob" AS "b" WHERE ${COLLECTABLE}
 ORDER BY "b"."unreferencedSince" LIMIT ${BOUND}) RETURNING "accountId", "id"`;

/** One statement, in a write transaction: no reference can come in between. */
export function collectBlobs(
  connection: Connection,
  before: number,
  limit: number,
): readonly BlobKey[] {
  return connection.rows(COLLECT, [before, limit]).map(blobKeyOf);
}
