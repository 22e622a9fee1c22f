import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/protocol/json.js';
import type { TypeTable } from '../schema/tables.js';
import type { TextRules } from './text-rules.js';
import { isSingle, readPath } from './values.js';

type Key = string | number | null;
/** The values by which an object is compared, the most important one first. */
export type Keys = readonly Key[];

/** An order of objects: the first column in which two of them differ decides. */
export type Order = readonly Column[];

interface Column {
  readonly keyOf: KeyOf;
  readonly isAscending: boolean;
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
  const columns: Column[] = [];
  let isAscending = true;
  const names = new Set<string>();
  for (const comparator of sort) {
    const keyOf = compileComparator(table, comparator, text);
    if (keyOf === null) return null;
    // A repeated one decides nothing, not even the direction of ties.
    const name = nameOf(table, comparator);
    if (names.has(name)) continue;
    names.add(name);
    isAscending = comparator['isAscending'] !== false;
    columns.push({ keyOf, isAscending });
  }
  return [...columns, { keyOf: ({ id }) => String(id), isAscending }];
}

/** Returns the keys of an object, for one that is compared more than once. */
export function findKeys(order: Order, object: JsonObject): Keys {
  return order.map(({ keyOf }) => keyOf(object));
}

/** Returns a negative number where the object of the one stands before that of the other. */
export function compareKeys(order: Order, one: Keys, other: Keys): number {
  for (let index = 0; index < order.length; index += 1) {
    const result = compareOne(one[index] ?? null, other[index] ?? null);
    if (result !== 0) return order[index]?.isAscending === true ? result : -result;
  }
  return 0;
}

/** Returns the same of an object; its keys are made as far as they decide. */
export function compareObject(order: Order, object: JsonObject, keys: Keys): number {
  for (let index = 0; index < order.length; index += 1) {
    const { keyOf, isAscending } = order[index] as Column;
    const result = compareOne(keyOf(object), keys[index] ?? null);
    if (result !== 0) return isAscending ? result : -result;
  }
  return 0;
}

/** Returns what two Comparators that do the same have alike: collations are for texts alone. */
function nameOf(table: TypeTable, { property, collation }: JsonObject): string {
  const path = table.sorts[String(property)]?.property ?? '';
  const isText = table.properties[path]?.kind === 'string';
  return JSON.stringify([property, isText ? (collation ?? CASEMAP) : null]);
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

function compareOne(one: Key, other: Key): number {
  if (one === null || other === null) return Number(other === null) - Number(one === null);
  return one < other ? -1 : Number(one > other);
}
