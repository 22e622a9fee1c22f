import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/protocol/json.js';
import type { OpenStore, Change as RowChange } from '../persist/port.js';
import type { TypeTable } from '../schema/tables.js';
import { LogRows } from './log-rows.js';
import { type Change, Replica, type Touched } from './replica.js';
import type { StoreWriter } from './store-writer.js';
import type { PendingWrite } from './write.js';

export interface AccountStoreOptions {
  readonly accountId: string;
  readonly tables: readonly TypeTable[];
  readonly writer: StoreWriter;
  /** Returns what a copy of a type is good for: under another version it is read anew. */
  readonly versionOf: (table: TypeTable) => string;
}

/**
 * A copy of an account that a store keeps. One commit changes all of it: objects, cursors,
 * coverage, log and aliases. Listeners are told once, behind the commit.
 */
export class AccountStore {
  readonly replica: Replica;
  readonly #options: AccountStoreOptions;
  readonly #log: LogRows;
  readonly #versions = new Map<string, string>();
  readonly #aliases = new Set<string>();
  /** Types with a row of their own: by these a later client finds the account. */
  readonly #noted = new Set<string>();
  readonly #listeners = new Set<(touched: Touched) => void>();
  readonly #untold: Touched[] = [];
  #seq = 0;

  constructor(options: AccountStoreOptions) {
    this.#options = options;
    this.replica = new Replica(options.tables);
    this.#log = new LogRows(options.accountId);
    for (const table of options.tables) this.#versions.set(table.name, options.versionOf(table));
  }

  /** The number of the last commit. */
  get seq(): number {
    return this.#seq;
  }

  /** Takes what a store has of the account. */
  async load(store: OpenStore): Promise<void> {
    const prefix = `${this.#options.accountId} `;
    const [objects, types, log, aliases] = await Promise.all([
      store.load('objects', prefix),
      store.load('types', prefix),
      store.load('log', prefix),
      store.load('aliases', prefix),
    ]);
    for (const [key] of aliases) this.#aliases.add(key.slice(prefix.length));
    this.replica.apply({
      ...this.#readTypes(types, prefix.length),
      aliases: new Map(aliases.map(([key, id]) => [key.slice(prefix.length), String(id)])),
      objects: this.#readObjects(objects, prefix.length),
      // Writes of types that this program doesn't know wait for one that does.
      log: this.#log.read(log).filter(({ type }) => this.#versions.has(type)),
    });
  }

  /** Makes a change, with rows that belong to it. Resolves once it is durable; false: never. */
  commit(change: Change, more: readonly RowChange[] = []): Promise<boolean> {
    const before = this.replica.log;
    const touched = this.replica.apply(change);
    this.#seq += 1;
    const log = this.#log.change(before, this.replica.log);
    const durable = this.#options.writer.write([...this.#rowsOf(change), ...log, ...more]);
    void durable.then((isDurable) => isDurable && this.#log.note(log));
    this.#tell(touched);
    return durable;
  }

  /**
   * Returns whether a write has to stay in the log: the store is lost, and has an older row of it.
   * A client that starts from that row would send the write a second time.
   */
  isHeld(write: PendingWrite): boolean {
    return this.#options.writer.loss !== null && this.#log.lacksRequest(write);
  }

  /** Has types read anew whose version is another one by now; returns their names. */
  renew(): readonly string[] {
    const { tables, versionOf } = this.#options;
    const others = tables.filter((table) => this.#versions.get(table.name) !== versionOf(table));
    for (const table of others) this.#versions.set(table.name, versionOf(table));
    const names = others.map(({ name }) => name);
    const cursors = new Map(names.map((name) => [name, null]));
    if (others.length > 0) void this.commit({ cursors });
    return names;
  }

  /** Takes all away, with rows that are written besides: the account is gone. */
  drop(more: readonly RowChange[]): void {
    const tables = this.#options.tables.map(({ name }) => name);
    const objects = tables.map((name) => {
      const ids = [...this.replica.baseRows(name)].map(({ id }) => [id, null] as const);
      return [name, new Map(ids)] as const;
    });
    const cursors = new Map(tables.map((name) => [name, null]));
    void this.commit({ objects: new Map(objects), cursors, log: [] }, [
      ...[...this.#aliases].map((key) => this.#row('aliases', key)),
      ...tables.map((name) => this.#row('types', name)),
      ...more,
    ]);
  }

  /** Calls `listener` behind each commit. Returns the function that ends this. */
  listen(listener: (touched: Touched) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A listener may commit: that one is told behind this one. */
  #tell(touched: Touched): void {
    this.#untold.push(touched);
    if (this.#untold.length > 1) return;
    for (let next = this.#untold[0]; next !== undefined; next = this.#untold[0]) {
      for (const listener of this.#listeners) listener(next);
      this.#untold.shift();
    }
  }

  #rowsOf({ objects, cursors, covered, early, aliases }: Change): readonly RowChange[] {
    const rows: RowChange[] = [];
    for (const [type, ofType] of objects ?? []) {
      for (const [id, object] of ofType) rows.push(this.#row('objects', `${type} ${id}`, object));
    }
    for (const [key, id] of aliases ?? []) {
      this.#aliases.add(key);
      rows.push(this.#row('aliases', key, id));
    }
    const unknown = [...(objects?.keys() ?? [])].filter((type) => !this.#noted.has(type));
    const changed = [cursors?.keys() ?? [], covered ?? [], early?.keys() ?? [], unknown];
    for (const type of new Set(changed.flatMap((types) => [...types]))) {
      this.#noted.add(type);
      rows.push(this.#row('types', type, this.#stateOf(type)));
    }
    return rows;
  }

  #stateOf(type: string): JsonValue {
    const version = this.#versions.get(type) ?? '';
    const early = [...this.replica.early(type)];
    return {
      cursor: this.replica.cursor(type),
      isCovered: this.replica.isCovered(type),
      version,
      ...(early.length > 0 && { early }),
    };
  }

  #row(table: RowChange['table'], key: string, value: JsonValue = null): RowChange {
    const name = `${this.#options.accountId} ${key}`;
    return { table, key: name, ...(value !== null && { value }) };
  }

  #readTypes(
    rows: readonly (readonly [string, JsonValue])[],
    start: number,
  ): Pick<Change, 'cursors' | 'covered' | 'early'> {
    const cursors = new Map<string, string>();
    const covered: string[] = [];
    const early = new Map<string, ReadonlySet<string>>();
    for (const [key, state] of rows) {
      const type = key.slice(start);
      if (isJsonObject(state)) early.set(type, new Set(state['early'] as string[] | undefined));
      if (!isJsonObject(state) || state['version'] !== this.#versions.get(type)) continue;
      if (typeof state['cursor'] === 'string') cursors.set(type, state['cursor']);
      if (state['isCovered'] === true) covered.push(type);
    }
    return { cursors, covered, early };
  }

  #readObjects(
    rows: readonly (readonly [string, JsonValue])[],
    start: number,
  ): NonNullable<Change['objects']> {
    const objects = new Map(
      [...this.#versions.keys()].map((type) => [type, new Map<string, JsonObject>()] as const),
    );
    for (const [key, object] of rows) {
      const [type = '', id = ''] = key.slice(start).split(' ');
      if (isJsonObject(object)) objects.get(type)?.set(id, object);
    }
    return objects;
  }
}
