import type { SearchIndexDefinition, TypeLimits } from '../../capability/definition.js';
import { SET_OPERATIONS } from '../../capability/set-operations.js';
import { flag, type Located, member, words } from '../located.js';

import type {
  ModelError,
  ModelFilter,
  ModelIndex,
  ModelProperty,
  ModelShapes,
  ModelStandardMethod,
  ModelType,
  ModelUnique,
} from '../model.js';
import { type NameView, namesIn } from '../name-view.js';
import { byCodeUnit } from '../order.js';
import type { OperandView } from '../part-view.js';
import type { PropertyView } from '../property-view.js';
import type { ShapesView } from '../shape-view.js';
import { METHOD_NAMES, SINGLETON_METHODS } from '../standard-methods.js';
import type { ErrorView, ListView, TypeView } from '../view.js';
import type { IsInternal } from './aggregate-words.js';
import { buildAnswered } from './answered-model.js';
import { buildAccess, creatorOf } from './build-access.js';
import { buildPart } from './build-part.js';
import { buildShare, propertiesOfShare, SHARE_NAMES } from './build-share.js';
import { columnName } from './column-names.js';
import { buildFilter, buildSort, type FindOperand, filterIndexes } from './filters-and-sorts.js';
import { buildProperty, buildStandardProperty, evolutionOf } from './property.js';
import { buildSchema } from './property-schema.js';
import { buildRules } from './rules.js';
import { shadowsOf } from './shadows.js';

/** Finds a property of the type by its name. */
type Find = (name: string) => ModelProperty;

/** Returns the property that an operand is, or is a part of. */
function rootOf(operand: OperandView): PropertyView {
  return operand.part?.root ?? operand;
}

/** The facts of all descriptors that the model of a type needs. */
export interface Surroundings {
  readonly isInternal: IsInternal;
  /** By type: the properties whose different values others count. */
  readonly distinct: ReadonlyMap<string, readonly Pick<ListView, 'names' | 'at'>[]>;
}

/** Builds the model of a type that passed every check. */
export function buildType(view: TypeView, around: Surroundings): ModelType {
  const { isInternal } = around;
  const required = new Set(view.required.map(({ name }) => name));
  const synthesized = view.share === undefined ? [] : SHARE_NAMES;
  const names = [...[...view.standard, ...view.properties].map(({ name }) => name), ...synthesized];
  const properties = [
    ...view.standard.map(buildStandardProperty),
    ...view.properties.map((property) =>
      buildProperty(property, {
        required: required.has(property.name),
        column: columnName(property.name, names),
        isInternal,
      }),
    ),
    ...creatorOf(view),
    ...propertiesOfShare(view),
  ];
  const named = new Map(properties.map((property) => [property.name, property]));
  const find: Find = (name) => {
    const property = named.get(name);
    if (property === undefined) throw new Error(`The rules let the unknown property ${name} pass.`);
    return property;
  };
  const parts = new Map<string, ModelProperty>();
  const findOperand: FindOperand = (operand) => {
    if (operand === undefined) throw new Error(`The rules let an unknown property pass.`);
    const part = parts.get(operand.name) ?? buildPart(operand, find(rootOf(operand).name));
    if (part === null) return find(operand.name);
    parts.set(operand.name, part);
    return part;
  };
  const filters = view.filters.map((filter) => buildFilter(filter, findOperand));
  const sorts = view.sorts.map((sort) => buildSort(sort, findOperand));
  const read = [...parts.values()].sort((a, b) => byCodeUnit(a.name, b.name));
  const search = buildSearch(view.name, filters);
  return {
    name: view.name,
    table: view.name,
    description: words(view.node),
    acceptSnakeCase: flag(member(view.node, 'acceptSnakeCase'), false),
    properties,
    ...(read.length === 0 ? {} : { parts: read }),
    filters,
    sorts,
    shadows: shadowsOf([...properties, ...read], filters, sorts),
    singleton: view.singleton,
    ...(view.keepsUnknown ? { keepsUnknown: true as const } : {}),
    methods: buildMethods(view),
    uniques: view.uniques.map((list) => buildUnique(list, find)),
    indexes: buildIndexes(view, find, { filters, sorts }, around.distinct.get(view.name)),
    ...(search === undefined ? {} : { search }),
    ...(view.shapes === undefined ? {} : { query: buildShapes(view.shapes) }),
    ...buildLimitsAndRules(view, properties),
    ...(view.errors.length === 0 ? {} : { errors: view.errors.map(buildError) }),
    ...(view.answered.length === 0 ? {} : { answered: view.answered.map(buildAnswered) }),
    ...evolutionOf(view),
    drops: namesIn(member(view.node, 'drops')),
    at: view.nameAt,
  };
}

/** Returns the operations that the type keeps from clients, in the order of SET_OPERATIONS. */
function refusalsOf({ node }: TypeView): Pick<ModelType, 'refuses'> {
  const named = new Set(namesIn(member(node, 'refuses')).map(({ name }) => name));
  return named.size === 0 ? {} : { refuses: SET_OPERATIONS.filter((one) => named.has(one)) };
}

