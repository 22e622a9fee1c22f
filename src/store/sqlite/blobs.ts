import type { BlobReference, BlobRow, NewBlob } from '../port.js';
import type { Scope } from '../sql/engine.js';
import { blobOf, blobReferenceOf, blobReferenceRows, blobRows } from '../sql/records.js';
import type { Connection } from './connection.js';
import { BOUND, type Reader } from './reader.js';

/** Rows of blobs and of the references to them. */

const BLOBS = `SELECT "id", "type", "size", "uploaderId", "unreferencedSince" IS NULL
 FROM "JmapBlob" WHERE "accountId" = ? AND "id" IN (SELECT value FROM json_each(?))`;

const SELECT_BLOBS = `${BLOBS} ORDER BY "id"`;

const SELECT_VISIBLE_BLOBS = `${BLOBS}
 AND ("unreferencedSince" IS NULL OR "uploaderId" = ?) ORDER BY "id"`;

const SELECT_REFERENCES = `SELECT "blobId", "type", "objectId" FROM "JmapBlobReference"
 WHERE "accountId" = ? AND "blobId" IN (SELECT value FROM json_each(?))
 AND "type" IN (SELECT value FROM json_each(?)) ORDER BY "objectId", "type", "blobId"`;

const SELECT_OWN = `SELECT "blobId", "type", "objectId" FROM "JmapBlobReference"
 WHERE "accountId" = ? AND "type" = ? AND "objectId" IN (SELECT value FROM json_each(?))`;

// A blob that the account has already (a copy of a copy) lives on from now where nothing refers to
// it.
const INSERT_BLOBS = `INSERT INTO "JmapBlob"
 ("accountId", "id", "type", "size", "uploaderId", "created", "unreferencedSince")
 SELECT ?, value ->> 0, value ->> 1, value ->> 2, value ->> 3, ?, ? FROM json_each(?) WHERE TRUE
 ON CONFLICT ("accountId", "id") DO UPDATE SET "unreferencedSince" = excluded."unreferencedSince"
 WHERE "unreferencedSince" IS NOT NULL`;

const DELETE_REFERENCES = `DELETE FROM "JmapBlobReference" WHERE "accountId" = ?
 AND ("blobId", "type", "objectId") IN
 (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?))`;

const INSERT_REFERENCES = `INSERT INTO "JmapBlobReference"
 ("accountId", "blobId", "type", "objectId")
 SELECT ?, value ->> 0, value ->> 1, value ->> 2 FROM json_each(?) WHERE TRUE
 ON CONFLICT DO NOTHING`;

const NOTE_UNREFERENCED = `UPDATE "JmapBlob" SET "unreferencedSince" = CASE
 WHEN EXISTS (SELECT 1 FROM "JmapBlobReference" AS "r"
 WHERE "r"."accountId" = "JmapBlob"."accountId" AND "r"."blobId" = "JmapBlob"."id") THEN NULL
 ELSE coalesce("unreferencedSince", ?) END
 WHERE "accountId" = ? AND "id" IN (SELECT value FROM json_each(?))`;

// NOT EXISTS besides the time: a reference must keep its blob even if the time were wrong.
const COLLECT = `DELETE FROM "JmapBlob" WHERE ("accountId", "id") IN (
 SELECT "b"."accountId", "b"."id" FROM "JmapBlob" AS "b" WHERE "b"."unreferencedSince" < ?
 AND NOT EXISTS (SELECT 1 FROM "JmapBlobReference" AS "r"
 WHERE "r"."accountId" = "b"."accountId" AND "r"."blobId" = "b"."id")
 ORDER BY "b"."unreferencedSince" LIMIT ${BOUND}) RETURNING "accountId", "id"`;

/** One statement. */
export async function readBlobs(
  { connection, accountId }: Scope<Reader>,
  ids: readonly string[],
  viewer?: string,
): Promise<readonly BlobRow[]> {
  const list = JSON.stringify(ids);
  const rows =
    viewer === undefined
      ? await connection.all(SELECT_BLOBS, accountId, list)
      : await connection.all(SELECT_VISIBLE_BLOBS, accountId, list, viewer);
  return rows.map(blobOf);
}

/** One statement. */
export async function readReferences(
  { connection, accountId }: Scope<Reader>,
  blobIds: readonly string[],
  tables: readonly string[],
): Promise<readonly BlobReference[]> {
  const lists = [JSON.stringify(blobIds), JSON.stringify(tables)];
  const rows = await connection.all(SELECT_REFERENCES, accountId, ...lists);
  return rows.map(blobReferenceOf);
}

/** One statement: the references that objects have. */
export async function readOwnBlobs(
  { connection, accountId }: Scope<Reader>,
  table: string,
  ids: readonly string[],
): Promise<readonly BlobReference[]> {
  const rows = await connection.all(SELECT_OWN, accountId, table, JSON.stringify(ids));
  return rows.map(blobReferenceOf);
}

/** One statement. A new blob counts as unreferenced since now. */
export async function insertBlobs(
  { connection, accountId }: Scope<Connection>,
  blobs: readonly NewBlob[],
  now: number,
): Promise<void> {
  connection.run(INSERT_BLOBS, accountId, now, now, blobRows(blobs));
}

/**
 * At most three statements: one for what goes, one for what comes, one that notes what is
 * unreferenced now.
 */
export async function changeReferences(
  { connection, accountId }: Scope<Connection>,
  removed: readonly BlobReference[],
  added: readonly BlobReference[],
  now: number,
): Promise<void> {
  if (removed.length > 0) connection.run(DELETE_REFERENCES, accountId, blobReferenceRows(removed));
  if (added.length > 0) connection.run(INSERT_REFERENCES, accountId, blobReferenceRows(added));
  const blobIds = new Set([...removed, ...added].map((reference) => reference.blobId));
  connection.run(NOTE_UNREFERENCED, now, accountId, JSON.stringify([...blobIds]));
}

/** One statement, in a write transaction: no reference can come in between. */
export function collectBlobs(
  connection: Connection,
  before: number,
  limit: number,
): readonly { readonly accountId: string; readonly id: string }[] {
  return connection
    .rows(COLLECT, [before, limit])
    .map((row) => ({ accountId: row[0] as string, id: row[1] as string }));
}
