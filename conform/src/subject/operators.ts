import { formatOf, sortKeyOf } from '../../../src/capability/formats/index.js';
import { isManifold, valuesAt } from '../../../src/capability/parts.js';
import { itemKeyOf } from '../../../src/capability/text-forms.js';
import type { ModelFilter, ModelProperty, ModelSort } from '../../../src/descriptor/model.js';
import type { JsonValue } from '../../../src/protocol/json.js';
import { casemapKey, fold, searchWords } from '../../../src/text/index.js';
import type { Item, Json, JsonMap } from '../client/json.js';
import { listKinds } from './values.js';

/** The meaning of a descriptor's filters and sorts, in plain JavaScript. */

/**
 * Lists the values that a condition is tried with: those that are there, and some that are nowhere.
 */
export function listOperands(
  { operator, property, schema }: ModelFilter,
  items: readonly Item[],
): Json[] {
  const isText = listKinds(schema).includes('string');
  const values = items.flatMap((item) => readValues(property, item));
  const some = [...new Set(values.filter((value) => value !== null))];
  switch (operator) {
    case 'isNull':
    case 'isNotNull':
      return [true, false];
    case 'in':
      return [some.slice(0, 1), some.slice(0, 8), []];
    case 'hasOtherKey':
      return [[], ...some.slice(0, 6).map((one) => Object.keys(one))];
    case 'hasKey':
    case 'lacksKey':
      return ['a', 'b', 'nowhere', '', ...new Set(some.flatMap((one) => Object.keys(one)))].slice(
        0,
        9,
      );
    case 'hasEntry':
      return [
        ...[['a'], ['nowhere'], ['a', 'nowhere'], ['a', '']],
        ...some.slice(0, 3).flatMap((one) => listEntries(one as JsonMap)),
      ];
    case 'hasItem':
    case 'lacksItem':
      return [...(isText ? ['nowhere', ''] : []), ...new Set(some.flat())].slice(0, 9);
    case 'contains':
    case 'startsWith':
    case 'text':
      return ['A', 'ss', 'SS', 'É', '%', 'nowhere', 'a B', ...some.slice(0, 4)];
    default:
      // A condition takes what its property's schema takes, so values that are there will do.
      return [...some.slice(0, 12), ...(property.nullable && operator === 'equals' ? [null] : [])];
  }
}

/** Lists entries of a map: with its value, a part of it, and a text that is not in it. */
function listEntries(map: JsonMap): readonly Json[] {
  return Object.entries(map)
    .slice(0, 2)
    .flatMap(([key, value]) => [
      ...[[key], [key, String(value)], [key, String(value).slice(1, 3)]],
      [key, `${String(value)}-`],
    ]);
}

/** Returns what a value is in order by: a moment as a number, whatever its offset. */
export function toKey(property: ModelProperty, value: Json): Json {
  if (typeof value !== 'string') return value;
  if (property.kind === 'date') return Date.parse(value);
  return sortKeyOf(property)?.of(value) ?? value;
}

/** Returns what a value is equal by in a condition. */
export function toIdentity(property: ModelProperty, value: Json): Json {
  if (sortKeyOf(property)?.isEquality !== false) return toKey(property, value);
  return typeof value === 'string' ? (formatOf(property)?.canonical?.(value) ?? value) : value;
}

/** Tells whether the property's values have an order that no collation changes. */
export function hasOwnOrder(property: ModelProperty): boolean {
  return property.kind === 'date' || sortKeyOf(property) !== undefined;
}

/**
 * Returns the values of a property, or of a part of one: null where there is none, unless there may
 * be several.
 */
export function readValues({ name, within }: ModelProperty, item: Item): readonly Json[] {
  if (within === undefined) return [item[name] ?? null];
  const found = valuesAt(within, (item[within.property] ?? null) as JsonValue) as readonly Json[];
  return found.length > 0 || isManifold(within.place) ? found : [null];
}

/** Tells whether an object matches a condition, as the descriptor's operator says. */
export function matches(item: Item, filter: ModelFilter, value: Json): boolean {
  const { operator, property, many } = filter;
  if (operator === 'text') return hasWords(item, filter, String(value));
  const values = readValues(property, item);
  return many === 'all'
    ? values.every((stored) => meets(stored, filter, value))
    : values.some((stored) => meets(stored, filter, value)) || isWithout(filter, value);
}

