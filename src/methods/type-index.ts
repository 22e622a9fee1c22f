import type {
  DataTypeDefinition,
  FilterDefinition,
  PropertyDefinition,
  PropertyRole,
  ReferenceDefinition,
  SortDefinition,
  UniqueDefinition,
} from '../capability/definition.js';
import { holdsBlobs, type Place } from '../capability/places.js';

/** A property whose values hold ids of blobs. */
export interface BlobProperty extends PropertyDefinition {
  readonly blobs: readonly Place[];
}

/** A property that holds references. */
export interface ReferenceProperty extends PropertyDefinition {
  readonly reference: ReferenceDefinition;
}

/** A data type's definition, indexed by wire names. */
export interface TypeIndex {
  readonly type: DataTypeDefinition;
  /** Those that clients may name: all but the internal ones. */
  readonly properties: ReadonlyMap<string, PropertyDefinition>;
  /** Names of those that a create must give. */
  readonly required: readonly string[];
  /** Those that clients may read: neither internal nor secret. */
  readonly visible: readonly PropertyDefinition[];
  readonly filters: ReadonlyMap<string, FilterDefinition>;
  readonly sorts: ReadonlyMap<string, SortDefinition>;
  /** Properties whose values hold ids of blobs. */
  readonly blobs: readonly BlobProperty[];
  readonly references: readonly ReferenceProperty[];
  readonly uniques: readonly UniqueDefinition[];
  readonly secrets: readonly PropertyDefinition[];
  /** Computed from other properties of the object. */
  readonly computed: readonly PropertyDefinition[];
  /** Whether creates and updates have more rules than those of each object for itself. */
  readonly judges: boolean;
  /** What must be known of an object that is destroyed: what it refers to. */
  readonly links: readonly PropertyDefinition[];
  readonly roles: Readonly<Record<PropertyRole, PropertyDefinition>>;
}

const indexes = new WeakMap<DataTypeDefinition, TypeIndex>();

/** The index of a type; made once for each definition. */
export function indexOf(type: DataTypeDefinition): TypeIndex {
  let index = indexes.get(type);
  if (index === undefined) {
    index = Object.freeze({
      type,
      properties: new Map(
        type.properties
          .filter(({ access }) => access !== 'internal')
          .map((property) => [property.name, property]),
      ),
      required: type.properties.filter(({ required }) => required).map(({ name }) => name),
      visible: type.properties.filter(isVisible),
      filters: new Map(type.filters.map((filter) => [filter.name, filter])),
      sorts: new Map(type.sorts.map((sort) => [sort.property.name, sort])),
      blobs: type.properties.filter(holdsBlobs),
      references: type.properties.filter(isReference),
      uniques: type.uniques ?? [],
      secrets: type.properties.filter(({ access }) => access === 'secret'),
      computed: type.properties.filter(({ computed }) => computed?.kind === 'from'),
      judges:
        type.properties.some((property) => holdsBlobs(property) || isReference(property)) ||
        (type.uniques ?? []).length > 0 ||
        type.limits !== undefined,
      links: type.properties.filter((property) => holdsBlobs(property) || isReference(property)),
      roles: {
        id: role(type, 'id'),
        created: role(type, 'created'),
        updated: role(type, 'updated'),
      },
    });
    indexes.set(type, index);
  }
  return index;
}

/** True for a property that holds references. */
export function isReference(property: PropertyDefinition): property is ReferenceProperty {
  return property.reference !== undefined;
}

/** True for a property whose value an object keeps for life. */
export function isImmutable(property: PropertyDefinition): boolean {
  return property.access === 'immutable' || property.role === 'id' || property.role === 'created';
}

/** True for a property that is on the wire when an object is read. */
export function isVisible({ access }: PropertyDefinition): boolean {
  return access !== 'internal' && access !== 'secret';
}

function role(type: DataTypeDefinition, wanted: PropertyRole): PropertyDefinition {
  const property = type.properties.find((candidate) => candidate.role === wanted);
  if (property === undefined) throw new Error(`The type ${type.name} has no ${wanted} property.`);
  return property;
}
