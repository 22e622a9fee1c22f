import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/protocol/json.js';
import type { Steps } from '../../../src/runtime/paused-work.js';
import type { OpenStore, Change as RowChange } from '../persist/port.js';
import type { ServerList } from '../query/server-list.js';
import { runInSlices } from '../query/slices.js';
import type { TypeTable } from '../schema/tables.js';
import { namesIn } from './log.js';
import { LogRows } from './log-rows.js';
import { loseList } from './lost-list.js';
import { type Alias, BLOB, type Change, type Coverage, Replica, type Touched } from './replica.js';
import type { StoreWriter } from './store-writer.js';
import type { PendingWrite } from './write.js';

/** Objects of a store that are taken in one go. */
const ROWS_AT_ONCE = 500;

export interface AccountStoreOptions {
  readonly accountId: string;
  readonly tables: readonly TypeTable[];
  readonly writer: StoreWriter;
  /** Returns what a copy of a type is good for: under another version it is read anew. */
  readonly versionOf: (table: TypeTable) => string;
}

/**
 * A copy of an account that a store keeps. One commit changes all of it: objects, cursors,
 * coverage, lists, log and aliases. Listeners are told once, behind the commit.
 */
export class AccountStore {
  readonly replica: Replica;
  readonly #options: AccountStoreOptions;
  readonly #log: LogRows;
  readonly #versions = new Map<string, string>();
  readonly #aliases = new Set<string>();
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
    const [objects, types, lists, log, aliases] = await Promise.all([
      store.load('objects', prefix),
      store.load('types', prefix),
      store.load('lists', prefix),
      store.load('log', prefix),
      store.load('aliases', prefix),
    ]);
    for (const [key] of aliases) this.#aliases.add(key.slice(prefix.length));
    const states = this.#readTypes(types, prefix.length);
    this.replica.apply({ ...states, aliases: this.#readAliases(aliases, prefix.length) });
    await runInSlices(this.#takeObjects(objects, prefix.length));
    this.replica.apply({
      lists: this.#readLists(lists, states.cursors),
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

  /** Returns the rows of the keys that a write names: whoever reads the write can resolve them. */
  aliasRowsOf(write: PendingWrite): readonly RowChange[] {
    return [write.key, ...namesIn(write)].flatMap((key) => {
      const alias = this.replica.aliasOf(key);
      return alias === undefined ? [] : [this.#aliasRow(key, alias)];
    });
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
    const lists = [...this.replica.lists].filter(({ type }) => cursors.has(type));
    const lost = new Map(lists.map((list) => [list.name, loseList(list)]));
    if (others.length > 0) void this.commit({ cursors, lists: lost });
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
    const lists = new Map(Array.from(this.replica.lists, ({ name }) => [name, null]));
    void this.commit({ objects: new Map(objects), cursors, lists, log: [] }, [
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
    try {
      for (let next = this.#untold[0]; next !== undefined; next = this.#untold[0]) {
        for (const listener of this.#listeners) listener(next);
        this.#untold.shift();
      }
    } finally {
      this.#untold.length = 0;
    }
  }

  #rowsOf({ objects, cursors, coverage, lists, aliases }: Change): readonly RowChange[] {
    const rows: RowChange[] = [];
    for (const [type, ofType] of objects ?? []) {
      for (const [id, object] of ofType) rows.push(this.#row('objects', `${type} ${id}`, object));
    }
    for (const [key, alias] of aliases ?? []) rows.push(this.#aliasRow(key, alias));
    for (const [name, list] of lists ?? []) {
      rows.push(this.#row('lists', name, list as JsonValue));
    }
    for (const type of new Set([...(cursors?.keys() ?? []), ...(coverage?.keys() ?? [])])) {
      rows.push(this.#row('types', type, this.#stateOf(type)));
    }
    return rows;
  }

  #aliasRow(key: string, { type, id }: Alias): RowChange {
    this.#aliases.add(key);
    return this.#row('aliases', key, { type, id, at: Date.now() });
  }

  #stateOf(type: string): JsonValue {
    const version = this.#versions.get(type) ?? '';
    return {
      cursor: this.replica.cursor(type),
      coverage: this.replica.coverage(type),
      version,
    };
  }

  #row(table: RowChange['table'], key: string, value: JsonValue = null): RowChange {
    const name = `${this.#options.accountId} ${key}`;
    return { table, key: name, ...(value !== null && { value }) };
  }

  #readTypes(
    rows: readonly (readonly [string, JsonValue])[],
    start: number,
  ): { readonly cursors: Map<string, string>; readonly coverage: Map<string, Coverage> } {
    const cursors = new Map<string, string>();
    const coverage = new Map<string, Coverage>();
    for (const [key, state] of rows) {
      const type = key.slice(start);
      if (!isJsonObject(state) || !this.#versions.has(type)) continue;
      const { coverage: one, cursor, version } = state;
      // Lists that the server decides stay so, until it says how many objects there are now.
      const isCurrent = version === this.#versions.get(type);
      if (one === 'known' || (isCurrent && one === 'all')) coverage.set(type, one);
      if (isCurrent && typeof cursor === 'string') cursors.set(type, cursor);
    }
    return { cursors, coverage };
  }

  /** A list of another version of its type shows what it has until it is there anew. */
  #readLists(
    rows: readonly (readonly [string, JsonValue])[],
    cursors: ReadonlyMap<string, string>,
  ): NonNullable<Change['lists']> {
    const lists = rows.map(([, list]) => list as unknown as ServerList);
    return new Map(
      lists.map((list) => [list.name, cursors.has(list.type) ? list : loseList(list)]),
    );
  }

  /** Objects of types that this program doesn't know have no key here. */
  #readAliases(
    rows: readonly (readonly [string, JsonValue])[],
    start: number,
  ): NonNullable<Change['aliases']> {
    const aliases = rows.map(
      ([key, alias]) => [key.slice(start), alias as unknown as Alias] as const,
    );
    return new Map(aliases.filter(([, { type }]) => type === BLOB || this.#versions.has(type)));
  }

  *#takeObjects(rows: readonly (readonly [string, JsonValue])[], start: number): Steps<void> {
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      const objects = new Map<string, Map<string, JsonObject>>();
      for (const [key, object] of rows.slice(from, from + ROWS_AT_ONCE)) {
        const [type = '', id = ''] = key.slice(start).split(' ');
        if (!isJsonObject(object) || !this.#versions.has(type)) continue;
        const ofType = objects.get(type) ?? new Map<string, JsonObject>();
        objects.set(type, ofType.set(id, object));
      }
      this.replica.apply({ objects });
      yield;
    }
  }
}
