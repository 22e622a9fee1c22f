import type {
  DataTypeDefinition,
  PropertyDefinition,
  UniqueDefinition,
} from '../../capability/definition.js';
import type { JsonValue } from '../../protocol/json.js';
import type {
  BlobReference,
  BlobRow,
  ChangeRecordAt,
  FilterNode,
  ObjectIds,
  ObjectLinks,
  QueryPlan,
  ReferenceRecord,
  Snapshot,
  StoredObject,
} from '../port.js';
import { countQuery, idsQuery, rankQuery, ranksQuery } from '../sql/query.js';
import { holdersQuery } from '../sql/uniques.js';
import { readBlobs, readOwnBlobs, readReferences } from './blobs.js';
import { readChanges, readObjectCount, readState } from './changes.js';
import type { Connection, Row } from './connection.js';
import { postgresql } from './dialect.js';
import { DECODERS, readerOf, readObjects } from './objects.js';
import { readAncestors, readOwnReferences, readReferrers } from './references.js';

/** Reading within one transaction of a connection. Every operation is one statement (`links`: two). */
export class PostgresqlSnapshot implements Snapshot {
  protected readonly connection: Connection;
  protected readonly accountId: string;
  #open = true;

  constructor(connection: Connection, accountId: string) {
    this.connection = connection;
    this.accountId = accountId;
  }

  /**
   * Refuses whatever a work starts after it has ended: it would belong to another's transaction.
   */
  end(): void {
    this.#open = false;
  }

  async stateNumber(type: DataTypeDefinition): Promise<number> {
    this.check();
    return readState(this.connection, this.accountId, type.name);
  }

  async get(
    type: DataTypeDefinition,
    ids: readonly string[],
    properties: readonly PropertyDefinition[],
    maxOctets: number,
  ): Promise<readonly StoredObject[]> {
    this.check();
    if (ids.length === 0) return [];
    const reader = readerOf(type, properties);
    const parameters = [this.accountId, ids];
    return readObjects(this.connection, reader, reader.many, parameters, maxOctets);
  }

  async getAll(
    type: DataTypeDefinition,
    limit: number,
    properties: readonly PropertyDefinition[],
    maxOctets: number,
  ): Promise<readonly StoredObject[]> {
    this.check();
    const reader = readerOf(type, properties);
    const parameters = [this.accountId, limit];
    return readObjects(this.connection, reader, reader.first, parameters, maxOctets);
  }

  async changes(
    type: DataTypeDefinition,
    since: number,
    limit: number,
  ): Promise<readonly ChangeRecordAt[]> {
    this.check();
    return readChanges(this.connection, this.accountId, type.name, since, limit);
  }

  async queryIds(
    type: DataTypeDefinition,
    plan: QueryPlan,
    position: number,
    limit: number,
  ): Promise<readonly string[]> {
    this.check();
    const query = idsQuery(type, this.accountId, plan, { position, limit }, postgresql);
    return (await this.connection.query(query)).map(idOf);
  }

  async count(type: DataTypeDefinition, filter: FilterNode): Promise<number> {
    this.check();
    const query = countQuery(type, this.accountId, filter, postgresql);
    return (await this.connection.query(query))[0]?.[0] as number;
  }

  async rank(type: DataTypeDefinition, plan: QueryPlan, id: string): Promise<number | null> {
    this.check();
    const query = rankQuery(type, this.accountId, plan, id, postgresql);
    return ((await this.connection.query(query))[0]?.[0] as number | undefined) ?? null;
  }

  async ranks(
    type: DataTypeDefinition,
    plan: QueryPlan,
    ids: readonly string[],
  ): Promise<readonly { readonly id: string; readonly index: number }[]> {
    this.check();
    if (ids.length === 0) return [];
    const query = ranksQuery(type, this.accountId, plan, ids, postgresql);
    const rows = await this.connection.query(query);
    return rows.map((row) => ({ id: idOf(row), index: row[1] as number }));
  }

  async existing(type: DataTypeDefinition, ids: readonly string[]): Promise<ReadonlySet<string>> {
    this.check();
    if (ids.length === 0) return new Set();
    const statement = readerOf(type, []).many;
    const rows = await this.connection.all(statement, this.accountId, ids);
    return new Set(rows.map(idOf));
  }

  async objectCount(type: DataTypeDefinition): Promise<number> {
    this.check();
    return readObjectCount(this.connection, this.accountId, type.name);
  }

  async holders(
    type: DataTypeDefinition,
    unique: UniqueDefinition,
    keys: readonly (readonly JsonValue[])[],
  ): Promise<readonly { readonly id: string; readonly key: readonly JsonValue[] }[]> {
    this.check();
    if (keys.length === 0) return [];
    const query = holdersQuery(type, this.accountId, unique, keys, postgresql);
    const decoders = unique.properties.map(({ kind }) => DECODERS[kind]);
    return (await this.connection.query(query)).map((row) => ({
      id: idOf(row),
      key: decoders.map((decode, index) => decode(row[index + 1])),
    }));
  }

  async referrers(
    targets: readonly ObjectIds[],
    through: readonly { readonly type: string; readonly property: string }[],
    limit: number,
  ): Promise<readonly ReferenceRecord[]> {
    this.check();
    if (targets.every(({ ids }) => ids.length === 0)) return [];
    return readReferrers(this.connection, this.accountId, targets, through, limit);
  }

  async ancestors(
    type: DataTypeDefinition,
    property: string,
    ids: readonly string[],
    limit: number,
  ): Promise<readonly ReferenceRecord[]> {
    this.check();
    if (ids.length === 0) return [];
    return readAncestors(this.connection, this.accountId, type.name, property, ids, limit);
  }

  async blobs(ids: readonly string[]): Promise<readonly BlobRow[]> {
    this.check();
    return ids.length === 0 ? [] : readBlobs(this.connection, this.accountId, ids);
  }

  async blobReferences(
    blobIds: readonly string[],
    dataTypes: readonly string[],
  ): Promise<readonly BlobReference[]> {
    this.check();
    if (blobIds.length === 0 || dataTypes.length === 0) return [];
    return readReferences(this.connection, this.accountId, blobIds, dataTypes);
  }

  async links(type: DataTypeDefinition, ids: readonly string[]): Promise<ObjectLinks> {
    this.check();
    if (ids.length === 0) return { references: [], blobs: [] };
    const { name } = type;
    const properties = type.properties.filter((one) => one.reference !== undefined).map(nameOf);
    const from = [this.connection, this.accountId, name] as const;
    return {
      references: properties.length === 0 ? [] : await readOwnReferences(...from, properties, ids),
      blobs: type.properties.some(({ blob }) => blob) ? await readOwnBlobs(...from, ids) : [],
    };
  }

  protected check(): void {
    if (!this.#open) throw new Error('A storage operation was started after its work had ended.');
    this.connection.checkDeadline();
  }
}

function idOf(row: Row): string {
  return row[0] as string;
}

function nameOf({ name }: PropertyDefinition): string {
  return name;
}
