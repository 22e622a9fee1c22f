import { type AccessView, viewAccess } from './access-view.js';
import { type AnsweredView, viewAnswered } from './answered-view.js';
import type { ReadableDescriptor } from './descriptor-file.js';
import { Definitions } from './expand.js';
import { flag, items, type Located, type Member, member, members, text } from './located.js';
import type { Location } from './model.js';
import { type NameView, nameOf, namesIn } from './name-view.js';
import { findOperand, type OperandView } from './part-view.js';
import { type PropertyView, standardProperties, viewProperty } from './property-view.js';
import { type PlanView, type QuotaView, viewPlans, viewQuotas } from './quota-view.js';
import { type RulesView, viewRules } from './rule-view.js';
import { type ShapesView, viewShapes } from './shape-view.js';
import { type ShareView, viewShare } from './share-view.js';

/**
 * A descriptor as rules see it: names and places, tolerant of everything that is wrong, so that
 * every rule has its say in one run. A part that is missing or of the wrong shape is undefined or
 * left out; the structure rule tells about it.
 */
export interface CapabilityView {
  readonly file: string;
  readonly base: string;
  /** The package brings the descriptor: a team can't change it. */
  readonly isEngines: boolean;
  readonly root: Located;
  readonly urn: string | undefined;
  readonly urnAt: Location;
  readonly types: readonly TypeView[];
  readonly methods: readonly MethodView[];
  readonly quotas: readonly QuotaView[];
  readonly plans: readonly PlanView[];
  /** The `$defs` that nothing uses: all of them, and the schemas of those that no other uses. */
  readonly unused: { readonly names: readonly Member[]; readonly schemas: readonly Member[] };
  /** Schemas that are left out since they grow too large. */
  readonly oversized: readonly Location[];
}

/** A type as declared, with the places that messages name. */
export interface TypeView {
  readonly name: string;
  readonly nameAt: Location;
  readonly node: Located;
  /** `id`, `created` and `updated`, less those that the type has of its own or goes without. */
  readonly standard: readonly PropertyView[];
  /** As declared, without the standard ones. */
  readonly properties: readonly PropertyView[];
  readonly required: readonly NameView[];
  readonly singleton: boolean;
  /** Objects keep properties that the type doesn't declare. */
  readonly keepsUnknown: boolean;
  /** As declared, the same name twice too; undefined where the type has all that it can have. */
  readonly standardMethods: readonly MethodView[] | undefined;
  /** Lists of properties: those with `unique: true` first. */
  readonly uniques: readonly ListView[];
  readonly indexes: readonly ListView[];
  readonly filters: readonly FilterView[];
  readonly sorts: readonly SortView[];
  readonly rules: RulesView;
  /** The rules that say who may do what; none where all users of the account may do all. */
  readonly access: readonly AccessView[];
  /** Undefined where users can't share its objects. */
  readonly share: ShareView | undefined;
  /** The shapes of results; undefined where it declares none. */
  readonly shapes: ShapesView | undefined;
  /** Properties that are computed when they are read, in the order of the text. */
  readonly answered: readonly AnsweredView[];
  /** Errors of the type's own, in the order of the text. */
  readonly errors: readonly ErrorView[];
}

/** A SetError that a type declares, by a name or with its members. */
export interface ErrorView extends Member {
  readonly members: readonly Member[];
}

/** A filter as declared, in its short form or its long one. */
export interface FilterView {
  readonly name: string;
  readonly nameAt: Location;
  readonly node: Located;
  readonly propertyName: string;
  readonly propertyAt: Location;
  readonly property: OperandView | undefined;
  readonly operator: string | undefined;
  readonly operatorAt: Location;
  /** `items: all`: every value of a part must meet the condition. */
  readonly all: boolean;
  readonly internal: Member | undefined;
  readonly indexed: boolean;
  /** The descriptor says whether it is indexed: `indexed: false` answers the warning. */
  readonly saysIndexed: boolean;
  /** The properties that `text` reads, as it lists them. */
  readonly texts: readonly (NameView & { readonly property: OperandView | undefined })[];
}

