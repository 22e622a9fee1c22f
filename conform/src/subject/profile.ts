import { isAggregate } from '../../../src/capability/aggregates.js';
import type { StandardMethodName } from '../../../src/capability/definition.js';
import type { ModelProperty, ModelSort, ModelType } from '../../../src/descriptor/model.js';
import { type Json, type JsonMap, same } from '../client/json.js';
import { anyString, satisfying } from '../expected.js';
import { type DescribedType, listGivable, listVisible, listWritable } from './described.js';
import { hasTexts } from './patterned.js';
import { listValues } from './values.js';

/**
 * The facts of a data type that the shared cases must know: one engine, one set of answers. All of
 * it is read from the descriptor. The text is a mutable String that a case can write and, where the
 * type lets it, filter and sort by.
 */
export interface TypeProfile {
  readonly name: string;
  readonly capability: string;
  readonly singleton: boolean;
  readonly methods: ReadonlySet<StandardMethodName>;
  /** The String property; empty for a type that has none. */
  readonly text: string;
  /** Whether no two objects may have the same one. */
  readonly textDistinct: boolean;
  /** The value that a create without it stores; undefined where it must be given. */
  readonly textDefault: '' | null | undefined;
  /** The pattern that its texts have, where it has one. */
  readonly textPattern?: RegExp;
  /** Its bounds in Unicode code points. */
  readonly textMin: number;
  readonly textMax: number;
  /** The filter that finds a part of it whatever the case, where the type declares one. */
  readonly textFilter?: string;
  /** Whether a sort by it is declared. */
  readonly textSort: boolean;
  /** The properties that a create must give, the text too where it must. */
  readonly required: readonly string[];
  /**
   * Values that a create gives beside the text: what is required, and what no two objects share.
   */
  readonly given: readonly ModelProperty[];
  /**
   * The values that `created[k]` reports beside id, created and updated for an object that has no
   * more.
   */
  readonly defaults: JsonMap;
  /** Those of them that only the server sets: a copy reports them too. */
  readonly serverSet: JsonMap;
  /** A mutable property with a default, and a value that is another. */
  readonly defaulted?: { readonly property: string; readonly default: Json; readonly other: Json };
  /** Mutable Booleans, and the filter that compares each. */
  readonly flags: readonly { readonly property: string; readonly filter?: string }[];
  /** Sortable properties. */
  readonly sorts: readonly string[];
  /** Every wire property. */
  readonly properties: readonly string[];
  /** Whether input names may be in snake_case too. */
  readonly snakeCase: boolean;
  /** How many objects an account may have. */
  readonly count: number;
  /** How many octets of JSON an object may have. */
  readonly octets: number;
  readonly hasUnique: boolean;
}

/** Returns whether a check may call a method: those of /set make, change and destroy objects. */
function mayCall({ refuses }: ModelType, method: StandardMethodName): boolean {
  return method !== 'set' || refuses === undefined;
}

/** Returns what checks need to know of a type, read from its descriptor. */
export function readProfile({ type, capability, mostByQuota }: DescribedType): TypeProfile {
  const text = findText(type);
  const { default: textDefault, schema } = text ?? {};
  const isText = (property: ModelProperty) => property === text;
  const given = findGiven(type, text);
  const reported = listVisible(type).filter(
    (property) => property.role === undefined && !isText(property) && !given.includes(property),
  );
  const pickInitial = (properties: readonly ModelProperty[]): JsonMap =>
    Object.fromEntries(
      properties
        .filter(({ optional }) => optional !== true)
        .map((property) => [property.name, readInitial(property)]),
    );
  const pattern = schema?.pattern;
  // A property that stands in for a text is neither found by its parts nor sorted as it would be.
  const contains = type.filters.find(
    ({ operator, property }) =>
      operator === 'contains' && property === text && pattern === undefined,
  );
  const defaulted = findDefaulted(type, given);
  return Object.freeze({
    name: type.name,
    capability,
    singleton: type.singleton,
    methods: new Set(type.methods.map(({ name }) => name).filter((name) => mayCall(type, name))),
    text: text?.name ?? '',
    textDistinct: text !== undefined && isBound(type, text),
    textDefault: text?.required === true ? undefined : ((textDefault ?? null) as '' | null),
    ...(pattern === undefined ? {} : { textPattern: new RegExp(pattern, 'u') }),
    textMin: schema?.minLength ?? 0,
    textMax: pattern === undefined ? (schema?.maxLength ?? 0) : 0,
    ...(contains === undefined ? {} : { textFilter: contains.name }),
    textSort:
      pattern === undefined &&
      type.sorts.some(({ name, property }) => property === text && name === property.name),
    required: listWritable(type).flatMap(({ required, name }) => (required ? [name] : [])),
    given,
    defaults: pickInitial(reported),
    serverSet: pickInitial(reported.filter(({ access }) => access === 'serverSet')),
    ...(defaulted === undefined ? {} : { defaulted }),
    flags: findFlags(type),
    sorts: listSorts(type).map(({ name }) => name),
    properties: listVisible(type).map(({ name }) => name),
    snakeCase: type.acceptSnakeCase,
    count: Math.min(type.limits?.count ?? Number.POSITIVE_INFINITY, mostByQuota),
    octets: type.limits?.octets ?? Number.POSITIVE_INFINITY,
    hasUnique: type.uniques.length > 0,
  });
}