/** Tells whether a condition asks for nothing: it matches objects without any value, too. */
function isWithout({ operator, many }: ModelFilter, value: Json): boolean {
  return many === 'joined' && value === '' && operator !== 'text';
}

/** Tells whether an object meets the condition of a sort, which then stands behind the others. */
export function meetsSort(item: Item, { property, by }: ModelSort, value: string): boolean {
  const [stored = null] = readValues(property, item);
  return by !== undefined && meets(stored, { property, operator: by.operator }, value);
}

/** Tells whether one value meets a condition. */
function meets(
  one: Json,
  filter: Pick<ModelFilter, 'operator' | 'property'>,
  value: Json,
): boolean {
  const { operator, property } = filter;
  const isSame = operator === 'equals' || operator === 'in';
  const key = isSame ? toIdentity : toKey;
  const stored = key(property, one);
  const wanted = key(property, value);
  if (operator === 'isNull') return (stored === null) === wanted;
  if (operator === 'isNotNull') return (stored !== null) === wanted;
  if (operator === 'equals') return stored === wanted;
  if (operator === 'in')
    return Array.isArray(value) && value.some((one) => key(property, one) === stored);
  if (operator === 'hasKey')
    return stored !== null && Object.hasOwn(stored as JsonMap, String(value));
  if (operator === 'lacksKey')
    return stored === null || !Object.hasOwn(stored as JsonMap, String(value));
  if (operator === 'hasOtherKey')
    return Object.keys(stored ?? {}).some((name) => !(value as readonly Json[]).includes(name));
  if (operator === 'hasEntry') {
    const [key = '', text = ''] = value as readonly string[];
    const entry = stored !== null && Object.hasOwn(stored as JsonMap, key);
    return entry && String((stored as JsonMap)[key]).includes(text);
  }
  if (operator === 'hasItem') return hasItem(property, stored, value);
  if (operator === 'lacksItem') return !hasItem(property, stored, value);
  if ((operator === 'contains' || operator === 'startsWith') && value === '') return true;
  if (stored === null || wanted === null) return false;
  if (operator === 'contains') return fold(String(stored)).includes(fold(String(wanted)));
  if (operator === 'startsWith') return fold(String(stored)).startsWith(fold(String(wanted)));
  if (operator === 'before' || operator === 'lessThan') return stored < wanted;
  if (operator === 'greaterThan') return stored > wanted;
  return operator === 'atMost' ? stored <= wanted : stored >= wanted;
}

function hasItem(property: ModelProperty, stored: Json, value: Json): boolean {
  const key = itemKeyOf(property);
  const read = (item: Json): Json => (typeof item === 'string' ? (key?.of(item) ?? item) : item);
  return Array.isArray(stored) && stored.map(read).includes(read(value));
}

/** Tells whether an object has all words of a text, each in any of the filter's properties. */
function hasWords(item: Item, { property, properties = [property] }: ModelFilter, text: string) {
  const texts = properties.flatMap((one) =>
    readValues(one, item).map((each) => fold(String(each ?? ''))),
  );
  return searchWords(fold(text)).every((word) => texts.some((one) => one.includes(word)));
}

/**
 * Compares two objects by a property: nulls first, then by value or `i;unicode-casemap`, then by id
 * (docs/reference/protocol.md#sort-ties).
 */
export function compare(a: Item, b: Item, property: ModelProperty): number {
  const readKey = (item: Item): number | string | null => {
    const value = toKey(property, readValues(property, item)[0] ?? null);
    if (property.role === 'created') return item.id;
    if (typeof value === 'string') return hasOwnOrder(property) ? value : casemapKey(value);
    return value === null ? null : Number(value);
  };
  const order = compareKeys(readKey(a), readKey(b));
  return order === 0 ? compareKeys(a.id, b.id) : order;
}

/** Compares two values of a sort; null comes first. */
export function compareKeys(a: Json, b: Json): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(String(b)));
  return Number(a) - Number(b);
}
