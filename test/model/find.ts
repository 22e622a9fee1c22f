import type {
  ModelFilter,
  ModelProperty,
  ModelSort,
  ModelType,
} from '../../src/descriptor/model.js';
import type { Json, JsonMap } from '../support/json.js';
import { equal, idsIn, named, type Stored } from './account.js';
import { isMap, readDate, valid } from './schema.js';
import { byOctets, COLLATIONS, fold } from './text.js';

/** The method error of a filter or sort that a type doesn't take; null where it does. */
export type Wrong = 'unsupportedFilter' | 'unsupportedSort' | 'invalidArguments' | null;

export function filterError(type: ModelType, filter: Json): Wrong {
  if (filter === null) return null;
  if (!isMap(filter)) return 'invalidArguments';
  if (Object.hasOwn(filter, 'operator')) {
    const { operator, conditions, ...more } = filter;
    const known = ['AND', 'OR', 'NOT'].includes(String(operator));
    if (!known || !Array.isArray(conditions) || Object.keys(more).length > 0)
      return 'invalidArguments';
    const errors = conditions.map((one) =>
      one === null ? 'invalidArguments' : filterError(type, one),
    );
    return errors.find((error) => error !== null) ?? null;
  }
  for (const [name, value] of Object.entries(filter)) {
    const condition = type.filters.find((one) => one.name === name);
    if (condition === undefined) return 'unsupportedFilter';
    if (value !== null && !valid(condition.schema, value)) return 'invalidArguments';
  }
  return null;
}

/** RFC 8620 5.5. */
export function matches(type: ModelType, object: Stored, filter: Json): boolean {
  if (!isMap(filter)) return true;
  const { operator, conditions } = filter;
  if (typeof operator === 'string' && Array.isArray(conditions)) {
    const each = conditions.map((one) => matches(type, object, one));
    if (operator === 'AND') return each.every((one) => one);
    return each.some((one) => one) === (operator === 'OR');
  }
  return Object.entries(filter).every(([name, value]) => {
    const condition = type.filters.find((one) => one.name === name);
    return condition !== undefined && holds(condition, object, value);
  });
}

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** The values of a property, or of a part of one; null for none, unless there may be several. */
function valuesOf({ name, within }: ModelProperty, object: Stored): readonly Json[] {
  if (within === undefined) return [object[name] ?? null];
  const { place } = within;
  const found = place.reduce<readonly Json[]>(
    (all, step) =>
      all.flatMap((one) => {
        if ('member' in step) return isMap(one) ? [one[step.member] ?? null] : [];
        return Array.isArray(one) ? one : [];
      }),
    [object[within.property] ?? null],
  );
  const values = found.filter((one) => one !== null);
  const isSingle = place.every((step) => 'member' in step);
  return values.length === 0 && isSingle ? [null] : values;
}

function holds(condition: ModelFilter, object: Stored, value: Json): boolean {
  const values = valuesOf(condition.property, object);
  if (condition.many === 'all') return values.every((one) => meets(condition, object, one, value));
  if (values.length === 0 && (value === null || value === ''))
    return constrainsNothing(condition, value);
  return values.some((one) => meets(condition, object, one, value));
}

/** Whether a condition that no value can meet is none. */
const constrainsNothing = ({ operator }: ModelFilter, value: Json): boolean =>
  value === null || ['contains', 'startsWith', 'text'].includes(operator);

function meets(condition: ModelFilter, object: Stored, stored: Json, value: Json): boolean {
  const { operator, property, properties = [property] } = condition;
  const readsText = operator === 'contains' || operator === 'startsWith' || operator === 'text';
  if (value === null) return operator !== 'equals' || !property.nullable || stored === null;
  if (readsText && value === '') return true;
  if (operator === 'isNull') return (stored === null) === value;
  if (operator === 'isNotNull') return (stored !== null) === value;
  if (operator === 'lacksKey') return !isMap(stored) || !Object.hasOwn(stored, text(value));
  if (operator === 'lacksItem') return stored === null || !idsIn(stored).includes(text(value));
  if (operator === 'text') {
    const texts = properties.map(({ name }) => fold(text(object[name])));
    const words = fold(text(value)).split(/\s+/);
    return words.every((word) => texts.some((one) => one.includes(word)));
  }
  // A comparison with a stored null is false.
  if (stored === null) return false;
  switch (operator) {
    case 'equals':
      return equal(comparable(property, stored), comparable(property, value));
    case 'in':
      return Array.isArray(value) && value.some((one) => equal(one, stored));
    case 'contains':
      return fold(text(stored)).includes(fold(text(value)));
    case 'startsWith':
      return fold(text(stored)).startsWith(fold(text(value)));
    case 'before':
      return (readDate(text(stored)) ?? 0) < (readDate(text(value)) ?? 0);
    case 'after':
      return (readDate(text(stored)) ?? 0) >= (readDate(text(value)) ?? 0);
    case 'atLeast':
      return Number(stored) >= Number(value);
    case 'atMost':
      return Number(stored) <= Number(value);
    case 'lessThan':
      return Number(stored) < Number(value);
    case 'greaterThan':
      return Number(stored) > Number(value);
    case 'hasOtherKey':
      return Object.keys(stored).some((key) => Array.isArray(value) && !value.includes(key));
    case 'hasKey':
      return isMap(stored) && Object.hasOwn(stored, text(value));
    case 'hasItem':
      return idsIn(stored).includes(text(value));
    default:
      throw new Error(`The model has no operator ${String(operator)}.`);
  }
}