/** A sort as declared, in its short form or its long one. */
export interface SortView {
  /** The Comparator's `property`: the property's name where it has no name of its own. */
  readonly name: string;
  readonly nameAt: Location;
  readonly node: Located;
  readonly propertyName: string;
  readonly at: Location;
  readonly property: OperandView | undefined;
  /** The condition by which it sorts, where it doesn't by the values themselves. */
  readonly operator: NameView | undefined;
  readonly argument: NameView | undefined;
  readonly internal: Member | undefined;
  readonly indexed: boolean;
  /** As of a filter. */
  readonly saysIndexed: boolean;
}

/** A list of properties that are unique or indexed together. */
export interface ListView {
  readonly names: readonly NameView[];
  /** Of `unique`: null equals null. */
  readonly nullsEqual: boolean;
  readonly at: Location;
}

/** A method as declared: an own one, or a standard one of a type. */
export interface MethodView {
  readonly name: string;
  readonly nameAt: Location;
  readonly node: Located;
}

/**
 * Returns what a descriptor declares, with references to `$defs` resolved; nothing is judged yet.
 */
export function viewCapability(descriptor: ReadableDescriptor): CapabilityView {
  const { file, base, isEngines = false, root, start } = descriptor;
  const urn = member(root, 'capability');
  const definitions = new Definitions(root);
  const types = members(member(root, 'types')).map((type) => viewType(type, definitions));
  const methods = expandAll(members(member(root, 'methods')), definitions);
  // Behind all that may use one.
  const unused = definitions.unused();
  return {
    file,
    base,
    isEngines,
    root,
    urn: text(urn),
    urnAt: urn?.at ?? start,
    types,
    methods,
    quotas: viewQuotas(root),
    plans: viewPlans(root),
    unused,
    oversized: definitions.oversized,
  };
}

/** Returns members with their references to `$defs` resolved. */
function expandAll(found: readonly Member[], definitions: Definitions): readonly Member[] {
  return found.map((each) => ({ ...each, node: definitions.expand(each.node) }));
}

/**
 * Returns what a type declares. Filters and sorts find properties by name: a standard one before a
 * declared one of its name, and the first of two that are declared.
 */
function viewType({ name, nameAt, node }: Member, definitions: Definitions): TypeView {
  const declared = expandAll(members(member(node, 'properties')), definitions);
  const properties = declared.map(viewProperty);
  const names = new Set(properties.map((property) => property.name));
  const given = member(node, 'standardProperties');
  const standard = standardProperties(
    nameAt,
    (each) => names.has(each) || !flag(member(given, each), true),
  );
  const all = new Map<string, PropertyView>();
  for (const property of [...standard, ...properties]) {
    if (!all.has(property.name)) all.set(property.name, property);
  }
  return {
    name,
    nameAt,
    node,
    standard,
    properties,
    required: namesIn(member(node, 'required')),
    singleton: flag(member(node, 'singleton'), false),
    keepsUnknown: text(member(node, 'unknownProperties')) === 'keep',
    standardMethods: viewStandardMethods(member(node, 'standardMethods'), definitions),
    uniques: [...properties.flatMap(viewUnique), ...viewLists(member(node, 'unique'))],
    indexes: viewLists(member(node, 'indexes')),
    filters: members(member(node, 'filter')).map((filter) => viewFilter(filter, all)),
    sorts: items(member(node, 'sort')).flatMap((sort) => viewSort(sort, all)),
    rules: viewRules(node),
    access: viewAccess(node),
    share: viewShare(node),
    shapes: viewShapes(member(node, 'query')),
    answered: expandAll(members(member(node, 'answered')), definitions).map(viewAnswered),
    errors: viewErrors(member(node, 'errors'), definitions),
  };
}

/**
 * Returns the methods that a type lists, or that it has as members; undefined if it has no list.
 */
