import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/protocol/json.js';
import type { TypeTable } from '../schema/tables.js';
import type { TextRules } from './text-rules.js';
import { byCodePoint, isSingle, readPath } from './values.js';

/** An order of objects: negative where the one stands before the other. */
export type Order = (one: JsonObject, other: JsonObject) => number;

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
  const orders: Order[] = [];
  let isAscending = true;
  const names = new Set<string>();
  for (const comparator of sort) {
    const order = compileComparator(table, comparator, text);
    if (order === null) return null;
    // A repeated one decides nothing, not even the direction of ties.
    const name = nameOf(table, comparator);
    if (names.has(name)) continue;
    names.add(name);
    isAscending = comparator['isAscending'] !== false;
    orders.push(isAscending ? order : (one, other) => order(other, one));
  }
  const byId: Order = (one, other) => byCodePoint(String(one['id']), String(other['id']));
  orders.push(isAscending ? byId : (one, other) => byId(other, one));
  return (one, other) => {
    for (const order of orders) {
      const result = order(one, other);
      if (result !== 0) return result;
    }
    return 0;
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
): Order | null {
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
  const key = makeKeys((object) => toKey(read(object) ?? null, property.kind, keyOf));
  return (one, other) => compareKeys(key(one), key(other));
}

type Key = string | number | null;

function toKey(value: JsonValue, kind: string, keyOf: ((text: string) => string) | null): Key {
  if (value === null || isJsonObject(value)) return null;
  if (typeof value === 'string') {
    if (kind === 'date') return Date.parse(value);
    return keyOf === null ? value : keyOf(value);
  }
  return Number(value);
}

/** Remembers keys for as long as there are their objects: rows stay the same while they can. */
function makeKeys(find: (object: JsonObject) => Key): (object: JsonObject) => Key {
  const known = new WeakMap<JsonObject, Key>();
  return (object) => {
    const key = known.get(object);
    if (key !== undefined) return key;
    const found = find(object);
    known.set(object, found);
    return found;
  };
}

function compareKeys(one: Key, other: Key): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? -1 : 1;
  if (typeof one === 'string' && typeof other === 'string') return byCodePoint(one, other);
  return Number(one) - Number(other);
}
