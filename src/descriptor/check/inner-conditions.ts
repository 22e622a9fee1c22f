import { unescapeToken } from '../../protocol/json-pointer.js';
import { branchesOf } from '../branches.js';
import { type ConditionView, viewConditions } from '../condition-view.js';
import { type Located, member, members } from '../located.js';
import { type OperandView, partName } from '../part-view.js';
import { type PropertyView, viewProperty } from '../property-view.js';
import type { TypeView } from '../view.js';
import { didYouMean } from './did-you-mean.js';
import { listed, type Report } from './rule.js';
import { judgeValues } from './rule-values.js';
import { findProperty } from './types.js';

/** Judges conditions on properties and on members within them, with their values. */
export function judgeInnerConditions(
  type: TypeView,
  where: readonly ConditionView[],
  report: Report,
  code: 'bad-aggregate' | 'bad-access' = 'bad-aggregate',
): void {
  for (const condition of where) {
    const { property: named, path, values } = condition;
    const property = findProperty(type, named, report);
    if (property?.kind === undefined) continue;
    if (property.access === 'secret')
      report(code, named.at, `"${named.name}" is secret: nothing can depend on it.`);
    else if (property.role === 'updated')
      report(code, named.at, '"updated" is a clock: it changes with every write.');
    else if (path.length === 0) judgeValues(property, values, report);
    else judgeMember(property, condition, report, code);
  }
}

/** Judges `where` of a condition or a sort: members of the innermost items, with their values. */
export function judgeItemConditions(
  { part }: OperandView,
  where: Located | undefined,
  report: Report,
): void {
  if (part?.item === undefined) return;
  const { root, place, item } = part;
  const last = place.findLastIndex((step) => 'each' in step);
  const name = partName(root.name, place.slice(0, last + 1), undefined);
  for (const condition of viewConditions(where)) {
    const path = condition.property.name.split('/').map(unescapeToken);
    const property = { name, at: condition.property.at };
    judgeMember({ node: item }, { ...condition, property, path }, report, 'unknown-property');
  }
}

/** Follows the path through the schema, then judges the values of its end. */
function judgeMember(
  { node }: Pick<PropertyView, 'node'>,
  { property: named, path, values }: ConditionView,
  report: Report,
  code: 'bad-aggregate' | 'bad-access' | 'unknown-property',
): void {
  let schema: Located = node;
  for (const [at, name] of path.entries()) {
    const set = member(schema, 'setOf');
    if (set !== undefined && at === path.length - 1) {
      judgeKey(name, values, report);
      return;
    }
    const shapes: readonly Located[] = shapesOf(schema);
    const known: readonly string[] = shapes.flatMap(namesIn);
    const having: readonly Located[] = shapes.filter((one) => namesIn(one).includes(name));
    // Branches of a union may have other values each.
    if (having.length > 1) return;
    schema = having[0] ?? schema;
    const further: Located | undefined = member(schema, 'additionalProperties');
    // Any JSON: nothing is known of its members.
    if (!known.includes(name) && further?.value === true) return;
    const next: Located | undefined = member(member(schema, 'properties'), name) ?? further;
    if (next === undefined || next.value === false || set !== undefined) {
      const above = [named.name, ...path.slice(0, at)].join('/');
      const legal = known.length === 0 ? '' : `${didYouMean(name, known)} It has ${listed(known)}.`;
      report(code, named.at, `"${above}" has no member "${name}".${legal}`);
      return;
    }
    schema = next;
  }
  const name = [named.name, ...path].join('/');
  // An absent member counts as null.
  const end = { ...viewProperty({ name, nameAt: named.at, node: schema }), optional: true };
  judgeValues(end, values, report);
}

/** Returns the branches of a union, or else the schema itself. */
function shapesOf(schema: Located): readonly Located[] {
  const branches = branchesOf(schema).map((branch) => branch.schema);
  return branches.length === 0 ? [schema] : branches;
}

/** Returns the names of the members that a schema declares. */
function namesIn(schema: Located): readonly string[] {
  return members(member(schema, 'properties')).map(({ name }) => name);
}

/** A set has a key, with true, or has not. */
function judgeKey(name: string, values: readonly Located[], report: Report): void {
  for (const { value, at } of values) {
    if (value === true || value === null) continue;
    const given = JSON.stringify(value);
    report(
      'bad-rule-value',
      at,
      `${given} is no value of a set: it has "${name}" (true) or not (null).`,
    );
  }
}
