import type { DataTypeDefinition } from '../../capability/definition.js';
import type { BlobReference, ChangeKind, NewBlob, StoredObject, Transaction } from '../port.js';
import { encodeRows } from '../sql/rows.js';
import { changeReferences, insertBlobs } from './blobs.js';
import { writeChanges } from './changes.js';
import type { Connection } from './connection.js';
import { writerOf } from './objects.js';
import { SqliteSnapshot } from './snapshot.js';

/**
 * Writing within a savepoint of the writer's transaction. One statement each, but for `record` (two) and
 * `changeBlobReferences` (three).
 */
export class SqliteTransaction extends SqliteSnapshot implements Transaction {
  readonly #now: number;
  readonly #changed: Record<string, string> = {};

  constructor(connection: Connection, accountId: string, now: number) {
    super(connection, accountId);
    this.#now = now;
  }

  /** Type name to new state, for those that moved; undefined where none did. */
  get changed(): Readonly<Record<string, string>> | undefined {
    return Object.keys(this.#changed).length === 0 ? undefined : Object.freeze(this.#changed);
  }

  async insert(type: DataTypeDefinition, objects: readonly StoredObject[]): Promise<void> {
    this.#write(writerOf(type).insert, type, objects);
  }

  async update(type: DataTypeDefinition, objects: readonly StoredObject[]): Promise<void> {
    this.#write(writerOf(type).update, type, objects);
  }

  async destroy(type: DataTypeDefinition, ids: readonly string[]): Promise<void> {
    this.check();
    if (ids.length === 0) return;
    this.connection.run(writerOf(type).destroy, this.accountId, JSON.stringify(ids));
  }

  async record(
    type: DataTypeDefinition,
    changes: readonly { readonly objectId: string; readonly kind: ChangeKind }[],
  ): Promise<number> {
    this.check();
    const state = writeChanges(this.connection, this.accountId, type.name, changes, this.#now);
    this.#changed[type.name] = String(state);
    return state;
  }

  async insertBlobs(blobs: readonly NewBlob[]): Promise<void> {
    this.check();
    if (blobs.length > 0) insertBlobs(this.connection, this.accountId, blobs, this.#now);
  }

  async changeBlobReferences(
    removed: readonly BlobReference[],
    added: readonly BlobReference[],
  ): Promise<void> {
    this.check();
    changeReferences(this.connection, this.accountId, removed, added, this.#now);
  }

  #write(statement: string, type: DataTypeDefinition, objects: readonly StoredObject[]): void {
    this.check();
    if (objects.length === 0) return;
    this.connection.run(statement, this.accountId, encodeRows(type, objects));
  }
}
