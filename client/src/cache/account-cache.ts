import type { JsonObject, JsonValue } from '../../../src/protocol/json.js';
import type { BlobId } from '../call/blobs.js';
import { countOctets } from '../call/cut.js';
import { writeSort } from '../call/pack.js';
import type { OpenStore, Change as RowChange } from '../persist/port.js';
import type { Lazy } from '../query/lazy.js';
import type { RulesLoader } from '../query/rules-loader.js';
import type { TypeTable } from '../schema/tables.js';
import type { AccountStore, CommitNews } from '../store/account-store.js';
import { lookAnew } from '../store/checks.js';
import type { ListSearch } from '../store/list-state.js';
import { append, coalesce, findCancelled } from '../store/log.js';
import { BLOB, type Change, type Coverage, type Row, type Touched } from '../store/replica.js';
import type { StoreWriter, Turn } from '../store/store-writer.js';
import { isLocalKey, type PendingWrite } from '../store/write.js';
import type { ListSync } from '../sync/list-sync.js';
import type { Outcome, Refusal } from '../sync/outcomes.js';
import { Sync } from '../sync/sync.js';
import { maxOctetsOf, type SyncLimits } from '../sync/sync-options.js';
import type { Wire } from '../sync/wire.js';
import type { LiveStatus, SyncSnapshot } from './cached-types.js';
import { LateWrites } from './late-writes.js';
import { LiveRows, type LiveSource } from './live-query.js';
import type { Peers } from './peers.js';
import type { Problems } from './problems.js';
import { findUnneeded } from './pruning.js';
import type { ShownLists } from './shown-lists.js';
import { UploadQueue } from './upload-queue.js';
import type { UploadContext } from './upload-tools.js';
import { Waiters } from './waiters.js';
import { copyJson, refuse, type ShownWrite, type WriteTarget } from './write-forms.js';
import { type Recorded, recordGroup, type SharedWrite } from './write-group.js';

export interface AccountCacheOptions {
  readonly accountId: string;
  readonly store: AccountStore;
  readonly writer: StoreWriter;
  readonly wire: Wire;
  readonly rules: RulesLoader;
  readonly lists: Lazy<typeof ListSync>;
  readonly shown: Lazy<typeof ShownLists>;
  readonly problems: Problems;
  readonly uploads: UploadContext;
  /** The tabs that share the store. */
  readonly peers: Peers;
  /** Returns the types that the account has, and the server's limits, as they are now. */
  readonly types: () => readonly TypeTable[];
  readonly limits: () => SyncLimits;
  readonly hasOnceKeys: () => boolean;
  /** Resolves when no session is being fetched. */
  readonly settleSession: () => Promise<void>;
  /** Returns how much of a type the program wants to keep; undefined: it doesn't say. */
  readonly coverageOf: (type: string) => Coverage | undefined;
  /** Returns whether the server has a type in another form than this program. */
  readonly isOutdated: (type: string) => boolean;
  /** Returns why nothing can be written at present; null where it can. */
  readonly findRefusal: () => Refusal | null;
  /** Is called where the account is in another state than before. */
  readonly onChange: () => void;
}

export interface LiveArguments {
  readonly include?: readonly string[];
  readonly position?: number;
  readonly filter?: JsonValue;
  readonly sort?: readonly (string | JsonObject)[] | null;
  readonly limit?: number | null;
}

/** The states that errors of a cycle mean; others are faults. */
const STATUS_OF: Readonly<Record<string, SyncSnapshot['status']>> = {
  transport: 'offline',
  needsAuth: 'needsAuth',
};

/** How long a hint of the server's waits for others, in milliseconds. */
const GATHERING = 20;

