import type { BlobId } from '../call/blobs.js';
import type { OpenStore, Change as RowChange } from '../persist/port.js';
import type { Lazy } from '../query/lazy.js';
import type { RulesLoader } from '../query/rules-loader.js';
import type { TypeTable } from '../schema/tables.js';
import type { AccountStore, CommitNews } from '../store/account-store.js';
import { BLOB, type Coverage, type Touched } from '../store/replica.js';
import type { StoreWriter, Turn } from '../store/store-writer.js';
import type { ListSync } from '../sync/list-sync.js';
import type { Refusal } from '../sync/outcomes.js';
import { Sync } from '../sync/sync.js';
import type { SyncLimits } from '../sync/sync-options.js';
import type { Wire } from '../sync/wire.js';
import { AccountLists } from './account-lists.js';
import { AccountWrites, GONE } from './account-writes.js';
import type { LiveStatus, SyncSnapshot } from './cached-types.js';
import type { Peers } from './peers.js';
import type { Problems } from './problems.js';
import type { ShownLists } from './shown-lists.js';
import { UploadQueue } from './upload-queue.js';
import type { UploadContext } from './upload-tools.js';

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
  /** Is called when a turn counts for nothing: another tab has taken it. */
  readonly onFenced: () => void;
}

type AccountStatus = LiveStatus | 'needsAuth';

/** The states that errors of a cycle mean; others are faults. */
const STATUS_OF: Readonly<Record<string, AccountStatus>> = {
  transport: 'offline',
  needsAuth: 'needsAuth',
};

/** How long a hint of the server's waits for others, in milliseconds. */
const GATHERING = 20;

/** An account in use: its copy, its cycles, its writes and its lists. */
export class AccountCache {
  readonly id: string;
  readonly uploads: UploadQueue;
  readonly lists: AccountLists;
  readonly writes: AccountWrites;
  readonly #options: AccountCacheOptions;
  readonly #sync: Sync;
  #status: AccountStatus = 'loading';
  #lastSynced: number | null = null;
  #isWanted = false;
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
    this.lists = new AccountLists({
      ...options,
      status: () => (this.#status === 'needsAuth' ? 'error' : this.#status),
      sync: () => this.#sync,
    });
    store.listen((touched) => this.#tell(touched));
    this.uploads = new UploadQueue(options.uploads, {
      findRefusal: () => this.writes.refusal,
      commit: (row, blobId) => this.#commitUpload(row, blobId),
      resume: () => this.#sync.wake([]),
    });
    const { uploads } = this;
    this.writes = new AccountWrites({ ...options, uploads, onWrite: () => this.want() });
    this.#sync = new Sync({
      ...{ accountId, replica: store.replica, wire, types, limits, hasOnceKeys, coverageOf },
      settleSession,
      settleLists: () => this.lists.settle(),
      isShown: (type) => this.lists.isShown(type),
      commit: (...ended) => this.#commit(...ended),
      isHeld: (write) => store.isHeld(write) || uploads.isAwaited(write),
      planWith: (plan) => store.planWith(() => uploads.readMissing(), plan),
      lacksFile: (write) => uploads.lacksFile(write),
      repair: (write, error) => uploads.repair(write, error),
      report: (failure, isDone) => {
        this.noteReport(failure, isDone);
        if (isDone) this.lists.prune();
        peers.announce('report', { accountId, failure, isDone });
      },
      tidy: () => this.writes.tidy(),
      takeTurn: async (work) => {
        await store.settle();
        return store.isLoaded && peers.takeTurn(turns, work);
      },
      isFenced: () => store.turn?.isFenced ?? false,
    });
    const turns = {
      begin: async (turn: Turn, open: OpenStore) => {
        const isReread = await store.beginTurn(turn, open);
        if (isReread) {
          this.#sync.follow(types().map(({ name }) => name));
          this.lists.noteMissing();
        }
        await this.writes.endForgotten(open);
        this.#sync.follow(store.renew());
      },
      end: () => {
        if (store.endTurn()) return;
        this.#sync.note();
        options.onFenced();
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

  /** Reads the objects that the store has, and that did not show first. */
  async loadRest(open: OpenStore): Promise<void> {
    await this.#options.store.readRest(open);
    this.writes.makeDeferred();
  }

  /** Ends the wait for the objects of a store that is lost. */
  giveUp(): void {
    this.store.giveUp();
    this.writes.makeDeferred();
  }

  /** Reads what the store has more than this tab. */
  async catchUp(open: OpenStore): Promise<void> {
    const { store } = this.#options;
    // In its own turn it is ahead of the store.
    if (store.turn === null) await store.read(open);
    this.lists.noteMissing();
    await this.writes.endForgotten(open);
    await this.uploads.load(open);
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
    this.lists.noteGone(rows);
    const isTaken = store.follow(news);
    this.uploads.follow(rows);
    const moved = types.filter((type, at) => store.replica.cursor(type) !== before[at]);
    for (const type of moved) this.lists.noteMoved(type);
    this.#sync.follow(types, store.listsOf(rows), moved);
    this.writes.end(outcomes);
    // The tab may end before it sends what it has written.
    if (step === null) this.#sync.goOn();
    return isTaken;
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
    await this.lists.settle();
    do {
      if (this.uploads.isUsed) {
        this.#sync.wake();
        await this.uploads.settle();
      }
      await this.#sync.settle();
      // A write may have its file sent once more.
    } while (this.uploads.isSending);
  }

  /**
   * Has types read anew of which the server, or the program, says that they are others now. A
   * session that is another one is followed by a cycle.
   */
  renew(isOther: boolean): void {
    // Among tabs, types are renewed in turn: the first one does it for all.
    const { store } = this.#options;
    const isInTurn = !store.needsTurn || store.turn !== null;
    this.#sync.forget(isInTurn ? store.renew() : []);
    if (isOther) this.want();
  }

  /** The user has the account no more: takes its data away, and ends its writes. */
  async drop(): Promise<void> {
    this.lists.drop();
    this.writes.drop();
    this.uploads.drop(GONE);
    await this.close();
  }

  async close(): Promise<void> {
    clearTimeout(this.#hint);
    this.lists.flush();
    this.#options.store.stop();
    this.writes.makeDeferred();
    this.uploads.close();
    await this.#sync.close();
    this.writes.close();
    this.#status = 'error';
    this.showStatus();
    await this.lists.close();
  }

  /** Tells lists that the state of the client is another one. */
  showStatus(): void {
    this.#tell(new Map());
  }

  #commit(...[change, ends, areAnswers]: Parameters<AccountWrites['commit']>): Promise<boolean> {
    for (const [type, state] of change.cursors ?? [])
      if (state !== this.store.replica.cursor(type)) this.lists.noteMoved(type);
    return this.writes.commit(change, ends, areAnswers);
  }

  #commitUpload(row: RowChange, blobId: BlobId | undefined): void {
    if (this.writes.isDropped) return;
    const key = row.key.split(' ').at(-1) ?? '';
    const aliases = blobId && new Map([[key, { type: BLOB, id: blobId }]]);
    void this.#options.store.commit({ ...(aliases && { aliases }) }, { rows: [row], isFree: true });
  }

  #tell(touched: Touched): void {
    this.lists.tell(touched);
    this.#options.onChange();
  }
}