/** Lists the sorts whose Comparators have no member of their own. */
export const listSorts = (type: ModelType): readonly ModelSort[] =>
  type.sorts.filter(({ by }) => by === undefined);

/**
 * Finds a String that takes any text: best one that many objects may share, is found and sorted by,
 * and may be empty.
 */
function findText(type: ModelType): ModelProperty | undefined {
  const free = listGivable(type).filter(
    (property) =>
      property.kind === 'string' &&
      property.access === 'mutable' &&
      property.format === undefined &&
      property.normalize === undefined &&
      property.schema.enum === undefined &&
      property.schema.const === undefined &&
      property.optional !== true &&
      (property.schema.pattern === undefined || hasTexts(property)) &&
      (!isBound(type, property) || isAlone(type, property)),
  );
  const countPoints = (property: ModelProperty): number =>
    Number(property.schema.pattern === undefined) * 16 +
    Number(!isBound(type, property)) * 8 +
    Number(type.filters.some((one) => one.operator === 'contains' && one.property === property)) *
      4 +
    Number(type.sorts.some((one) => one.property === property)) * 2 +
    Number((property.schema.minLength ?? 0) === 0);
  return free.toSorted((a, b) => countPoints(b) - countPoints(a))[0];
}

/** Tells whether two objects with one value of a property, and no more, would collide. */
function isBound(type: ModelType, property: ModelProperty): boolean {
  return type.uniques.some(
    ({ properties, nullsEqual }) =>
      properties.includes(property) &&
      (nullsEqual === true ||
        !properties.some((one) => one.nullable && !one.required && one !== property)),
  );
}

/** Tells whether a property is part of no key that has other properties, too. */
const isAlone = (type: ModelType, property: ModelProperty): boolean =>
  type.uniques.every(({ properties }) => properties.length === 1 || !properties.includes(property));

/**
 * Finds the required properties, and of each unique key one property whose values differ, unless a
 * null frees it.
 */
function findGiven(type: ModelType, text: ModelProperty | undefined): readonly ModelProperty[] {
  const canGive = listWritable(type);
  const given = new Set(canGive.filter((one) => one.required && one !== text));
  for (const { properties, nullsEqual } of type.uniques) {
    const isFree = nullsEqual !== true && properties.some((one) => one.nullable && !given.has(one));
    if (isFree || properties.some((one) => canDiffer(one) && given.has(one))) continue;
    const other = properties.find((one) => canGive.includes(one) && canDiffer(one) && one !== text);
    if (other !== undefined) given.add(other);
  }
  return [...given];
}

/** Tells whether a property has as many values as there are objects. */
const canDiffer = ({ kind, schema, references }: ModelProperty): boolean =>
  references.length === 0 &&
  schema.enum === undefined &&
  schema.const === undefined &&
  kind !== 'boolean';

/**
 * Returns the value of an object where a create says nothing. A value that a hook computes is known
 * by its kind alone, and so is one that the server sets where the descriptor doesn't say to what.
 */
function readInitial({ default: value = null, computed, nullable, kind }: ModelProperty): Json {
  const isSaid = value !== null || nullable;
  if (isSaid && (computed === undefined || isAggregate(computed))) return value as Json;
  const any = satisfying(
    nullable ? 'any value' : 'any value but null',
    (one) => one !== undefined && (nullable || one !== null),
  );
  const typed = kind === 'string' && !nullable ? anyString : any;
  return typed as unknown as Json;
}

/**
 * Finds a property that a client can change and a null sets back; undefined where there is none.
 */
function findDefaulted(
  type: ModelType,
  given: readonly ModelProperty[],
): TypeProfile['defaulted'] | undefined {
  for (const property of listGivable(type)) {
    const { name, default: value, nullable, access } = property;
    if (value === undefined || nullable || access !== 'mutable' || given.includes(property))
      continue;
    const other = listValues(property).good.find((one) => !same(one, value as Json));
    if (other !== undefined) return { property: name, default: value as Json, other };
  }
  return undefined;
}

/** Finds the mutable Boolean properties, each with the filter that compares it. */
function findFlags(type: ModelType): TypeProfile['flags'] {
  return listGivable(type)
    .filter(
      ({ kind, access, nullable, schema }) =>
        kind === 'boolean' && access === 'mutable' && !nullable && schema.enum === undefined,
    )
    .map((property) => {
      const filter = type.filters.find(
        (one) => one.operator === 'equals' && one.property === property,
      );
      return { property: property.name, ...(filter === undefined ? {} : { filter: filter.name }) };
    });
}
