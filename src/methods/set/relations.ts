import { hashRules, typesJudgedWith } from '../../access/rules-hash.js';
import type { ViewRules } from '../../access/views.js';
import { isShareable, parentRulesOf, propertiesOfRules } from '../../capability/access-rules.js';
import { type Aggregate, aggregatesOf, propertiesRead } from '../../capability/aggregates.js';
import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import { placeOfRemoval, recordedReferencesOf } from '../../capability/named-references.js';
import { replaceTexts } from '../../capability/places.js';
import { countsObjects } from '../../capability/quota-definition.js';
import { hasUserValues } from '../../capability/user-values.js';
import { emptyObject, type JsonValue } from '../../protocol/json.js';
import type { ReferenceName, StoredObject } from '../../store/port.js';
import type { Quotas } from '../quota/quota-index.js';
import { indexOf, putValue, type TypeReference } from '../type-index.js';
import { KnownIds } from '../work/known-ids.js';
import type { UnitOfWork } from '../work/unit.js';
import { findVisible, type ViewOfType } from './visible-ids.js';

/** How types depend on one another; by type name. */
export interface Relations {
  /** The types that others refer to, but for weak references: nothing follows from those. */
  readonly referred: ReadonlySet<string>;
  /** The aggregates that are made of a type's objects, by the name of that type. */
  readonly aggregates: ReadonlyMap<string, readonly Aggregate[]>;
  /** All of them: behind each one those that are made of its values. */
  readonly allAggregates: readonly Aggregate[];
  /** By the name of such a type: the properties to read of an object that is destroyed. */
  readonly readOfDestroyed: ReadonlyMap<string, readonly PropertyDefinition[]>;
  /** Every reference whose objects are destroyed with what they refer to. */
  readonly cascading: readonly ReferenceName[];
  /** Every reference by which the access to its object follows what it refers to. */
  readonly inheriting: readonly ReferenceName[];
  /** Of each type that such references lead to: the properties that its own access rules read. */
  readonly followed: ReadonlyMap<string, readonly string[]>;
  readonly viewRules: ViewRules;
}

/** Looks up how the types depend on one another. */
export function relate(
  types: Iterable<DataTypeDefinition>,
  quotas: Quotas | null = null,
): Relations {
  const all = [...types];
  const referred = new Set<string>();
  const cascading: ReferenceName[] = [];
  const inheriting: ReferenceName[] = [];
  for (const type of all) {
    requireShareWith(type);
    for (const { who } of parentRulesOf(type.access ?? []))
      inheriting.push({ type: type.name, reference: recordedName(type, who.reference) });
    for (const { type: target, onDestroy, name } of recordedReferencesOf(type.properties)) {
      referred.add(target);
      if (onDestroy === 'cascade') cascading.push({ type: type.name, reference: name });
    }
  }
  const aggregates = new Map<string, Aggregate[]>();
  const allAggregates = aggregatesOf(all);
  for (const one of allAggregates) push(aggregates, one.source.name, one);
  const readOfDestroyed = new Map<string, readonly PropertyDefinition[]>(
    [...aggregates].map(([name, [first, ...rest]]) => [
      name,
      first === undefined ? [] : readOfAll(first.source, [first, ...rest]),
    ]),
  );
  // Of objects whose octets count, all is read: they are counted once more when they go.
  for (const quota of quotas?.all ?? []) {
    if (quota.resource === 'count' || !countsObjects(quota)) continue;
    for (const type of all)
      if (quota.types.includes(type.name)) readOfDestroyed.set(type.name, type.properties);
  }
  const judgedWith = judgedWithIn(all);
  const hashes = hashRules(all);
  const viewRules = { sharedTables: sharedTablesOf(all, judgedWith), hashes, judgedWith };
  const access = { inheriting, followed: followedIn(all), viewRules };
  const counted = { aggregates, allAggregates, readOfDestroyed };
  return Object.freeze({ referred, cascading, ...counted, ...access });
}

function followedIn(types: readonly DataTypeDefinition[]): ReadonlyMap<string, readonly string[]> {
  const rules = types.flatMap(({ access = [] }) => parentRulesOf(access));
  const names = new Set(rules.map(({ who }) => who.type));
  const followed = types.filter(({ name }) => names.has(name));
  return new Map(followed.map(({ name, access = [] }) => [name, [...propertiesOfRules(access)]]));
}

/** A shared type without rules or without the property would be shared with nobody. */
function requireShareWith({ name, share, access, properties }: DataTypeDefinition): void {
  const isWhole = access !== undefined && properties.some(({ role }) => role === 'shareWith');
  if (share === undefined || isWhole) return;
  throw new Error(`The shared type ${name} has no access rules, or no property "shareWith".`);
}

/** Returns the name that the records of a property's references have. */
function recordedName({ name, properties }: DataTypeDefinition, property: string): string {
  const recorded = recordedReferencesOf(properties).find((one) => one.property.name === property);
  if (recorded !== undefined) return recorded.name;
  throw new Error(`Access rules of ${name} follow "${property}", which is no recorded reference.`);
}

