import { SHADOW_SUFFIXES } from '../../../src/capability/shadow-transforms.js';
import { typesIn } from '../../../src/descriptor/model/types-in.js';
import type { Model, ModelProperty, ModelType } from '../../../src/descriptor/model.js';
import type { Table } from '../emit/prisma-datamodel.js';
import type { Snapshot } from './history.js';
import type { SnapshotProperty, SnapshotType } from './snapshot.js';

/**
 * The released state of the types that are here now. A type is the released one whose table it has,
 * a property the one whose column it has: names may change, places don't (place.ts).
 */
export interface ReleasedType {
  readonly name: string;
  readonly table: string;
  readonly properties: readonly ReleasedProperty[];
  /** Undefined where the migration is older than `model.json`. */
  readonly known?: SnapshotType;
}

export interface ReleasedProperty {
  readonly name: string;
  readonly column: string;
  readonly known?: SnapshotProperty;
}

/** Types and properties that have another name now. */
export interface Renamed {
  readonly from: string;
  readonly to: string;
  readonly properties: readonly { readonly from: string; readonly to: string }[];
}

const RELEASED = new WeakMap<Snapshot, ReadonlyMap<string, ReleasedType>>();

/** Returns the released types by table: of hundreds of types, each is looked up several times. */
export function releasedTypes(snapshot: Snapshot): ReadonlyMap<string, ReleasedType> {
  let types = RELEASED.get(snapshot);
  if (types === undefined) {
    types = new Map(readTypes(snapshot).map((type) => [type.table, type]));
    RELEASED.set(snapshot, types);
  }
  return types;
}

function readTypes({ model, tables }: Snapshot): readonly ReleasedType[] {
  if (model !== undefined)
    return typesIn(model).map((known) => ({
      name: known.name,
      table: known.table,
      properties: known.properties.map((property) => ({
        name: property.name,
        column: property.column,
        known: property,
      })),
      known,
    }));
  return tables
    .filter(({ name }) => !name.startsWith('Jmap'))
    .map((table) => ({
      name: table.name,
      table: table.name,
      properties: table.columns
        .filter(({ name }) => name !== 'accountId' && !isShadow(name, table))
        .map(({ name }) => ({ name, column: name })),
    }));
}

const SHADOW = new RegExp(`^(.+)_(?:${SHADOW_SUFFIXES.join('|')})$`);

/** A column of a part (model/parts.ts). */
const PART = /_at_[0-9a-f]{12}_part(?:_|$)/;

/**
 * Returns whether a column is a shadow column, which is computed from its property: dropping one
 * loses nothing. Only they have such names.
 */
export function isShadow(column: string, table: Table): boolean {
  if (PART.test(column)) return true;
  const base = SHADOW.exec(column)?.[1];
  return base !== undefined && table.columns.some(({ name }) => name === base);
}

/**
 * Returns the released property that this one is, or takes the place of although its values went.
 */
export function predecessorOf(
  before: ReleasedType,
  type: ModelType,
  { name, column, renamedFrom }: ModelProperty,
): ReleasedProperty | undefined {
  const named = (wanted: string) => before.properties.find((one) => one.name === wanted);
  const same = before.properties.find((one) => one.column === column) ?? named(name);
  if (same !== undefined || renamedFrom === undefined) return same;
  return type.properties.some((one) => one.name === renamedFrom) ? undefined : named(renamedFrom);
}

/** Returns the table of the released type of the name; undefined if there was none. */
export function tableBefore(type: string, snapshot: Snapshot): string | undefined {
  for (const { name, table } of releasedTypes(snapshot).values()) if (name === type) return table;
  return undefined;
}

/** Returns the types and properties whose names differ from the released state's. */
export function renamesOf(snapshot: Snapshot, model: Model): readonly Renamed[] {
  const released = releasedTypes(snapshot);
  return typesIn(model).flatMap((type): Renamed[] => {
    const before = released.get(type.table);
    if (before === undefined) return [];
    const properties = type.properties.flatMap((property) => {
      const old = predecessorOf(before, type, property);
      return old === undefined || old.name === property.name
        ? []
        : [{ from: old.name, to: property.name }];
    });
    if (before.name === type.name && properties.length === 0) return [];
    return [{ from: before.name, to: type.name, properties }];
  });
}
