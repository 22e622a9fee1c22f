import type { JsonObject } from '../../protocol/json.js';
import {
  changeMember,
  type Located,
  mapItems,
  mapMembers,
  member,
  members,
  rebuilt,
  text,
} from '../located.js';
import { type PropertyView, viewComputed } from '../property-view.js';
import { type CapabilityView, type TypeView, viewCapability } from '../view.js';
import { type IsInternal, readsInternal } from './aggregate-words.js';

export type { IsInternal } from './aggregate-words.js';

/** Returns a function that tells whether a property of a type, by their names, is internal. */
export function findInternal(views: readonly CapabilityView[]): IsInternal {
  const names = views
    .flatMap(({ types }) => types)
    .map(
      ({ name, properties }) => [name, new Set(properties.filter(isHidden).map(nameOf))] as const,
    );
  const types = new Map(names);
  return (type, property) => types.get(type)?.has(property) ?? false;
}

/**
 * Returns the descriptor as clients may read it, in the same language. It leaves out internal
 * properties with all that names them, the access rules, who creates shared objects, how secrets
 * are kept, and what is for the next migration alone. Clients know what the rights of `share` are
 * for. But for the parts left out, tools build the same from it as from the descriptor.
 */
export function wireDescriptor(view: CapabilityView, isInternal: IsInternal): JsonObject {
  const types = new Map(view.types.map((type) => [type.name, type]));
  const root = changeMember(omit(view.root, ['drops', 'plans']), 'types', (node) =>
    mapMembers(node, ({ name, node: type }) => {
      const seen = types.get(name);
      return seen === undefined ? type : showType(type, seen, isInternal);
    }),
  );
  // The types have no part any more that an internal property alone was made of.
  const start = view.urnAt;
  const { unused } = viewCapability({ file: view.file, base: view.base, start, root });
  const names = unused.names.map(({ name }) => name);
  const shown = changeMember(root, '$defs', (node) => omit(node, names));
  const isEmpty = member(shown, '$defs')?.members?.size === 0;
  return (isEmpty ? omit(shown, ['$defs']) : shown).value as JsonObject;
}

/** Returns a type without its internal properties, and without lists and items that name one. */
function showType(node: Located, type: TypeView, isInternal: IsInternal): Located {
  const hidden = new Set(type.properties.filter(isHidden).map(nameOf));
  // A property, or a list of some, alone or beside other keys.
  const isShown = (item: Located): boolean => {
    const list = member(item, 'properties') ?? item;
    return !(list.items ?? [list]).some((each) => hidden.has(text(each) ?? ''));
  };
  let wire = omit(node, ['drops', 'renamedFrom', 'access']);
  wire = changeMember(wire, 'share', (share) => omit(share, ['create']));
  for (const key of ['required', 'unique', 'indexes'])
    wire = changeMember(wire, key, (list) => filterItems(list, isShown));
  for (const key of ['immutableWhen', 'requiredWhen']) wire = withoutRules(wire, key, hidden);
  wire = withoutHiddenReads(wire, type);
  wire = changeMember(wire, 'answered', (all) =>
    mapMembers(all, ({ node: each }) =>
      changeMember(each, 'from', (list) => filterItems(list, isShown)),
    ),
  );
  return changeMember(wire, 'properties', (properties) =>
    mapMembers(omit(properties, [...hidden]), (property) =>
      wireProperty(property.node, type.name, isInternal),
    ),
  );
}

/** Returns a type without the conditions and sorts that read an internal property. */
function withoutHiddenReads(node: Located, { filters, sorts }: TypeView): Located {
  const readsHidden = (read: readonly (PropertyView | undefined)[]): boolean =>
    read.some((property) => property !== undefined && isHidden(property));
  const conditions = filters
    .filter(({ property, texts }) => readsHidden([property, ...texts.map((one) => one.property)]))
    .map(({ name }) => name);
  const orders = new Set(
    sorts.filter(({ property }) => readsHidden([property])).map((sort) => sort.node),
  );
  const without = changeMember(node, 'filter', (filter) => omit(filter, conditions));
  return changeMember(without, 'sort', (sort) => filterItems(sort, (item) => !orders.has(item)));
}

/** Returns a type without the rules whose conditions name an internal property. */
function withoutRules(type: Located, key: string, hidden: ReadonlySet<string>): Located {
  const isShown = (rule: Located): boolean => {
    const when = member(rule, 'when');
    return members(when?.members === undefined ? rule : when).every(
      ({ name }) => !hidden.has(name),
    );
  };
  const rules = member(type, key);
  if (rules === undefined) return type;
  const isLeft = (rules.items ?? [rules]).some(isShown);
  return isLeft ? changeMember(type, key, (list) => filterItems(list, isShown)) : omit(type, [key]);
}

/**
 * Returns a property without how its secret is kept, its old name, and internal sources. Without
 * any other source it says nothing of `computed`.
 */
function wireProperty(node: Located, type: string, isInternal: IsInternal): Located {
  const wire = omit(node, ['stored', 'renamedFrom']);
  const computed = member(wire, 'computed');
  if (computed === undefined) return wire;
  const from = filterItems(member(computed, 'from'), (item) => !isInternal(type, text(item) ?? ''));
  const on = filterItems(member(computed, 'on'), (item) => {
    const [target = '', ...rest] = (text(item) ?? '').split('.');
    return !isInternal(target, rest.join('.'));
  });
  const { aggregate } = viewComputed(computed);
  const isHidden = aggregate !== undefined && readsInternal(aggregate, isInternal);
  if (isHidden || from?.items?.length === 0 || on?.items?.length === 0)
    return omit(wire, ['computed']);
  return changeMember(wire, 'computed', (all) =>
    changeMember(
      changeMember(all, 'from', (node) => from ?? node),
      'on',
      (node) => on ?? node,
    ),
  );
}

/** Returns whether a property is never on the wire. A secret is: clients write it. */
function isHidden({ access }: PropertyView): boolean {
  return access === 'internal';
}

/** Returns the name of a property. */
function nameOf({ name }: PropertyView): string {
  return name;
}

/** Returns an object without some of its members. */
function omit(node: Located, names: readonly string[]): Located {
  return rebuilt(
    node,
    [...members(node)].filter(({ name }) => !names.includes(name)),
  );
}

/** Returns a list with the items that `keep` accepts; another node as it is. */
function filterItems(node: Located, keep: (item: Located) => boolean): Located;
function filterItems(
  node: Located | undefined,
  keep: (item: Located) => boolean,
): Located | undefined;
function filterItems(
  node: Located | undefined,
  keep: (item: Located) => boolean,
): Located | undefined {
  return node && mapItems(node, (item) => (keep(item) ? item : undefined));
}
