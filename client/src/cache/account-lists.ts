import type { JsonObject, JsonValue } from '../../../src/protocol/json.js';
import { writeSort } from '../call/pack.js';
import type { Change as RowChange } from '../persist/port.js';
import type { Lazy } from '../query/lazy.js';
import type { RulesLoader } from '../query/rules-loader.js';
import type { TypeTable } from '../schema/tables.js';
import type { AccountStore } from '../store/account-store.js';
import type { ListSearch } from '../store/list-state.js';
import type { Change, Touched } from '../store/replica.js';
import type { StoreWriter } from '../store/store-writer.js';
import { isLocalKey } from '../store/write.js';
import type { ListSync } from '../sync/list-sync.js';
import type { Sync } from '../sync/sync.js';
import type { LiveStatus } from './cached-types.js';
import { LiveRows, type LiveSource } from './live-query.js';
import type { Peers } from './peers.js';
import { findUnneeded } from './pruning.js';
import type { ShownLists } from './shown-lists.js';
import { copyJson } from './write-forms.js';

export interface AccountListsOptions {
  readonly store: AccountStore;
  readonly writer: StoreWriter;
  readonly rules: RulesLoader;
  readonly lists: Lazy<typeof ListSync>;
  readonly shown: Lazy<typeof ShownLists>;
  /** The tabs that share the store. */
  readonly peers: Pick<Peers, 'findOthers'>;
  /** Returns the types that the account has, as they are now. */
  readonly types: () => readonly TypeTable[];
  readonly status: () => LiveStatus;
  /** Returns the cycles of the account, which are made behind its lists. */
  readonly sync: () => Sync;
}

export interface LiveArguments {
  readonly include?: readonly string[];
  readonly position?: number;
  readonly filter?: JsonValue;
  readonly sort?: readonly (string | JsonObject)[] | null;
  readonly limit?: number | null;
}

/** The lists of an account that a program looks at. */
export class AccountLists {
  readonly #options: AccountListsOptions;
  readonly #followers = new Set<LiveRows>();
  readonly #all = new Map<string, WeakRef<LiveRows>>();
  /** The lists that the server decides, and how many look at each. */
  readonly #searches = new Map<string, ListSearch>();
  readonly #openers = new Map<string, number>();
  /** Ids of objects that were asked for in the present state of their types, by these. */
  readonly #asked = new Map<string, Set<string>>();
  #listSync: ListSync | null = null;
  #shown: ShownLists | null = null;
  #isDropped = false;

  constructor(options: AccountListsOptions) {
    this.#options = options;
  }

