import type { MethodDefinition } from './capability-definition.js';
import type {
  AnsweredDefinition,
  DataTypeDefinition,
  FilterDefinition,
  PropertyDefinition,
  QueryShapes,
  ShadowColumn,
  SortDefinition,
  StandardMethodName,
  StoredOf,
  TypeShape,
  UniqueDefinition,
} from './definition.js';
import { EVOLVED } from './evolution.js';
import { frozen } from './runtime.js';
import { isOfEngine } from './stored-properties.js';
import { UNKNOWN_PROPERTIES } from './unknown-properties.js';

/** A property, without the members in which it is like most others. */
export type PropertySource = Partial<Omit<PropertyDefinition, 'name' | 'kind'>> &
  Pick<PropertyDefinition, 'kind'>;

/** The name of a part of a property: `emails/*\/address`. */
type PartName = `${string}/${string}`;

/** Parts of a definition that name the property which they are about. */
interface FilterSource<Name> extends Omit<FilterDefinition, 'name' | 'property'> {
  readonly property: Name | PartName;
}

/** The name is the property's unless it is given. */
interface SortSource<Name> extends Omit<SortDefinition, 'name' | 'property'> {
  readonly name?: string;
  readonly property: Name | PartName;
}

interface ShadowSource<Name> extends Omit<ShadowColumn, 'property'> {
  readonly property: Name | PartName;
}

interface AnsweredSource<Name> extends Omit<AnsweredDefinition, 'name' | 'sources'> {
  readonly sources: readonly Name[];
}

interface QuerySource<Name> {
  readonly collapse?: { readonly argument: string; readonly by: Name };
  readonly tree?: { readonly by: Name; readonly sort?: string; readonly filter?: string };
}

type UniqueSource<Name> =
  | readonly Name[]
  | { readonly properties: readonly Name[]; readonly nullsEqual: true };

/** The names of the properties that a shape stores. */
type NameOf<Shape extends TypeShape> = DeclaredName<StoredOf<Shape>> | OwnNameOf<Shape>;

/** The names of the properties of which each user has a value of its own. */
type OwnNameOf<Shape extends TypeShape> = Shape extends { readonly own: infer Own extends string }
  ? Own
  : never;

/** Of an object with any members beside the declared ones, the names of those. */
type DeclaredName<Stored> = string extends keyof Stored
  ? keyof { [Name in keyof Stored as string extends Name ? never : Name]: true } & string
  : keyof Stored & string;

/** The name of the property that the engine computes of shared objects. */
type RightsName<Shape extends TypeShape> = Shape extends { readonly rights: infer Rights }
  ? keyof Rights & string
  : never;

/** A data type as it is generated: its parts name properties instead of holding them. */
export interface DataTypeSource<Shape extends TypeShape>
  extends Pick<DataTypeDefinition, 'name' | 'capability' | 'table' | 'characters' | 'singleton'>,
    Pick<DataTypeDefinition, 'acceptSnakeCase' | 'search' | 'limits' | 'validate'>,
    Pick<DataTypeDefinition, 'rules' | 'access' | 'share' | 'errors' | 'hash' | 'refuses'> {
  /** In order of declaration; the standard ones first. */
  readonly properties: Readonly<Record<NameOf<Shape> | RightsName<Shape>, PropertySource>>;
  /** The parts of properties that filters and sorts read. */
  readonly parts?: Readonly<Record<PartName, PropertySource>>;
  readonly filters: Readonly<
    Record<Extract<keyof Shape['filter'], string>, FilterSource<NameOf<Shape>>>
  >;
  readonly sorts: readonly SortSource<NameOf<Shape>>[];
  readonly shadows: readonly ShadowSource<NameOf<Shape>>[];
  readonly uniques?: readonly UniqueSource<NameOf<Shape>>[];
  /** Objects keep members that the type doesn't declare. */
  readonly unknownProperties?: 'keep';
  /** The migration of the last conversion of its objects (capability/evolution.ts). */
  readonly evolved?: number;
  readonly query?: QuerySource<NameOf<Shape>>;
  /** In order of declaration; a family under `header:*`. */
  readonly answered?: Readonly<Record<string, AnsweredSource<NameOf<Shape>>>>;
}

/**
 * Returns the definition of a data type: names become properties. The compiler compares the names
 * with the type's wire types.
 */
