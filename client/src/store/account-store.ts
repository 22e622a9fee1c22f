import type { OpenStore, Change as RowChange, Table } from '../persist/port.js';
import type { Outcome } from '../sync/outcomes.js';
import { AccountRows, type AccountRowsOptions } from './account-rows.js';
import { ListNotes } from './list-notes.js';
import { loseList, type ServerList } from './list-state.js';
import { namesIn } from './log.js';
import { LogRows } from './log-rows.js';
import { ObjectLoader, toChanges } from './object-loader.js';
import { type Change, Replica, type Touched } from './replica.js';
import type { StoreWriter, Turn } from './store-writer.js';
import type { PendingWrite } from './write.js';

export interface AccountStoreOptions extends AccountRowsOptions {
  readonly writer: StoreWriter;
  /** Is told of each commit, and when it is durable. */
  readonly announce: (news: CommitNews, durable: Promise<boolean>) => void;
}

/** A commit, for tabs that share the store. */
export interface CommitNews {
  readonly accountId: string;
  /** Numbers the commits that tabs make in turn; null: this one needs no turn. */
  readonly step: number | null;
  /** The step that it goes on from. */
  readonly before: number;
  /** The store has it: it isn't full. */
  readonly isStored: boolean;
  readonly rows: readonly RowChange[];
  /** The writes that it ends. */
  readonly outcomes: readonly Outcome[];
}

export interface CommitOptions {
  /** Rows that belong to the change. */
  readonly rows?: readonly RowChange[];
  /** Rows of which other tabs are not told. */
  readonly untold?: readonly RowChange[];
  readonly outcomes?: readonly Outcome[];
  /** It needs no turn among the tabs: it adds new rows alone, or takes all away. */
  readonly isFree?: boolean;
}

/** Parts of an account that its tabs have never read. */
const UNREAD = -1;

/** Two tabs that go on from one step, past a full store, have steps of their own. */
export function nextStep(step: number): number {
  return Math.floor(step) + 1 + Math.random();
}

function isNewWrite({ table, value }: RowChange): boolean {
  return table === 'log' && value !== undefined;
}

/** How long a commit takes from tab to tab at most, where both are well, ms. */
const NEAR = 20;

/**
 * A copy of an account that a store keeps. One commit changes all of it: objects, cursors,
 * coverage, lists, log and aliases. Listeners are told once, behind the commit.
 */
export class AccountStore {
  readonly replica: Replica;
  readonly notes: ListNotes;
  readonly #options: AccountStoreOptions;
  readonly rows: AccountRows;
  readonly #loader: ObjectLoader;
  readonly log: LogRows;
  readonly #listeners = new Set<(touched: Touched) => void>();
  readonly #untold: Touched[] = [];
  /** The last commit in turn that is here, and the last one that the store has. */
  #step = UNREAD;
  #storedStep = UNREAD;
  /** A step of the store that a tab without room goes past. */
  #passedStep = UNREAD;
  /** The store may have what was never read, or what others have committed behind a lost one. */
  #isBehind = false;
  #turn: Turn | null = null;
  /** The store that the last turn has read. */
  #open: OpenStore | null = null;
  /** Others have told of writes since the turn began: it may have seen their ends already. */
  #hasHeard = false;
  #hasRead = false;
  /** Others have committed what was read from the store, since the last turn. */
  #isReread = false;
  #reading: Promise<void> = Promise.resolve();
  /** Commits that other tabs tell while the store is being read. */
  #untaken: CommitNews[] | null = null;
  #isStopped = false;
  #seq = 0;

  constructor(options: AccountStoreOptions) {
    this.#options = options;
    this.replica = new Replica(options.tables);
    this.notes = new ListNotes(options.accountId);
    this.rows = new AccountRows(options, this.replica);
    this.#loader = new ObjectLoader(this.rows, this.replica, this.notes);
    this.log = new LogRows(options.accountId);
  }

  /** Tabs share the store, and it isn't lost: they commit in turn. */
  get needsTurn(): boolean {
    const { isShared, loss } = this.#options.writer;
    return isShared && loss === null;
  }

  /** The number of the last commit. */
  get seq(): number {
    return this.#seq;
  }

