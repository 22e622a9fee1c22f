import type { BranchStep, Place, PlaceStep } from '../../../src/capability/places.js';
import type { Provider } from '../emit/prisma-datamodel.js';
import { quoted, text } from './sql.js';

/** A place in a column's values that holds ids. */
export interface PlaceInColumn {
  readonly column: string;
  readonly place: Place;
}

/** SQL that finds the texts at a place, one a row, beside a table that is called "t". */
export interface TextsInSql {
  /** The joins that follow the table in FROM. */
  readonly joins: string;
  readonly conditions: readonly string[];
  /** The text. */
  readonly value: string;
}

/** The value that a step leads to, in SQL, and the type of its JSON. */
interface Arrival {
  readonly value: string;
  readonly type: string;
}

/** Returns the SQL of the texts at a place. Values of another shape than its steps give no rows. */
export function textsIn({ column, place }: PlaceInColumn, provider: Provider): TextsInSql {
  const own = `"t".${quoted(column)}`;
  if (place.length === 0) return { joins: '', conditions: [], value: own };
  const { start, rows, name, arrive, tag, asText, isText } = PARTS[provider];
  let joins = '';
  const conditions: string[] = [];
  let here = start(own);
  for (const [at, step] of place.entries()) {
    if ('branch' in step) {
      conditions.push(isOfBranch(step, tag(here, step.branch)));
      continue;
    }
    const row = `"s${at + 1}"`;
    joins += `\n  CROSS JOIN ${rows(here, isOfList(step) ? 'array' : 'object', row)}`;
    conditions.push(...namesOf(step, name(row)));
    if ('each' in step && step.each === 'key') return { joins, conditions, value: name(row) };
    here = arrive(row);
  }
  return { joins, conditions: [...conditions, isText(here)], value: asText(here) };
}

function isOfList(step: PlaceStep): boolean {
  return 'each' in step && step.each === 'item';
}

/** Returns the condition that an object is of the branch of a union. */
function isOfBranch({ of, others }: BranchStep, tag: Tag): string {
  const isOther = others === true;
  const values = of.filter((one) => one !== null).map(text);
  const is = isOther ? 'NOT IN' : 'IN';
  const known = values.length === 0 ? [] : [`${tag.value} ${is} (${values.join(', ')})`];
  const ofText = values.length > 0 || isOther ? [[tag.isText, ...known].join(' AND ')] : [];
  const absent = of.includes(null) !== isOther ? [tag.isAbsent] : [];
  return `(${[...ofText, ...absent].join(' OR ')})`;
}

/** Returns conditions on the names of the members that the step leads to. */
function namesOf(step: Exclude<PlaceStep, BranchStep>, name: string): readonly string[] {
  if ('member' in step) return [`${name} = ${text(step.member)}`];
  const { except = [] } = step;
  return except.length === 0 ? [] : [`${name} NOT IN (${except.map(text).join(', ')})`];
}

/** A member of an object, in SQL. */
interface Tag {
  readonly value: string;
  readonly isText: string;
  readonly isAbsent: string;
}

interface Parts {
  readonly start: (column: string) => Arrival;
  /** The members or the items of what is there, where it is of that type; else no rows. */
  readonly rows: (from: Arrival, type: 'object' | 'array', row: string) => string;
  readonly name: (row: string) => string;
  readonly arrive: (row: string) => Arrival;
  /** The member that tells the branches of a union apart. */
  readonly tag: (from: Arrival, member: string) => Tag;
  readonly asText: (from: Arrival) => string;
  readonly isText: (from: Arrival) => string;
}

const PARTS: Readonly<Record<Provider, Parts>> = Object.freeze({
  sqlite: {
    start: (column) => ({ value: column, type: `json_type(${column})` }),
    rows: ({ value, type }, wanted, row) =>
      `json_each(CASE ${type} WHEN '${wanted}' THEN ${value} ELSE '[]' END) AS ${row}`,
    name: (row) => `${row}."key"`,
    arrive: (row) => ({ value: `${row}."value"`, type: `${row}."type"` }),
    tag: ({ value, type }, member) => {
      // A path of SQLite can't name every member.
      const all = `json_each(CASE ${type} WHEN 'object' THEN ${value} ELSE '{}' END)`;
      const of = (column: string) =>
        `(SELECT "m"."${column}" FROM ${all} AS "m" WHERE "m"."key" = ${text(member)})`;
      return {
        value: of('value'),
        isText: `${of('type')} = 'text'`,
        isAbsent: `${of('type')} IS NULL`,
      };
    },
    asText: ({ value }) => value,
    isText: ({ type }) => `${type} = 'text'`,
  },
  postgresql: {
    start: (column) => ({ value: column, type: `jsonb_typeof(${column})` }),
    rows: ({ value, type }, wanted, row) => {
      const [each, columns, empty] =
        wanted === 'array'
          ? ['jsonb_array_elements', '"value"', '[]']
          : ['jsonb_each', '"key", "value"', '{}'];
      const safe = `CASE ${type} WHEN '${wanted}' THEN ${value} ELSE '${empty}' END`;
      return `LATERAL ${each}(${safe}) AS ${row}(${columns})`;
    },
    name: (row) => `${row}."key"`,
    arrive: (row) => ({ value: `${row}."value"`, type: `jsonb_typeof(${row}."value")` }),
    tag: ({ value }, member) => ({
      value: `(${value} ->> ${text(member)})`,
      isText: `jsonb_typeof(${value} -> ${text(member)}) = 'string'`,
      isAbsent: `(${value} -> ${text(member)}) IS NULL`,
    }),
    asText: ({ value }) => `(${value} #>> '{}')`,
    isText: ({ type }) => `${type} = 'string'`,
  },
});
