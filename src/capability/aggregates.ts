import { parseUtcDate } from '../protocol/dates.js';
import type { JsonObject, JsonValue } from '../protocol/json.js';
import type {
  AggregateDefinition,
  AggregateKind,
  ComputedDefinition,
  DataTypeDefinition,
  PropertyDefinition,
} from './definition.js';
import { sortKeyOf } from './formats/index.js';
import { type Reference, recordedReferencesOf } from './named-references.js';
import { meetsConditions } from './rule-conditions.js';
import type { RuleCondition } from './type-rules.js';

export const AGGREGATE_KINDS: readonly AggregateKind[] = Object.freeze([
  ...(['count', 'sum', 'min', 'max'] as const),
]);

/** Returns whether the engine makes the value of other objects, without a function. */
export function isAggregate(
  computed: ComputedDefinition | undefined,
): computed is AggregateDefinition {
  return AGGREGATE_KINDS.some((kind) => kind === computed?.kind);
}

/** An aggregate with the types and properties that it names. */
export interface Aggregate {
  readonly kind: AggregateKind;
  /** The type that has the value, and the property. */
  readonly type: DataTypeDefinition;
  readonly property: PropertyDefinition;
  /** The type whose objects are counted, added or compared. */
  readonly source: DataTypeDefinition;
  /** Null for all objects of the account. */
  readonly reference: Reference<PropertyDefinition> | null;
  readonly of: PropertyDefinition | null;
  readonly where: readonly AggregateCondition[];
}

export interface AggregateCondition extends RuleCondition {
  /** The property of the source that it reads. */
  readonly read: PropertyDefinition;
}

/**
 * Returns all aggregates of types: behind each one those that are made of its values. Leaves out
 * one whose source is none of the types.
 */
export function aggregatesOf(types: Iterable<DataTypeDefinition>): readonly Aggregate[] {
  const all = [...types];
  const byName = new Map(all.map((type) => [type.name, type]));
  const found = all.flatMap((type) =>
    type.properties.flatMap((property) => {
      const source = isAggregate(property.computed) && byName.get(property.computed.type);
      return source ? [aggregateOf(type, property, source)] : [];
    }),
  );
  return sortByDependencies(found, dependsOn);
}

function aggregateOf(
  type: DataTypeDefinition,
  property: PropertyDefinition,
  source: DataTypeDefinition,
): Aggregate {
  const { kind, by, of, where = [] } = property.computed as AggregateDefinition;
  const named = (name: string): PropertyDefinition => {
    const found = source.properties.find((one) => one.name === name);
    if (found === undefined) throw new Error(`${source.name} has no property ${name}.`);
    return found;
  };
  const reference = recordedReferencesOf(source.properties).find(({ name }) => name === by);
  if (by !== undefined && reference === undefined)
    throw new Error(`${type.name}.${property.name}: ${source.name} has no reference ${by}.`);
  return Object.freeze({
    ...{ kind, type, property, source, reference: reference ?? null },
    of: of === undefined ? null : named(of),
    where: where.map((one) => ({ ...one, read: named(one.property) })),
  });
}

/** Returns the properties of the source that an aggregate reads, each once. */
export function propertiesRead({ reference, of, where }: Aggregate): readonly PropertyDefinition[] {
  const all = [reference?.property, of, ...where.map(({ read }) => read)];
  return [...new Set(all.filter((one) => one !== undefined && one !== null))];
}

/** Returns whether an aggregate is made of what another one makes, directly or by `compute`. */
function dependsOn(one: Aggregate, other: Aggregate): boolean {
  if (one.source !== other.type) return false;
  const read = propertiesRead(one);
  return read.some((property) => property === other.property || property.computed !== undefined);
}

/** Returns the elements, each after those it depends on. */
export function sortByDependencies<T>(
  all: readonly T[],
  dependsOn: (one: T, other: T) => boolean,
): readonly T[] {
  const ordered = new Set<T>();
  const begun = new Set<T>();
  const visit = (one: T): void => {
    if (begun.has(one)) return;
    begun.add(one);
    for (const other of all) if (dependsOn(one, other)) visit(other);
    ordered.add(one);
  };
  for (const one of all) visit(one);
  return [...ordered];
}

/**
 * Returns the value that an object has a part with; null where it has none. Of a count that tells
 * no values apart it is true.
 */
export function partOf({ of, where }: AggregateParts, object: JsonObject): JsonValue {
  if (!meetsConditions(where, object)) return null;
  return of === null ? true : (object[of.name] ?? null);
}

type AggregateParts = {
  readonly of: { readonly name: string } | null;
  readonly where: readonly RuleCondition[];
};

/**
 * Returns whether the first of two values comes before the second one, both of the property. Texts
 * in one place (`PT60M`, `PT1H`) go by their characters.
 */
export function isBefore(property: Ordered, one: JsonValue, other: JsonValue): boolean {
  const [a, b] = [rankOf(property, one), rankOf(property, other)];
  return a < b || (a === b && String(one) < String(other));
}

/**
 * Returns the value that a least or a greatest one takes of two; the first of two that are the
 * same. Null is worse than any value.
 */
export function betterOf(
  { kind, of, property }: Pick<Aggregate, 'kind' | 'of' | 'property'>,
  one: JsonValue,
  other: JsonValue,
): JsonValue {
  if (one === null) return other;
  if (other === null) return one;
  const [first, second] = kind === 'min' ? [other, one] : [one, other];
  return isBefore(of ?? property, first, second) ? other : one;
}

type Ordered = Pick<PropertyDefinition, 'kind' | 'format'>;

/** Returns a number or a text whose order is that of the property's values. */
function rankOf({ kind, format }: Ordered, value: JsonValue): number | string {
  if (typeof value === 'number') return value;
  const text = typeof value === 'string' ? value : '';
  if (kind === 'date') return parseUtcDate(text) ?? Number.NEGATIVE_INFINITY;
  const key = format === undefined ? undefined : sortKeyOf({ format });
  return key?.of(text) ?? text;
}
