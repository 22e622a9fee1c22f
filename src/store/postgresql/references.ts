import { REFERENCE_COLUMNS, type ReferenceWalks } from '../sql/table-texts.js';

// UNION ends cycles. JSON lists of [table, column] tell which properties cascade, and which are
// references at all. A recursive term has the collation of the first one. OFFSET 0 keeps the
// planner to one look into the index per object: it doesn't know the depth, and would read the
// whole table at each step.
const referrers = `WITH RECURSIVE "closure"("type", "id") AS (
 SELECT (value ->> 0) COLLATE "C", (value ->> 1) COLLATE "C" FROM jsonb_array_elements(?::jsonb)
 UNION SELECT "f"."fromType", "f"."fromId" FROM "closure" AS "c" CROSS JOIN LATERAL (
 SELECT "r"."fromType", "r"."fromId", "r"."property" FROM "JmapReference" AS "r"
 WHERE "r"."accountId" = ? AND "r"."toType" = "c"."type" AND "r"."toId" = "c"."id" OFFSET 0) AS "f"
 WHERE ("f"."fromType", "f"."property") IN
 (SELECT value ->> 0, value ->> 1 FROM jsonb_array_elements(?::jsonb)))
 SELECT "f".* FROM "closure" AS "c" CROSS JOIN LATERAL (
 SELECT ${REFERENCE_COLUMNS} FROM "JmapReference" AS "r"
 WHERE "r"."accountId" = ? AND "r"."toType" = "c"."type" AND "r"."toId" = "c"."id" OFFSET 0) AS "f"
 WHERE ("f"."fromType", "f"."property") IN
 (SELECT value ->> 0, value ->> 1 FROM jsonb_array_elements(?::jsonb)) LIMIT ?`;

const UP = `"r"."accountId" = ? AND "r"."fromType" = ? AND "r"."property" = ?
 AND "r"."fromId" = "u"."id" OFFSET 0`;

const ancestors = `WITH RECURSIVE "up"("id") AS (
 SELECT value COLLATE "C" FROM jsonb_array_elements_text(?::jsonb)
 UNION SELECT "t"."toId" FROM "up" AS "u" CROSS JOIN LATERAL (
 SELECT "r"."toId" FROM "JmapReference" AS "r" WHERE ${UP}) AS "t")
 SELECT "t".* FROM "up" AS "u" CROSS JOIN LATERAL (
 SELECT ${REFERENCE_COLUMNS} FROM "JmapReference" AS "r" WHERE ${UP}) AS "t" LIMIT ?`;

export const walks: ReferenceWalks = Object.freeze({ referrers, ancestors });