  /** All objects of the store are here, and not only those that show first. */
  get isLoaded(): boolean {
    return this.#loader.isLoaded;
  }

  /** Resolves when all objects are here, or never will be. */
  settle(): Promise<void> {
    return this.#loader.settle();
  }

  /**
   * Reads what the store has, and isn't here. The first time it may be a part: the objects that
   * lists have shown last, and that writes are of.
   */
  read(store: OpenStore): Promise<void> {
    return this.#queue(() => this.#catchUp(store));
  }

  /** Reads the objects that the first `read` has left. */
  readRest(store: OpenStore): Promise<void> {
    return this.#queue(async () => {
      if (this.isLoaded) return;
      await this.#loader.loadRest(store);
      if (this.#isStopped) return;
      this.#take(await this.#loadRows(store, 'aliases'));
      this.#endLoading();
    });
  }

  /** Returns whether the store is as of a step, so that all else is newer here. */
  isAhead(step: number): boolean {
    return !this.#isBehind && step === Math.max(this.#storedStep, 0);
  }

  /** Ends the wait for objects: the store has more than will ever be here, until it is read. */
  giveUp(): void {
    this.#step = UNREAD;
    this.#isBehind = true;
    this.#endLoading();
  }

  /** Takes note of changes that a store has got which was lost; with a step, it has all. */
  resume(rows: readonly RowChange[], step: number | null, stored: number | null): void {
    this.noteStored(rows);
    this.#step = step ?? UNREAD;
    this.#storedStep = stored ?? UNREAD;
  }

  /** Notes that the store has rows. */
  noteStored(rows: readonly RowChange[]): void {
    const { prefix } = this.rows;
    this.log.note(rows.filter(({ table, key }) => table === 'log' && key.startsWith(prefix)));
  }

  /** Reads no further. */
  stop(): void {
    this.#isStopped = true;
    this.#loader.stop();
  }

  #endLoading(): void {
    if (this.isLoaded) return;
    this.#loader.end();
    this.#seq += 1;
    this.#tell(new Map());
  }

  #queue(work: () => Promise<void>): Promise<void> {
    const reading = this.#reading.then(work);
    this.#reading = reading.catch(() => undefined);
    return reading;
  }

  async #catchUp(store: OpenStore): Promise<void> {
    // In its own turn, which has begun since, the tab is ahead of the store.
    if (this.#turn !== null) return;
    let step = await this.#loadStep(store);
    if (step !== this.#storedStep && this.#step !== UNREAD) {
      // Another tab has made way a moment ago: it has told its last commits, and they are near.
      await new Promise((resolve) => setTimeout(resolve, NEAR));
      step = await this.#loadStep(store);
    }
    if (!(await this.#putAside(() => this.#load(store, step), store))) await this.#catchUp(store);
  }

  /**
   * Takes what other tabs tell behind some work. Resolves to whether all of it is here then. New
   * writes that were told late may be gone from the store.
   */
  async #putAside(work: () => Promise<void>, store: OpenStore): Promise<boolean> {
    const untaken: CommitNews[] = [];
    this.#untaken = untaken;
    let gone = new Set<RowChange>();
    let isAll = true;
    try {
      await work();
      // One look: tabs that write all the time hold up nobody.
      const rows = untaken.flatMap((news) => (news.step === null ? news.rows : []));
      gone = new Set(await this.#findGone(store, rows));
    } finally {
      this.#untaken = null;
      for (const news of untaken) {
        const rows = news.rows.filter((row) => !gone.has(row));
        isAll = this.follow({ ...news, rows }) && isAll;
      }
    }
    return isAll;
  }

  /** Returns new writes that a store has no more. One that tells nothing is lost. */
  async #findGone(store: OpenStore, rows: readonly RowChange[]): Promise<readonly RowChange[]> {
    const writes = rows.filter(isNewWrite);
    if (writes.length === 0) return writes;
    try {
      const there = new Map(await store.read('log', new Set(writes.map(({ key }) => key))));
      return writes.filter(({ key }) => !there.has(key));
    } catch {
      this.#options.writer.lose('lost');
      return [];
    }
  }

  /** Reads what is behind a step; the log in any case: tabs may end before they tell of writes. */
  async #load(store: OpenStore, step: number): Promise<void> {
    const load = (table: Table) => this.#loadRows(store, table);
    const log = await this.#loadLog(store);
    const { writer } = this.#options;
    if (this.#step !== UNREAD && (step === this.#storedStep || writer.isFull)) {
      // Commits since are here and not in the store: it gets none that builds on them.
      if (step !== this.#step) writer.noteFull();
      this.#passedStep = step;
      const there = log.filter(({ value }) => value);
      // A tab without room ends writes, and brings their keys, without a step.
      const hasKeys = writer.isFull || there.length < log.length;
      const keys = hasKeys ? await load('aliases') : [];
      // A commit since has taken writes out of the log whose effects are not here yet.
      const isLatest = (await this.#loadStep(store)) === step;
      this.#take([...keys, ...(isLatest ? log : there)], false, !isLatest);
      return;
    }
    // Lists that are looked at have to hear of each object.
    const isFirst = this.#step === UNREAD && this.#seq === 0 && this.#listeners.size === 0;
    // Objects come last: they may be newer than the state that they have reached, never older.
    const rest = await Promise.all([load('types'), load('lists')]);
    const objects = await (isFirst ? this.#loader.loadFirst(store, log) : load('objects'));
    // Behind the objects: none of them shows without its key.
    const aliases = await load('aliases');
    this.#step = step;
    this.#storedStep = step;
    this.#isBehind = false;
    this.#isReread = true;
    this.#take([
      ...(isFirst ? [] : this.rows.empty()),
      ...log,
      ...rest.flat(),
      ...aliases,
      ...objects,
    ]);
    this.#hasRead = true;
    if (!isFirst) this.#endLoading();
  }

  /** Returns the changes by which the log becomes the one of the store. */
  async #loadLog(store: OpenStore): Promise<readonly RowChange[]> {
    const { stored } = this.log;
    return this.log.findMissing(await this.#loadRows(store, 'log'), stored);
  }

  async #loadRows(store: OpenStore, table: Table): Promise<readonly RowChange[]> {
    return toChanges(table, await store.load(table, this.rows.prefix));
  }

  async #loadStep(store: OpenStore): Promise<number> {
    const [row] = await store.read('meta', [this.rows.stepKey]);
    return Number(row?.[1] ?? 0);
  }

  get turn(): Turn | null {
    return this.#turn;
  }

  /**
   * Has a turn from now on, behind all that others have committed. Resolves to true where that was
   * read from the store since the last turn: what began then leads nowhere.
   */
  async beginTurn(turn: Turn, store: OpenStore): Promise<boolean> {
    // Writes that are told from here on have the log read once more before a plan.
    this.#hasHeard = false;
    await this.read(store);
    this.#open = store;
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
    this.#isBehind = true;
    const log = this.replica.log.filter((write) => this.log.isStored(write));
    this.#seq += 1;
    this.#tell(this.replica.apply({ log }));
    return false;
  }

  /**
   * Plans writes of a log that has all that they need; `readMore` reads what they need beside it.
   * News of other tabs come behind the plan.
   */
  async planWith(readMore: () => Promise<void>, plan: () => Promise<void>): Promise<void> {
    const open = this.#turn && this.#open;
    const { writer } = this.#options;
    const read = async (): Promise<void> => {
      if (open && this.#hasHeard) await this.#readNews(open);
      await readMore();
    };
    const work = async (): Promise<void> => {
      // A store that tells nothing is lost.
      await read().catch(() => writer.lose('lost'));
      if (!this.#isStopped) await plan();
    };
    await (open ? this.#putAside(work, open) : work());
  }

  /**
   * Reads the log anew: others have told of writes in this turn. Some have ended since. Others need
   * writes of tabs that have ended before they told of them.
   */
  async #readNews(open: OpenStore): Promise<void> {
    this.#hasHeard = false;
    await this.#options.writer.settle();
    const log = await this.#loadLog(open);
    if (!this.#isStopped) this.#take(log);
  }

  /** Takes a commit of another tab. Returns false where an earlier one isn't here. */
  follow(news: CommitNews): boolean {
    const { step, before, isStored, rows } = news;
    if (this.#untaken !== null) {
      this.#untaken.push(news);
      return true;
    }
    if (this.#step === UNREAD) return false;
    if (step !== null) {
      if (before !== this.#step) return step <= this.#storedStep;
      this.#step = step;
      if (isStored) this.#storedStep = step;
      // The store gets nothing that builds on what it has no room for.
      if (!isStored) this.#options.writer.noteFull();
      // Commits of this tab are not among theirs.
      if (this.#options.writer.loss !== null) this.#isBehind = true;
    }
    const log = rows.filter(({ table }) => table === 'log');
    if (step === null && log.some(isNewWrite)) this.#hasHeard = true;
    // A store that is lost here has them by another tab. A new row is older than its changes here.
    this.#options.writer.forget(log.filter((row) => step !== null || !isNewWrite(row)));
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
    return rows.flatMap(({ table, key }) => (table === 'types' ? [this.rows.nameOf(key)] : []));
  }

  /** Makes a change. Resolves once it is durable; false: never. */
  commit(
    change: Change,
    { rows: more = [], untold = [], outcomes = [], isFree = false }: CommitOptions = {},
  ): Promise<boolean> {
    const { writer, accountId, announce } = this.#options;
    const before = this.replica.log;
    const touched = this.replica.apply(change);
    this.#seq += 1;
    const log = this.log.change(before, this.replica.log);
    const rows = [...this.rows.write(change), ...log, ...more];
    this.#loader.note(rows);
    if (isFree) this.log.expect(log);
    const turn = isFree ? null : this.#turn;
    const last = this.#step;
    // Others that have come further would take an earlier one for an old one.
    const step = turn === null ? null : nextStep(Math.max(last, this.#passedStep));
    if (step !== null) {
      this.#step = step;
      rows.push(this.rows.step(step));
    }
    const durable = writer.write([...rows, ...untold], writer.isShared ? turn : undefined);
    const news = { accountId, step, before: last, isStored: true, rows, outcomes };
    void durable.then((isDurable) => {
      if (!isDurable) return;
      this.log.note(log);
      news.isStored = !writer.isFull;
      if (news.isStored) this.#storedStep = step ?? this.#storedStep;
    });
    announce(news, durable);
    this.#tell(touched);
    return durable;
  }

  /** Returns the rows of the keys that a write names: whoever reads the write can resolve them. */
  aliasRowsOf(write: PendingWrite): readonly RowChange[] {
    return [write.key, ...namesIn(write)].flatMap((key) => {
      const alias = this.replica.aliasOf(key);
      return alias === undefined ? [] : [this.rows.alias(key, alias)];
    });
  }

  /**
   * Returns whether a write has to stay in the log: the store is lost, and has an older row of it.
   * A client that starts from that row would send the write a second time.
   */
  isHeld(write: PendingWrite): boolean {
    return this.#options.writer.loss !== null && this.log.lacksRequest(write);
  }

  /** Has types read anew whose version is another one by now; returns their names. */
  renew(): readonly string[] {
    const names = this.rows.renew();
    const cursors = new Map(names.map((name) => [name, null]));
    const lists = [...this.replica.lists].filter(({ type }) => cursors.has(type));
    const lost = new Map(lists.map((list) => [list.name, loseList(list)]));
    if (names.length > 0) void this.commit({ cursors, lists: lost });
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
    const rows = [...this.rows.drop(), ...this.notes.drop(), ...more];
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

  /** Takes rows of the store. A write of which it has yet to get a change is newer here. */
  #take(rows: readonly RowChange[], areTold = false, areNew = false): void {
    const { writer } = this.#options;
    const stored = rows.filter((row) => row.table === 'log' && !(row.value && writer.lacks(row)));
    const log = this.log.take(this.replica.log, stored, areNew);
    this.#loader.note(areTold ? rows : []);
    const touched = this.replica.apply({
      ...this.rows.read(rows, { areTold, hasRead: this.#hasRead }),
      // Writes of types that this program doesn't know wait for one that does.
      log: log.filter(({ type }) => this.rows.knows(type)),
    });
    this.#seq += 1;
    this.#tell(touched);
  }
}
