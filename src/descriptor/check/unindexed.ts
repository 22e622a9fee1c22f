import { BOUNDS } from '../bounds.js';
import { asksForNull, isFolded, isOperator, isSearched } from '../operators.js';
import type { PropertyView } from '../property-view.js';
import type { FilterView, SortView, TypeView } from '../view.js';
import { isManyOf } from './filters.js';
import { longest } from './indexable.js';
import { eachType, type Report } from './rule.js';

/**
 * Warns of filters and sorts that read a long text of every object in an account. Short values are
 * read fast enough without an index. `indexed: true` or `indexed: false` answers the warning.
 */
export const unindexed = eachType((type, report) => {
  for (const filter of type.filters) judgeFilter(type, filter, report);
  for (const sort of type.sorts) judgeSort(sort, report);
});

/** Warns of a filter that would read long texts of all objects, unless it says `indexed`. */
function judgeFilter(type: TypeView, filter: FilterView, report: Report): void {
  const { name, property, operator, saysIndexed, nameAt } = filter;
  if (property === undefined || !isOperator(operator) || saysIndexed) return;
  const length = readLength(filter, property);
  if (asksForNull(operator) || length <= BOUNDS.scannedLength || hasIndex(type, filter)) return;
  const is = `{ ${written(filter, property)}, indexed:`;
  const isIndexable = isSearched(operator) ? !filter.all : !isManyOf(property);
  const keep = `${is} true }${isFolded(operator) ? '' : SHORTER} to keep an index, or `;
  report(
    'unindexed-filter',
    nameAt,
    `the filter "${name}" reads up to ${length} characters of every object in an account. ` +
      `Write ${isIndexable ? keep : ''}${is} false } where an account has few objects; ` +
      `or ${BOUNDED}.`,
    { severity: 'warning' },
  );
}

/** Warns of a sort that would compare long texts of all objects, unless it says `indexed`. */
function judgeSort({ property, propertyName, at, saysIndexed }: SortView, report: Report): void {
  if (property === undefined || property.kind === 'json' || saysIndexed) return;
  const length = longest(property);
  if (length <= BOUNDS.scannedLength) return;
  const is = `{ property: ${propertyName}, indexed:`;
  report(
    'unindexed-sort',
    at,
    `a sort by "${propertyName}" compares up to ${length} characters of every object in an ` +
      `account. Write ${is} true }${SHORTER} to keep them in order, or ${is} false } where an ` +
      `account has few objects; or ${BOUNDED}.`,
    { severity: 'warning' },
  );
}

const SHORTER = `, with maxLength: ${BOUNDS.indexedLength} or less at the property,`;
const BOUNDED = `give the property maxLength: ${BOUNDS.scannedLength} or less`;

/**
 * Counts the code points that the filter may read of an object: `text` reads several properties.
 */
function readLength({ texts }: FilterView, property: PropertyView): number {
  if (texts.length === 0) return longest(property);
  return texts.reduce(
    (sum, each) => sum + (each.property === undefined ? 0 : longest(each.property)),
    0,
  );
}

/** Returns the condition as it would stand there, without `indexed`. */
function written({ name, operator, texts }: FilterView, property: PropertyView): string {
  const is = `is: ${operator}`;
  if (texts.length > 0) return `${is}, properties: [${texts.map((each) => each.name).join(', ')}]`;
  return name === property.name ? is : `property: ${property.name}, ${is}`;
}

/**
 * Returns whether another filter declares an ordered index of the very values that this one
 * compares.
 */
function hasIndex(type: TypeView, { operator, propertyName }: FilterView): boolean {
  if (!isOperator(operator) || isSearched(operator)) return false;
  return type.filters.some(
    (other) =>
      other.indexed &&
      other.propertyName === propertyName &&
      isOperator(other.operator) &&
      !isSearched(other.operator) &&
      isFolded(other.operator) === isFolded(operator),
  );
}
