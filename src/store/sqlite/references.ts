import type { JsonValue } from '../../protocol/json.js';
import type { ObjectIds, ReferenceRecord } from '../port.js';
import type { Scope } from '../sql/engine.js';
import type { Leading } from '../sql/names.js';
import { REFERENCE_COLUMNS, referenceOf, referenceRows } from '../sql/records.js';
import type { Connection } from './connection.js';
import { BOUND, type Reader } from './reader.js';

/** Rows of JmapReference. */

// UNION keeps a cycle from running for ever. What cascades, and what is a reference at all, is told by
// JSON lists of [table, column]: with a plus, since it is no search in the index.
const REFERRERS = `WITH RECURSIVE "closure"("type", "id") AS (
 SELECT value ->> 0, value ->> 1 FROM json_each(?)
 UNION SELECT "r"."fromType", "r"."fromId" FROM "closure" AS "c" CROSS JOIN "JmapReference" AS "r"
 ON "r"."accountId" = ? AND "r"."toType" = "c"."type" AND "r"."toId" = "c"."id"
 AND ("r"."fromType", "r"."property") IN (SELECT value ->> 0, value ->> 1 FROM json_each(?)))
 SELECT "r"."toType", "r"."toId", "r"."fromType", "r"."fromId", "r"."property"
 FROM "closure" AS "c" CROSS JOIN "JmapReference" AS "r"
 ON "r"."accountId" = ? AND "r"."toType" = "c"."type" AND "r"."toId" = "c"."id"
 AND (+"r"."fromType", +"r"."property") IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))
 LIMIT ${BOUND}`;

const ANCESTORS = `WITH RECURSIVE "up"("id") AS (
 SELECT value FROM json_each(?)
 UNION SELECT "r"."toId" FROM "up" AS "u" CROSS JOIN "JmapReference" AS "r"
 ON "r"."accountId" = ? AND "r"."fromType" = ? AND "r"."property" = ? AND "r"."fromId" = "u"."id")
 SELECT ${REFERENCE_COLUMNS} FROM "JmapReference" AS "r" WHERE "accountId" = ? AND "fromType" = ?
 AND "property" = ? AND "fromId" IN (SELECT "id" FROM "up") LIMIT ${BOUND}`;

const DELETE = `DELETE FROM "JmapReference" WHERE "accountId" = ?
 AND (${REFERENCE_COLUMNS}) IN (SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4
 FROM json_each(?))`;

const INSERT = `INSERT INTO "JmapReference" ("accountId", ${REFERENCE_COLUMNS})
 SELECT ?, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4
 FROM json_each(?) WHERE TRUE ON CONFLICT DO NOTHING`;

const OWN = `SELECT ${REFERENCE_COLUMNS} FROM "JmapReference"
 WHERE "accountId" = ? AND "fromType" = ?
 AND "property" IN (SELECT value FROM json_each(?)) AND "fromId" IN (SELECT value FROM json_each(?))`;

/** One statement. */
export async function readReferrers(
  { connection, accountId }: Scope<Reader>,
  targets: readonly ObjectIds[],
  { all, through }: Leading,
  limit: number,
): Promise<readonly ReferenceRecord[]> {
  const roots = targets.flatMap(({ type, ids }) => ids.map((id): JsonValue => [type, id]));
  const closure = [JSON.stringify(roots), accountId, JSON.stringify(through)];
  const rows = await connection.all(
    REFERRERS,
    ...closure,
    accountId,
    JSON.stringify(all),
    limit + 1,
  );
  return rows.map(referenceOf);
}

/** One statement. */
export async function readAncestors(
  { connection, accountId }: Scope<Reader>,
  table: string,
  column: string,
  ids: readonly string[],
  limit: number,
): Promise<readonly ReferenceRecord[]> {
  const of = [accountId, table, column];
  const rows = await connection.all(ANCESTORS, JSON.stringify(ids), ...of, ...of, limit + 1);
  return rows.map(referenceOf);
}

/** One statement: the records of objects that refer. */
export async function readOwnReferences(
  { connection, accountId }: Scope<Reader>,
  table: string,
  columns: readonly string[],
  ids: readonly string[],
): Promise<readonly ReferenceRecord[]> {
  const lists = [JSON.stringify(columns), JSON.stringify(ids)];
  const rows = await connection.all(OWN, accountId, table, ...lists);
  return rows.map(referenceOf);
}

/** At most two statements. */
export async function changeObjectReferences(
  { connection, accountId }: Scope<Connection>,
  removed: readonly ReferenceRecord[],
  added: readonly ReferenceRecord[],
): Promise<void> {
  if (removed.length > 0) connection.run(DELETE, accountId, referenceRows(removed));
  if (added.length > 0) connection.run(INSERT, accountId, referenceRows(added));
}
