import { REFERENCE_COLUMNS, type ReferenceWalks } from '../sql/table-texts.js';
import { BOUND } from './reader.js';

// UNION keeps a cycle from running for ever. What cascades, and what is a reference at all, is told by
// JSON lists of [table, column]: with a plus, since it is no search in the index.
const referrers = `WITH RECURSIVE "closure"("type", "id") AS (
 SELECT value ->> 0, value ->> 1 FROM json_each(?)
 UNION SELECT "r"."fromType", "r"."fromId" FROM "closure" AS "c" CROSS JOIN "JmapReference" AS "r"
 ON "r"."accountId" = ? AND "r"."toType" = "c"."type" AND "r"."toId" = "c"."id"
 AND ("r"."fromType", "r"."property") IN (SELECT value ->> 0, value ->> 1 FROM json_each(?)))
 SELECT "r"."toType", "r"."toId", "r"."fromType", "r"."fromId", "r"."property"
 FROM "closure" AS "c" CROSS JOIN "JmapReference" AS "r"
 ON "r"."accountId" = ? AND "r"."toType" = "c"."type" AND "r"."toId" = "c"."id"
 AND (+"r"."fromType", +"r"."property") IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))
 LIMIT ${BOUND}`;

const ancestors = `WITH RECURSIVE "up"("id") AS (
 SELECT value FROM json_each(?)
 UNION SELECT "r"."toId" FROM "up" AS "u" CROSS JOIN "JmapReference" AS "r"
 ON "r"."accountId" = ? AND "r"."fromType" = ? AND "r"."property" = ? AND "r"."fromId" = "u"."id")
 SELECT ${REFERENCE_COLUMNS} FROM "JmapReference" AS "r" WHERE "accountId" = ? AND "fromType" = ?
 AND "property" = ? AND "fromId" IN (SELECT "id" FROM "up") LIMIT ${BOUND}`;

export const walks: ReferenceWalks = Object.freeze({ referrers, ancestors });
