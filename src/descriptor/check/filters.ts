import type { FilterOperator, PropertyKind } from '../../capability/definition.js';
import { formatNamed } from '../../capability/formats/index.js';
import { singleReference } from '../../capability/named-references.js';
import { isManifold } from '../../capability/parts.js';
import { kindOf, typeOf } from '../kinds.js';
import { member } from '../located.js';
import { isOpen } from '../model/property-schema.js';
import {
  asksForNull,
  isFolded,
  isOperator,
  isSearched,
  type OperandShape,
  operatorsOf,
} from '../operators.js';
import type { OperandView } from '../part-view.js';
import type { PropertyView } from '../property-view.js';
import type { FilterView } from '../view.js';
import { whyNotIndexed } from './indexable.js';
import { judgeItemConditions } from './inner-conditions.js';
import { eachType, oneOf, type Report, reportDoubles } from './rule.js';
import { findProperty, reportUnknown } from './types.js';

/**
 * Refuses conditions on unknown properties, and operators that the property's kind doesn't have.
 */
export const filters = eachType((type, report) => {
  for (const filter of type.filters) {
    const isEmpty = filter.node.members?.get('properties')?.node.items?.length === 0;
    if (filter.property === undefined && !isEmpty)
      reportUnknown(
        type,
        { name: filter.propertyName, at: filter.propertyAt },
        report,
        ' A condition with a name of its own says { property: ..., is: ... }.',
      );
    else if (filter.property !== undefined) judgeOperator(filter, filter.property, report);
    for (const each of filter.texts.slice(1))
      if (each.property === undefined) findProperty(type, each, report);
    judgeKeys(filter, report);
  }
});

/** Reports an operator that the kind of the filter's property doesn't have, with the legal ones. */
function judgeOperator(
  { operator, operatorAt }: FilterView,
  property: OperandView,
  report: Report,
): void {
  const { name, kind } = property;
  if (kind === undefined || !isOperator(operator)) return;
  const legal = operatorsFor(property, kind);
  if (legal.includes(operator)) return;
  const what = describeKind(property);
  report(
    'illegal-operator',
    operatorAt,
    legal.length === 0
      ? `"${name}" is a list or an object, which has no column: name a part of it.`
      : `"${operator}" can't be used with "${name}", which is ${what}: legal ` +
          `${legal.length === 1 ? 'is' : 'are'} ${oneOf(legal)}.`,
  );
}

/** Returns the operators that a property or a part of one has. */
export function operatorsFor(property: OperandView, kind: PropertyKind): readonly FilterOperator[] {
  // Its values are no column of their own that could be a list or an object.
  if (property.part !== undefined && kind === 'json') return [];
  return operatorsOf(kind, shapeOf(property)).filter(
    (each) => !asksForNull(each) || property.nullable || property.optional,
  );
}

/** Returns the shape that decides which operators mean something; undefined where the kind does. */
function shapeOf({ node, blob, role, format, kind }: PropertyView): OperandShape | undefined {
  if (blob || role === 'id') return 'identity';
  if (kind === 'string') {
    const known = formatNamed(format);
    if (known === undefined || known.isSearched === true) return undefined;
    return known.order === 'none' ? 'identity' : 'order';
  }
  if (kind !== 'json') return undefined;
  const { type } = typeOf(node);
  if (type === 'object') {
    if (member(node, 'setOf') !== undefined) return 'map';
    if (!isOpen(node)) return undefined;
    const values = member(node, 'additionalProperties');
    return values !== undefined && typeOf(values).type === 'string' ? 'texts' : 'map';
  }
  const items = member(node, 'items');
  const scalar = items !== undefined && kindOf(typeOf(items).type, undefined) !== 'json';
  return scalar ? 'list' : undefined;
}

/** Returns the words of a message for the kind of a property, such as "a nullable string". */
function describeKind(property: PropertyView): string {
  const { blob, role, kind, format, nullable } = property;
  if (blob || role === 'id' || singleReference(property) !== undefined) return 'an id';
  return `${nullable ? 'a nullable ' : 'of kind '}${kind === 'string' ? (format ?? kind) : kind}`;
}

/**
 * Reports `properties` beside another operator than `text`, empty, with doubles or with what is no
 * text, and `indexed` where no ordered index can hold the values.
 */
function judgeKeys(filter: FilterView, report: Report): void {
  const { name, node, operator, property, texts } = filter;
  const list = node.members?.get('properties');
  const single = node.members?.get('property');
  if (list !== undefined && operator !== undefined && operator !== 'text')
    report(
      'misplaced-key',
      list.nameAt,
      `"properties" goes with the operator text; "${name}" is ${operator}: say property.`,
    );
  else if (list !== undefined && single !== undefined)
    report(
      'misplaced-key',
      single.nameAt,
      '"properties" names the properties already; remove "property".',
    );
  if (list?.node.items?.length === 0)
    report('empty', list.node.at, `"properties" of "${name}" must not be empty.`);
  reportDoubles(texts, report);
  for (const each of texts.slice(1)) {
    if (each.property !== undefined)
      judgeOperator(
        { ...filter, property: each.property, operatorAt: each.at },
        each.property,
        report,
      );
  }
  judgePart(filter, report);
  const indexed = node.members?.get('indexed');
  if (!filter.indexed || indexed === undefined || property === undefined || !isOperator(operator))
    return;
  const isMany = isManyOf(property);
  if (isMany && (!isSearched(operator) || filter.all))
    report(
      'unindexable',
      indexed.node.at,
      `"${property.name}" may have several values, which only contains and text find by an index.`,
    );
  if (isMany || isFolded(operator)) return;
  const why = whyNotIndexed(property);
  if (why !== undefined) report('unindexable', indexed.node.at, `${why}.`);
}

/** Reports `where` and `items` of a condition that reads no items. */
function judgePart(
  { name, node, property, propertyName, texts, operator }: FilterView,
  report: Report,
): void {
  if (property === undefined) return;
  const read = texts.length === 0 ? [property] : texts.map((each) => each.property);
  const isMany = read.some(isManyOf);
  for (const key of ['where', 'items']) {
    const given = node.members?.get(key);
    if (given !== undefined && !isMany)
      report(
        'misplaced-key',
        given.nameAt,
        `"${key}" is about items; "${name}" reads none: say property: ${propertyName}/*/...`,
      );
  }
  for (const each of read)
    if (each !== undefined) judgeItemConditions(each, node.members?.get('where')?.node, report);
  const items = node.members?.get('items');
  if (operator === 'text' && items !== undefined)
    report('misplaced-key', items.nameAt, '"items" is not for text: any item may have a word.');
}

/** Returns whether it is a part that may have several values. */
export function isManyOf(property: OperandView | undefined): boolean {
  return property?.part !== undefined && isManifold(property.part.place);
}
