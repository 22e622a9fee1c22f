import type { JSONSchema7 } from 'json-schema';
import { isAggregate } from '../../../src/capability/aggregates.js';
import {
  columnOfKey,
  type Reference,
  recordedReferencesOf,
} from '../../../src/capability/named-references.js';
import type { Place } from '../../../src/capability/places.js';
import { isShown } from '../../../src/descriptor/model/access.js';
import { formOf, textRulesIn } from '../../../src/descriptor/model/text-rules.js';
import { typesIn } from '../../../src/descriptor/model/types-in.js';
import type { Model, ModelProperty, ModelType } from '../../../src/descriptor/model.js';
import { placesBeside } from '../../../src/descriptor/schema-places.js';
import { canonicalJson } from '../../../src/protocol/canonical-json.js';
import type { JsonValue } from '../../../src/protocol/json.js';
import { type SourcesOf, sourcesOf, wayOf } from './computed-ways.js';
import type { Snapshot } from './history.js';
import { type ReleasedType, type Renamed, releasedTypes } from './lineage.js';
import { startsAlike } from './starts-alike.js';

/** A property of the released state, as far as it is known. */
interface Before {
  readonly visible: boolean;
  readonly kind?: string;
  readonly nullable?: boolean;
  readonly optional?: true;
  /** By key: the place and the target, under its new name, of each that has records. */
  readonly references?: ReadonlyMap<string, string>;
  /** Undefined: unknown. */
  readonly blobs?: readonly Place[];
  /** The stored forms of its texts, as canonical JSON; undefined: unknown. */
  readonly forms?: string;
  /** How it is computed, as canonical JSON of the columns that are read. */
  readonly computed?: string;
}

/** A type that the released state has, compared with what it is now. */
export interface TypeEffect {
  readonly type: ModelType;
  /** Clients would see other objects than they know. */
  readonly seen: boolean;
  /** References whose rows in JmapReference must be made anew. */
  readonly references: readonly Reference<ModelProperty>[];
  /** Keys of references that are none any more. */
  readonly formerReferences: readonly string[];
  /** Its rows in JmapBlobReference must be made anew. */
  readonly blobs: boolean;
  /** Computed properties that are new, or are computed from something else now. */
  readonly computed: readonly ModelProperty[];
  /** Properties whose texts have another stored form from now on. */
  readonly reformed: readonly ModelProperty[];
  /**
   * Objects of this type are the source of computed values that the previous version does not
   * compute.
   */
  readonly isNewSource: boolean;
}

/**
 * Returns what changes in types that exist, beside their tables. `filled`: column names by table in
 * which this migration puts the default for null.
 */
