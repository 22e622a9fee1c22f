import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/protocol/json.js';
import type { Steps } from '../../../src/runtime/paused-work.js';
import type { OpenStore, Change as RowChange, Table } from '../persist/port.js';
import { runInSlices } from '../query/slices.js';
import type { TypeTable } from '../schema/tables.js';
import type { Outcome } from '../sync/outcomes.js';
import type { ServerList } from './list-state.js';
import { loseList } from './list-state.js';
import { namesIn } from './log.js';
import { LogRows } from './log-rows.js';
import { type Alias, BLOB, type Change, type Coverage, Replica, type Touched } from './replica.js';
import type { StoreWriter, Turn } from './store-writer.js';
import type { PendingWrite } from './write.js';

/** Objects of a store that are taken in one go. */
const ROWS_AT_ONCE = 500;

export interface AccountStoreOptions {
  readonly accountId: string;
  readonly tables: readonly TypeTable[];
  readonly writer: StoreWriter;
  /** Returns what a copy of a type is good for: under another version it is read anew. */
  readonly versionOf: (table: TypeTable) => string;
  /** Is told of each commit, and when it is durable. */
  readonly announce: (news: CommitNews, durable: Promise<boolean>) => void;
}

/** A commit, for tabs that share the store. */
export interface CommitNews {
  readonly accountId: string;
  /** Counts the commits that tabs make in turn; null: this one needs no turn. */
  readonly step: number | null;
  readonly rows: readonly RowChange[];
  /** The writes that it ends. */
  readonly outcomes: readonly Outcome[];
}

export interface CommitOptions {
  /** Rows that belong to the change. */
  readonly rows?: readonly RowChange[];
  readonly outcomes?: readonly Outcome[];
  /** It needs no turn among the tabs: it adds new rows alone, or takes all away. */
  readonly isFree?: boolean;
}

/** Parts of an account that its tabs have never read. */
const UNREAD = -1;

