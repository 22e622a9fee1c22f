import { sha256 } from './hash.js';

/** Names that databases or the engine keep for themselves, in lower case. */
const RESERVED: ReadonlySet<string> = new Set([
  'accountid',
  ...['cmax', 'cmin', 'ctid', 'oid', 'rowid', 'tableoid', 'xmax', 'xmin'],
  // SQLite reads TRUE and FALSE as a column where there is one of that name.
  ...['true', 'false'],
]);

const PLAIN = /^[a-z][A-Za-z0-9]*$/;

/** Characters of a column's own part: with the suffix of a shadow they fit PostgreSQL's 63. */
const LENGTH = 40;
const STEM_LENGTH = 20;
const HASH_LENGTH = 12;
/** The same beside the mark of a part. */
const PART_STEM_LENGTH = 19;

/** Returns the beginning of the names of columns beside a property's. */
export function columnStem(column: string): string {
  return column.slice(0, PART_STEM_LENGTH);
}

/**
 * Returns the column of a new property: its name if that is camelCase and a database can tell it
 * from the type's other `names`. Any other gets a column of its letters and digits and a hash,
 * `type_0d5f7c9a1b2e` for `@type`, which no two names share.
 */
export function columnName(name: string, names: readonly string[]): string {
  const lower = name.toLowerCase();
  const isPlain =
    PLAIN.test(name) &&
    name.length <= LENGTH &&
    !RESERVED.has(lower) &&
    !names.some((other) => other !== name && PLAIN.test(other) && other.toLowerCase() === lower);
  if (isPlain) return name;
  const letters = name.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_+|_+$/g, '');
  const stem = /^[A-Za-z]/.test(letters) ? letters : `p_${letters}`;
  return `${stem.slice(0, STEM_LENGTH)}_${sha256(name).slice(0, HASH_LENGTH)}`;
}