export function effectsOf({
  snapshot,
  renames,
  model,
  filled,
  leaves,
}: {
  readonly snapshot: Snapshot;
  readonly renames: readonly Renamed[];
  readonly model: Model;
  readonly filled: ReadonlyMap<string, ReadonlySet<string>>;
  /** Dropped tables and columns stay for the previous version, and so do their records. */
  readonly leaves: boolean;
}): readonly TypeEffect[] {
  const types = typesIn(model);
  const sourcesNow = sourcesOf(types);
  const sourcesBefore = sourcesOf([...releasedTypes(snapshot).values()]);
  const compared = types.flatMap((type) => {
    const released = releasedTypes(snapshot).get(type.table);
    if (released === undefined) return [];
    return [{ type, released, before: propertiesBefore(released, renames, sourcesBefore) }];
  });
  const stale = new Set(
    [...filled].flatMap(([table, columns]) => [...columns].map((column) => `${table}/${column}`)),
  );
  const isStale = (table: string, key: string) => stale.has(`${table}/${columnOfKey(key)}`);
  for (const { type, before } of compared)
    for (const property of reformedOf(type, before)) stale.add(`${type.table}/${property.column}`);
  const isRecomputed = ({ type, before }: Compared, { column, computed }: ModelProperty) => {
    if (computed === undefined) return false;
    const sources = sourcesNow(computed, type.name);
    return (
      isStale(type.table, column) ||
      sources.some(([table, key]) => isStale(table, key)) ||
      before.get(column)?.computed !== wayOf(computed, sources)
    );
  };
  // A value that is made of a recomputed one is computed anew, too.
  for (let size = -1; size < stale.size; ) {
    size = stale.size;
    for (const one of compared)
      for (const property of one.type.properties)
        if (isRecomputed(one, property)) stale.add(`${one.type.table}/${property.column}`);
  }
  const ofReleased = compared.map((one) => {
    const { type, released, before } = one;
    const altered = filled.get(type.table) ?? new Set<string>();
    const recomputed = (property: ModelProperty) => isRecomputed(one, property);
    const compared = compare(type, before, altered, recomputed, leaves);
    const effect = losesUndeclared(released, type) ? { ...compared, seen: true } : compared;
    const renamed = type.properties.some(({ name, column }) => {
      const old = released.properties.find((property) => property.column === column);
      return old !== undefined && old.name !== name && before.get(column)?.visible;
    });
    return renamed ? { ...effect, seen: true } : effect;
  });
  const newSources = new Set([
    ...ofReleased.flatMap(({ type, computed }) =>
      sourceTables(type, computed.filter(isFollowing), sourcesNow),
    ),
    ...types
      .filter(({ table }) => !releasedTypes(snapshot).has(table))
      .flatMap((type) => sourceTables(type, type.properties, sourcesNow)),
  ]);
  return [
    ...ofReleased.map((one) =>
      newSources.has(one.type.table) ? { ...one, isNewSource: true } : one,
    ),
    ...types.flatMap((type) => newSingleton(type, snapshot)),
  ];
}

/** Returns whether a hook gives the value when objects of other types change. */
function isFollowing({ computed }: ModelProperty): boolean {
  return computed?.kind === 'on';
}

/** Returns the tables of whose objects the properties of a type are made. */
function sourceTables(
  type: ModelType,
  properties: readonly ModelProperty[],
  sources: SourcesOf,
): readonly string[] {
  return properties.flatMap(({ computed }) =>
    computed === undefined ? [] : sources(computed, type.name).map(([table]) => table),
  );
}

/** Returns the effect of a new singleton with values that are made of objects which exist. */
function newSingleton(type: ModelType, snapshot: Snapshot): readonly TypeEffect[] {
  const computed = type.properties.filter(
    (property) => isAggregate(property.computed) || isFollowing(property),
  );
  if (!type.singleton || computed.length === 0 || releasedTypes(snapshot).has(type.table))
    return [];
  const none = { references: [], formerReferences: [], reformed: [], isNewSource: false };
  return [{ type, seen: false, blobs: false, computed, ...none }];
}

/** A type, and its properties in the released state. */
interface Compared {
  readonly type: ModelType;
  readonly before: ReadonlyMap<string, Before>;
}

/** Returns properties whose texts have another stored form from now on. */
function reformedOf(
  type: ModelType,
  before: ReadonlyMap<string, Before>,
): readonly ModelProperty[] {
  return type.properties.filter((property) => {
    const old = before.get(property.column);
    if (property.perUser === true) return false;
    if (old?.forms === undefined || old.kind !== property.kind || !hasForms(property)) return false;
    return old.forms !== formsOf(property.schema);
  });
}

/** Returns the properties of the released type by column, as far as its snapshot knows them. */
function propertiesBefore(
  released: ReleasedType,
  renames: readonly Renamed[],
  sources: SourcesOf,
): ReadonlyMap<string, Before> {
  const typeNamed = (name: string) => renames.find(({ from }) => from === name)?.to ?? name;
  return new Map(
    released.properties.map(({ column, known }): readonly [string, Before] => {
      // Of a migration before there were snapshots: columns alone, and there were no references.
      if (known === undefined) return [column, { visible: true }];
      const { kind, access, blobs, computed, nullable, optional } = known;
      const read = computed && wayOf(computed, sources(computed, released.name));
      return [
        column,
        {
          visible: isShown({ access }),
          kind,
          nullable,
          ...(optional === undefined ? {} : { optional }),
          blobs,
          forms: formsOf(known.schema),
          ...(read === undefined ? {} : { computed: read }),
          references: new Map(
            recordedReferencesOf([known]).map((one) => [one.key, factsOf(one, typeNamed)]),
          ),
        },
      ];
    }),
  );
}