/** Returns what limits the objects of a type and the users who work with them. */
function buildLimitsAndRules(
  view: TypeView,
  properties: readonly ModelProperty[],
): Pick<ModelType, 'limits' | 'rules' | 'access' | 'refuses'> {
  const limits = readLimits(member(view.node, 'limits'));
  const rules = buildRules(view.rules, properties, view.keepsUnknown);
  const access = buildAccess(view);
  const share = buildShare(view);
  return {
    ...(limits === undefined ? {} : { limits }),
    ...(rules === undefined ? {} : { rules }),
    ...(access === undefined ? {} : { access }),
    ...(share === undefined ? {} : { share }),
    ...refusalsOf(view),
  };
}

/** Returns the shapes of results; the rules have judged their names. */
function buildShapes({ collapse, tree }: ShapesView): ModelShapes {
  const named = <Key extends string>(key: Key, view: NameView | undefined) =>
    (view === undefined ? {} : { [key]: view.name }) as { readonly [Name in Key]?: string };
  return {
    ...(collapse === undefined
      ? {}
      : { collapse: { argument: collapse.argument?.name ?? '', by: collapse.by?.name ?? '' } }),
    ...(tree === undefined
      ? {}
      : {
          tree: {
            by: tree.by?.name ?? '',
            ...named('sort', tree.sort),
            ...named('filter', tree.filter),
          },
        }),
  };
}

/** Returns an error with the schema of its members, all of which are required. */
function buildError({ name, nameAt, node, members }: ErrorView): ModelError {
  return {
    name,
    description: words(node),
    members: {
      type: 'object',
      properties: Object.fromEntries(
        members.map((each) => [each.name, buildSchema(each.node, 'message')]),
      ),
      required: members.map((each) => each.name),
      additionalProperties: false,
    },
    at: nameAt,
  };
}

/** Returns the standard methods of a type, in their order, with further arguments and members. */
function buildMethods({
  standardMethods,
  singleton,
  nameAt,
}: TypeView): readonly ModelStandardMethod[] {
  const all = singleton ? SINGLETON_METHODS : METHOD_NAMES;
  return all.flatMap((name): ModelStandardMethod[] => {
    if (standardMethods === undefined) return [{ name, at: nameAt }];
    const named = standardMethods.find((method) => method.name === name);
    if (named === undefined) return [];
    const args = member(named.node, 'arguments');
    const response = member(named.node, 'response');
    return [
      {
        name,
        ...(args === undefined ? {} : { arguments: buildSchema(args, 'message') }),
        ...(response === undefined ? {} : { response: buildSchema(response, 'message') }),
        at: named.nameAt,
      },
    ];
  });
}

/** Returns the model of a list under `unique`. */
function buildUnique({ names, nullsEqual, at }: ListView, find: Find): ModelUnique {
  const name = names.map((each) => each.name).join('+');
  const properties = names.map((each) => find(each.name));
  return { name, properties, ...(nullsEqual ? { nullsEqual } : {}), at };
}

/** Returns the indexes that a type asks for, and those of values that others count. */
function buildIndexes(
  view: TypeView,
  find: Find,
  orders: Pick<ModelType, 'filters' | 'sorts'>,
  distinct: readonly Pick<ListView, 'names' | 'at'>[] = [],
): readonly ModelIndex[] {
  const listed = view.indexes.flatMap((list) => indexesOf(list, find, orders));
  const counted = distinct.flatMap((list) => indexesOf(list, find, orders));
  return [...listed, ...filterIndexes(view.filters, orders.filters), ...counted];
}

/**
 * Returns the indexes of a list under `indexes`, over the columns that conditions compare. A sort
 * may order the last property by another column, such as a collation key. Then the index has that
 * column, or there are two indexes if conditions compare the property, too.
 */
function indexesOf(
  { names, at }: Pick<ListView, 'names' | 'at'>,
  find: Find,
  { filters, sorts }: Pick<ModelType, 'filters' | 'sorts'>,
): readonly ModelIndex[] {
  const properties = names.map(({ name }) => find(name));
  const own = properties.map(({ column }) => column);
  const last = properties.length < 2 ? undefined : properties.at(-1);
  const sort = sorts.find(({ property, by }) => property === last && by === undefined);
  const ordering = sort?.column ?? sort?.casemapColumn;
  const whole = { properties, columns: own, at };
  if (last === undefined || ordering === undefined) return [whole];
  const sorted = { properties, columns: [...own.slice(0, -1), ordering], at };
  return filters.some(({ column }) => column === last.column) ? [whole, sorted] : [sorted];
}

/** Returns the search index that the indexed filters share; undefined without such a filter. */
function buildSearch(
  type: string,
  filters: readonly ModelFilter[],
): SearchIndexDefinition | undefined {
  const indexed = filters.filter((filter) => filter.indexed === true);
  if (indexed.length === 0) return undefined;
  const columns = indexed.flatMap((filter) => filter.columns ?? [filter.column]);
  return { name: `${type}_search`, columns: [...new Set(columns)] };
}

/** Returns the limits on count and octets; undefined if the type has neither. */
function readLimits(node: Located | undefined): TypeLimits | undefined {
  const count = member(node, 'count')?.value;
  const octets = member(node, 'octets')?.value;
  if (typeof count !== 'number' && typeof octets !== 'number') return undefined;
  return {
    ...(typeof count === 'number' ? { count } : {}),
    ...(typeof octets === 'number' ? { octets } : {}),
  };
}