/** An account in use: its copy, its cycles, its writes and its lists. */
export class AccountCache implements WriteTarget {
  readonly id: string;
  readonly uploads: UploadQueue;
  readonly #options: AccountCacheOptions;
  readonly #sync: Sync;
  readonly #waiters = new Waiters();
  readonly #followers = new Set<LiveRows>();
  readonly #lists = new Map<string, WeakRef<LiveRows>>();
  /** The lists that the server decides, and how many look at each. */
  readonly #searches = new Map<string, ListSearch>();
  readonly #openers = new Map<string, number>();
  #shown: ShownLists | null = null;
  readonly #late = new LateWrites();
  #listSync: ListSync | null = null;
  /** Ids of objects that were asked for in the present state of their types, by these. */
  readonly #asked = new Map<string, Set<string>>();
  #status: SyncSnapshot['status'] = 'loading';
  #lastSynced: number | null = null;
  #isWanted = false;
  #isDropped = false;
  #hint: ReturnType<typeof setTimeout> | undefined;

  constructor(options: AccountCacheOptions) {
    const { accountId, store, wire, types, limits, hasOnceKeys, coverageOf, peers } = options;
    const { settleSession } = options;
    this.id = accountId;
    this.#options = options;
    // The server decides lists of such types from the begin: none of them changes its kind later.
    const isUnread = ({ name }: TypeTable) =>
      coverageOf(name) === 'known' && store.replica.coverage(name) === null;
    const unread = types().filter(isUnread);
    store.replica.apply({ coverage: new Map(unread.map(({ name }) => [name, 'known'])) });
    store.listen((touched) => this.#tell(touched));
    this.uploads = new UploadQueue(options.uploads, {
      findRefusal: () => this.#findRefusal([]),
      commit: (row, blobId) => this.#commitUpload(row, blobId),
      resume: () => this.#sync.wake([]),
    });
    this.#sync = new Sync({
      ...{ accountId, replica: store.replica, wire, types, limits, hasOnceKeys, coverageOf },
      ...{ settleSession, isShown: (type) => this.#isShown(type) },
      commit: (change, outcomes) => this.#commit(change, outcomes),
      isHeld: (write) => store.isHeld(write) || this.uploads.isAwaited(write),
      readFiles: () => this.uploads.readMissing(),
      lacksFile: (write) => this.uploads.lacksFile(write),
      repair: (write, error) => this.uploads.repair(write, error),
      report: (failure, isDone) => {
        this.noteReport(failure, isDone);
        if (isDone) this.prune();
        peers.announce('report', { accountId, failure, isDone });
      },
      tidy: () => this.#tidy(),
      takeTurn: async (work) => {
        await store.settle();
        return store.isLoaded && peers.takeTurn(turns, work);
      },
      isFenced: () => store.turn?.isFenced ?? false,
    });
    const turns = {
      begin: async (turn: Turn, open: OpenStore) => {
        const isReread = await store.beginTurn(turn, open);
        this.#endForgotten();
        if (isReread) this.#sync.follow(types().map(({ name }) => name));
        this.#sync.follow(store.renew());
      },
      end: () => {
        if (!store.endTurn()) this.#sync.note();
      },
    };
  }

  get store(): AccountStore {
    return this.#options.store;
  }

