import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/protocol/json.js';
import type { TypeTable } from '../schema/tables.js';
import type { TextRules } from './text-rules.js';
import { byCodePoint, isSingle, readPath } from './values.js';

type Key = string | number | null;
/** What an object is compared by, the most important one first. */
export type Keys = readonly Key[];

/** An order of objects. */
export interface Order {
  keysOf(object: JsonObject): Keys;
  /** Returns a negative number where the object of the one stands before that of the other. */
  compare(one: Keys, other: Keys): number;
}

type KeyOf = (object: JsonObject) => Key;

/** The collation of a sort that names none. */
const CASEMAP = 'i;unicode-casemap';

/**
 * Returns the order of a list, as the server has it: nulls first, ties by id in the direction of
 * the last Comparator. Null where only the server can tell. RFC 8620 5.5.
 */
export function compileSort(
  table: TypeTable,
  sort: readonly JsonObject[],
  text: TextRules,
): Order | null {
  const columns: KeyOf[] = [];
  const signs: number[] = [];
  let sign = 1;
  const names = new Set<string>();
  for (const comparator of sort) {
    const keyOf = compileComparator(table, comparator, text);
    if (keyOf === null) return null;
    // A repeated one decides nothing, not even the direction of ties.
    const name = nameOf(table, comparator);
    if (names.has(name)) continue;
    names.add(name);
    sign = comparator['isAscending'] === false ? -1 : 1;
    columns.push(keyOf);
    signs.push(sign);
  }
  columns.push(({ id }) => String(id));
  signs.push(sign);
  return {
    keysOf: (object) => columns.map((keyOf) => keyOf(object)),
    compare(one, other) {
      for (let index = 0; index < signs.length; index += 1) {
        const result = compareKeys(one[index] ?? null, other[index] ?? null);
        if (result !== 0) return result * (signs[index] ?? 1);
      }
      return 0;
    },
  };
}

/** Returns what two Comparators that do the same have alike: collations are for texts alone. */
function nameOf(table: TypeTable, { property, collation }: JsonObject): string {
  const path = table.sorts[String(property)]?.property ?? '';
  const isText = table.properties[path]?.kind === 'string';
  return JSON.stringify([path, isText ? (collation ?? CASEMAP) : null]);
}

function compileComparator(
  table: TypeTable,
  comparator: JsonObject,
  text: TextRules,
): KeyOf | null {
  const sort = table.sorts[String(comparator['property'])];
  if (sort === undefined || sort.by !== undefined || !isSingle(sort.property)) return null;
  const [name = ''] = sort.property.split('/');
  const property = table.properties[name];
  if (property === undefined) return null;
  const isText = property.kind === 'string' && property.format === undefined;
  // Members of objects and formats of texts have orders that the tables don't tell.
  if (property.kind === 'json' || (property.kind === 'string' && !isText)) return null;
  const collation = comparator['collation'] ?? CASEMAP;
  const keyOf = isText ? text.collate(String(collation)) : null;
  if (isText && keyOf === null) return null;
  const read = readPath(sort.property);
  return (object) => toKey(read(object) ?? null, property.kind, keyOf);
}

function toKey(value: JsonValue, kind: string, keyOf: ((text: string) => string) | null): Key {
  if (value === null || isJsonObject(value)) return null;
  if (typeof value === 'string') {
    if (kind === 'date') return Date.parse(value);
    return keyOf === null ? value : keyOf(value);
  }
  return Number(value);
}

function compareKeys(one: Key, other: Key): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? -1 : 1;
  if (typeof one === 'string' && typeof other === 'string') return byCodePoint(one, other);
  return Number(one) - Number(other);
}
