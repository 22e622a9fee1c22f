import type {
  DataTypeDefinition,
  FilterDefinition,
  PropertyDefinition,
  PropertyRole,
  SortDefinition,
} from '../capability/definition.js';

/** A data type's definition, indexed by wire names. */
export interface TypeIndex {
  readonly type: DataTypeDefinition;
  readonly properties: ReadonlyMap<string, PropertyDefinition>;
  readonly filters: ReadonlyMap<string, FilterDefinition>;
  readonly sorts: ReadonlyMap<string, SortDefinition>;
  /** Properties that hold blob ids. */
  readonly blobs: readonly PropertyDefinition[];
  readonly roles: Readonly<Record<PropertyRole, PropertyDefinition>>;
}

const indexes = new WeakMap<DataTypeDefinition, TypeIndex>();

/** The index of a type; made once for each definition. */
export function indexOf(type: DataTypeDefinition): TypeIndex {
  let index = indexes.get(type);
  if (index === undefined) {
    index = Object.freeze({
      type,
      properties: new Map(type.properties.map((property) => [property.name, property])),
      filters: new Map(type.filters.map((filter) => [filter.name, filter])),
      sorts: new Map(type.sorts.map((sort) => [sort.property.name, sort])),
      blobs: type.properties.filter((property) => property.blob),
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

/** True for a property whose value an object keeps for life. */
export function isImmutable(property: PropertyDefinition): boolean {
  return property.access === 'immutable' || property.role === 'id' || property.role === 'created';
}

function role(type: DataTypeDefinition, wanted: PropertyRole): PropertyDefinition {
  const property = type.properties.find((candidate) => candidate.role === wanted);
  if (property === undefined) throw new Error(`The type ${type.name} has no ${wanted} property.`);
  return property;
}
