import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import { recordedReferencesOf } from '../../capability/named-references.js';
import type { BlobReference, ObjectIds, ReferenceName, ReferenceRecord } from '../port.js';
import type { Row } from './row-codec.js';

/** A reference as storage names it. */
interface StoredReference {
  readonly table: string;
  readonly key: string;
}

/** `[table, key]` of references. */
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
  key: string,
];

type Pair = readonly [table: string, key: string];

/** The parts of a type that matter here. */
export type NamedType = Pick<DataTypeDefinition, 'name' | 'table' | 'search'> & {
  readonly properties: readonly Pick<PropertyDefinition, 'name' | 'column' | 'references'>[];
};

interface Incoming extends ReferenceName {
  readonly pair: Pair;
}

/**
 * The engine's own tables hold storage names: a type's table, a reference's key. They survive a
 * rename, so a name may be another one's storage name. The port speaks names; this class
 * translates, for the types that a store is opened with. It leaves out rows of unknown types: the
 * previous or next version may serve from the same database.
 */
export class StorageNames {
  readonly #tables: ReadonlyMap<string, string>;
  readonly #names: ReadonlyMap<string, string>;
  /** By name of the type, then of the reference. Weak ones have no records. */
  readonly #references = new Map<string, Map<string, StoredReference>>();
  /** By table, then by key: names of references. */
  readonly #referenceNames = new Map<string, Map<string, string>>();
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

  /** Returns the type that a table belongs to; undefined for one that the store doesn't know. */
  typeOf(table: string): string | undefined {
    return this.#names.get(table);
  }

  /** Returns a reference by its names. */
  reference(type: string, name: string): StoredReference {
    const reference = this.#references.get(type)?.get(name);
    if (reference === undefined)
      throw new Error(`The store was opened with no reference ${type}.${name}.`);
    return reference;
  }

  /** Records as JSON: rows of REFERENCE_COLUMNS. */
  referenceRows(records: readonly ReferenceRecord[]): string {
    const rows = records.map(({ toType, toId, fromType, fromId, reference }) => {
      const { table, key } = this.reference(fromType, reference);
      return [this.table(toType), toId, table, fromId, key];
    });
    return JSON.stringify(rows);
  }

  /** Returns the records in rows of REFERENCE_COLUMNS. */
  references(rows: readonly Row[]): readonly ReferenceRecord[] {
    return rows.flatMap((row) => {
      const [toTable, toId, table, fromId, key] = row as ReferenceRow;
      const toType = this.#names.get(toTable);
      const fromType = this.#names.get(table);
      const reference = this.#referenceNames.get(table)?.get(key);
      if (toType === undefined || fromType === undefined || reference === undefined) return [];
      return [{ toType, toId, fromType, fromId, reference }];
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
  leading(targets: readonly ObjectIds[], through: readonly ReferenceName[]): Leading {
    const walked = new Set(through.map(({ type, reference }) => `${type}\n${reference}`));
    const all: Pair[] = [];
    const throughPairs: Pair[] = [];
    const types = new Set(targets.map(({ type }) => type));
    // A Set goes on over what is added while it is walked.
    for (const target of types) {
      for (const { type, reference, pair } of this.#incoming.get(target) ?? []) {
        all.push(pair);
        if (!walked.has(`${type}\n${reference}`)) continue;
        throughPairs.push(pair);
        types.add(type);
      }
    }
    return { all, through: throughPairs };
  }

  #addReferences({ name: type, table, properties }: NamedType): void {
    const byName = new Map<string, StoredReference>();
    const byKey = new Map<string, string>();
    for (const { name, key, type: target } of recordedReferencesOf(properties)) {
      byName.set(name, Object.freeze({ table, key }));
      byKey.set(key, name);
      const leading = this.#incoming.get(target) ?? [];
      this.#incoming.set(target, leading);
      leading.push({ type, reference: name, pair: Object.freeze([table, key] as const) });
    }
    this.#references.set(type, byName);
    this.#referenceNames.set(table, byKey);
  }
}
