import type { Dialect } from '../sql/dialect.js';
import { raw, sql } from '../sql/fragment.js';

export const sqlite: Dialect = Object.freeze({
  placeholder: () => '?',

  boolean: (value) => (value ? 1 : 0),

  // `x IN (SELECT ...)`, never `json_each(?) JOIN table`, which may scan the table.
  elements: (json) => sql`SELECT value FROM json_each(${json})`,

  contains: (column, needle) => sql`instr(${column}, ${needle}) > 0`,

  startsWith: (column, prefix) => sql`substr(${column}, 1, length(${prefix})) = ${prefix}`,

  // SQLite's own upper() knows ASCII alone, as the collation does.
  asciiCasemap: (column) => `upper(${column})`,

  asciiNumeric: (column) => `jmap_ascii_numeric(${column})`,

  // Text compares by its UTF-8 octets.
  octet: (column) => column,

  // One row in 256 asks for the time: for each the call would take longer than the comparison. Data
  // tables have rowids (the generator makes only tables of the service WITHOUT ROWID); no property
  // can be named `_rowid_`.
  tick: raw('(_rowid_ & 255 <> 0 OR jmap_tick())'),
} satisfies Dialect);
