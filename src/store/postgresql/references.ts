import type { ObjectIds, ReferenceRecord } from '../port.js';
import type { Scope } from '../sql/engine.js';
import type { Leading } from '../sql/names.js';
import { REFERENCE_COLUMNS, referenceOf, referenceRows } from '../sql/records.js';
import type { Connection } from './connection.js';

/** Rows of JmapReference. */

// UNION keeps a cycle from running for ever. What cascades, and what is a reference at all, is told by
// JSON lists of [table, column]. A recursive term has the collation of the first one. OFFSET 0 keeps the planner to one
// look into the index for each object: it knows nothing of how deep a recursion goes, and would read
// the whole table at each step.
const REFERRERS = `WITH RECURSIVE "closure"("type", "id") AS (
 SELECT (value ->> 0) COLLATE "C", (value ->> 1) COLLATE "C" FROM jsonb_array_elements($1::jsonb)
 UNION SELECT "f"."fromType", "f"."fromId" FROM "closure" AS "c" CROSS JOIN LATERAL (
 SELECT "r"."fromType", "r"."fromId", "r"."property" FROM "JmapReference" AS "r"
 WHERE "r"."accountId" = $2 AND "r"."toType" = "c"."type" AND "r"."toId" = "c"."id" OFFSET 0) AS "f"
 WHERE ("f"."fromType", "f"."property") IN
 (SELECT value ->> 0, value ->> 1 FROM jsonb_array_elements($3::jsonb)))
 SELECT "f".* FROM "closure" AS "c" CROSS JOIN LATERAL (
 SELECT ${REFERENCE_COLUMNS} FROM "JmapReference" AS "r"
 WHERE "r"."accountId" = $2 AND "r"."toType" = "c"."type" AND "r"."toId" = "c"."id" OFFSET 0) AS "f"
 WHERE ("f"."fromType", "f"."property") IN
 (SELECT value ->> 0, value ->> 1 FROM jsonb_array_elements($4::jsonb)) LIMIT $5`;

const UP = `"r"."accountId" = $2 AND "r"."fromType" = $3 AND "r"."property" = $4
 AND "r"."fromId" = "u"."id" OFFSET 0`;

const ANCESTORS = `WITH RECURSIVE "up"("id") AS (
 SELECT unnest($1::text[]) COLLATE "C"
 UNION SELECT "t"."toId" FROM "up" AS "u" CROSS JOIN LATERAL (
 SELECT "r"."toId" FROM "JmapReference" AS "r" WHERE ${UP}) AS "t")
 SELECT "t".* FROM "up" AS "u" CROSS JOIN LATERAL (
 SELECT ${REFERENCE_COLUMNS} FROM "JmapReference" AS "r" WHERE ${UP}) AS "t" LIMIT $5`;

const VALUES = `value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4
 FROM jsonb_array_elements($2::jsonb)`;

const DELETE = `DELETE FROM "JmapReference" WHERE "accountId" = $1
 AND (${REFERENCE_COLUMNS}) IN (SELECT ${VALUES})`;

const INSERT = `INSERT INTO "JmapReference" ("accountId", ${REFERENCE_COLUMNS})
 SELECT $1::text, ${VALUES} ON CONFLICT DO NOTHING`;

const OWN = `SELECT ${REFERENCE_COLUMNS} FROM "JmapReference"
 WHERE "accountId" = $1 AND "fromType" = $2 AND "property" = ANY($3::text[])
 AND "fromId" = ANY($4::text[])`;

/** One statement. */
export async function readReferrers(
  { connection, accountId }: Scope<Connection>,
  targets: readonly ObjectIds[],
  { all, through }: Leading,
  limit: number,
): Promise<readonly ReferenceRecord[]> {
  const roots = targets.flatMap(({ type, ids }) => ids.map((id) => [type, id]));
  const closure = [JSON.stringify(roots), accountId, JSON.stringify(through)];
  const rows = await connection.all(REFERRERS, ...closure, JSON.stringify(all), limit + 1);
  return rows.map(referenceOf);
}

/** One statement. */
export async function readAncestors(
  { connection, accountId }: Scope<Connection>,
  table: string,
  column: string,
  ids: readonly string[],
  limit: number,
): Promise<readonly ReferenceRecord[]> {
  const rows = await connection.all(ANCESTORS, ids, accountId, table, column, limit + 1);
  return rows.map(referenceOf);
}

/** One statement: the records of objects that refer. */
export async function readOwnReferences(
  { connection, accountId }: Scope<Connection>,
  table: string,
  columns: readonly string[],
  ids: readonly string[],
): Promise<readonly ReferenceRecord[]> {
  return (await connection.all(OWN, accountId, table, columns, ids)).map(referenceOf);
}

/** At most two statements, both asked for at once: the work can't end between them. */
export async function changeObjectReferences(
  { connection, accountId }: Scope<Connection>,
  removed: readonly ReferenceRecord[],
  added: readonly ReferenceRecord[],
): Promise<void> {
  const writes: Promise<void>[] = [];
  if (removed.length > 0) writes.push(connection.write(DELETE, accountId, referenceRows(removed)));
  if (added.length > 0) writes.push(connection.write(INSERT, accountId, referenceRows(added)));
  await Promise.all(writes);
}
