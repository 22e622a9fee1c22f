import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import type { BlobReference, ObjectIds, ReferenceRecord } from '../port.js';

/**
 * The engine's own tables hold storage names: a type's table, a property's column. A renamed type or
 * property keeps them, so a name may be another one's storage name. The port speaks names; this
 * translates. Rows of what no type has (the version before or after may serve from the same database)
 * are nobody's: reading leaves them out.
 */
export interface StorageNames {
  table(type: string): string;

  /** A reference property by its names. */
  reference(type: string, property: string): StoredReference;

  storedRecord(record: ReferenceRecord): ReferenceRecord;

  records(stored: readonly ReferenceRecord[]): readonly ReferenceRecord[];

  storedBlob(reference: BlobReference): BlobReference;

  blobs(stored: readonly BlobReference[]): readonly BlobReference[];

  /** What may lead into the closure of `targets`, as `Snapshot.referrers` has it. */
  leading(targets: readonly ObjectIds[], through: Through): Leading;
}

/** A reference property as storage names it. */
export interface StoredReference {
  readonly table: string;
  readonly column: string;
  /** Name of the type that it refers to. */
  readonly target: string;
}

export type Through = readonly { readonly type: string; readonly property: string }[];

/** `[table, column]` of reference properties. */
export interface Leading {
  readonly all: readonly Pair[];
  /** Those of them that are walked on from. */
  readonly through: readonly Pair[];
}

type Pair = readonly [table: string, column: string];

/** What of a type matters here. */
export type NamedType = Pick<DataTypeDefinition, 'name' | 'table' | 'search'> & {
  readonly properties: readonly Pick<PropertyDefinition, 'name' | 'column' | 'reference'>[];
};

interface Incoming {
  readonly type: string;
  readonly property: string;
  readonly pair: Pair;
}

/** Names of the types that a store is opened with; made once for each store. */
export function storageNames(types: readonly NamedType[]): StorageNames {
  const tables = new Map(types.map(({ name, table }) => [name, table]));
  const names = new Map(types.map(({ name, table }) => [table, name]));
  /** By name of the type, then of the property. */
  const references = new Map<string, Map<string, StoredReference>>();
  /** By table, then by column: names of reference properties. */
  const properties = new Map<string, Map<string, string>>();
  /** By name of the type that is referred to. */
  const incoming = new Map<string, Incoming[]>();
  for (const { name: type, table, properties: all } of types) {
    const byName = new Map<string, StoredReference>();
    const byColumn = new Map<string, string>();
    for (const { name, column, reference } of all) {
      if (reference === undefined) continue;
      byName.set(name, Object.freeze({ table, column, target: reference.type }));
      byColumn.set(column, name);
      const leading = incoming.get(reference.type) ?? [];
      incoming.set(reference.type, leading);
      leading.push({ type, property: name, pair: Object.freeze([table, column] as const) });
    }
    references.set(type, byName);
    properties.set(table, byColumn);
  }

  const tableOf = (type: string): string => {
    const table = tables.get(type);
    if (table === undefined) throw new Error(`The store was not opened with the type ${type}.`);
    return table;
  };
  const referenceOf = (type: string, property: string): StoredReference => {
    const reference = references.get(type)?.get(property);
    if (reference === undefined)
      throw new Error(`The store was opened with no reference ${type}.${property}.`);
    return reference;
  };
  const recordOf = (stored: ReferenceRecord): ReferenceRecord | null => {
    const { toId, fromId } = stored;
    const toType = names.get(stored.toType);
    const fromType = names.get(stored.fromType);
    const property = properties.get(stored.fromType)?.get(stored.property);
    if (toType === undefined || fromType === undefined || property === undefined) return null;
    return { toType, toId, fromType, fromId, property };
  };
  const known = new WeakMap<Through, Map<string, Leading>>();

  return Object.freeze({
    table: tableOf,

    reference: referenceOf,

    storedRecord({ toType, toId, fromType, fromId, property }) {
      const { table, column } = referenceOf(fromType, property);
      return { toType: tableOf(toType), toId, fromType: table, fromId, property: column };
    },

    records: (stored) => stored.map(recordOf).filter((record) => record !== null),

    storedBlob({ blobId, dataType, objectId }) {
      return { blobId, dataType: tableOf(dataType), objectId };
    },

    blobs: (stored) =>
      stored.flatMap(({ blobId, dataType, objectId }) => {
        const type = names.get(dataType);
        return type === undefined ? [] : [{ blobId, dataType: type, objectId }];
      }),

    leading(targets, through) {
      const roots = [...new Set(targets.map(({ type }) => type))];
      const key = roots.join('\n');
      const ofThrough = known.get(through) ?? new Map<string, Leading>();
      known.set(through, ofThrough);
      const cached = ofThrough.get(key);
      if (cached !== undefined) return cached;
      const leading = leadingInto(roots, through, incoming);
      ofThrough.set(key, leading);
      return leading;
    },
  } satisfies StorageNames);
}

function leadingInto(
  roots: readonly string[],
  through: Through,
  incoming: ReadonlyMap<string, readonly Incoming[]>,
): Leading {
  const walked = new Set(through.map(({ type, property }) => `${type}\n${property}`));
  const all: Pair[] = [];
  const on: Pair[] = [];
  const types = new Set(roots);
  // A Set goes on over what is added while it is walked.
  for (const target of types) {
    for (const { type, property, pair } of incoming.get(target) ?? []) {
      all.push(pair);
      if (!walked.has(`${type}\n${property}`)) continue;
      on.push(pair);
      types.add(type);
    }
  }
  return Object.freeze({ all: Object.freeze(all), through: Object.freeze(on) });
}