export function dataType<Shape extends TypeShape>(
  source: DataTypeSource<Shape>,
): DataTypeDefinition<Shape> {
  const { properties, parts, filters, sorts, shadows, uniques, unknownProperties, ...others } =
    source;
  const { query, answered, evolved, ...rest } = others;
  const built = buildProperties(properties, shadows);
  const builtParts = buildProperties(parts ?? {}, []);
  const find: Find = (name) => {
    const property = built.get(name) ?? builtParts.get(name);
    if (property === undefined) throw new Error(`${source.name} has no property "${name}".`);
    return property;
  };
  const withProperty = <Part extends { readonly property: string }>(part: Part) => ({
    ...part,
    property: find(part.property),
  });
  return frozen({
    ...rest,
    properties: [
      ...built.values(),
      ...(evolved === undefined ? [] : [evolvedProperty(evolved)]),
      ...(unknownProperties === 'keep' ? [UNKNOWN_PROPERTIES] : []),
    ],
    filters: Object.entries<FilterSource<string>>(filters).map(([name, filter]) => ({
      name,
      ...withProperty(filter),
    })),
    sorts: sorts.map((sort) => ({ name: sort.property, ...withProperty(sort) })),
    shadows: shadows.map(withProperty),
    ...(uniques && { uniques: uniques.map((unique) => uniqueOf(unique, find)) }),
    ...(query && { query: shapesOf(query, find) }),
    ...(answered && { answered: answeredOf(answered, find) }),
  });
}

/** Returns the property that tells how far an object is converted: hooks don't see it. */
function evolvedProperty(migration: number): PropertyDefinition {
  const name = EVOLVED;
  const others = { kind: 'integer', access: 'internal', default: migration } as const;
  return { ...{ name, column: name, nullable: false, required: false }, ...others };
}

type Find = (name: string) => PropertyDefinition;

/** Returns the properties by name, each with the column that tells null from absence. */
function buildProperties(
  sources: Readonly<Record<string, PropertySource>>,
  shadows: readonly ShadowSource<string>[],
): ReadonlyMap<string, PropertyDefinition> {
  return new Map(
    Object.entries(sources).map(([name, property]) => {
      const marker = shadows.find((one) => one.property === name && one.transform === 'null');
      const nullColumn = marker === undefined ? {} : { nullColumn: marker.column };
      return [name, { ...buildProperty(name, property), ...nullColumn }];
    }),
  );
}

function answeredOf(
  answered: Readonly<Record<string, AnsweredSource<string>>>,
  find: Find,
): readonly AnsweredDefinition[] {
  return Object.entries(answered).map(([name, one]) => ({
    name,
    ...one,
    sources: one.sources.map(find),
  }));
}

function shapesOf({ collapse, tree }: QuerySource<string>, find: Find): QueryShapes {
  return {
    ...(collapse === undefined ? {} : { collapse: { ...collapse, by: find(collapse.by) } }),
    ...(tree === undefined ? {} : { tree: { ...tree, by: find(tree.by) } }),
  };
}

function uniqueOf(unique: UniqueSource<string>, find: Find): UniqueDefinition {
  const names = 'properties' in unique ? unique.properties : unique;
  const properties = names.map(find);
  // Columns have no plus.
  const own = { name: properties.map(({ column }) => column).join('+'), properties };
  return 'properties' in unique ? { ...own, nullsEqual: unique.nullsEqual } : own;
}

/** Neither a client nor a default gives the value of a property that the engine sets. */
function buildProperty(name: string, source: PropertySource): PropertyDefinition {
  const isSetByEngine = isOfEngine(source);
  return {
    ...{ name, column: name, nullable: false, required: false },
    access: isSetByEngine ? 'serverSet' : 'mutable',
    ...(isSetByEngine || source.required || source.optional || source.defaultNow
      ? {}
      : { default: null }),
    ...source,
  };
}

/** A standard method's members that don't follow from its type and its name. */
export type StandardMethod = Pick<
  MethodDefinition,
  'account' | 'argumentNames' | 'validateArguments' | 'furtherArguments' | 'validateResponse'
>;

/** Standard methods by their names. `jmapsmith/standard` has those of every type. */
export type StandardMethods = Readonly<Partial<Record<StandardMethodName, StandardMethod>>>;

/** Builds the standard methods of a type (RFC 8620 5.1 to 5.6). */
export function standardMethods(
  type: DataTypeDefinition,
  methods: StandardMethods,
): readonly MethodDefinition[] {
  const { name, capability, acceptSnakeCase } = type;
  return Object.entries(methods).map(([body, method]) =>
    frozen({
      ...method,
      ...{ name: `${name}/${body}`, capability, dataType: type, acceptSnakeCase },
      body: body as StandardMethodName,
    }),
  );
}