  /** The part that the account has in the state of the client. */
  get state(): Omit<SyncSnapshot, 'storage'> {
    const pending = this.#options.store.replica.log.length;
    const { progress } = this.#sync;
    return { status: this.#status, pending, lastSynced: this.#lastSynced, progress };
  }

  get refusal(): Refusal | null {
    return this.#findRefusal([]);
  }

  get isLoading(): boolean {
    return !this.#options.store.isLoaded && this.refusal === null;
  }

  get isLoaded(): boolean {
    return this.#options.store.isLoaded;
  }

  get hasDeferred(): boolean {
    return !this.#late.isEmpty;
  }

  /** Resolves when all objects of the store are here, or never will be. */
  settleStore(): Promise<void> {
    return this.#options.store.settle();
  }

  /** Reads the objects that the store has, and that did not show first. */
  async loadRest(open: OpenStore): Promise<void> {
    await this.#options.store.readRest(open);
    this.#late.make();
  }

  /** Ends the wait for the objects of a store that is lost. */
  giveUp(): void {
    this.store.giveUp();
    this.#late.make();
  }

  /** Makes a write once all objects are here, behind those before it. */
  defer(make: (target: WriteTarget) => ShownWrite, object?: Row): ShownWrite {
    return this.#late.add(() => make(this), object);
  }

  /** Reads what the store has more than this tab. */
  async catchUp(open: OpenStore): Promise<void> {
    const { store } = this.#options;
    // In its own turn it is ahead of the store.
    if (store.turn === null) await store.read(open);
    await this.uploads.load(open);
    this.#endForgotten();
    this.#sync.goOn();
  }

  /** Reads a store anew that was lost: others may have committed since. */
  async reread(open: OpenStore): Promise<void> {
    await this.catchUp(open);
    this.#sync.follow(this.#options.types().map(({ name }) => name));
  }

  /** Takes what another tab has committed. Returns false where the store has more of it. */
  follow(news: CommitNews): boolean {
    const { store } = this.#options;
    const { outcomes, rows, step } = news;
    const types = store.typesOf(rows);
    const before = types.map((type) => store.replica.cursor(type));
    const isTaken = store.follow(news);
    this.uploads.follow(rows);
    const moved = types.filter((type, at) => store.replica.cursor(type) !== before[at]);
    for (const type of moved) this.#asked.delete(type);
    this.#sync.follow(types, store.listsOf(rows), moved);
    this.#end(outcomes, []);
    // The tab may end before it sends what it has written.
    if (step === null) this.#sync.goOn();
    return isTaken;
  }

  /** Ends writes that are in the log no more: the tab that has their answers ended too soon. */
  #endForgotten(): void {
    const { store, problems } = this.#options;
    const pending = new Set(store.replica.log.flatMap(({ ids }) => ids));
    this.#waiters.endRest(pending, (id) => problems.find(id));
  }

  /** Takes the end of a cycle, of this tab or another one. */
  noteReport(failure: string | null, isDone: boolean): void {
    if (isDone) this.#lastSynced = Date.now();
    if (failure !== null) this.#status = STATUS_OF[failure] ?? 'error';
    else if (isDone || this.#status !== 'loading') this.#status = 'live';
    this.showStatus();
  }

  /** Returns the id of a file that was uploaded under a key. */
  blobIdOf(key: string): string {
    return this.#options.store.replica.idOf(key) ?? key;
  }

  /** Returns a text, or the id of the key that it is. Throws where that has no id yet. */
  resolve(text: string): string {
    const { replica } = this.#options.store;
    if (replica.log.some(({ kind, key }) => kind === 'create' && key === text))
      throw new Error(`${text} has no id until the result of its create is there.`);
    return replica.idOf(text) ?? text;
  }

  find(type: string, id: string): ReturnType<WriteTarget['find']> {
    const { replica } = this.#options.store;
    const key = replica.keyOf(type, id);
    return { key, row: replica.row(type, key) };
  }

  take(write: PendingWrite, before?: Row, rows: readonly RowChange[] = []): ShownWrite {
    const { store, peers } = this.#options;
    const { replica } = store;
    if (this.hasDeferred)
      return this.defer(() => this.take(write, before, rows), before ?? replica.preview(write));
    const marked = this.uploads.mark(write);
    const all = [...replica.log, marked];
    // Other tabs may be sending what is in the log: they make one of both when they know.
    const log = peers.isShared ? all : append(replica.log, marked, replica.defaultsOf(write.type));
    const ended = write.kind === 'destroy' ? findCancelled(all, log) : [];
    const [shown] = this.#takeAll([{ write, object: before }], { log }, ended, rows);
    return shown as ShownWrite;
  }

  /** Takes all writes that a function makes, in one commit. */
  write(make: (target: WriteTarget) => void): SharedWrite {
    const { replica } = this.#options.store;
    return recordGroup(this, replica, make, ({ recorded, cancelled }, log) =>
      this.#takeAll(
        recorded,
        { log: [...replica.log, ...log.map((write) => this.uploads.mark(write))] },
        cancelled,
      ),
    );
  }