/** How long a commit takes from tab to tab at most, where both are well, ms. */
const NEAR = 20;

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
  /** Types with a row of their own: by these a later client finds the account. */
  readonly #noted = new Set<string>();
  readonly #listeners = new Set<(touched: Touched) => void>();
  readonly #untold: Touched[] = [];
  readonly #prefix: string;
  /** The last commit in turn that is here. */
  #step = UNREAD;
  #turn: Turn | null = null;
  #hasRead = false;
  /** Others have committed what was read from the store, since the last turn. */
  #isReread = false;
  #reading: Promise<void> = Promise.resolve();
  /** Commits that other tabs tell while the store is being read. */
  #untaken: CommitNews[] | null = null;
  #seq = 0;

  constructor(options: AccountStoreOptions) {
    this.#options = options;
    this.replica = new Replica(options.tables);
    this.#log = new LogRows(options.accountId, options.writer.isShared);
    this.#prefix = `${options.accountId} `;
    for (const table of options.tables) this.#versions.set(table.name, options.versionOf(table));
  }

  /** Tabs share the store: they commit in turn. */
  get isShared(): boolean {
    const { isShared, loss } = this.#options.writer;
    return isShared && loss === null;
  }

  /** The number of the last commit. */
  get seq(): number {
    return this.#seq;
  }

  /** Reads what the store has, and isn't here. */
  read(store: OpenStore): Promise<void> {
    const reading = this.#reading.then(() => this.#catchUp(store));
    this.#reading = reading.catch(() => undefined);
    return reading;
  }

  async #catchUp(store: OpenStore): Promise<void> {
    // In its own turn, which has begun since, the tab is ahead of the store.
    if (this.#turn !== null) return;
    let step = await this.#loadStep(store);
    if (step !== this.#step && this.#step !== UNREAD) {
      // Another tab has made way a moment ago: it has told its last commits, and they are near.
      await new Promise((resolve) => setTimeout(resolve, NEAR));
      step = await this.#loadStep(store);
    }
    this.#untaken = [];
    try {
      await this.#load(store, step);
    } finally {
      const untaken = this.#untaken;
      this.#untaken = null;
      const isAll = untaken.map((news) => this.follow(news)).every((isTaken) => isTaken);
      // New rows that were told late may be gone again.
      if (!isAll || untaken.some((news) => news.step === null)) await this.#catchUp(store);
    }
  }

  /** Reads what is behind a step; the log in any case: tabs may end before they tell of writes. */
  async #load(store: OpenStore, step: number): Promise<void> {
    const stored = this.#log.stored;
    const load = (table: Table): Promise<readonly RowChange[]> =>
      loadRows(store, table, this.#prefix);
    const log = this.#log.findMissing(await load('log'), stored);
    if (step === this.#step) {
      this.#take(log);
      return;
    }
    // Objects come last: they may be newer than the state that they have reached, never older.
    const tables = ['types', 'aliases', 'lists', 'objects'] as const;
    const rest = await Promise.all(tables.map(load));
    // Lists that are looked at have to hear of each object.
    const isFirst = this.#step === UNREAD && this.#seq === 0 && this.#listeners.size === 0;
    if (isFirst) await this.#takeSlices(rest.pop() ?? []);
    this.#step = step;
    this.#isReread = true;
    this.#take([...(isFirst ? [] : this.#emptyRows()), ...log, ...rest.flat()]);
    this.#hasRead = true;
  }

  /** Takes objects before anybody looks at the account, a few at a time. */
  #takeSlices(rows: readonly RowChange[]): Promise<void> {
    const steps = function* (store: AccountStore): Steps<void> {
      for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
        const objects = store.#readObjects(rows.slice(from, from + ROWS_AT_ONCE));
        store.replica.apply({ objects });
        yield;
      }
    };
    return runInSlices(steps(this));
  }

  async #loadStep(store: OpenStore): Promise<number> {
    const rows = await loadRows(store, 'meta', this.#stepKey);
    return Number(rows.find(({ key }) => key === this.#stepKey)?.value ?? 0);
  }

  get turn(): Turn | null {
    return this.#turn;
  }

  /**
   * Has a turn from now on, behind all that others have committed. Resolves to true where that was
   * read from the store since the last turn: what began then leads nowhere.
   */
  async beginTurn(turn: Turn, store: OpenStore): Promise<boolean> {
    await this.read(store);
    this.#turn = turn;
    const isReread = this.#isReread;
    this.#isReread = false;
    return isReread;
  }

  /** Returns false where nothing counts that was committed in the turn: the store has another. */
  endTurn(): boolean {
    const isFenced = this.#turn?.isFenced ?? false;
    this.#turn = null;
    if (!isFenced) return true;
    this.#step = UNREAD;
    const log = this.replica.log.filter((write) => this.#log.isStored(write));
    this.#seq += 1;
    this.#tell(this.replica.apply({ log }));
    return false;
  }

  /** Takes a commit of another tab. Returns false where an earlier one isn't here. */
  follow(news: CommitNews): boolean {
    const { step, rows } = news;
    if (this.#untaken !== null) {
      this.#untaken.push(news);
      return true;
    }
    if (this.#step === UNREAD || (step !== null && step > this.#step + 1)) return false;
    if (step !== null && step <= this.#step) return true;
    this.#step = step ?? this.#step;
    this.#take(rows, true, step === null);
    return true;
  }

  /** Returns the lists that are among rows. */
  listsOf(rows: readonly RowChange[]): readonly ServerList[] {
    const lists = rows.filter(({ table, value }) => table === 'lists' && value !== undefined);
    return lists.map(({ value }) => value as unknown as ServerList);
  }

  /** Returns the types whose states are among rows. */
  typesOf(rows: readonly RowChange[]): readonly string[] {
    return rows.flatMap(({ table, key }) => (table === 'types' ? [this.#nameOf(key)] : []));
  }

  /** Makes a change. Resolves once it is durable; false: never. */
  commit(
    change: Change,
    { rows: more = [], outcomes = [], isFree = false }: CommitOptions = {},
  ): Promise<boolean> {
    const { writer, accountId, announce } = this.#options;
    const before = this.replica.log;
    const touched = this.replica.apply(change);
    this.#seq += 1;
    const log = this.#log.change(before, this.replica.log);
    const rows = [...this.#rowsOf(change), ...log, ...more];
    if (isFree) this.#log.expect(log);
    const turn = isFree ? null : this.#turn;
    const step = turn === null ? null : this.#step + 1;
    if (step !== null) {
      this.#step = step;
      rows.push({ table: 'meta', key: this.#stepKey, value: step });
    }
    const durable = writer.write(rows, writer.isShared ? turn : undefined);
    void durable.then((isDurable) => isDurable && this.#log.note(log));
    announce({ accountId, step, rows, outcomes }, durable);
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
    const others = tables.filter(
      (table) => serverPart(this.#versions.get(table.name)) !== serverPart(versionOf(table)),
    );
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
    const rows = [
      ...[...this.#aliases].map((key) => this.#row('aliases', key)),
      ...tables.map((name) => this.#row('types', name)),
      { table: 'meta', key: this.#stepKey } as const,
      ...more,
    ];
    const change = { objects: new Map(objects), cursors, lists, log: [] };
    void this.commit(change, { rows, isFree: true });
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

  #rowsOf({ objects, cursors, coverage, early, lists, aliases }: Change): readonly RowChange[] {
    const rows: RowChange[] = [];
    for (const [type, ofType] of objects ?? []) {
      for (const [id, object] of ofType) rows.push(this.#row('objects', `${type} ${id}`, object));
    }
    for (const [key, alias] of aliases ?? []) rows.push(this.#aliasRow(key, alias));
    for (const [name, list] of lists ?? []) {
      rows.push(this.#row('lists', name, list as JsonValue));
    }
    const unknown = [...(objects?.keys() ?? [])].filter((type) => !this.#noted.has(type));
    const changed = [cursors?.keys() ?? [], coverage?.keys() ?? [], early?.keys() ?? [], unknown];
    for (const type of new Set(changed.flatMap((types) => [...types]))) {
      this.#noted.add(type);
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
    const early = [...this.replica.early(type)];
    return {
      cursor: this.replica.cursor(type),
      coverage: this.replica.coverage(type),
      version,
      ...(early.length > 0 && { early }),
    };
  }

  #row(table: RowChange['table'], key: string, value: JsonValue = null): RowChange {
    const name = `${this.#options.accountId} ${key}`;
    return { table, key: name, ...(value !== null && { value }) };
  }

  get #stepKey(): string {
    return `step ${this.#options.accountId}`;
  }

  /** Returns the rows that take away what the account has, but its log. */
  #emptyRows(): readonly RowChange[] {
    const { replica } = this;
    const types = this.#options.tables.flatMap(({ name }) => [
      this.#row('types', name),
      ...Array.from(replica.baseRows(name), ({ id }) => this.#row('objects', `${name} ${id}`)),
    ]);
    return [...types, ...Array.from(replica.lists, ({ name }) => this.#row('lists', name))];
  }

  /** Takes rows that are in the store. Other tabs tell what their copies of types are good for. */
  #take(rows: readonly RowChange[], areTold = false, areNew = false): void {
    const of = (table: Table): readonly RowChange[] => rows.filter((row) => row.table === table);
    const log = this.#log.take(this.replica.log, of('log'), areNew);
    const states = this.#readTypes(of('types'), areTold);
    const touched = this.replica.apply({
      ...states,
      aliases: this.#readAliases(of('aliases')),
      objects: this.#readObjects(of('objects')),
      lists: this.#readLists(of('lists'), areTold ? null : states.cursors),
      // Writes of types that this program doesn't know wait for one that does.
      log: log.filter(({ type }) => this.#versions.has(type)),
    });
    this.#seq += 1;
    this.#tell(touched);
  }

  #readTypes(rows: readonly RowChange[], areTold: boolean) {
    const cursors = new Map<string, string | null>();
    const coverage = new Map<string, Coverage>();
    const early = new Map<string, ReadonlySet<string>>();
    for (const { key, value: state } of rows) {
      const type = this.#nameOf(key);
      if (!this.#versions.has(type)) continue;
      const { cursor, coverage: one, version, early: ids } = isJsonObject(state) ? state : {};
      early.set(type, new Set(ids as string[] | undefined));
      if (areTold && typeof version === 'string') this.#versions.set(type, version);
      const ours = this.#versions.get(type);
      const isOurs = this.#hasRead ? serverPart(version) === serverPart(ours) : version === ours;
      cursors.set(type, isOurs && typeof cursor === 'string' ? cursor : null);
      // Lists that the server decides stay so, until it says how many objects there are now.
      if (one === 'known' || (isOurs && one === 'all')) coverage.set(type, one);
    }
    return { cursors, coverage, early };
  }

  /** A list of another version of its type shows what it has until it is there anew. */
  #readLists(
    rows: readonly RowChange[],
    cursors: ReadonlyMap<string, string | null> | null,
  ): NonNullable<Change['lists']> {
    const lists = new Map<string, ServerList | null>();
    for (const { key, value } of rows) {
      const list = value as unknown as ServerList | undefined;
      const isCurrent = cursors === null || typeof cursors.get(list?.type ?? '') === 'string';
      lists.set(
        this.#nameOf(key),
        list === undefined || isCurrent ? (list ?? null) : loseList(list),
      );
    }
    return lists;
  }

  #readObjects(rows: readonly RowChange[]): NonNullable<Change['objects']> {
    const objects = new Map(
      [...this.#versions.keys()].map(
        (type) => [type, new Map<string, JsonObject | null>()] as const,
      ),
    );
    for (const { key, value: object } of rows) {
      const [type = '', id = ''] = this.#nameOf(key).split(' ');
      objects.get(type)?.set(id, isJsonObject(object) ? object : null);
    }
    return objects;
  }

  /** Objects of types that this program doesn't know have no key here. */
  #readAliases(rows: readonly RowChange[]): NonNullable<Change['aliases']> {
    const aliases = new Map<string, Alias>();
    for (const { key, value } of rows) {
      if (value === undefined) continue;
      const alias = value as unknown as Alias;
      this.#aliases.add(this.#nameOf(key));
      if (alias.type === BLOB || this.#versions.has(alias.type))
        aliases.set(this.#nameOf(key), alias);
    }
    return aliases;
  }

  #nameOf(key: string): string {
    return key.slice(this.#prefix.length);
  }
}

/**
 * Returns the part of a version that is the server's. Tabs of several programs share a store: a
 * program reads types of its own form anew at its start, and goes on with what others read.
 */
function serverPart(version: JsonValue | undefined): string {
  const text = String(version);
  return text.slice(text.indexOf(' '));
}

async function loadRows(
  store: OpenStore,
  table: Table,
  prefix: string,
): Promise<readonly RowChange[]> {
  const rows = await store.load(table, prefix);
  return rows.map(([key, value]) => ({ table, key, value }));
}
