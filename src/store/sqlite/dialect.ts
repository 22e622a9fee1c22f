import type { JsonValue } from '../../protocol/json.js';
import type { Dialect } from '../sql/dialect-port.js';
import { type Fragment, type Raw, raw, type SqlValue, sql } from '../sql/fragment.js';
import { literal, orNull } from '../sql/literals.js';
import { REFERENCE_COLUMNS, type ReferenceWalks } from '../sql/table-texts.js';
import { BOUND } from './reader.js';
import { lookUp } from './search.js';

/** Octets of a value beside which looking at a row is no small step. */
const LARGE = 65_536;

/** A scan of so few objects isn't stopped: it takes some 50 ms, or seconds if texts are long. */
const FEW = 131_072;

/**
 * A true condition that asks for the time now and then: to ask for each row would take longer than
 * to compare it. Chance picks one row in 256. No data can prevent that, it needs nothing of the row
 * (an index alone will do), and it takes 40 ns.
 */
export const TICK = raw('(random() & 255 <> 0 OR jmap_tick())');

/**
 * Returns the same for scans. Asking by chance is two fifths of a scan of short rows. Scans run in
 * threads, where nobody waits, so they ask only if the account has many objects in the table: a
 * counter beside its state tells, once per statement. Of an OR SQLite would evaluate subqueries
 * last.
 */
export function tickOfScan(accountId: SqlValue, table: string): Fragment {
  const type = raw(`'${table.replaceAll("'", "''")}'`);
  return sql`CASE WHEN (SELECT "objects" FROM "JmapState"
 WHERE "accountId" = ${accountId} AND "type" = ${type})
 <= ${raw(String(FEW))} THEN TRUE WHEN random() & 255 <> 0 THEN TRUE ELSE jmap_tick() END`;
}

export const sqlite: Dialect = Object.freeze({
  placeholder: () => '?',

  isIn: (list) => `IN (SELECT value FROM json_each(${list}))`,
  isInSelect: (select) => `IN (${select})`,
  textsOf: (list) => `SELECT value FROM json_each(${list})`,

  // A writer is alone.
  holding: '',

  rowsOf: (list) => `json_each(${list})`,

  // 256 rows (`tick`) may have ten megabytes each. The length is in the row's header: SQLite reads
  // nothing of the value for it.
  timely: (column, condition) =>
    sql`(iif(octet_length(${column}) >= ${raw(String(LARGE))}, jmap_tick(), 1) AND ${condition})`,

  boolean: (value) => (value ? 1 : 0),

  isAmong: (value, select) => sql`${value} IN (${select})`,

  unindexed: (column) => sql`+${column}`,

  // `x IN (SELECT ...)`, never `json_each(?) JOIN table`, which may scan the table.
  elements: (json) => sql`SELECT value FROM json_each(${json})`,

  tuples: (json, properties) => {
    const columns = properties.map((_, index) => `value ->> ${index}`).join(', ');
    return sql`SELECT ${raw(columns)} FROM json_each(${json})`;
  },

  search: (index, columns, words) => ({ beside: null, lookup: lookUp(index, columns, words) }),

  contains: (column, needle) => sql`instr(${column}, ${needle}) > 0`,

  hasKey: (column, key) => sql`EXISTS (SELECT 1 FROM ${each(column)} WHERE "each".key = ${key})`,

  hasOtherKey: (column, keys) =>
    sql`EXISTS (SELECT 1 FROM ${each(column)}
 WHERE "each".key NOT IN (SELECT value FROM json_each(${keys})))`,

  hasEntry: (column, key, text) =>
    sql`EXISTS (SELECT 1 FROM ${each(column)}
 WHERE "each".key = ${key} AND instr("each".value, ${text}) > 0)`,

  // A Boolean in JSON is 0 or 1 to json_each, an object its text: the type tells them apart.
  hasItem: (column, item) =>
    typeof item === 'boolean'
      ? sql`EXISTS (SELECT 1 FROM ${each(column)} WHERE "each".type = ${String(item)})`
      : sql`EXISTS (SELECT 1 FROM ${each(column)} WHERE "each".value = ${item}
 AND "each".type NOT IN ('true', 'false', 'array', 'object'))`,

  someItem: (column, _kind, condition) =>
    sql`EXISTS (SELECT 1 FROM (SELECT ${column} AS "whole") AS "of",
 json_each("of"."whole") AS "item" WHERE ${condition})`,

  // Each level by json_each: a path can't name every member in all versions of SQLite.
  memberIsOneOf: (column, path, values) => {
    const last = `"e${path.length}"`;
    const levels = path.map((_, at) => {
      const inner = `CASE "e${at}".type WHEN 'object' THEN "e${at}".value ELSE '{}' END`;
      return `json_each(${at === 0 ? column : inner}) AS "e${at + 1}"`;
    });
    const keys = path.map((name, at) => `"e${at + 1}".key = ${literal(name)}`);
    const exists = (test: string) =>
      `EXISTS (SELECT 1 FROM ${levels.join(', ')} WHERE ${[...keys, test].join(' AND ')})`;
    return orNull(
      values,
      (given) => exists(`(${given.map((value) => isEqual(last, value)).join(' OR ')})`),
      () => `NOT ${exists(`${last}.type <> 'null'`)}`,
    );
  },

  startsWith: (column, prefix) => sql`substr(${column}, 1, length(${prefix})) = ${prefix}`,

  asciiNumeric: (column) => `jmap_ascii_numeric(${column})`,

  pathStep: (column) => `printf('%010d', ${column})`,

  indexedText: (column) => column,

  // There is no ANALYZE: SQLite assumes ten rows in an account, and would rather read it in order
  // than sort what another index finds.
  said: (condition, how) =>
    sql`likelihood(${condition}, ${raw(how === 'rare' ? '0.00001' : '0.9')})`,

  // Of indexes that only narrow down the account, SQLite takes the newest: rows in its order lie
  // all over the file.
  byKey: raw(`"id" >= ''`),

  tick: TICK,
  tickOfScan,
} satisfies Dialect);

/** Returns the condition that a row of json_each has the value. */
function isEqual(row: string, value: JsonValue): string {
  if (typeof value === 'boolean') return `${row}.type = '${value}'`;
  const types = typeof value === 'string' ? `'text'` : `'integer', 'real'`;
  return `${row}.type IN (${types}) AND ${row}.value = ${literal(value)}`;
}

/**
 * Returns a subquery of a column's items. json_each() has columns of its own (`key`, `value`,
 * `type`, `json`, `path` ...), which would hide a property of that name.
 */
function each(column: Raw): Fragment {
  return sql`(SELECT ${column} AS "whole") AS "of", json_each("of"."whole") AS "each"`;
}

// UNION ends cycles. JSON lists of [table, column] tell which properties cascade, and which are
// references at all; these with a plus, so that SQLite doesn't search the index for them.
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
