import type { PropertySource } from './build-property.js';
import type {
  DataTypeDefinition,
  FilterDefinition,
  FilterOperator,
  PropertyDefinition,
  SortDefinition,
  StoredOf,
  TypeShape,
  UniqueDefinition,
} from './definition.js';
import { frozen } from './runtime.js';
import { filterColumn, shadowColumn, shadowsOf, sortColumns } from './shadows.js';

/** The operator alone: the condition has the name of the property that it compares. */
export type FilterSource<Name extends string> =
  | FilterOperator
  | { readonly property: Name; readonly is: FilterOperator; readonly indexed?: true }
  | { readonly properties: readonly Name[]; readonly is: 'text'; readonly indexed?: true };

export type SortSource<Name extends string> =
  | Name
  | { readonly property: Name; readonly indexed: true };

/** The names of the properties that a shape stores. */
type NameOf<Shape extends TypeShape> = Extract<keyof StoredOf<Shape>, string>;

/**
 * A data type as `dataType` takes it. It names properties, and leaves out all that follows from the
 * rest.
 */
export interface DataTypeSource<Shape extends TypeShape>
  extends Pick<DataTypeDefinition, 'name' | 'capability' | 'characters' | 'singleton'>,
    Pick<DataTypeDefinition, 'search' | 'limits' | 'validate'> {
  /** The type's name where absent. */
  readonly table?: string;
  readonly acceptSnakeCase?: boolean;
  /** In order of declaration; the standard ones first. */
  readonly properties: Readonly<Record<NameOf<Shape>, PropertySource>>;
  readonly filters?: Readonly<
    Record<Extract<keyof Shape['filter'], string>, FilterSource<NameOf<Shape>>>
  >;
  readonly sorts?: readonly SortSource<NameOf<Shape>>[];
  readonly uniques?: readonly (readonly NameOf<Shape>[])[];
}

/**
 * Builds the definition of a data type: names become properties, and what conditions and sorts read
 * is looked up. The compiler compares the names with the type's wire types.
 */
export function dataType<Shape extends TypeShape>(
  source: DataTypeSource<Shape>,
): DataTypeDefinition<Shape> {
  const { properties: sources, filters = {}, sorts = [], uniques = [], ...rest } = source;
  const named = new Map(
    Object.entries<PropertySource>(sources).map(([name, property]) => [
      name,
      { name, column: name, ...property },
    ]),
  );
  const find: Find = (name) => {
    const property = named.get(name);
    if (property === undefined) throw new Error(`${source.name} has no property "${name}".`);
    return property;
  };
  const properties = [...named.values()];
  const builtFilters = Object.entries<FilterSource<string>>(filters).map(([name, filter]) =>
    buildFilter(name, filter, find),
  );
  const builtSorts = sorts.map((sort) => buildSort(sort, find));
  const { update, filter, server } = source.validate;
  return frozen({
    table: source.name,
    acceptSnakeCase: false,
    ...rest,
    properties,
    filters: builtFilters,
    sorts: builtSorts,
    shadows: shadowsOf(properties, builtFilters, builtSorts),
    ...(uniques.length === 0 ? {} : { uniques: uniques.map((names) => buildUnique(names, find)) }),
    // The module of the validators can't be frozen, and may have others.
    validate: { update, filter, ...(server === undefined ? {} : { server }) },
  });
}

type Find = (name: string) => PropertyDefinition;

function buildFilter(name: string, source: FilterSource<string>, find: Find): FilterDefinition {
  const { is: operator, ...rest } = typeof source === 'string' ? { is: source } : source;
  const names =
    'properties' in rest ? rest.properties : ['property' in rest ? rest.property : name];
  const [property = find(name), ...others] = names.map(find);
  return {
    name,
    property,
    operator,
    column: filterColumn(property, operator),
    ...(operator === 'text'
      ? { columns: [property, ...others].map((each) => shadowColumn(each, 'fold')) }
      : {}),
    ...('indexed' in rest && rest.indexed === true ? { indexed: true as const } : {}),
  };
}

function buildSort(source: SortSource<string>, find: Find): SortDefinition {
  const property = find(typeof source === 'string' ? source : source.property);
  const order = { property, ...sortColumns(property) };
  return typeof source === 'string' ? order : { ...order, indexed: true };
}

function buildUnique(names: readonly string[], find: Find): UniqueDefinition {
  return { name: names.join('+'), properties: names.map(find) };
}
