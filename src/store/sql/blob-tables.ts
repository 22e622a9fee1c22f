import type { BlobReference, BlobRow, NewBlob } from '../port.js';
import type { Dialect } from './dialect.js';
import type { ReadingEngine, WritingEngine } from './engine.js';
import { blobOf, blobReferenceOf, blobReferenceRows, blobRows } from './records.js';
import { type TableReader, type TableWriter, tableText, textList } from './table-text.js';

/** Rows of blobs and of the references to them. Each operation is one statement, if it doesn't say more. */

const BLOBS = `SELECT "id", "type", "size", "uploaderId", "unreferencedSince" IS NULL
 FROM "JmapBlob" WHERE "accountId" = ? AND "id" IN ?`;

const SELECT_BLOBS = `${BLOBS} ORDER BY "id"`;

const SELECT_VISIBLE_BLOBS = `${BLOBS}
 AND ("unreferencedSince" IS NULL OR "uploaderId" = ?) ORDER BY "id"`;

const SELECT_REFERENCES = `SELECT "blobId", "type", "objectId" FROM "JmapBlobReference"
 WHERE "accountId" = ? AND "blobId" IN ? AND "type" IN ? ORDER BY "objectId", "type", "blobId"`;

const SELECT_OWN = `SELECT "blobId", "type", "objectId" FROM "JmapBlobReference"
 WHERE "accountId" = ? AND "type" = ? AND "objectId" IN ?`;

// A blob that the account has already (a copy of a copy) lives on from now where nothing refers to
// it.
const INSERT_BLOBS = `INSERT INTO "JmapBlob"
 ("accountId", "id", "type", "size", "uploaderId", "created", "unreferencedSince")
 SELECT CAST(? AS TEXT), value ->> 0, value ->> 1, CAST(value ->> 2 AS BIGINT), value ->> 3,
 CAST(? AS BIGINT), CAST(? AS BIGINT) FROM ROWS(?) WHERE TRUE
 ON CONFLICT ("accountId", "id") DO UPDATE SET "unreferencedSince" = excluded."unreferencedSince"
 WHERE "JmapBlob"."unreferencedSince" IS NOT NULL`;

const DELETE_REFERENCES = `DELETE FROM "JmapBlobReference" WHERE "accountId" = ?
 AND ("blobId", "type", "objectId") IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM ROWS(?))`;

const INSERT_REFERENCES = `INSERT INTO "JmapBlobReference"
 ("accountId", "blobId", "type", "objectId")
 SELECT CAST(? AS TEXT), value ->> 0, value ->> 1, value ->> 2 FROM ROWS(?) WHERE TRUE
 ON CONFLICT DO NOTHING`;

const NOTE_UNREFERENCED = `UPDATE "JmapBlob" SET "unreferencedSince" = CASE
 WHEN EXISTS (SELECT 1 FROM "JmapBlobReference" AS "r"
 WHERE "r"."accountId" = "JmapBlob"."accountId" AND "r"."blobId" = "JmapBlob"."id") THEN NULL
 ELSE coalesce("unreferencedSince", CAST(? AS BIGINT)) END WHERE "accountId" = ? AND "id" IN ?`;

/** Of a blob "b". NOT EXISTS besides the time: a reference must keep its blob even if the time were wrong. */
export const COLLECTABLE = `"b"."unreferencedSince" < ?
 AND NOT EXISTS (SELECT 1 FROM "JmapBlobReference" AS "r"
 WHERE "r"."accountId" = "b"."accountId" AND "r"."blobId" = "b"."id")`;

export interface BlobKey {
  readonly accountId: string;
  readonly id: string;
}

export function blobKeyOf(row: readonly unknown[]): BlobKey {
  return { accountId: row[0] as string, id: row[1] as string };
}

type Reads = Pick<ReadingEngine<TableReader>, 'blobs' | 'blobReferences' | 'ownBlobs'>;

export function readBlobTables(dialect: Dialect): Reads {
  const all = tableText(dialect, SELECT_BLOBS);
  const visible = tableText(dialect, SELECT_VISIBLE_BLOBS);
  const references = tableText(dialect, SELECT_REFERENCES);
  const own = tableText(dialect, SELECT_OWN);
  return {
    async blobs({ connection, accountId }, ids, viewer): Promise<readonly BlobRow[]> {
      const list = textList(ids);
      const rows =
        viewer === undefined
          ? await connection.all(all, accountId, list)
          : await connection.all(visible, accountId, list, viewer);
      return rows.map(blobOf);
    },

    async blobReferences({ connection, accountId }, blobIds, tables) {
      const lists = [textList(blobIds), JSON.stringify(tables)];
      return (await connection.all(references, accountId, ...lists)).map(blobReferenceOf);
    },

    async ownBlobs({ connection, accountId }, table, ids) {
      const rows = await connection.all(own, accountId, table, JSON.stringify(ids));
      return rows.map(blobReferenceOf);
    },
  };
}

type Writes = Pick<WritingEngine<TableWriter>, 'insertBlobs' | 'changeBlobReferences'>;

export function writeBlobTables(dialect: Dialect): Writes {
  const insert = tableText(dialect, INSERT_BLOBS);
  const remove = tableText(dialect, DELETE_REFERENCES);
  const add = tableText(dialect, INSERT_REFERENCES);
  const note = tableText(dialect, NOTE_UNREFERENCED);
  return {
    /** A new blob counts as unreferenced since now. */
    insertBlobs: ({ connection, accountId }, blobs: readonly NewBlob[], now) =>
      connection.write(insert, accountId, now, now, blobRows(blobs)),

    /**
     * At most three statements: one for what goes, one for what comes, one that notes what is
     * unreferenced now. All are asked for at once: the work can't end between them.
     */
    async changeBlobReferences({ connection, accountId }, removed, added, now): Promise<void> {
      const writes: Promise<void>[] = [];
      const change = (text: string, references: readonly BlobReference[]): void => {
        if (references.length > 0)
          writes.push(connection.write(text, accountId, blobReferenceRows(references)));
      };
      change(remove, removed);
      change(add, added);
      const ids = new Set([...removed, ...added].map(({ blobId }) => blobId));
      writes.push(connection.write(note, now, accountId, JSON.stringify([...ids])));
      await Promise.all(writes);
    },
  };
}
