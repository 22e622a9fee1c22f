import type { Dialect } from '../sql/dialect.js';
import { type Fragment, type Raw, raw, sql } from '../sql/fragment.js';
import { lookUp } from './search.js';
import { TICK, TICK_OF_ROWS } from './tick.js';

/** Octets of a value beside which looking at a row is no small step. */
const LARGE = 65_536;

/**
 * Stands before what reads a value from end to end, since 256 rows (`tick`) may be of ten megabytes each. The
 * length is in the row's header: nothing of the value is read for it.
 */
function timely(column: Raw, condition: Fragment): Fragment {
  return sql`(iif(octet_length(${column}) >= ${raw(String(LARGE))}, jmap_tick(), 1) AND ${condition})`;
}

const TIMELY = new RegExp(
  String.raw`\(iif\(octet_length\([^()]*\) >= ${LARGE}, jmap_tick\(\), 1\) AND (?!EXISTS)`,
  'g',
);

/**
 * The statement for a thread that nobody else waits for: it costs a tenth of a scan to ask. What reads JSON asks all
 * the same, for a value may take a tenth of a second, and nothing else stops the thread (Scans).
 */
export function atLeisure(text: string): string {
  return text.replace(TIMELY, '(');
}

type Reading = 'contains' | 'hasKey' | 'hasItem' | 'startsWith';

/** What reads values from end to end; `timed` is what stands around that. */
function reading(timed: typeof timely): Pick<Dialect, Reading> {
  return {
    contains: (column, needle) => timed(column, sql`instr(${column}, ${needle}) > 0`),

    hasKey: (column, key) =>
      timed(column, sql`EXISTS (SELECT 1 FROM ${each(column)} WHERE "each".key = ${key})`),

    // A Boolean in JSON is 0 or 1 to json_each, an object its text: the type tells them apart.
    hasItem: (column, item) =>
      timed(
        column,
        typeof item === 'boolean'
          ? sql`EXISTS (SELECT 1 FROM ${each(column)} WHERE "each".type = ${String(item)})`
          : sql`EXISTS (SELECT 1 FROM ${each(column)} WHERE "each".value = ${item}
 AND "each".type NOT IN ('true', 'false', 'array', 'object'))`,
      ),

    startsWith: (column, prefix) =>
      timed(column, sql`substr(${column}, 1, length(${prefix})) = ${prefix}`),
  };
}

export const sqlite: Dialect = Object.freeze({
  ...reading(timely),

  placeholder: () => '?',

  boolean: (value) => (value ? 1 : 0),

  // `x IN (SELECT ...)`, never `json_each(?) JOIN table`, which may scan the table.
  elements: (json) => sql`SELECT value FROM json_each(${json})`,

  tuples: (json, properties) => {
    const columns = properties.map((_, index) => `value ->> ${index}`).join(', ');
    return sql`SELECT ${raw(columns)} FROM json_each(${json})`;
  },

  lookup: lookUp,

  // SQLite's own upper() knows ASCII alone, as the collation does.
  asciiCasemap: (column) => `upper(${column})`,

  asciiNumeric: (column) => `jmap_ascii_numeric(${column})`,

  // Text compares by its UTF-8 octets.
  octet: (column) => column,

  // There is no ANALYZE: SQLite takes an account for ten rows, and would rather read it in order than
  // sort what another index finds.
  said: (condition, how) =>
    sql`likelihood(${condition}, ${raw(how === 'rare' ? '0.00001' : '0.9')})`,

  // Of indexes that narrow down the account alone SQLite takes the one that was made last: rows in that
  // one's order are from all over the file.
  byKey: raw(`"id" >= ''`),

  // SQLite's window functions write each row to a table of their own first: for numbering 5,000 objects
  // that takes as long as some twenty comparisons with each.
  countedRanks: 16,

  tick: TICK,
  tickOfRows: TICK_OF_ROWS,
} satisfies Dialect);

/** For a scan that is brief (brief.ts) whatever it finds: it never asks for the time. */
export const sqliteBriefly: Dialect = Object.freeze({
  ...sqlite,
  ...reading((_column, condition) => condition),
  tick: raw('TRUE'),
  tickOfRows: raw('TRUE'),
});

/**
 * What a column holds, item by item. json_each() has columns of its own (`key`, `value`, `type`,
 * `json`, `path` ...), which it would read in place of a property of that name.
 */
function each(column: Raw): Fragment {
  return sql`(SELECT ${column} AS "whole") AS "of", json_each("of"."whole") AS "each"`;
}