function viewStandardMethods(
  node: Located | undefined,
  definitions: Definitions,
): readonly MethodView[] | undefined {
  if (node?.members !== undefined) return expandAll(members(node), definitions);
  return node?.items && listedMembers(node);
}

/** Returns the names of a list as members whose nodes they are. */
function listedMembers(node: Located | undefined): readonly Member[] {
  return items(node).flatMap((item) => {
    const named = nameOf(item);
    return named === undefined ? [] : [{ name: named.name, nameAt: named.at, node: item }];
  });
}

/** Returns the errors that a type lists, or that it has as members. */
function viewErrors(node: Located | undefined, definitions: Definitions): readonly ErrorView[] {
  return [...listedMembers(node), ...members(node)].map((each) => ({
    ...each,
    members: expandAll(members(member(each.node, 'members')), definitions),
  }));
}

/** Returns a list with the one property where it is unique by itself; else nothing. */
function viewUnique({ name, nameAt, node }: PropertyView): readonly ListView[] {
  const unique = member(node, 'unique');
  if (unique === undefined || unique.value === false) return [];
  return [{ names: [{ name, at: unique.at }], nullsEqual: equatesNulls(unique), at: nameAt }];
}

/** Returns the lists under `unique` or `indexes`. A name by itself is a list of one. */
function viewLists(node: Located | undefined): readonly ListView[] {
  return items(node).map((item) => {
    const list = member(item, 'properties') ?? item;
    return {
      names: (list.items ?? [list]).flatMap((each) => nameOf(each) ?? []),
      nullsEqual: equatesNulls(item),
      at: item.at,
    };
  });
}

/** Returns whether a `unique` says `nulls: equal`. */
function equatesNulls(unique: Located): boolean {
  return text(member(unique, 'nulls')) === 'equal';
}

/**
 * Reads the declaration of a filter. It compares the property that `property` names, else the first
 * of `properties`, else the one that has the filter's own name.
 */
function viewFilter(
  { name, nameAt, node }: Member,
  all: ReadonlyMap<string, PropertyView>,
): FilterView {
  const property = member(node, 'property');
  const operator = node.members === undefined ? node : member(node, 'is');
  const texts = namesIn(member(node, 'properties'));
  const propertyName = text(property) ?? texts[0]?.name ?? name;
  const where = member(node, 'where');
  return {
    name,
    nameAt,
    node,
    propertyName,
    propertyAt: property?.at ?? texts[0]?.at ?? nameAt,
    property: findOperand(propertyName, where, all),
    operator: text(operator),
    operatorAt: operator?.at ?? node.at,
    all: text(member(node, 'items')) === 'all',
    internal: node.members?.get('internal'),
    ...viewIndexed(node),
    texts: texts.map((each) => ({ ...each, property: findOperand(each.name, where, all) })),
  };
}

/** Reads the declaration of a sort; returns none if it names no property. */
function viewSort(node: Located, all: ReadonlyMap<string, PropertyView>): readonly SortView[] {
  const named = node.members === undefined ? node : member(node, 'property');
  const propertyName = text(named);
  if (propertyName === undefined || named === undefined) return [];
  const own = nameOf(member(node, 'name'));
  return [
    {
      name: own?.name ?? propertyName,
      nameAt: own?.at ?? named.at,
      node,
      propertyName,
      at: named.at,
      property: findOperand(propertyName, member(node, 'where'), all),
      operator: nameOf(member(node, 'is')),
      argument: nameOf(member(node, 'argument')),
      internal: node.members?.get('internal'),
      ...viewIndexed(node),
    },
  ];
}

/** Returns `indexed`, false by default, and whether the descriptor gives it. */
function viewIndexed(node: Located): Pick<FilterView, 'indexed' | 'saysIndexed'> {
  const indexed = member(node, 'indexed');
  return { indexed: flag(indexed, false), saysIndexed: indexed !== undefined };
}
