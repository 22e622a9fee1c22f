import type { FilterOperator, PropertyKind, SortOperator } from '../capability/definition.js';
import { asksForNull } from '../capability/filter-operators.js';
import type { JsonObject } from '../protocol/json.js';

export { asksForNull, isFolded, isSearched } from '../capability/filter-operators.js';

/** The meaning of a filter operator. */
export interface OperatorRule {
  readonly description: string;
  /** The predicate of a condition, behind the properties that it reads. */
  readonly predicate: string;
  /** A condition with the name of its property, as a client gives it. */
  readonly example: JsonObject;
  /** The shape of the condition's value. */
  readonly value: 'property' | 'list' | 'boolean' | 'key' | 'keys' | 'entry' | 'item';
}

/** The operators of filters, with what each compares and what value it takes. */
export const OPERATORS: Readonly<Record<FilterOperator, OperatorRule>> = Object.freeze({
  equals: makeRule('The same value.', 'is this value.', { state: 'open' }),
  in: makeRule(
    'One of the values of a list.',
    'is one of these values.',
    { state: ['open', 'won'] },
    'list',
  ),
  contains: makeRule(
    'Contains the text, in any letter case.',
    'contains this text, in any letter case.',
    { title: 'tea' },
  ),
  startsWith: makeRule(
    'Begins with the text, in any letter case.',
    'begins with this text, in any letter case.',
    { title: 'Gr' },
  ),
  before: makeRule('Before the value.', 'is before this value.', { due: '2027-01-01T00:00:00Z' }),
  after: makeRule('The value or one after it.', 'is this value or a later one.', {
    due: '2027-01-01T00:00:00Z',
  }),
  atLeast: makeRule('The value or a greater one.', 'is this value or a greater one.', { size: 10 }),
  atMost: makeRule('The value or a lesser one.', 'is this value or a lesser one.', { size: 10 }),
  lessThan: makeRule('Less than the value.', 'is less than this value.', { size: 10 }),
  greaterThan: makeRule('Greater than the value.', 'is greater than this value.', { size: 10 }),
  isNull: makeRule(
    'True: null. False: any value.',
    'is null (true), or is not (false).',
    { due: true },
    'boolean',
  ),
  isNotNull: makeRule(
    'True: any value. False: null.',
    'is not null (true), or is (false).',
    { due: true },
    'boolean',
  ),
  hasKey: makeRule('The set or map has the key.', 'has this key.', { tags: 'home' }, 'key'),
  lacksKey: makeRule(
    'The set or map doesn’t have the key.',
    'doesn’t have this key.',
    { tags: 'home' },
    'key',
  ),
  hasOtherKey: makeRule(
    'The set or map has a key that the list doesn’t have.',
    'has a key that is not in this list.',
    { tags: ['home', 'work'] },
    'keys',
  ),
  hasEntry: makeRule(
    'The map has the key. If a text follows the key, the value contains the text.',
    'has this key; if a text follows the key, the value contains it.',
    { headers: ['list-id', 'jmap'] },
    'entry',
  ),
  hasItem: makeRule('The list has the item.', 'has this item.', { labels: 'home' }, 'item'),
  lacksItem: makeRule(
    'The list doesn’t have the item.',
    'doesn’t have this item.',
    { labels: 'home' },
    'item',
  ),
  text: makeRule(
    'Has every word of the text, in any letter case.',
    'has every word of this text, in any letter case.',
    { title: 'green tea' },
  ),
});

export const OPERATOR_NAMES = Object.freeze(Object.keys(OPERATORS)) as readonly FilterOperator[];

/** The conditions that a sort may be by. */
export const SORT_OPERATORS: readonly SortOperator[] = Object.freeze([
  ...(['equals', 'hasKey', 'hasItem'] as const),
]);

/** Returns whether a sort may be by the operator. */
export function isSortOperator(name: string): name is SortOperator {
  return SORT_OPERATORS.some((operator) => operator === name);
}

/** Returns whether a word is the name of an operator. */
export function isOperator(name: string | undefined): name is FilterOperator {
  return name !== undefined && Object.hasOwn(OPERATORS, name);
}

/** The shape of a property beyond its kind, where that decides what it can be compared by. */
export type OperandShape = 'identity' | 'order' | 'map' | 'texts' | 'list';

const NULLS: readonly FilterOperator[] = ['isNull', 'isNotNull'];
const NUMBERS: readonly FilterOperator[] = [
  ...(['equals', 'in', 'atLeast', 'atMost', 'lessThan', 'greaterThan'] as const),
  ...NULLS,
];
const OF_MAPS: readonly FilterOperator[] = [...NULLS, 'hasKey', 'lacksKey', 'hasOtherKey'];
const IN_ORDER: readonly FilterOperator[] = [...NUMBERS, 'before', 'after'];

/** Operators that fit a column of a kind. */
const BY_KIND: Readonly<Record<PropertyKind, readonly FilterOperator[]>> = Object.freeze({
  string: ['equals', 'in', 'contains', 'startsWith', ...NULLS, 'text'],
  boolean: ['equals', ...NULLS],
  integer: NUMBERS,
  number: NUMBERS,
  date: IN_ORDER,
  json: NULLS,
});

/** Operators that fit a value by its shape, which counts more than its kind. */
const BY_SHAPE: Readonly<Record<OperandShape, readonly FilterOperator[]>> = Object.freeze({
  identity: ['equals', 'in', ...NULLS],
  order: IN_ORDER,
  map: OF_MAPS,
  texts: [...OF_MAPS, 'hasEntry'],
  list: [...NULLS, 'hasItem', 'lacksItem'],
});

/** Returns the operators for a kind; a shape, where given, decides instead of the kind. */
export function operatorsOf(
  kind: PropertyKind,
  shape: OperandShape | undefined,
): readonly FilterOperator[] {
  return shape === undefined ? BY_KIND[kind] : BY_SHAPE[shape];
}

/** Returns what the operator compares, in the words of docs/reference/queries.md, each once. */
export function operandsOf(operator: FilterOperator): readonly string[] {
  if (asksForNull(operator)) return ['whatever may be null'];
  const kinds = Object.entries(BY_KIND).filter(([, operators]) => operators.includes(operator));
  const isOfMaps = OF_MAPS.includes(operator);
  const shapes = Object.entries(BY_SHAPE).filter(
    ([shape, operators]) => operators.includes(operator) && !(isOfMaps && shape === 'texts'),
  );
  const words = [...kinds, ...shapes].map(([name]) => OPERAND_WORDS[name as PropertyKind]);
  return [...new Set(words)];
}

/** Words of the reference for kinds and shapes. */
const OPERAND_WORDS: Readonly<Record<PropertyKind | OperandShape, string>> = Object.freeze({
  string: 'text',
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
  date: 'format with an order',
  json: 'list or object',
  identity: 'id or other format',
  order: 'format with an order',
  map: 'set or map',
  texts: 'map of strings',
  list: 'list of scalars',
});

/**
 * Returns a frozen row. `value` says what a client gives; by default a value of the property.
 */
function makeRule(
  description: string,
  predicate: string,
  example: JsonObject,
  value: OperatorRule['value'] = 'property',
): OperatorRule {
  return Object.freeze({ description, predicate, example, value });
}