function judgedWithIn(types: readonly DataTypeDefinition[]): ViewRules['judgedWith'] {
  const byName = new Map(types.map((type) => [type.name, type]));
  const limited = types.filter((type) => type.access !== undefined || hasUserValues(type));
  return new Map(limited.map(({ name }) => [name, typesJudgedWith(name, byName)]));
}

function sharedTablesOf(
  types: readonly DataTypeDefinition[],
  judgedWith: ViewRules['judgedWith'],
): ViewRules['sharedTables'] {
  const shared = types.filter(isShareable);
  const limited = types.filter(({ access }) => access !== undefined);
  return new Map(
    limited.map(({ name }) => {
      const names = judgedWith.get(name);
      const counting = shared.filter((type) => names?.has(type.name) === true);
      return [name, counting.map(({ table }) => table)];
    }),
  );
}

function readOfAll(
  source: DataTypeDefinition,
  aggregates: readonly Aggregate[],
): readonly PropertyDefinition[] {
  const read = aggregates.flatMap(propertiesRead);
  return [...new Set([...indexOf(source).judgedOfDestroyed, ...read])];
}

/** An object of any type. */
export interface ObjectKey {
  readonly type: string;
  readonly id: string;
}

/** `origin` refers to `target`. */
export interface Link {
  readonly origin: ObjectKey;
  readonly target: ObjectKey;
  readonly reference: TypeReference;
}

export function textOf({ type, id }: ObjectKey): string {
  return `${type}\n${id}`;
}

/** Returns ids by type name, each once. */
export function idsByType(objects: readonly ObjectKey[]): ReadonlyMap<string, ReadonlySet<string>> {
  const ids = new Map<string, Set<string>>();
  for (const { type, id } of objects) {
    const known = ids.get(type);
    if (known === undefined) ids.set(type, new Set([id]));
    else known.add(id);
  }
  return ids;
}

export function push<K, T>(lists: Map<K, T[]>, key: K, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** Groups links for setNull: one change for each object, however many of its links go. */
export function linksByOrigin(links: readonly Link[]): Iterable<readonly Link[]> {
  const byOrigin = new Map<string, Link[]>();
  for (const link of links) push(byOrigin, textOf(link.origin), link);
  return byOrigin.values();
}

/** Returns the object without these links of its own. */
export function withoutLinks(
  object: StoredObject,
  links: readonly Link[],
): Record<string, JsonValue> {
  const unlinked = Object.assign(emptyObject(), object);
  const going = new Map<TypeReference, Set<string>>();
  for (const { reference, target } of links) {
    going.set(reference, (going.get(reference) ?? new Set()).add(target.id));
  }
  for (const [reference, ids] of going) {
    const { property } = reference;
    const value = unlinked[property.name] ?? null;
    const rest = replaceTexts([placeOfRemoval(reference)], value, (id) =>
      ids.has(id) ? null : id,
    );
    putValue(unlinked, property, rest);
  }
  return unlinked;
}

/** The objects that the database has, or a view; a CascadePlanner asks for each once. */
export class KnownObjects {
  readonly #unit: Pick<UnitOfWork, 'transaction' | 'slices'>;
  readonly #types: ReadonlyMap<string, DataTypeDefinition>;
  readonly #viewOf: ViewOfType;
  readonly #known = new Map<string, KnownIds>();

  constructor(
    unit: Pick<UnitOfWork, 'transaction' | 'slices'>,
    types: ReadonlyMap<string, DataTypeDefinition>,
    viewOf: ViewOfType = () => null,
  ) {
    this.#unit = unit;
    this.#types = types;
    this.#viewOf = viewOf;
  }

  /** Returns the known ids of a type. */
  idsOf(name: string): KnownIds {
    let known = this.#known.get(name);
    if (known === undefined) {
      const type = this.#types.get(name);
      if (type === undefined) throw new Error(`A reference names the unknown type ${name}.`);
      const { transaction, slices } = this.#unit;
      const view = this.#viewOf(type);
      const find = (ids: readonly string[]): Promise<ReadonlySet<string>> =>
        view === null ? transaction.existing(type, ids) : findVisible(transaction, type, view, ids);
      known = new KnownIds(find, slices);
      this.#known.set(name, known);
    }
    return known;
  }

  /** One statement for each type, but for very many objects. */
  async lookUp(objects: readonly ObjectKey[]): Promise<void> {
    for (const [type, ids] of idsByType(objects)) await this.idsOf(type).lookUp(ids);
  }

  /** Returns true for an object that was looked up, and is there. */
  has({ type, id }: ObjectKey): boolean {
    return this.idsOf(type).has(id);
  }

  isLookedUp({ type, id }: ObjectKey): boolean {
    return this.idsOf(type).isLookedUp(id);
  }
}
