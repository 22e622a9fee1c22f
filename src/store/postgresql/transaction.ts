import type { DataTypeDefinition } from '../../capability/definition.js';
import type {
  BlobReference,
  ChangeKind,
  NewBlob,
  ReferenceRecord,
  StoredObject,
  Transaction,
} from '../port.js';
import { encodeRows } from '../sql/rows.js';
import { changeReferences, insertBlobs } from './blobs.js';
import { writeChanges } from './changes.js';
import type { Connection } from './connection.js';
import { writerOf } from './objects.js';
import { changeObjectReferences } from './references.js';
import { PostgresqlSnapshot } from './snapshot.js';

/**
 * Writing within one transaction of a connection that holds the account's lock. One statement each,
 * but for `record` (two) and `changeBlobReferences` (three).
 */
export class PostgresqlTransaction extends PostgresqlSnapshot implements Transaction {
  readonly #now: number;
  #broken: { readonly error: unknown } | undefined;
  readonly #changed: Record<string, string> = {};

  constructor(connection: Connection, accountId: string, now: number) {
    super(connection, accountId);
    this.#now = now;
  }

  /** Type name to new state, for those that moved; undefined where none did. */
  get changed(): Readonly<Record<string, string>> | undefined {
    return Object.keys(this.#changed).length === 0 ? undefined : Object.freeze(this.#changed);
  }

  /**
   * Throws the error of a write that failed, even where the work caught it: what the work takes for
   * written is not all there, so none of it may be.
   */
  assertWhole(): void {
    if (this.#broken !== undefined) throw this.#broken.error;
  }

  async insert(type: DataTypeDefinition, objects: readonly StoredObject[]): Promise<void> {
    if (objects.length === 0) return;
    await this.#write(() =>
      this.connection.run(writerOf(type).insert, this.accountId, encodeRows(type, objects)),
    );
  }

  async update(type: DataTypeDefinition, objects: readonly StoredObject[]): Promise<void> {
    if (objects.length === 0) return;
    await this.#write(() =>
      this.connection.run(writerOf(type).update, this.accountId, encodeRows(type, objects)),
    );
  }

  async destroy(type: DataTypeDefinition, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#write(() => this.connection.run(writerOf(type).destroy, this.accountId, ids));
  }

  async record(
    type: DataTypeDefinition,
    changes: readonly { readonly objectId: string; readonly kind: ChangeKind }[],
  ): Promise<number> {
    const state = await this.#write(() =>
      writeChanges(this.connection, this.accountId, type.name, changes, this.#now),
    );
    this.#changed[type.name] = String(state);
    return state;
  }

  async insertBlobs(blobs: readonly NewBlob[]): Promise<void> {
    if (blobs.length === 0) return;
    await this.#write(() => insertBlobs(this.connection, this.accountId, blobs, this.#now));
  }

  async changeReferences(
    removed: readonly ReferenceRecord[],
    added: readonly ReferenceRecord[],
  ): Promise<void> {
    if (removed.length + added.length === 0) return;
    await this.#write(() =>
      changeObjectReferences(this.connection, this.accountId, removed, added),
    );
  }

  async changeBlobReferences(
    removed: readonly BlobReference[],
    added: readonly BlobReference[],
  ): Promise<void> {
    if (removed.length + added.length === 0) return;
    await this.#write(() =>
      changeReferences(this.connection, this.accountId, removed, added, this.#now),
    );
  }

  async #write<T>(operation: () => Promise<T>): Promise<T> {
    this.assertWhole();
    try {
      this.check();
      return await operation();
    } catch (error) {
      this.#broken = { error };
      throw error;
    }
  }
}
