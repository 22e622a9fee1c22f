import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import { isGroupId } from '../../capability/principal-names.js';
import { principalIn, scopesOfTable, tableOfScope } from '../../capability/scopes.js';
import { hasUserValues } from '../../capability/user-values.js';
import type { Slices } from '../../runtime/slices.js';
import type {
  AccessChange,
  BlobReference,
  Grant,
  KeptAnswer,
  NewBlob,
  NewChange,
  NewScopes,
  NewTask,
  OwnChange,
  ReferenceRecord,
  RowsWritten,
  ShareNotice,
  StateChange,
  StoredObject,
  Transaction,
  ValuesById,
} from '../port.js';
import {
  accessRecord,
  accessRows,
  rewrittenRows,
  scopedRecords,
  scopeRows,
} from './access-records.js';
import type { RecordsToWrite, Scope, WritingEngine } from './engine-port.js';
import { noticeRows } from './principal-rows.js';
import { blobRows, changedColumns } from './records.js';
import { encodeLarge } from './row-codec.js';
import { SqlSnapshot } from './snapshot.js';
import type { SnapshotServices } from './table-snapshot.js';
import type { TableTexts, TableWriter } from './table-texts.js';
import {
  foreignRow,
  ownRecords,
  ownRows,
  userValueRows,
  wholeRow,
  withWholeScope,
} from './user-value-rows.js';

const NOTHING: Promise<void> = Promise.resolve();

/** Grants that one statement reads or writes. */
const GRANTS_AT_ONCE = 5000;

/**
 * Writes within one transaction of a connection; on SQLite, within a savepoint of it. Each
 * operation is one statement, except `record` (one for the state, at most one for each kind of
 * change), `changeReferences` and `evictBlobs` (two) and `changeBlobReferences` (three).
 */
export class SqlTransaction<C extends TableWriter> extends SqlSnapshot<C> implements Transaction {
  readonly #engine: WritingEngine<C>;
  readonly #now: number;
  #broken: { readonly error: unknown } | undefined;
  readonly #changed: Record<string, string> = {};
  readonly #urgent = new Set<string>();
  readonly #noticed = new Set<string>();
  #isReachMoved = false;
  /** Groups that nobody joins or leaves before the end. */
  readonly #held = new Set<string>();
  /** By table: states read or made here, which nobody else can change before the end. */
  readonly #states = new Map<string, number>();
  #hasReadState = false;
  /** By key: principals whose grants at objects of a table change, and whether they had any. */
  readonly #grantees = new Map<string, Grantee & { readonly hadGrants: boolean }>();

  constructor(engine: WritingEngine<C>, services: SnapshotServices, scope: Scope<C>, now: number) {
    super(engine, services, scope);
    this.#engine = engine;
    this.#now = now;
  }

