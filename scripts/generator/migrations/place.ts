import { SHADOW_SUFFIXES } from '../../../src/capability/shadow-transforms.js';
import { isPart, type ModelPart, partColumn } from '../../../src/descriptor/model/build-part.js';
import { deepFreeze } from '../../../src/descriptor/model/freeze.js';
import { typesIn } from '../../../src/descriptor/model/types-in.js';
import type { Model, ModelProperty, ModelType } from '../../../src/descriptor/model.js';
import { pairAtPlaces } from '../../../src/descriptor/schema-places.js';
import { isKeyOrdered } from '../emit/key-ordered.js';
import { columnType } from '../emit/prisma-data-tables.js';
import type { Snapshot } from './history.js';
import { type ReleasedProperty, type ReleasedType, releasedTypes, tableBefore } from './lineage.js';

/** The suffixes of a property's columns: its own, then its shadows' (model/shadows.ts). */
const SUFFIXES = ['', ...SHADOW_SUFFIXES.map((suffix) => `_${suffix}`)];

/**
 * Gives each type its table and each property its column. A new name has its own table or column.
 * The released ones stay where they are, whatever they are called now, so that the server of the
 * previous version goes on reading and writing them. Values that can't be kept are left in their
 * column: the property gets another one, `size_2`.
 */
export function placeModel(model: Model, snapshot: Snapshot | undefined): Model {
  if (snapshot === undefined) return model;
  const types = typesIn(model);
  const tables = new Map<string, string>();
  const before = releasedByName(types, snapshot);
  const taken = namesOf([...releasedTypes(snapshot).keys()]);
  for (const { name, table } of types)
    tables.set(name, before.get(name)?.table ?? free(table, taken));
  const placed = new Map(
    types.map((type) => {
      const old = before.get(type.name);
      const columns = old === undefined ? new Map() : columnsOf(type, old, snapshot, tables);
      const placed = placeType(type, tables.get(type.name) ?? type.table, columns);
      const keyOrdered = old?.known?.keyOrdered ?? isKeyOrdered(type);
      const keeps = keyOrdered === isKeyOrdered(type);
      return [type.name, keeps ? placed : { ...placed, keyOrdered }];
    }),
  );
  if (types.every((type) => placed.get(type.name) === type)) return model;
  return deepFreeze({
    ...model,
    capabilities: model.capabilities.map((capability) => ({
      ...capability,
      types: capability.types.map((type) => placed.get(type.name) ?? type),
    })),
  });
}

/** Returns the released type that each is, by the name that it has now. */
function releasedByName(
  types: readonly ModelType[],
  snapshot: Snapshot,
): ReadonlyMap<string, ReleasedType> {
  const released = new Map([...releasedTypes(snapshot).values()].map((one) => [one.name, one]));
  const names = new Set(types.map(({ name }) => name));
  return new Map(
    types.flatMap(({ name, renamedFrom }) => {
      const old = released.get(name) ?? released.get(former(renamedFrom, names) ?? '');
      return old === undefined ? [] : [[name, old] as const];
    }),
  );
}

/** Returns the old name, unless something has that name now: then it was given up by nothing. */
function former(renamedFrom: string | undefined, names: ReadonlySet<string>): string | undefined {
  return renamedFrom === undefined || names.has(renamedFrom) ? undefined : renamedFrom;
}

function columnsOf(
  type: ModelType,
  before: ReleasedType,
  snapshot: Snapshot,
  tables: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const names = new Set(type.properties.map(({ name }) => name));
  const released = new Map(before.properties.map((property) => [property.name, property]));
  const shadows = before.known?.shadows ?? [];
  const held = snapshot.model?.held?.filter((one) => one.table === before.table) ?? [];
  const taken = namesOf([...before.properties, ...shadows, ...held].map(({ column }) => column));
  return new Map(
    type.properties.map((property) => {
      const { name, renamedFrom } = property;
      const old = released.get(name) ?? released.get(former(renamedFrom, names) ?? '');
      const keeps = old !== undefined && keepsValues(old, before, property, snapshot, tables);
      return [name, keeps ? old.column : free(property.column, taken)];
    }),
  );
}

