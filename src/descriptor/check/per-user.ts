import { IS_SUBSCRIBED } from '../../capability/principal-names.js';
import { member } from '../located.js';
import type { Location } from '../model.js';
import { namesRead, type PropertyView } from '../property-view.js';
import type { TypeView } from '../view.js';
import type { Report, Rule } from './rule.js';
import { typesOf } from './types.js';

/** Refuses `perUser` where a value can't be each user's own, and uses of such a value for all. */
export const perUser: Rule = (views, report) => {
  const types = typesOf(views);
  for (const type of views.flatMap((view) => view.types)) {
    const own = new Set(type.share === undefined ? [] : [IS_SUBSCRIBED]);
    for (const property of type.properties) {
      if (!property.perUser) continue;
      own.add(property.name);
      judgeDeclaration(type, property, report);
    }
    if (own.size > 0) judgeUses(type, own, report);
    judgeSources(type, types, report);
  }
};

function judgeDeclaration(type: TypeView, property: PropertyView, report: Report): void {
  const why = whyNotOwn(type, property);
  if (why === undefined) return;
  const at = property.node.members?.get('perUser')?.nameAt ?? property.nameAt;
  report('bad-per-user', at, `"${property.name}" ${why}.`);
}

/** Returns why users can't have values of their own; undefined where they can. */
function whyNotOwn(type: TypeView, property: PropertyView): string | undefined {
  const { name, node, access, computed, optional, defaultNow, references, blobs } = property;
  if (computed !== undefined)
    return 'is computed, so no user gives it a value: drop one of the two';
  if (access !== 'mutable')
    return `is ${access}: each user gives and changes its own value, so it is mutable`;
  if (type.required.some((one) => one.name === name))
    return 'is required, but a create gives the value of one user alone: give it a default';
  if (optional) return 'is optional: users who have given no value read a default, so give it one';
  if (defaultNow)
    return 'has the present time as its default, which is no value: write another one';
  if (references.length > 0 || blobs.length > 0)
    return 'holds ids of objects or blobs, which belong to all who see the object';
  if (property.principal) return 'names users for access rules, which are the same for all';
  if (member(node, 'readable') !== undefined)
    return 'is read by each user who sees the object, so it has no "readable"';
  return undefined;
}

/** A place that reads a property, and what it is. */
interface Use {
  readonly name: string | undefined;
  readonly at: Location;
  readonly what: string;
}

const SHARED = 'Declare another property for what is the same for all';

function judgeUses(type: TypeView, own: ReadonlySet<string>, report: Report): void {
  for (const { name, at, what } of usesIn(type)) {
    if (name === undefined || !own.has(name)) continue;
    const why = `each user has a value of its own, and ${what}`;
    report('bad-per-user', at, `"${name}" can't stand here: ${why}. ${SHARED}.`);
  }
}

/** Returns the uses of properties for which all users have the same value. */
function usesIn(type: TypeView): readonly Use[] {
  return [
    ...usesOfQueries(type),
    ...usesOfRules(type),
    ...[...type.uniques, ...type.indexes].flatMap(({ names }) =>
      names.map(({ name, at }) => ({ name, at, what: 'an index reads columns of the object' })),
    ),
    ...type.answered.flatMap(({ sources }) =>
      sources.map(({ name, at }) => ({ name, at, what: 'hooks see none of them' })),
    ),
    ...type.properties.flatMap(({ computed }) =>
      (computed?.from ?? []).map(({ name, at }) => ({ name, at, what: 'hooks see none of them' })),
    ),
  ];
}

function usesOfQueries({ filters, sorts, shapes }: TypeView): readonly Use[] {
  const what = 'queries compare what is the same for all: clients filter and sort by it themselves';
  const read = [
    ...filters.flatMap(({ property, propertyAt, texts }) => [
      { property, at: propertyAt },
      ...texts,
    ]),
    ...sorts,
  ];
  const { collapse, tree } = shapes ?? {};
  return [
    ...read.map(({ property, at }) => ({
      name: (property?.part?.root ?? property)?.name,
      ...{ at, what },
    })),
    ...[collapse?.by, tree?.by].flatMap((by) => (by === undefined ? [] : [{ ...by, what }])),
  ];
}

function usesOfRules({ rules, access, share }: TypeView): readonly Use[] {
  const { transitions, immutable, required } = rules;
  const conditions = [...immutable, ...required].flatMap(({ when }) => when);
  const ruled = [
    ...transitions.map(({ property }) => property),
    ...conditions.map(({ property }) => property),
    ...immutable.flatMap(({ properties = [], except }) => [...properties, ...except]),
    ...required.flatMap(({ properties }) => properties),
    ...access.flatMap(({ where }) => where.map(({ property }) => property)),
  ];
  const granted = [
    ...access.flatMap(({ allowed }) => allowed.flatMap(({ properties = [] }) => properties)),
    ...(share?.update ?? []).flatMap(({ property }) => property ?? []),
  ];
  return [
    ...ruled.map((one) => ({ ...one, what: 'a rule is about what is the same for all' })),
    ...granted.map((one) => ({ ...one, what: 'all who see the object may set theirs' })),
  ];
}

/** Reports values of other types that are made of what each user has. */
function judgeSources(type: TypeView, types: ReadonlyMap<string, TypeView>, report: Report): void {
  const isOwn = (typeName: string, name: string): boolean => {
    const named = types.get(typeName)?.properties ?? [];
    return named.some((one) => one.name === name && one.perUser);
  };
  for (const { computed } of type.properties) {
    const { aggregate, on = [] } = computed ?? {};
    const read = aggregate === undefined ? [] : namesRead(aggregate);
    for (const name of read) {
      if (aggregate === undefined || !isOwn(aggregate.type.name, name)) continue;
      const why = `each user has a value of its own, and all read the ${aggregate.kind}`;
      report('bad-per-user', aggregate.type.at, `"${name}" can't be a source: ${why}. ${SHARED}.`);
    }
    for (const source of on) {
      if (!isOwn(source.type, source.property)) continue;
      const why = 'each user has a value of its own, and hooks see none of them';
      report('bad-per-user', source.at, `"${source.name}" can't be a source: ${why}. ${SHARED}.`);
    }
  }
}
