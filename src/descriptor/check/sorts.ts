import { formatNamed } from '../../capability/formats/index.js';
import { typeOf } from '../kinds.js';
import { member } from '../located.js';
import { isSortOperator } from '../operators.js';
import type { OperandView } from '../part-view.js';
import type { SortView } from '../view.js';
import { isManyOf, operatorsFor } from './filters.js';
import { whyNotIndexed } from './indexable.js';
import { judgeItemConditions } from './inner-conditions.js';
import { whyNoPropertyName } from './reserved.js';
import { eachType, oneOf, type Report, reportDoubles } from './rule.js';
import { reportUnknown } from './types.js';

/** Refuses sorts by unknown properties, by lists and objects, and two of one name. */
export const sorts = eachType((type, report) => {
  reportDoubles(
    type.sorts.map(({ name, nameAt }) => ({ name, at: nameAt })),
    report,
  );
  for (const sort of type.sorts) {
    const { property } = sort;
    if (property === undefined)
      reportUnknown(type, { name: sort.propertyName, at: sort.at }, report);
    else judgeOrder(sort, property, report);
    judgeCondition(sort, property, report);
    judgeName(sort, report);
  }
});

/** Reports values without an order, and an index that can't hold them. */
function judgeOrder(sort: SortView, property: OperandView, report: Report): void {
  const { propertyName, at, indexed, operator, node } = sort;
  const where = node.members?.get('where');
  if (where !== undefined && !isManyOf(property))
    report(
      'misplaced-key',
      where.nameAt,
      `"where" is about items; the sort reads none: say property: ${propertyName}/*/...`,
    );
  judgeItemConditions(property, where?.node, report);
  if (operator !== undefined) {
    if (indexed)
      report('unindexable', at, `no index holds whether a condition is met: leave out "indexed".`);
    return;
  }
  if (property.kind === 'json')
    report(
      'unsortable',
      at,
      `"${propertyName}" is a list or an object, which has no order: sort by strings, ` +
        'numbers, booleans and dates.',
    );
  else if (indexed && whyNotIndexed(property) !== undefined)
    report('unindexable', at, `${whyNotIndexed(property)}.`);
}

/** Reports `is` and `argument` of which one is missing or that compare no texts. */
function judgeCondition(
  { operator, argument, at }: SortView,
  property: OperandView | undefined,
  report: Report,
): void {
  if (operator === undefined && argument === undefined) return;
  if (operator === undefined || argument === undefined) {
    const [given, missing] = operator === undefined ? ['argument', 'is'] : ['is', 'argument'];
    report(
      'missing-key',
      at,
      `a sort by a condition has is and argument: beside "${given}" say ${missing}.`,
    );
    return;
  }
  const why = whyNoPropertyName(argument.name);
  if (why !== undefined || COMPARATOR.includes(argument.name))
    report(
      'bad-condition-name',
      argument.at,
      `no member of a Comparator can be named "${argument.name}": ` +
        `${why ?? 'every Comparator has it already (RFC 8620 5.5)'}.`,
    );
  if (property?.kind === undefined || !isSortOperator(operator.name)) return;
  const { part, name, kind } = property;
  const legal = comparesTexts(property) ? operatorsFor(property, kind).filter(isSortOperator) : [];
  if (part !== undefined || property.role !== undefined || !legal.includes(operator.name))
    report(
      'illegal-operator',
      operator.at,
      legal.length === 0 || part !== undefined || property.role !== undefined
        ? `no sort is by a condition on "${name}".`
        : `a sort by "${operator.name}" can't read "${name}": legal is ${oneOf(legal)}.`,
    );
}

/** Returns whether conditions compare the property with texts that have no order of their own. */
function comparesTexts({ kind, format, node }: OperandView): boolean {
  const order = formatNamed(format)?.order ?? 'none';
  if (kind !== 'json') return kind === 'string' && order === 'none';
  const items = member(node, 'items');
  return items === undefined || typeOf(items).type === 'string';
}

const COMPARATOR: readonly string[] = ['property', 'isAscending', 'collation'];

function judgeName({ name, nameAt, propertyName }: SortView, report: Report): void {
  const why = name === propertyName ? undefined : whyNoPropertyName(name);
  if (why !== undefined)
    report('bad-condition-name', nameAt, `no sort can be named "${name}": ${why}.`);
}
