import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/protocol/json.js';
import type { FilterTable, PropertyTable, TypeTable } from '../schema/tables.js';
import type { TextRules } from './text-rules.js';
import { isSingle, readPath } from './values.js';

/** Whether an object matches a filter. */
export type Match = (object: JsonObject) => boolean;

/** Tells whether a value of an object meets a condition; null: no value can be compared so here. */
type Operator = (given: JsonValue, scene: Scene) => ((value: JsonValue) => boolean) | null;

interface Scene {
  readonly property: PropertyTable;
  readonly text: TextRules;
}

/**
 * Returns what a filter matches, as the server has it (docs/reference/queries.md); null where only
 * the server can tell. RFC 8620 5.5.
 */
export function compileFilter(table: TypeTable, filter: JsonValue, text: TextRules): Match | null {
  if (filter === null) return () => true;
  if (!isJsonObject(filter)) return null;
  if (!('operator' in filter)) return compileCondition(table, filter, text);
  const { operator, conditions } = filter;
  if (!Array.isArray(conditions)) return null;
  const all: Match[] = [];
  for (const one of conditions as readonly JsonValue[]) {
    const match = compileFilter(table, one, text);
    if (match === null) return null;
    all.push(match);
  }
  if (operator === 'AND') return (object) => all.every((match) => match(object));
  if (operator === 'OR') return (object) => all.some((match) => match(object));
  return operator === 'NOT' ? (object) => !all.some((match) => match(object)) : null;
}

function compileCondition(table: TypeTable, condition: JsonObject, text: TextRules): Match | null {
  const all: Match[] = [];
  for (const [name, given] of Object.entries(condition)) {
    const filter = table.filters[name];
    if (given === undefined) continue;
    const match = filter === undefined ? null : compileOne(table, filter, given, text);
    if (match === null) return null;
    all.push(match);
  }
  return (object) => all.every((match) => match(object));
}

function compileOne(
  table: TypeTable,
  filter: FilterTable,
  given: JsonValue,
  text: TextRules,
): Match | null {
  const [name = ''] = filter.property.split('/');
  const property = table.properties[name];
  const isPlain = filter.properties === undefined && isSingle(filter.property);
  if (property === undefined || !isPlain || filter.where !== undefined) return null;
  if (filter.isFormed === true) return null;
  // A part may be absent, whatever its property.
  const mayLack = property.isNullable === true || name !== filter.property;
  if (given === null && !(filter.operator === 'equals' && mayLack)) return () => true;
  const matches = OPERATORS[filter.operator]?.(given, { property, text }) ?? null;
  if (matches === null) return null;
  const read = readPath(filter.property);
  return (object) => matches(read(object) ?? null);
}

/** The operators that a client can judge; others are the server's alone. */
const OPERATORS: Readonly<Record<string, Operator>> = Object.freeze({
  equals: (given, { property }) => {
    const wanted = comparable(given, property);
    return (value) => comparable(value, property) === wanted;
  },
  in: (given, { property }) => {
    if (!Array.isArray(given)) return null;
    const wanted = new Set((given as readonly JsonValue[]).map((one) => comparable(one, property)));
    return (value) => wanted.has(comparable(value, property));
  },
  before: ordered((value, given) => value < given),
  after: ordered((value, given) => value >= given),
  atLeast: ordered((value, given) => value >= given),
  atMost: ordered((value, given) => value <= given),
  lessThan: ordered((value, given) => value < given),
  greaterThan: ordered((value, given) => value > given),
  isNull: (given) => (value) => (value === null) === given,
  isNotNull: (given) => (value) => (value !== null) === given,
  contains: folded((value, given) => value.includes(given)),
  startsWith: folded((value, given) => value.startsWith(given)),
  text: (given, { text }) => {
    const words = text.words(text.fold(String(given)));
    return (value) => {
      const searched = typeof value === 'string' ? text.fold(value) : null;
      return (
        words.length === 0 || (searched !== null && words.every((word) => searched.includes(word)))
      );
    };
  },
  hasKey: (given) => (value) => isJsonObject(value) && Object.hasOwn(value, String(given)),
  lacksKey: (given) => (value) => !(isJsonObject(value) && Object.hasOwn(value, String(given))),
  hasItem: (given) => (value) => Array.isArray(value) && value.includes(given),
  lacksItem: (given) => (value) => !(Array.isArray(value) && value.includes(given)),
});

/** Returns what two equal values have alike: moments of dates, whatever their digits. */
function comparable(value: JsonValue, { kind }: PropertyTable): JsonValue {
  return kind === 'date' && typeof value === 'string' ? Date.parse(value) : value;
}

function ordered(compare: (value: number, given: number) => boolean): Operator {
  return (given, { property }) => {
    const wanted = comparable(given, property);
    // Formats of texts have orders of their own.
    if (typeof wanted !== 'number') return null;
    return (value) => {
      const number = comparable(value, property);
      return typeof number === 'number' && compare(number, wanted);
    };
  };
}

function folded(compare: (value: string, given: string) => boolean): Operator {
  return (given, { text }) => {
    if (given === '') return () => true;
    const wanted = text.fold(String(given));
    return (value) => typeof value === 'string' && compare(text.fold(value), wanted);
  };
}
