import type { PropertyKind } from '../../capability/definition.js';
import { COLUMN_TYPES } from '../../database/postgresql/column-types.js';
import { indexedText } from '../../database/postgresql/indexed-text.js';
import type { JsonValue } from '../../protocol/json.js';
import type { Dialect } from '../sql/dialect-port.js';
import { type Fragment, name, raw, sql } from '../sql/fragment.js';
import { literal, orNull } from '../sql/literals.js';

/** An item of a list as a value of its kind. */
const ITEMS: Readonly<Record<PropertyKind, string>> = Object.freeze({
  ...(Object.fromEntries(
    Object.entries(COLUMN_TYPES).map(([kind, type]) => [kind, `value::${type}`]),
  ) as Record<PropertyKind, string>),
  string: 'value COLLATE "C"',
});

/** A shorter word has no trigram of its own. */
const TRIGRAM = 3;

/** Text columns are COLLATE "C": they compare by UTF-8 octets, and upper() knows only ASCII. */
export const postgresql: Dialect = Object.freeze({
  placeholder: (position) => `$${position}`,

  // As an array, which the planner looks up whatever number of texts it expects.
  isIn: (list) => `= ANY(ARRAY(SELECT jsonb_array_elements_text(${list}::jsonb)))`,
  isInSelect: (select) => `= ANY(ARRAY(${select}))`,
  textsOf: (list) => `SELECT jsonb_array_elements_text(${list}::jsonb)`,

  holding: ' FOR SHARE',

  rowsOf: (list) => `jsonb_array_elements(${list}::jsonb)`,

  boolean: (value) => String(value),

  // An array is evaluated once: of a subquery PostgreSQL thinks that it has half of all rows.
  isAmong: (value, select) => sql`${value} = ANY(ARRAY(${select}))`,

  unindexed: (column) => sql`${column}`,

  elements: (json, kind) =>
    sql`SELECT value::${raw(COLUMN_TYPES[kind])}
 FROM jsonb_array_elements_text(${storable(json)}::jsonb)`,

  tuples: (json, properties) => {
    const columns = properties
      .map(({ kind }, index) => `(value ->> ${index})::${COLUMN_TYPES[kind]}`)
      .join(', ');
    return sql`SELECT ${raw(columns)} FROM jsonb_array_elements(${storable(json)}::jsonb)`;
  },

  timely: (_column, condition) => condition,

  contains: (column, needle) => sql`strpos(${column}, ${needle}) > 0`,

  search: (_, columns, words) => ({ beside: likeEach(columns, words), lookup: null }),

  hasKey: (column, key) => sql`${column} ? ${key}`,

  hasOtherKey: (column, keys) =>
    sql`${column} - ARRAY(SELECT jsonb_array_elements_text(${storable(keys)}::jsonb)) <> '{}'`,

  hasEntry: (column, key, text) => sql`strpos(${column} ->> ${key}::text, ${text}) > 0`,

  // Numbers compare by value, and a Boolean is none.
  hasItem: (column, item) => sql`${column}::jsonb @> ${storable(JSON.stringify([item]))}::jsonb`,

  someItem: (column, kind, condition) =>
    sql`EXISTS (SELECT 1 FROM (SELECT ${raw(ITEMS[kind])} AS "value"
 FROM jsonb_array_elements_text(${column}::jsonb)) AS "item" WHERE ${condition})`,

  memberIsOneOf: (column, path, values) => {
    const member = `(${column}${path.map((name) => ` -> ${literal(name)}`).join('')})`;
    const json = (value: JsonValue) => `${literal(JSON.stringify(value))}::jsonb`;
    return orNull(
      values,
      (given) => `coalesce(${member} IN (${given.map(json).join(', ')}), FALSE)`,
      () => `coalesce(${member}, 'null'::jsonb) = 'null'::jsonb`,
    );
  },

  startsWith: (column, prefix) => sql`starts_with(${column}, ${prefix})`,

  // As asciiNumericKey in src/text makes it.
  asciiNumeric: (column) => {
    const digits = `substring(${column} from '^0*([0-9]*)')`;
    const count = `length(${digits})::text`;
    return `CASE WHEN ${column} IS NULL THEN NULL WHEN ${column} !~ '^[0-9]' THEN '~'
 ELSE length(${count})::text || ${count} || '.' || ${digits} END`;
  },

  pathStep: (column) => `ARRAY[${column}]`,

  indexedText,

  // A time-out of the statement stops it.
  tick: raw('TRUE'),

  tickOfScan: () => sql`TRUE`,
} satisfies Dialect);

/** LIKE is what an index of trigrams serves. The planner knows which account's part it reads. */
function likeEach(columns: readonly string[], words: readonly string[]): Fragment | null {
  const conditions = words
    .filter((word) => [...word].length >= TRIGRAM)
    .map((word) => {
      const pattern = `%${word.replace(/[\\%_]/g, '\\$&')}%`;
      const somewhere = joined(
        columns.map((column) => sql`${name(column)} LIKE ${pattern}`),
        (left, right) => sql`${left} OR ${right}`,
      );
      return somewhere && sql`(${somewhere})`;
    })
    .filter((condition) => condition !== null);
  return joined(conditions, (left, right) => sql`${left} AND ${right}`);
}

/**
 * Returns JSON that jsonb takes. It puts U+FFFF in the place of U+0000: no stored text has either,
 * since a /set refuses U+0000 and I-JSON has no noncharacters (RFC 7493 2.1), so both find nothing.
 */
function storable(json: string): string {
  if (!json.includes('\\u0000')) return json;
  // Each escape as a whole: what follows an escaped backslash is no escape.
  return json.replace(/\\(?:u0000|.)/g, (found) => (found === '\\u0000' ? '\uffff' : found));
}

function joined(
  conditions: readonly Fragment[],
  join: (left: Fragment, right: Fragment) => Fragment,
): Fragment | null {
  const [first, ...rest] = conditions;
  return first === undefined ? null : rest.reduce(join, first);
}
