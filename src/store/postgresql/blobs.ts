import type { BlobReference, BlobRow, NewBlob } from '../port.js';
import type { Scope } from '../sql/engine.js';
import { blobOf, blobReferenceOf, blobReferenceRows, blobRows } from '../sql/records.js';
import type { Connection } from './connection.js';

/** Rows of blobs and of the references to them. */

const BLOBS = `SELECT "id", "type", "size", "uploaderId", "unreferencedSince" IS NULL
 FROM "JmapBlob" WHERE "accountId" = $1 AND "id" = ANY($2::text[])`;

const SELECT_BLOBS = `${BLOBS} ORDER BY "id"`;

const SELECT_VISIBLE_BLOBS = `${BLOBS}
 AND ("unreferencedSince" IS NULL OR "uploaderId" = $3) ORDER BY "id"`;

const SELECT_REFERENCES = `SELECT "blobId", "type", "objectId" FROM "JmapBlobReference"
 WHERE "accountId" = $1 AND "blobId" = ANY($2::text[]) AND "type" = ANY($3::text[])
 ORDER BY "objectId", "type", "blobId"`;

const SELECT_OWN = `SELECT "blobId", "type", "objectId" FROM "JmapBlobReference"
 WHERE "accountId" = $1 AND "type" = $2 AND "objectId" = ANY($3::text[])`;

// A blob that the account has already (a copy of a copy) lives on from now where nothing refers to
// it. One list may name it twice, which ON CONFLICT takes once only.
const INSERT_BLOBS = `INSERT INTO "JmapBlob" AS "b"
 ("accountId", "id", "type", "size", "uploaderId", "created", "unreferencedSince")
 SELECT DISTINCT ON (value ->> 0) $1::text, value ->> 0, value ->> 1, (value ->> 2)::bigint,
 value ->> 3, $2::bigint, $2::bigint FROM jsonb_array_elements($3::jsonb)
 ON CONFLICT ("accountId", "id") DO UPDATE SET "unreferencedSince" = excluded."unreferencedSince"
 WHERE "b"."unreferencedSince" IS NOT NULL`;

const DELETE_REFERENCES = `DELETE FROM "JmapBlobReference" WHERE "accountId" = $1
 AND ("blobId", "type", "objectId") IN
 (SELECT value ->> 0, value ->> 1, value ->> 2 FROM jsonb_array_elements($2::jsonb))`;

const INSERT_REFERENCES = `INSERT INTO "JmapBlobReference"
 ("accountId", "blobId", "type", "objectId")
 SELECT $1::text, value ->> 0, value ->> 1, value ->> 2 FROM jsonb_array_elements($2::jsonb)
 ON CONFLICT DO NOTHING`;

const NOTE_UNREFERENCED = `UPDATE "JmapBlob" AS "b" SET "unreferencedSince" = CASE
 WHEN EXISTS (SELECT 1 FROM "JmapBlobReference" AS "r"
 WHERE "r"."accountId" = "b"."accountId" AND "r"."blobId" = "b"."id") THEN NULL
 ELSE coalesce("b"."unreferencedSince", $1::bigint) END
 WHERE "accountId" = $2 AND "id" = ANY($3::text[])`;

// NOT EXISTS besides the time: a reference must keep its blob even if the time were wrong.
const COLLECTABLE = `"b"."unreferencedSince" < $1
 AND NOT EXISTS (SELECT 1 FROM "JmapBlobReference" AS "r"
 WHERE "r"."accountId" = "b"."accountId" AND "r"."blobId" = "b"."id")`;

const SELECT_COLLECTABLE = `SELECT "b"."accountId", "b"."id" FROM "JmapBlob" AS "b"
 WHERE ${COLLECTABLE} ORDER BY "b"."unreferencedSince" LIMIT $2`;

const DELETE_COLLECTABLE = `DELETE FROM "JmapBlob" AS "b" WHERE ${COLLECTABLE}
 AND "b"."accountId" = $2 AND "b"."id" = ANY($3::text[]) RETURNING "b"."accountId", "b"."id"`;

export interface BlobKey {
  readonly accountId: string;
  readonly id: string;
}

/** One statement. */
export async function readBlobs(
  { connection, accountId }: Scope<Connection>,
  ids: readonly string[],
  viewer?: string,
): Promise<readonly BlobRow[]> {
  const rows =
    viewer === undefined
      ? connection.all(SELECT_BLOBS, accountId, ids)
      : connection.all(SELECT_VISIBLE_BLOBS, accountId, ids, viewer);
  return (await rows).map(blobOf);
}

/** One statement. */
export async function readReferences(
  { connection, accountId }: Scope<Connection>,
  blobIds: readonly string[],
  tables: readonly string[],
): Promise<readonly BlobReference[]> {
  const rows = await connection.all(SELECT_REFERENCES, accountId, blobIds, tables);
  return rows.map(blobReferenceOf);
}

/** One statement: the references that objects have. */
export async function readOwnBlobs(
  { connection, accountId }: Scope<Connection>,
  table: string,
  ids: readonly string[],
): Promise<readonly BlobReference[]> {
  const rows = await connection.all(SELECT_OWN, accountId, table, ids);
  return rows.map(blobReferenceOf);
}

/** One statement. A new blob counts as unreferenced since now. */
export async function insertBlobs(
  { connection, accountId }: Scope<Connection>,
  blobs: readonly NewBlob[],
  now: number,
): Promise<void> {
  await connection.write(INSERT_BLOBS, accountId, now, blobRows(blobs));
}

/**
 * At most three statements: one for what goes, one for what comes, one that notes what is
 * unreferenced now. All are asked for at once: the work can't end between them.
 */
export async function changeReferences(
  { connection, accountId }: Scope<Connection>,
  removed: readonly BlobReference[],
  added: readonly BlobReference[],
  now: number,
): Promise<void> {
  const writes: Promise<void>[] = [];
  if (removed.length > 0)
    writes.push(connection.write(DELETE_REFERENCES, accountId, blobReferenceRows(removed)));
  if (added.length > 0)
    writes.push(connection.write(INSERT_REFERENCES, accountId, blobReferenceRows(added)));
  const blobIds = new Set([...removed, ...added].map((reference) => reference.blobId));
  writes.push(connection.write(NOTE_UNREFERENCED, now, accountId, [...blobIds]));
  await Promise.all(writes);
}

/** One statement: blobs of any account that may be collected, those unreferenced for longest first. */
export async function collectableBlobs(
  connection: Connection,
  before: number,
  limit: number,
): Promise<readonly BlobKey[]> {
  return (await connection.all(SELECT_COLLECTABLE, before, limit)).map(keyOf);
}

/** One statement, in a transaction that holds the account: no reference can come in between. */
export async function collectBlobs(
  connection: Connection,
  before: number,
  accountId: string,
  ids: readonly string[],
): Promise<readonly BlobKey[]> {
  return (await connection.writing(DELETE_COLLECTABLE, before, accountId, ids)).map(keyOf);
}

function keyOf(row: readonly unknown[]): BlobKey {
  return { accountId: row[0] as string, id: row[1] as string };
}