  /** Type name to new state, for those that moved; undefined where none did. */
  get changed(): Readonly<Record<string, string>> | undefined {
    return Object.keys(this.#changed).length === 0 ? undefined : Object.freeze(this.#changed);
  }

  /** Returns what a StateChange tells beside the states. */
  get news(): Omit<StateChange, 'accountId' | 'changed'> {
    return {
      ...(this.#urgent.size === 0 ? {} : { urgent: [...this.#urgent] }),
      ...(this.#noticed.size === 0 ? {} : { noticed: [...this.#noticed] }),
      ...(this.#isReachMoved && { isReachMoved: true }),
    };
  }

  /**
   * Returns whether the work has read a state. On SQLite that statement also refuses a deleted
   * account.
   */
  get hasReadState(): boolean {
    return this.#hasReadState;
  }

  /**
   * Throws the error of a write that failed, even where the work caught it: what the work takes for
   * written is not all there, so none of it may be.
   */
  assertWhole(): void {
    if (this.#broken !== undefined) throw this.#broken.error;
  }

  override async stateNumber(type: DataTypeDefinition): Promise<number> {
    this.check();
    const state = await this.#engine.state(this.scope, type.table);
    this.#states.set(type.table, state);
    this.#hasReadState = true;
    return state;
  }

  async writeRows(
    how: RowsWritten,
    type: DataTypeDefinition,
    objects: readonly StoredObject[],
    slices?: Slices,
  ): Promise<void> {
    if (objects.length === 0) return;
    const large = slices === undefined ? null : await encodeLarge(type, objects, slices);
    await this.#write(() => this.#engine.writeRows(this.scope, how, { type, objects, large }));
  }

  destroy(type: DataTypeDefinition, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return NOTHING;
    if (hasUserValues(type)) return this.#destroyWithValues(type, ids);
    return this.#write(() => this.#engine.destroy(this.scope, type, ids));
  }

  async #destroyWithValues(type: DataTypeDefinition, ids: readonly string[]): Promise<void> {
    const place = [this.scope.accountId, type.table] as const;
    await this.#write(() =>
      Promise.all([
        this.#engine.destroy(this.scope, type, ids),
        this.#run('deleteUserValues', ...place, JSON.stringify(ids)),
      ]),
    );
  }

  async writeUserValues(
    type: DataTypeDefinition,
    userId: string,
    values: ValuesById,
  ): Promise<void> {
    if (values.size === 0) return;
    const place = [this.scope.accountId, type.table, userId] as const;
    const rows = userValueRows(type, values);
    await this.#write(() => this.#run('writeUserValues', ...place, rows));
  }

  async recordOwn(type: DataTypeDefinition, changes: readonly OwnChange[]): Promise<number> {
    const state = await this.#writeRecords(type, ownRecords(changes));
    await this.#writeScopes(type.table, ownRows(changes, state));
    return state;
  }

  async record(
    type: DataTypeDefinition,
    changes: readonly NewChange[],
    properties: readonly PropertyDefinition[] | null = null,
  ): Promise<number> {
    const { table } = type;
    if (type.access !== undefined || changes.some(({ scopes }) => scopes !== undefined)) {
      // Its objects would be in nobody's view.
      const bare = changes.find(({ scopes }) => scopes === undefined);
      if (bare !== undefined) throw new Error(`A change of ${type.name} has no scopes.`);
      return this.#recordScoped(type, changes, properties);
    }
    if (hasUserValues(type)) return this.#recordScoped(type, changes, properties);
    const columns = changedColumns(properties);
    const written = { changes, columns, at: this.#now, current: this.#states.get(table) };
    const state = await this.#write(() => this.#engine.writeChanges(this.scope, table, written));
    this.#noteState(type, state);
    return state;
  }

  async #recordScoped(
    type: DataTypeDefinition,
    changes: readonly NewChange[],
    properties: readonly PropertyDefinition[] | null,
  ): Promise<number> {
    const isCounted = hasUserValues(type);
    const records = isCounted ? withWholeScope(changes) : changes;
    await this.#holdGroups(changes.flatMap(({ scopes }) => scopes?.after ?? []).map(principalIn));
    const state = await this.#writeRecords(type, scopedRecords(records, properties));
    await this.#writeScopes(type.table, scopeRows(changes, state));
    // One row for all of its objects: who sees all of them needs no row of each.
    if (isCounted) await this.#writeScopes(type.table, wholeRow(state));
    return state;
  }

  async recordAccess(type: DataTypeDefinition, changes: readonly AccessChange[]): Promise<number> {
    const state = await this.#writeRecords(type, accessRecord(changes));
    await this.#writeScopes(type.table, accessRows(changes, state));
    return state;
  }

  async recordForeign(type: DataTypeDefinition): Promise<number> {
    const state = await this.#writeRecords(type, accessRecord([]));
    await this.#writeScopes(type.table, foreignRow(state));
    return state;
  }

  async rewriteScopes(
    { table }: DataTypeDefinition,
    scopes: ReadonlyMap<string, NewScopes>,
  ): Promise<void> {
    await this.#holdGroups([...scopes.values()].flatMap(({ after }) => after).map(principalIn));
    await this.#writeScopes(table, rewrittenRows(scopes));
  }

  /**
   * Has nobody join, leave or delete those of the principals that are groups, until the transaction
   * ends. A change of a group looks where the group has scopes. It would not find those that are
   * being written.
   */
  async #holdGroups(principals: Iterable<string | null>): Promise<void> {
    const ids = new Set<string>();
    for (const id of principals)
      if (id !== null && isGroupId(id) && !this.#held.has(id)) ids.add(id);
    if (ids.size === 0) return;
    await this.all('holdGroups', JSON.stringify([...ids]));
    for (const id of ids) this.#held.add(id);
  }

  override async existingPrincipals(ids: readonly string[]): Promise<readonly string[]> {
    // The caller is about to share with them.
    await this.#holdGroups(ids);
    return super.existingPrincipals(ids);
  }

  async changeGrants(removed: readonly Grant[], added: readonly Grant[]): Promise<void> {
    await this.#holdGroups(added.map(({ principalId }) => principalId));
    const { length } = removed.length > added.length ? removed : added;
    for (let at = 0; at < length; at += GRANTS_AT_ONCE) {
      const end = at + GRANTS_AT_ONCE;
      await this.#changeGrants(removed.slice(at, end), added.slice(at, end));
    }
  }

  async #changeGrants(removed: readonly Grant[], added: readonly Grant[]): Promise<void> {
    const toRows = (grants: readonly Grant[]): string =>
      JSON.stringify(grants.map(({ principalId, scope }) => [principalId, scope]));
    await this.#noteGrantees([...removed, ...added]);
    await this.#write(() =>
      Promise.all([
        this.#change('deleteGrants', removed, toRows),
        this.#change('insertGrants', added, toRows),
      ]),
    );
  }

  /** Returns the principals who may reach the account since the work, or no longer. */
  async findMoved(): Promise<ReadonlySet<string>> {
    const moved = new Set<string>();
    if (this.#grantees.size === 0) return moved;
    const after = await this.#haveGrants(this.#grantees);
    for (const [key, { principalId, hadGrants }] of this.#grantees)
      if (hadGrants !== after.has(key)) moved.add(principalId);
    this.#isReachMoved = moved.size > 0;
    return moved;
  }

  /** Notes whether these principals have grants now, where that isn't noted yet. */
  async #noteGrantees(grants: readonly Grant[]): Promise<void> {
    const unknown = new Map<string, Grantee>();
    for (const { principalId, scope } of grants) {
      const table = tableOfScope(scope);
      const key = keyOfGrantee(principalId, table);
      if (!this.#grantees.has(key)) unknown.set(key, { principalId, table });
    }
    if (unknown.size === 0) return;
    const having = await this.#haveGrants(unknown);
    for (const [key, one] of unknown)
      this.#grantees.set(key, { ...one, hadGrants: having.has(key) });
  }

  /** Returns the keys of those who have grants. */
  async #haveGrants(grantees: ReadonlyMap<string, Grantee>): Promise<ReadonlySet<string>> {
    const rows = Array.from(grantees.values(), ({ principalId, table }) => [
      principalId,
      ...scopesOfTable(table),
    ]);
    const keys = new Set<string>();
    for (let at = 0; at < rows.length; at += GRANTS_AT_ONCE) {
      const list = JSON.stringify(rows.slice(at, at + GRANTS_AT_ONCE));
      for (const [principalId, begin] of await this.all('grantees', list, this.scope.accountId))
        keys.add(keyOfGrantee(principalId as string, tableOfScope(begin as string)));
    }
    return keys;
  }

  async #writeRecords(
    type: DataTypeDefinition,
    records: Pick<RecordsToWrite, 'rows' | 'count' | 'growth'>,
  ): Promise<number> {
    const { table } = type;
    const written = { ...records, at: this.#now, current: this.#states.get(table) };
    const state = await this.#write(() => this.#engine.writeRecords(this.scope, table, written));
    this.#noteState(type, state);
    return state;
  }

  async #writeScopes(table: string, rows: string): Promise<void> {
    if (rows === '[]') return;
    await this.#write(() => this.#run('writeScopes', this.scope.accountId, table, rows));
  }

  #noteState({ name, table }: DataTypeDefinition, state: number): void {
    this.#states.set(table, state);
    this.#changed[name] = String(state);
  }