/** Returns whether what is stored is of the kind that is declared now, and means the same. */
function keepsValues(
  { column, known }: ReleasedProperty,
  { table }: ReleasedType,
  { kind, secret, perUser, references }: ModelProperty,
  snapshot: Snapshot,
  tables: ReadonlyMap<string, string>,
): boolean {
  if (known === undefined) {
    const stored = snapshot.tables
      .find(({ name }) => name === table)
      ?.columns.find(({ name }) => name === column);
    return stored?.type === columnType(kind);
  }
  if (known.kind !== kind || known.secret !== secret || known.perUser !== perUser) return false;
  return pairAtPlaces(known.references, references).every(
    ([old, now]) => tableBefore(old.type, snapshot) === tables.get(now.type),
  );
}

/** Returns a type in its table and columns; the very same one if it has these places already. */
function placeType(
  type: ModelType,
  table: string,
  columns: ReadonlyMap<string, string>,
): ModelType {
  const columnOf = ({ name, column }: ModelProperty) => columns.get(name) ?? column;
  const moved = type.properties.some((property) => columnOf(property) !== property.column);
  if (table === type.table && !moved) return type;
  const properties = type.properties.map((property) => ({
    ...property,
    column: columnOf(property),
  }));
  const placeOfPart = (part: ModelPart): string => {
    const { column = '' } = properties.find(({ name }) => name === part.within.property) ?? {};
    return partColumn(column, part.within, part.kind);
  };
  const parts = type.parts
    ?.filter(isPart)
    .map((part): ModelProperty => ({ ...part, column: placeOfPart(part) }));
  const byName = new Map([...properties, ...(parts ?? [])].map((one) => [one.name, one]));
  const own = (property: ModelProperty) => byName.get(property.name) ?? property;
  const places = new Map(
    [...type.properties, ...(type.parts ?? [])].flatMap((property) => {
      const { column } = own(property);
      return SUFFIXES.map((suffix) => [property.column + suffix, column + suffix] as const);
    }),
  );
  const at = (column: string) => places.get(column) ?? column;
  return {
    ...type,
    table,
    properties,
    ...(parts === undefined ? {} : { parts }),
    filters: type.filters.map((filter) => ({
      ...filter,
      property: own(filter.property),
      column: at(filter.column),
      ...(filter.properties === undefined ? {} : { properties: filter.properties.map(own) }),
      ...(filter.columns === undefined ? {} : { columns: filter.columns.map(at) }),
    })),
    sorts: type.sorts.map((sort) => ({
      ...sort,
      property: own(sort.property),
      ...(sort.casemapColumn === undefined ? {} : { casemapColumn: at(sort.casemapColumn) }),
      ...(sort.column === undefined ? {} : { column: at(sort.column) }),
    })),
    shadows: type.shadows.map((shadow) => ({
      ...shadow,
      column: at(shadow.column),
      property: own(shadow.property),
    })),
    uniques: type.uniques.map((unique) => ({
      ...unique,
      properties: unique.properties.map(own),
    })),
    indexes: type.indexes.map((index) => ({
      ...index,
      properties: index.properties.map(own),
      columns: index.columns.map(at),
    })),
    ...(type.search === undefined
      ? {}
      : { search: { name: `${table}_search`, columns: type.search.columns.map(at) } }),
  };
}

/** Returns names in lower case, since SQLite's take no notice of case. */
function namesOf(names: readonly string[]): Set<string> {
  return new Set(names.map((name) => name.toLowerCase()));
}

/**
 * Takes the name, or the next one that is free: no name of a new column or table ends with `_2`.
 */
function free(name: string, taken: Set<string>): string {
  let chosen = name;
  for (let number = 2; taken.has(chosen.toLowerCase()); number += 1) chosen = `${name}_${number}`;
  taken.add(chosen.toLowerCase());
  return chosen;
}