function compare(
  type: ModelType,
  before: ReadonlyMap<string, Before>,
  altered: ReadonlySet<string>,
  recomputed: (property: ModelProperty) => boolean,
  leaves: boolean,
): TypeEffect {
  const now = new Map(type.properties.map((property) => [property.column, property]));
  const gone = [...before].filter(([name]) => !now.has(name));
  const references = recordedReferencesOf(type.properties);
  const changed = type.properties.filter((property) => {
    const old = before.get(property.column);
    if (old === undefined) return isShown(property) && !startsAlike(property, type);
    if (altered.has(property.column) || recomputed(property)) return isNoticed(type, property);
    return (
      old.visible !== isShown(property) ||
      (old.kind !== undefined && old.kind !== property.kind) ||
      emptyChanged(old, property)
    );
  });
  return {
    type,
    seen: changed.length > 0 || gone.some(([, { visible }]) => visible),
    references: references.filter((reference) => {
      const { column } = reference.property;
      const old = before.get(column);
      if (old === undefined) return false;
      return old.references?.get(reference.key) !== factsOf(reference) || altered.has(column);
    }),
    formerReferences: leaves
      ? []
      : [...before.values()]
          .flatMap((old) => [...(old.references?.keys() ?? [])])
          .filter((key) => !references.some((reference) => reference.key === key)),
    blobs:
      (!leaves &&
        [...before].some(
          ([column, { blobs = [] }]) =>
            placesBeside(blobs, now.get(column)?.blobs ?? []).length > 0,
        )) ||
      type.properties.some(({ column, blobs }) => {
        const old = before.get(column)?.blobs;
        if (old === undefined || blobs.length === 0) return false;
        return altered.has(column) || placesBeside(blobs, old).length > 0;
      }),
    reformed: reformedOf(type, before),
    computed: type.properties.filter(recomputed),
    isNewSource: false,
  };
}

/** Returns whether clients knew values of undeclared properties that nobody keeps from now on. */
function losesUndeclared({ known }: ReleasedType, { keepsUnknown }: ModelType): boolean {
  return known?.keepsUnknown === true && keepsUnknown !== true;
}

/** Returns whether clients see the property or what follows it, or find objects by it. */
function isNoticed(
  { filters, sorts, answered = [] }: ModelType,
  { name, access }: ModelProperty,
): boolean {
  const isIt = (read: ModelProperty): boolean => (read.within?.property ?? read.name) === name;
  return (
    isShown({ access }) ||
    filters.some(({ property, properties = [property] }) => properties.some(isIt)) ||
    sorts.some(({ property }) => isIt(property)) ||
    answered.some(({ sources }) => sources.includes(name))
  );
}

/** Returns the forms in which the texts of a schema's values are stored, as canonical JSON. */
export function formsOf(schema: JSONSchema7): string {
  return canonicalJson([formOf(schema) ?? null, textRulesIn(schema)] as unknown as JsonValue);
}

/** Returns whether a property has a text that is stored in one form. A secret is sealed. */
function hasForms({ schema, secret }: ModelProperty): boolean {
  if (secret !== undefined) return false;
  return formOf(schema) !== undefined || textRulesIn(schema).length > 0;
}

/** Returns whether clients see something else where nothing is stored. */
function emptyChanged(old: Before, { nullable, optional }: ModelProperty): boolean {
  return (old.optional === true && optional !== true) || (old.nullable === true && !nullable);
}

/** Returns the facts of a reference that its records depend on. */
function factsOf(
  { type, place }: Pick<Reference, 'type' | 'place'>,
  typeNamed: (name: string) => string = (name) => name,
): string {
  return canonicalJson([typeNamed(type), place]);
}