  tellAtOnce({ name }: DataTypeDefinition): void {
    this.#urgent.add(name);
  }

  async keepAnswer(key: string, { arguments: hash, answer }: KeptAnswer): Promise<void> {
    const { accountId } = this.scope;
    await this.#write(() => this.#run('keepAnswer', accountId, key, hash, answer, this.#now));
  }

  async keepTasks(tasks: readonly NewTask[], due: number): Promise<void> {
    if (tasks.length === 0) return;
    const rows = JSON.stringify(tasks.map(({ id, kind, payload }) => [id, kind, payload]));
    await this.#write(() => this.#run('keepTasks', this.scope.accountId, due, rows));
  }

  async endTask(id: string): Promise<boolean> {
    const { accountId, connection } = this.scope;
    const found = await connection.all(this.#engine.texts.task, accountId, id);
    if (found.length === 0) return false;
    await this.#write(() => this.#run('endTask', accountId, id));
    return true;
  }

  async keepNotices(
    { name: objectType, table }: DataTypeDefinition,
    notices: ReadonlyMap<string, readonly ShareNotice[]>,
  ): Promise<void> {
    const { accountId: objectAccountId } = this.scope;
    const number = this.#states.get(table);
    if (number === undefined) throw new Error(`No change of ${objectType} was recorded.`);
    const rows = noticeRows(notices, { objectType, objectAccountId }, number);
    if (rows.length === 0) return;
    for (const userId of notices.keys()) this.#noticed.add(userId);
    const text = JSON.stringify(rows);
    await this.#write(() => this.#run('keepNotices', objectAccountId, this.#now, text));
  }

  async endNotices(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    await this.#write(() => this.#run('endNotices', this.scope.accountId, JSON.stringify(keys)));
  }

  async insertBlobs(blobs: readonly NewBlob[]): Promise<void> {
    if (blobs.length === 0) return;
    const rows = blobRows(blobs);
    const [account, now] = [this.scope.accountId, this.#now];
    await this.#write(() => this.#run('insertBlobs', account, now, now, rows));
  }

  async evictBlobs(
    uploaderId: string,
    maxOctets: number,
    newest: readonly string[],
  ): Promise<readonly string[]> {
    const { accountId } = this.scope;
    const parameters = [JSON.stringify(newest), accountId, uploaderId, maxOctets] as const;
    const ids = (await this.all('surplusBlobs', ...parameters)).map(([id]) => id as string);
    if (ids.length > 0)
      await this.#write(() => this.#run('deleteBlobs', accountId, JSON.stringify(ids)));
    return ids;
  }

  async changeReferences(
    removed: readonly ReferenceRecord[],
    added: readonly ReferenceRecord[],
  ): Promise<void> {
    if (removed.length + added.length === 0) return;
    const toRows = (records: readonly ReferenceRecord[]) => this.names.referenceRows(records);
    // Both are asked for at once: the work can't end between them.
    await this.#write(() =>
      Promise.all([
        this.#change('deleteReferences', removed, toRows),
        this.#change('insertReferences', added, toRows),
      ]),
    );
  }

  async changeBlobReferences(
    removed: readonly BlobReference[],
    added: readonly BlobReference[],
  ): Promise<void> {
    if (removed.length + added.length === 0) return;
    const toRows = (records: readonly BlobReference[]) => this.names.blobReferenceRows(records);
    const ids = new Set([...removed, ...added].map(({ blobId }) => blobId));
    const list = JSON.stringify([...ids]);
    await this.#write(() =>
      Promise.all([
        this.#change('deleteBlobReferences', removed, toRows),
        this.#change('insertBlobReferences', added, toRows),
        this.#run('noteUnreferenced', this.#now, this.scope.accountId, list),
      ]),
    );
  }

