import type { FilterOperator } from './definition.js';

/** An operator, as far as the engine, the SQL and the generator know it by more than its name. */
interface OperatorRow {
  /**
   * The part of a property that a condition compares. A `piece` is of a text in any letter case, an
   * `entry` a key of a map with a text in its value.
   */
  readonly compares: 'value' | 'presence' | 'piece' | 'key' | 'entry' | 'item';
  /** The work for a row: a value is compared in a step, a text is searched, JSON is parsed. */
  readonly cost: 0 | 1 | 2;
  /** An index of trigrams finds its matches; for any other operator an ordered index does. */
  readonly isSearched?: true;
}

/** All operators of filters. docs/reference/queries.md has a table of what they mean. */
export const FILTER_OPERATORS: Readonly<Record<FilterOperator, OperatorRow>> = Object.freeze({
  equals: { compares: 'value', cost: 0 },
  in: { compares: 'value', cost: 0 },
  before: { compares: 'value', cost: 0 },
  after: { compares: 'value', cost: 0 },
  atLeast: { compares: 'value', cost: 0 },
  atMost: { compares: 'value', cost: 0 },
  lessThan: { compares: 'value', cost: 0 },
  greaterThan: { compares: 'value', cost: 0 },
  isNull: { compares: 'presence', cost: 0 },
  isNotNull: { compares: 'presence', cost: 0 },
  contains: { compares: 'piece', cost: 1, isSearched: true },
  startsWith: { compares: 'piece', cost: 1 },
  text: { compares: 'piece', cost: 2, isSearched: true },
  hasKey: { compares: 'key', cost: 2 },
  lacksKey: { compares: 'key', cost: 2 },
  hasOtherKey: { compares: 'key', cost: 2 },
  hasEntry: { compares: 'entry', cost: 2 },
  hasItem: { compares: 'item', cost: 2 },
  lacksItem: { compares: 'item', cost: 2 },
});

/**
 * Returns whether `indexed: true` asks for the search index, of trigrams. For any other operator it
 * asks for an ordered index.
 */
export function isSearched(operator: FilterOperator): boolean {
  return FILTER_OPERATORS[operator].isSearched === true;
}

/** Returns whether the operator compares texts in any letter case. */
export function isFolded(operator: FilterOperator): boolean {
  return FILTER_OPERATORS[operator].compares === 'piece';
}

/** Returns whether the operator asks if there is a value, which only some properties may lack. */
export function asksForNull(operator: FilterOperator): boolean {
  return FILTER_OPERATORS[operator].compares === 'presence';
}
