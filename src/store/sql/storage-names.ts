import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import type { BlobReference, ObjectIds, ReferenceRecord, TypeProperty } from '../port.js';
import type { Row } from './row-codec.js';

/** A reference property as storage names it. */
interface StoredReference {
  readonly table: string;
  readonly column: string;
}

/** `[table, column]` of reference properties. */
export interface Leading {
  readonly all: readonly Pair[];
  /** Those of them that are walked on from. */
  readonly through: readonly Pair[];
}

type ReferenceRow = readonly [
  toTable: string,
  toId: string,
  table: string,
  fromId: string,
  column: string,
];

type Pair = readonly [table: string, column: string];

/** The parts of a type that matter here. */
export type NamedType = Pick<DataTypeDefinition, 'name' | 'table' | 'search'> & {
  readonly properties: readonly Pick<PropertyDefinition, 'name' | 'column' | 'reference'>[];
};

interface Incoming {
  readonly type: string;
  readonly property: string;
  readonly pair: Pair;
}

/**
 * The engine's own tables hold storage names: a type's table, a property's column. They survive a
 * rename, so a name may be another one's storage name. The port speaks names; this class
 * translates, for the types that a store is opened with. It leaves out rows of unknown types: the
 * version before or after may serve from the same database.
 */
export class StorageNames {
  readonly #tables: ReadonlyMap<string, string>;
  readonly #names: ReadonlyMap<string, string>;
  /** By name of the type, then of the property. */
  readonly #references = new Map<string, Map<string, StoredReference>>();
  /** By table, then by column: names of reference properties. */
  readonly #properties = new Map<string, Map<string, string>>();
  /** By name of the type that is referred to. */
  readonly #incoming = new Map<string, Incoming[]>();

  constructor(types: readonly NamedType[]) {
    this.#tables = new Map(types.map(({ name, table }) => [name, table]));
    this.#names = new Map(types.map(({ name, table }) => [table, name]));
    for (const type of types) this.#addReferences(type);
  }

  table(type: string): string {
    const table = this.#tables.get(type);
    if (table === undefined) throw new Error(`The store was not opened with the type ${type}.`);
    return table;
  }

  /** Returns a reference property by its names. */
  reference(type: string, property: string): StoredReference {
    const reference = this.#references.get(type)?.get(property);
    if (reference === undefined)
      throw new Error(`The store was opened with no reference ${type}.${property}.`);
    return reference;
  }

  /** Records as JSON: rows of REFERENCE_COLUMNS. */
  referenceRows(records: readonly ReferenceRecord[]): string {
    const rows = records.map(({ toType, toId, fromType, fromId, property }) => {
      const { table, column } = this.reference(fromType, property);
      return [this.table(toType), toId, table, fromId, column];
    });
    return JSON.stringify(rows);
  }

  /** Returns the records in rows of REFERENCE_COLUMNS. */
  references(rows: readonly Row[]): readonly ReferenceRecord[] {
    return rows.flatMap((row) => {
      const [toTable, toId, table, fromId, column] = row as ReferenceRow;
      const toType = this.#names.get(toTable);
      const fromType = this.#names.get(table);
      const property = this.#properties.get(table)?.get(column);
      if (toType === undefined || fromType === undefined || property === undefined) return [];
      return [{ toType, toId, fromType, fromId, property }];
    });
  }

  /** Returns references to blobs as JSON: rows `[blobId, table, objectId]`. */
  blobReferenceRows(references: readonly BlobReference[]): string {
    const rows = references.map(({ blobId, dataType, objectId }) => {
      return [blobId, this.table(dataType), objectId];
    });
    return JSON.stringify(rows);
  }

  /** Returns the references in rows `[blobId, table, objectId]`. */
  blobReferences(rows: readonly Row[]): readonly BlobReference[] {
    return rows.flatMap((row) => {
      const [blobId, table, objectId] = row as readonly [string, string, string];
      const dataType = this.#names.get(table);
      return dataType === undefined ? [] : [{ blobId, dataType, objectId }];
    });
  }

  /** Returns the references that may lead into the closure of `targets` (Snapshot.referrers). */
  leading(targets: readonly ObjectIds[], through: readonly TypeProperty[]): Leading {
    const walked = new Set(through.map(({ type, property }) => `${type}\n${property}`));
    const all: Pair[] = [];
    const throughPairs: Pair[] = [];
    const types = new Set(targets.map(({ type }) => type));
    // A Set goes on over what is added while it is walked.
    for (const target of types) {
      for (const { type, property, pair } of this.#incoming.get(target) ?? []) {
        all.push(pair);
        if (!walked.has(`${type}\n${property}`)) continue;
        throughPairs.push(pair);
        types.add(type);
      }
    }
    return { all, through: throughPairs };
  }

  #addReferences({ name: type, table, properties }: NamedType): void {
    const byName = new Map<string, StoredReference>();
    const byColumn = new Map<string, string>();
    for (const { name, column, reference } of properties) {
      if (reference === undefined) continue;
      byName.set(name, Object.freeze({ table, column }));
      byColumn.set(column, name);
      const leading = this.#incoming.get(reference.type) ?? [];
      this.#incoming.set(reference.type, leading);
      leading.push({ type, property: name, pair: Object.freeze([table, column] as const) });
    }
    this.#references.set(type, byName);
    this.#properties.set(table, byColumn);
  }
}