  /** Runs a statement that deletes or inserts records. */
  #change<T>(
    text: keyof TableTexts,
    records: readonly T[],
    toRows: (records: readonly T[]) => string,
  ): Promise<void> {
    if (records.length === 0) return NOTHING;
    return this.#run(text, this.scope.accountId, toRows(records));
  }

  #run(text: keyof TableTexts, ...parameters: readonly (string | number)[]): Promise<void> {
    return this.scope.connection.write(this.#engine.texts[text], ...parameters);
  }

  /** Others wait for the transaction. */
  protected override slices(): Slices {
    return this.conductor.startSlices(() => this.check(), true);
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

/** A principal with grants at objects of a table. */
interface Grantee {
  readonly principalId: string;
  readonly table: string;
}

function keyOfGrantee(principalId: string, table: string): string {
  return `${table} ${principalId}`;
}

type Listener = (change: StateChange) => void;

/** Tells its listeners of each commit, once it is done. */
export class CommitListeners {
  readonly #listeners = new Set<Listener>();
  readonly #onError: (error: unknown) => void;

  /** `onError` is told what a listener throws: the writer must not suffer for it. */
  constructor(onError: (error: unknown) => void = () => undefined) {
    this.#onError = onError;
  }

  /** Adds a listener. Returns a function that removes it. */
  add(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  tell(change: StateChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