  /** Makes a refused write once more. Returns false where nothing can be written at present. */
  repeat(write: PendingWrite, rows: readonly RowChange[]): boolean {
    if (this.isLoading) {
      void this.#options.store.settle().then(() => this.repeat(write, rows));
      return true;
    }
    const { failures: _, sentIn: __, ...rest } = write;
    // The problem has told what the server has.
    const row = this.#options.store.replica.row(write.type, write.key);
    const again = lookAnew({ ...rest, ids: [crypto.randomUUID()], sentAs: null }, row ?? {});
    if (this.#findRefusal([{ write: again, object: undefined }]) !== null) return false;
    this.take(again, undefined, rows);
    return true;
  }

  /** Returns the list of these arguments: one and the same for all who look at it. */
  live(table: TypeTable, options: LiveArguments): LiveRows {
    const { filter = null, position = 0, limit = null, include = [] } = options;
    const sort = writeSort(options.sort ?? []) as readonly JsonObject[];
    const args = { filter, sort, position, limit, include };
    const name = JSON.stringify([table.name, args]);
    const known = this.#lists.get(name)?.deref();
    if (known !== undefined) return known;
    for (const [other, list] of this.#lists)
      if (list.deref() === undefined) this.#lists.delete(other);
    const made = new LiveRows(table, copyJson(args), this.#makeSource(name));
    this.#lists.set(name, new WeakRef(made));
    return made;
  }

  /**
   * Forgets lists, and objects of types that are kept in part, that nobody needs any more. Returns
   * what is gone; null: nothing.
   */
  prune(most?: number): Change | null {
    const { store, types, peers } = this.#options;
    // Others may look at what this tab doesn't.
    if (peers.hasOthers || !store.isLoaded) return null;
    const held = new Set([
      ...store.notes.objects,
      ...[...this.#followers].flatMap((query) =>
        Array.from(query.included(), (names) => names.join(' ')),
      ),
    ]);
    const open = new Set(this.#searches.keys());
    const change = findUnneeded(store.replica, types(), { open, held, most });
    if (change === null) return null;
    for (const type of change.objects?.keys() ?? []) this.#asked.delete(type);
    void store.commit(change);
    return change;
  }

  /** Starts a cycle behind what the program does now: its writes go together. */
  want(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    queueMicrotask(() => {
      this.#isWanted = false;
      this.uploads.check();
      this.#sync.want();
    });
  }

  wake(): void {
    this.uploads.wake();
    this.#sync.wake();
  }

  /**
   * Starts a cycle in a moment, for all types or for some, unless one that runs asks for them by
   * then.
   */
  hint(types?: Iterable<string>): void {
    this.#sync.note(types);
    this.#gather();
  }

  /** Starts a cycle in a moment, unless the copy has these states of the server by then. */
  takeStates(states: Readonly<Record<string, string>>): void {
    this.#sync.noteStates(states);
    this.#gather();
  }

  #gather(): void {
    if (!this.#sync.isDue) return;
    this.#hint ??= setTimeout(() => {
      this.#hint = undefined;
      if (this.#sync.isDue) this.#sync.resume();
    }, GATHERING);
  }

  async settle(): Promise<void> {
    // Lists that were opened just now are asked for, too.
    await this.#options.lists.settle();
    if (this.uploads.isUsed) {
      this.#sync.wake();
      await this.uploads.settle();
    }
    await this.#sync.settle();
  }

  /** Has types read anew of which the server, or the program, says that they are others now. */
  renew(): void {
    // Among tabs, types are renewed in turn: the first one does it for all.
    const { store } = this.#options;
    const isInTurn = !store.isShared || store.turn !== null;
    this.#sync.forget(isInTurn ? store.renew() : []);
    this.want();
  }

  /** The user has the account no more: takes its data away, and ends its writes. */
  async drop(): Promise<void> {
    const { store } = this.#options;
    // The user may have it again at once: from here on, another one writes its rows.
    this.#isDropped = true;
    this.uploads.drop(GONE);
    const closed = this.close();
    const { log } = store.replica;
    const outcomes = log.map((write) => ({ isMade: false, write, error: GONE }) as const);
    const refused = this.#findUnasked(outcomes);
    store.drop(this.#options.problems.rowsOf(refused));
    this.#end(outcomes, refused);
    await closed;
  }

  async close(): Promise<void> {
    clearTimeout(this.#hint);
    this.#shown?.flush();
    this.#options.store.stop();
    this.#late.make();
    this.uploads.close();
    await this.#sync.close();
    this.#waiters.close();
    // Lists that were opened just now are noted, too.
    await this.#options.shown.settle();
    if (!this.#isDropped) this.#shown?.flush();
  }

  /** Tells lists that the state of the client is another one. */
  showStatus(): void {
    this.#tell(new Map());
  }

  #takeAll(
    writes: readonly Recorded[],
    change: Pick<Change, 'log'>,
    ended: readonly Outcome[],
    rows: readonly RowChange[] = [],
  ): readonly ShownWrite[] {
    const { store } = this.#options;
    const { replica } = store;
    const refusal = this.#findRefusal(writes);
    if (refusal !== null)
      return writes.map(({ write, object }) => refuse(object ?? replica.preview(write), refusal));
    const aliases = writes.flatMap(({ write }) => store.aliasRowsOf(write));
    const saved = store.commit(change, { rows: [...aliases, ...rows], isFree: true });
    const shown = writes.map(({ write, object }) =>
      this.#show(write, object ?? replica.row(write.type, write.key), saved),
    );
    this.#end(ended, []);
    this.want();
    return shown;
  }

  #findRefusal(writes: readonly Recorded[]): Refusal | null {
    if (this.#isDropped) return GONE;
    const most = maxOctetsOf(this.#options.limits());
    const isLarge = writes.some(({ write }) => countOctets(JSON.stringify(write)) > most);
    return this.#options.findRefusal() ?? (isLarge ? TOO_LARGE : null);
  }

  #show({ ids }: PendingWrite, object: Row | undefined, saved: Promise<boolean>): ShownWrite {
    const { problems } = this.#options;
    const [id = ''] = ids;
    const waiter = this.#waiters.add(id, object);
    return {
      object,
      saved,
      get result() {
        waiter.isAsked = true;
        problems.dismiss(id);
        return waiter.result;
      },
    };
  }

  /** One commit has the answers, and the problems that they are. */
  #commit(change: Change, answers: readonly Outcome[]): Promise<boolean> {
    if (this.#isDropped) return Promise.resolve(false);
    for (const [type, state] of change.cursors ?? [])
      if (state !== this.#options.store.replica.cursor(type)) this.#asked.delete(type);
    const outcomes = answers.map((outcome) => this.#explain(outcome));
    const refused = this.#findUnasked(outcomes);
    const rows = this.#options.problems.rowsOf(refused);
    const durable = this.#options.store.commit(change, { rows, outcomes });
    this.#end(outcomes, refused);
    this.uploads.note(outcomes);
    return durable;
  }

  #commitUpload(row: RowChange, blobId: BlobId | undefined): void {
    if (this.#isDropped) return;
    const key = row.key.split(' ').at(-1) ?? '';
    const aliases = blobId && new Map([[key, { type: BLOB, id: blobId }]]);
    void this.#options.store.commit({ ...(aliases && { aliases }) }, { rows: [row], isFree: true });
  }

  #isShown(type: string): boolean {
    return [...this.#followers].some(({ table }) => table.name === type);
  }

  #tidy(): void {
    const { store, peers } = this.#options;
    // While the store is lost, other tabs may be sending what is in the log.
    if (peers.isShared && store.turn === null) return;
    const { replica } = store;
    const before = replica.log;
    const log = coalesce(before, (type) => replica.defaultsOf(type));
    if (log !== before) void this.#commit({ log }, findCancelled(before, log));
  }

  /** A property that the server doesn't take may be one of another version of the type. */
  #explain(outcome: Outcome): Outcome {
    if (outcome.isMade || outcome.error.type !== 'invalidProperties') return outcome;
    if (!this.#options.isOutdated(outcome.write.type)) return outcome;
    return { ...outcome, error: { ...outcome.error, type: 'clientOutdated' } };
  }

  #findUnasked(outcomes: readonly Outcome[]) {
    return outcomes.flatMap((outcome) => {
      const { ids } = outcome.write;
      if (outcome.isMade || this.#waiters.findAsked(outcome).length === ids.length) return [];
      return [{ accountId: this.id, write: outcome.write, error: outcome.error }];
    });
  }

  #end(outcomes: readonly Outcome[], refused: Parameters<Problems['add']>[0]): void {
    const { store, problems } = this.#options;
    const asked = outcomes.flatMap((outcome) => this.#waiters.findAsked(outcome));
    this.#waiters.end(outcomes, ({ write }) => store.replica.row(write.type, write.key));
    problems.add(refused);
    for (const id of asked) problems.dismiss(id);
  }

  /** Asks for objects once. A server that doesn't have them is asked when their type changes. */
  #fetch(type: string, ids: Iterable<string>): void {
    if (!this.#options.store.isLoaded || this.#sync.isRefused(type)) return;
    const asked = this.#asked.get(type) ?? new Set<string>();
    const fresh = [...ids].filter((id) => !asked.has(id) && !isLocalKey(id));
    this.#asked.set(type, new Set([...asked, ...fresh]));
    if (fresh.length > 0) queueMicrotask(() => this.#sync.fetch(type, fresh));
  }

  /** Asks for a list, and keeps it in step until the function is called. */
  #openList(search: ListSearch): () => void {
    const { name } = search;
    this.#searches.set(name, search);
    this.#openers.set(name, (this.#openers.get(name) ?? 0) + 1);
    this.#options.lists.want((Lists) => {
      this.#listSync ??= new Lists(this.#options.store.replica, () => this.#searches.values());
      this.#sync.wantList(name, this.#listSync);
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
    const { store, rules, writer } = this.#options;
    return {
      ...{ name, replica: store.replica, rules, note: store.notes.get(name) },
      isLoaded: () => store.isLoaded,
      seq: () => store.seq,
      status: (type, list) =>
        this.#sync.isRefused(type, list) ? 'error' : LIVE_STATUS[this.#status],
      fetch: (type, ids) => this.#fetch(type, ids),
      openList: (search) => this.#openList(search),
      follow: (query) => {
        this.#followers.add(query);
        this.#options.shown.want((Lists) => {
          this.#shown ??= new Lists(store.notes, writer);
          this.#shown.add([query]);
        });
        return () => this.#followers.delete(query);
      },
    };
  }

  /** All lists are right before the first listener hears of one. */
  #tell(touched: Touched): void {
    const changed = [...this.#followers].filter((query) => query.update(touched));
    for (const query of changed) query.tell();
    if (!this.#isDropped) this.#shown?.add(changed);
    this.#options.onChange();
  }
}

const LIVE_STATUS: Readonly<Record<SyncSnapshot['status'], LiveStatus>> = {
  loading: 'loading',
  live: 'live',
  offline: 'offline',
  needsAuth: 'error',
  replaced: 'error',
  error: 'error',
};

const GONE: Refusal = Object.freeze({ type: 'accountNotFound', description: 'It is gone.' });
const TOO_LARGE: Refusal = Object.freeze({
  type: 'tooLarge',
  description: 'No request can be so large.',
});