const comparable = ({ kind }: ModelProperty, value: Json): Json =>
  kind === 'date' && typeof value === 'string' ? (readDate(value) ?? null) : value;

export function sortError(type: ModelType, sort: Json): Wrong {
  if (sort === null) return null;
  if (!Array.isArray(sort)) return 'invalidArguments';
  for (const comparator of sort) {
    if (!isMap(comparator) || typeof comparator['property'] !== 'string') return 'invalidArguments';
    if (!['boolean', 'undefined'].includes(typeof comparator['isAscending']))
      return 'invalidArguments';
    const found = type.sorts.find(({ name }) => name === comparator['property']);
    const collation = comparator['collation'] ?? null;
    const isUnknown = collation !== null && !COLLATIONS.has(String(collation));
    if (found === undefined || (found.property.kind === 'string' && isUnknown))
      return 'unsupportedSort';
    if (found.by !== undefined && typeof comparator[found.by.argument] !== 'string')
      return 'invalidArguments';
  }
  return null;
}

const DEFAULT = 'i;unicode-casemap';

/** RFC 8620 5.5: nulls first, ties by id in the direction of the last comparator. */
export function sorted(type: ModelType, objects: readonly Stored[], sort: Json): readonly Stored[] {
  // A comparator that repeats an earlier one decides nothing, the order of ties neither
  // (docs/reference/protocol.md).
  const identity = (one: JsonMap) => {
    const found = type.sorts.find(({ name }) => name === one['property']);
    const isText = found?.property.kind === 'string';
    const argument = found?.by === undefined ? null : one[found.by.argument];
    return JSON.stringify([
      one['property'],
      isText ? (one['collation'] ?? DEFAULT) : null,
      argument ?? null,
    ]);
  };
  const all = Array.isArray(sort) ? sort.filter(isMap) : [];
  const comparators = all.filter(
    (one, n) => all.findIndex((other) => identity(other) === identity(one)) === n,
  );
  const last = comparators.at(-1)?.['isAscending'] !== false ? 1 : -1;
  const id = named(type, 'id');
  return [...objects].sort((one, other) => {
    for (const comparator of comparators) {
      const found = type.sorts.find(({ name }) => name === comparator['property']);
      if (found === undefined) continue;
      const direction = comparator['isAscending'] !== false ? 1 : -1;
      const { role } = found.property;
      const order =
        role === 'id'
          ? byOctets(text(one[id]), text(other[id]))
          : found.by === undefined
            ? compare(found.property, one, other, comparator)
            : byKey(found, one, comparator) - byKey(found, other, comparator);
      if (order !== 0) return order * direction;
    }
    return byOctets(text(one[id]), text(other[id])) * last;
  });
}

/** 1 where the object has the key that the Comparator names, else 0. */
function byKey({ property, by }: ModelSort, object: Stored, comparator: JsonMap): number {
  const [stored = null] = valuesOf(property, object);
  if (by?.operator !== 'hasKey') throw new Error(`The model has no sort by ${by?.operator}.`);
  return Number(isMap(stored) && Object.hasOwn(stored, text(comparator[by.argument])));
}

function compare(property: ModelProperty, one: Stored, other: Stored, comparator: JsonMap): number {
  const { kind, name, within } = property;
  if (within === undefined && (one[name] === undefined || other[name] === undefined))
    throw new Error(`The model does not know ${name} yet.`);
  const [a = null, b = null] = [valuesOf(property, one)[0], valuesOf(property, other)[0]];
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  if (kind === 'string') {
    const collation = COLLATIONS.get(text(comparator['collation'] ?? DEFAULT));
    return collation?.(text(a), text(b)) ?? 0;
  }
  const [x, y] =
    kind === 'date' ? [readDate(text(a)) ?? 0, readDate(text(b)) ?? 0] : [Number(a), Number(b)];
  return x - y;
}

/** Whether a filter or sort reads what may change (5.6, upToId). */
export function readsMutable(type: ModelType, filter: Json, sort: Json): boolean {
  const isFixed = (one: ModelProperty) =>
    one.access === 'immutable' || one.role === 'id' || one.role === 'created';
  const sorts = (Array.isArray(sort) ? sort : []).flatMap((one) =>
    type.sorts.filter(({ name }) => isMap(one) && name === one['property']),
  );
  const inFilter = (one: Json): readonly ModelProperty[] => {
    if (!isMap(one)) return [];
    if (Array.isArray(one['conditions'])) return one['conditions'].flatMap(inFilter);
    return type.filters.flatMap(({ name, operator, property, properties = [property] }) => {
      const value = one[name];
      const isNothing =
        value === undefined ||
        (value === null && !(operator === 'equals' && property.nullable)) ||
        (value === '' && ['contains', 'startsWith', 'text'].includes(operator));
      return isNothing ? [] : properties;
    });
  };
  return ![...sorts.map(({ property }) => property), ...inFilter(filter)].every(isFixed);
}
