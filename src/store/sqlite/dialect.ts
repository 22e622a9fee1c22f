import type { Dialect } from '../sql/dialect.js';
import { type Fragment, type Raw, raw, sql } from '../sql/fragment.js';
import { lookUp } from './search.js';
import { TICK, tickOfScan } from './tick.js';

/** Octets of a value beside which looking at a row is no small step. */
const LARGE = 65_536;

export const sqlite: Dialect = Object.freeze({
  placeholder: () => '?',

  isIn: (list) => `IN (SELECT value FROM json_each(${list}))`,

  rowsOf: (list) => `json_each(${list})`,

  // 256 rows (`tick`) may be of ten megabytes each. The length is in the row's header: nothing of the value is read
  // for it.
  timely: (column, condition) =>
    sql`(iif(octet_length(${column}) >= ${raw(String(LARGE))}, jmap_tick(), 1) AND ${condition})`,

  boolean: (value) => (value ? 1 : 0),

  // `x IN (SELECT ...)`, never `json_each(?) JOIN table`, which may scan the table.
  elements: (json) => sql`SELECT value FROM json_each(${json})`,

  tuples: (json, properties) => {
    const columns = properties.map((_, index) => `value ->> ${index}`).join(', ');
    return sql`SELECT ${raw(columns)} FROM json_each(${json})`;
  },

  search: (index, columns, words) => ({ beside: null, lookup: lookUp(index, columns, words) }),

  contains: (column, needle) => sql`instr(${column}, ${needle}) > 0`,

  hasKey: (column, key) => sql`EXISTS (SELECT 1 FROM ${each(column)} WHERE "each".key = ${key})`,

  // A Boolean in JSON is 0 or 1 to json_each, an object its text: the type tells them apart.
  hasItem: (column, item) =>
    typeof item === 'boolean'
      ? sql`EXISTS (SELECT 1 FROM ${each(column)} WHERE "each".type = ${String(item)})`
      : sql`EXISTS (SELECT 1 FROM ${each(column)} WHERE "each".value = ${item}
 AND "each".type NOT IN ('true', 'false', 'array', 'object'))`,

  startsWith: (column, prefix) => sql`substr(${column}, 1, length(${prefix})) = ${prefix}`,

  asciiNumeric: (column) => `jmap_ascii_numeric(${column})`,

  indexedText: (column) => column,

  // There is no ANALYZE: SQLite takes an account for ten rows, and would rather read it in order than
  // sort what another index finds.
  said: (condition, how) =>
    sql`likelihood(${condition}, ${raw(how === 'rare' ? '0.00001' : '0.9')})`,

  // Of indexes that narrow down the account alone SQLite takes the one that was made last: rows in that
  // one's order are from all over the file.
  byKey: raw(`"id" >= ''`),

  tick: TICK,
  tickOfScan,
} satisfies Dialect);

/**
 * What a column holds, item by item. json_each() has columns of its own (`key`, `value`, `type`,
 * `json`, `path` ...), which it would read in place of a property of that name.
 */
function each(column: Raw): Fragment {
  return sql`(SELECT ${column} AS "whole") AS "of", json_each("of"."whole") AS "each"`;
}