  /** Returns the list of these arguments: one and the same for all who look at it. */
  live(table: TypeTable, options: LiveArguments): LiveRows {
    const { filter = null, position = 0, limit = null, include = [] } = options;
    const sort = writeSort(options.sort ?? []) as readonly JsonObject[];
    const args = { filter, sort, position, limit, include };
    const name = JSON.stringify([table.name, args]);
    const known = this.#all.get(name)?.deref();
    if (known !== undefined) return known;
    for (const [other, list] of this.#all) if (list.deref() === undefined) this.#all.delete(other);
    const made = new LiveRows(table, copyJson(args), this.#makeSource(name));
    this.#all.set(name, new WeakRef(made));
    return made;
  }

  /** All lists are right before the first listener hears of one. */
  tell(touched: Touched): void {
    const changed = [...this.#followers].filter((query) => query.update(touched));
    for (const query of changed) query.tell();
    if (!this.#isDropped) this.#shown?.add(changed);
  }

  /** Returns whether somebody looks at a list of a type. */
  isShown(type: string): boolean {
    return [...this.#followers].some(({ table }) => table.name === type);
  }

  /** A type has another state: objects that the server did not have are asked for again. */
  noteMoved(type: string): void {
    this.#asked.delete(type);
  }

  /** Asks once more for lists and objects that are looked at, and that others have forgotten. */
  noteGone(rows: readonly RowChange[]): void {
    const { store, sync } = this.#options;
    for (const { table, key, value } of rows) {
      const name = store.rows.nameOf(key);
      if (value !== undefined) continue;
      if (table === 'objects') this.noteMoved(name.split(' ')[0] ?? '');
      const list = table === 'lists' && this.#searches.has(name) ? this.#listSync : null;
      if (list !== null) sync().wantList(name, list);
    }
  }

  /** Asks for lists that somebody looks at, and that the store doesn't have. */
  noteMissing(): void {
    const { store, sync } = this.#options;
    for (const name of this.#searches.keys())
      if (this.#listSync !== null && store.replica.list(name) === undefined)
        sync().wantList(name, this.#listSync);
  }

  /**
   * Forgets lists, and objects of types that are kept in part, that nobody needs any more. Returns
   * what is gone; null: nothing. Types of up to `most` objects keep all of them.
   */
  prune(most?: number): Change | null {
    const { store, types, peers } = this.#options;
    // Others may look at what this tab doesn't.
    if (peers.findOthers() || !store.isLoaded) return null;
    const held = new Set([
      ...store.notes.objects,
      ...[...this.#followers].flatMap((query) =>
        Array.from(query.included(), (names) => names.join(' ')),
      ),
    ]);
    const open = new Set(this.#searches.keys());
    const change = findUnneeded(store.replica, types(), { open, held, most });
    if (change === null) return null;
    for (const type of change.objects?.keys() ?? []) this.noteMoved(type);
    void store.commit(change);
    return change;
  }

  /** Resolves when lists that were opened just now are asked for. */
  settle(): Promise<void> {
    return this.#options.lists.settle();
  }

  /** Has the store remember the lists as they are shown. */
  flush(): void {
    if (!this.#isDropped) this.#shown?.flush();
  }

  /** Resolves when lists that were opened just now are remembered, too. */
  async close(): Promise<void> {
    await this.#options.shown.settle();
    this.flush();
  }

  /** The account is gone: the store remembers no list of it. */
  drop(): void {
    this.#isDropped = true;
  }

  /** Asks for objects once. A server that doesn't have them is asked when their type changes. */
  #fetch(type: string, ids: Iterable<string>): void {
    const { store, sync } = this.#options;
    if (!store.isLoaded || sync().isRefused(type)) return;
    const asked = this.#asked.get(type) ?? new Set<string>();
    const fresh = [...ids].filter((id) => !asked.has(id) && !isLocalKey(id));
    this.#asked.set(type, new Set([...asked, ...fresh]));
    if (fresh.length > 0) queueMicrotask(() => sync().fetch(type, fresh));
  }

  /** Asks for a list, and keeps it in step until the function is called. */
  #openList(search: ListSearch): () => void {
    const { store, lists, sync } = this.#options;
    const { name } = search;
    this.#searches.set(name, search);
    this.#openers.set(name, (this.#openers.get(name) ?? 0) + 1);
    lists.want((Lists) => {
      this.#listSync ??= new Lists(store.replica, () => this.#searches.values());
      sync().wantList(name, this.#listSync);
    });
    return () => {
      const rest = (this.#openers.get(name) ?? 1) - 1;
      this.#openers.set(name, rest);
      if (rest > 0) return;
      this.#searches.delete(name);
      this.#openers.delete(name);
    };
  }

  #makeSource(name: string): LiveSource {
    const { store, rules, writer, shown, status, sync } = this.#options;
    return {
      ...{ name, replica: store.replica, rules, note: store.notes.get(name) },
      isLoaded: () => store.isLoaded,
      seq: () => store.seq,
      status: (type, list) => (sync().isRefused(type, list) ? 'error' : status()),
      fetch: (type, ids) => this.#fetch(type, ids),
      openList: (search) => this.#openList(search),
      follow: (query) => {
        this.#followers.add(query);
        shown.want((Lists) => {
          this.#shown ??= new Lists(store.notes, writer);
          this.#shown.add([query]);
        });
        return () => this.#followers.delete(query);
      },
    };
  }
}
