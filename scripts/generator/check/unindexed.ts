import { isOperator, OPERATORS } from '../descriptor/operators.js';
import type { PropertyView } from '../descriptor/property-view.js';
import type { FilterView, TypeView } from '../descriptor/view.js';
import { member } from '../load/located.js';
import { whyNotIndexed } from './indexable.js';
import type { Report, Rule } from './rule.js';

/**
 * Warnings: what /query answers by reading every object of the account. What no index would make
 * faster gives none.
 */
export const unindexed: Rule = (views, report) => {
  for (const type of views.flatMap((view) => view.types)) {
    for (const filter of type.filters) judgeFilter(type, filter, report);
    for (const { property, propertyName, at, indexed } of type.sorts) {
      if (property === undefined || property.kind === 'json' || indexed) continue;
      if (property.role === 'id' || property.role === 'created') continue;
      if (!isCollated(property) && isFirst(type, property)) continue;
      report(
        'unindexed-sort',
        at,
        `a sort by "${propertyName}" orders all objects of an account anew: { property: ` +
          `${propertyName}, indexed: true } keeps them in order.`,
        { severity: 'warning' },
      );
    }
  }
};

function judgeFilter(type: TypeView, filter: FilterView, report: Report): void {
  const { name, property, operator, indexed, nameAt } = filter;
  if (property === undefined || !isOperator(operator) || indexed) return;
  const { folded } = OPERATORS[operator];
  if (property.role === 'id' || (!folded && isFewValued(property, operator))) return;
  if (!folded && isFirst(type, property)) return;
  report(
    'unindexed-filter',
    nameAt,
    `the filter "${name}" reads all objects of an account: { ${written(filter, property)}, ` +
      'indexed: true } keeps an index' +
      `${folded || whyNotIndexed(property) === undefined ? '' : ', once maxLength is 500 or less'}.`,
    { severity: 'warning' },
  );
}

/** The condition as it would stand there, without `indexed`: `text` may read several properties. */
function written({ name, operator, texts }: FilterView, property: PropertyView): string {
  const is = `is: ${operator}`;
  if (texts.length > 0) return `${is}, properties: [${texts.map((each) => each.name).join(', ')}]`;
  return name === property.name ? is : `property: ${property.name}, ${is}`;
}

/** An index is of little help where many objects share a value, and of none to JSON. */
function isFewValued({ kind, node }: PropertyView, operator: string): boolean {
  if (kind === 'json') return true;
  const few = kind === 'boolean' || member(node, 'enum') !== undefined;
  return few && ['equals', 'in', 'isNull'].includes(operator);
}

/** Text is in the order of its collation keys, which an index over the text itself is not. */
function isCollated({ kind, format, reference }: PropertyView): boolean {
  return kind === 'string' && format === undefined && reference === undefined;
}

/** An index, or what keeps values unique, begins with the property. */
function isFirst(type: TypeView, property: PropertyView): boolean {
  const sorted = type.sorts.some(
    (sort) => sort.indexed && sort.propertyName === property.name && !isCollated(property),
  );
  return (
    sorted ||
    [...type.uniques, ...type.indexes].some(({ names }) => names[0]?.name === property.name)
  );
}
