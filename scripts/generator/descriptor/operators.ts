import type { FilterOperator, PropertyKind } from '../../../src/capability/definition.js';

/** What a filter operator means and for which kinds of property it exists. */
export interface OperatorRule {
  readonly kinds: readonly PropertyKind[];
  readonly description: string;
  /** What a condition says of the properties that it reads, in front of which they stand. */
  readonly predicate: string;
  /** The shape of the condition's value. */
  readonly value: 'property' | 'list' | 'boolean' | 'key' | 'item';
}

const SCALARS: readonly PropertyKind[] = ['string', 'boolean', 'integer', 'number', 'date'];
const NUMBERS: readonly PropertyKind[] = ['integer', 'number'];

export const OPERATORS: Readonly<Record<FilterOperator, OperatorRule>> = Object.freeze({
  equals: rule(SCALARS, ['The same value.', 'is this value.']),
  in: rule(
    ['string', 'integer', 'number', 'date'],
    ['One of the values of a list.', 'is one of these values.'],
    'list',
  ),
  contains: rule(
    ['string'],
    ['Contains the text, in any letter case.', 'contains this text, in any letter case.'],
  ),
  startsWith: rule(
    ['string'],
    ['Begins with the text, in any letter case.', 'begins with this text, in any letter case.'],
  ),
  before: rule(['date'], ['Before the date.', 'is before this date.']),
  after: rule(['date'], ['At the date or after it.', 'is this date or a later one.']),
  atLeast: rule(NUMBERS, ['The number or a greater one.', 'is this number or a greater one.']),
  atMost: rule(NUMBERS, ['The number or a lesser one.', 'is this number or a lesser one.']),
  isNull: rule(
    [...SCALARS, 'json'],
    ['True: null. False: any value.', 'is null (true), or is not (false).'],
    'boolean',
  ),
  hasKey: rule(['json'], ['The set or map has the key.', 'has this key.'], 'key'),
  hasItem: rule(['json'], ['The list has the item.', 'has this item.'], 'item'),
  text: rule(
    ['string'],
    [
      'Has every word of the text, in any letter case.',
      'has every word of this text, in any letter case.',
    ],
  ),
});

/**
 * Whether `indexed: true` asks for the search index, of trigrams; all others are ranges of an ordered
 * one.
 */
export function isSearched(operator: FilterOperator): boolean {
  return operator === 'contains' || operator === 'text';
}

export const OPERATOR_NAMES = Object.freeze(Object.keys(OPERATORS)) as readonly FilterOperator[];

export function isOperator(name: string | undefined): name is FilterOperator {
  return name !== undefined && Object.hasOwn(OPERATORS, name);
}

/** What a property is beyond its kind, where that decides what it can be compared by. */
export type OperandShape = 'id' | 'date' | 'map' | 'list';

const BY_SHAPE: Readonly<Record<OperandShape, readonly FilterOperator[]>> = Object.freeze({
  id: ['equals', 'in', 'isNull'],
  date: ['equals', 'in', 'before', 'after', 'isNull'],
  map: ['isNull', 'hasKey'],
  list: ['isNull', 'hasItem'],
});

/** The operators that a property of this kind and shape may have. */
export function operatorsOf(
  kind: PropertyKind,
  shape: OperandShape | undefined,
): readonly FilterOperator[] {
  if (shape !== undefined) return BY_SHAPE[shape];
  const legal = OPERATOR_NAMES.filter((name) => OPERATORS[name].kinds.includes(kind));
  return kind === 'json' ? legal.filter((name) => name === 'isNull') : legal;
}

function rule(
  kinds: readonly PropertyKind[],
  [description, predicate]: readonly [string, string],
  value: OperatorRule['value'] = 'property',
): OperatorRule {
  return Object.freeze({ kinds, description, predicate, value });
}
