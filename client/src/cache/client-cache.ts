import type { JsonValue } from '../../../src/protocol/json.js';
import { findOwnAccount, type Project } from '../call/account.js';
import { makeBlobs } from '../call/blobs.js';
import type { Connection } from '../call/connection.js';
import { readLimit, type Session } from '../call/session.js';
import { type Client, makeClient } from '../client.js';
import type { OpenStore } from '../persist/port.js';
import { Lazy } from '../query/lazy.js';
import { RulesLoader } from '../query/rules-loader.js';
import { nextTask } from '../query/slices.js';
import type { Schema } from '../schema/tables.js';
import { AccountStore } from '../store/account-store.js';
import type { Coverage } from '../store/replica.js';
import { type Loss, StoreWriter } from '../store/store-writer.js';
import { isEqual } from '../store/values.js';
import type { Refusal } from '../sync/outcomes.js';
import { ONCE } from '../sync/sync-options.js';
import type { ChangedStates } from '../transport/push.js';
import { AccountCache } from './account-cache.js';
import { GONE } from './account-writes.js';
import { bindCache } from './bind-cache.js';
import type { CachedAccount, CachedClient, LogoutOptions, SchemaSnapshot } from './cached-types.js';
import { Variable } from './observable.js';
import { type NewsListeners, Peers } from './peers.js';
import { Problems } from './problems.js';
import type { reopenStore, StoreHost } from './reopen-store.js';
import { REOPEN_TOOLS } from './reopen-tools.js';
import { isKept, isUsed, readLimits, readSync, versionOf } from './session-types.js';
import { SharedPush } from './shared-push.js';
import { SyncState } from './sync-state.js';
import type { UploadContext } from './upload-tools.js';
import {
  countUnknownWrites,
  type Life,
  listAccounts,
  sessionRow,
  type UserData,
  wipeUserData,
} from './user-data.js';
import { CLOSED } from './waiters.js';

const UPLOAD_QUOTA = 50_000_000;
/** How long an object that was made here is found by its key, in milliseconds: 30 days. */
const LIFE_OF_ALIASES = 30 * 24 * 60 * 60_000;

export interface CacheOptions {
  /**
   * How much of a type the client keeps, by the type's name: `all` objects, or those that are
   * `known` from lists. By default it keeps all of up to 10,000 objects.
   */
  readonly coverage?: Readonly<Record<string, Coverage>> | undefined;
  /**
   * Octets of uploads that the store keeps for an account until the server has them; by default
   * 50,000,000. Further ones are in memory alone.
   */
  readonly uploadQuota?: number | undefined;
}

/** The cache of a client: its accounts, its problems and the state of both. */
export class ClientCache<P extends Project> {
  readonly #schema: Schema<P>;
  readonly #connection: Connection;
  readonly #data: UserData;
  readonly #coverage: Readonly<Record<string, Coverage>>;
  readonly #quota: number;
  readonly #client: Client<P>;
  readonly #writer: StoreWriter;
  readonly #peers: Peers;
  readonly #problems: Problems;
  readonly #sync: SyncState;
  readonly #rules = new RulesLoader();
  readonly #shown = new Lazy(() => import('./shown-lists.js').then(({ ShownLists }) => ShownLists));
  readonly #lists = new Lazy(() => import('../sync/list-sync.js').then(({ ListSync }) => ListSync));
  readonly #accounts = new Map<string, AccountCache>();
  /** The state of what others share with the user (RFC 9670), as push has told it last. */
  #shares: string | undefined;
  readonly #bound = new Map<string, CachedAccount<P>>();
  readonly #push: SharedPush;
  readonly #outdated = new Variable<SchemaSnapshot>(Object.freeze({ outdated: [] }));
  #closing: Promise<void> | null = null;
  #isWiped = false;
  /** The last session that was taken, without its state. */
  #session: JsonValue | undefined;
  /** The data that the client has had; null: none, or not all of them. */
  #life: Life | null;
  readonly #reopen = new Lazy(() =>
    import('./reopen-store.js').then(({ reopenStore: reopen }) => reopen),
  );

  constructor(
    schema: Schema<P>,
    connection: Connection,
    data: UserData,
    { coverage = {}, uploadQuota = UPLOAD_QUOTA }: CacheOptions,
  ) {
    this.#coverage = coverage;
    this.#quota = uploadQuota;
    this.#schema = schema;
    this.#connection = connection;
    this.#data = data;
    this.#client = makeClient(schema, connection);
    this.#sync = new SyncState(this.#accounts);
    const { store, epoch } = data;
    this.#writer = new StoreWriter(
      store,
      epoch,
      (loss) => this.#noteLoss(loss),
      async (what) => {
        const { makeRoom } = await import('./make-room.js');
        await makeRoom(what, store, this.#writer, this.#accounts.values());
      },
    );
    this.#peers = new Peers(data.tabs, data.store, this.#writer);
    this.#problems = new Problems(
      (rows) => this.#peers.announce('rows', rows, this.#writer.write(rows)),
      this.#writer,
      ({ accountId, write }, rows) => this.#open(accountId).writes.repeat(write, rows),
    );
    this.#life = data.life;
    this.#push = new SharedPush(connection, this.#peers, {
      take: (changed) => this.#takeStates(changed),
      setPushed: (isPushed) => this.#sync.control.setPushed(isPushed),
    });
    connection.keeper.listen((session) => this.#takeSession(session));
    this.#peers.listen(this.#makeListeners(), () => void this.#catchUp());
    if (data.isLost) this.#writer.lose('lost');
  }

  #makeListeners(): NewsListeners {
    const { control } = this.#sync;
    return {
      commit: (news) => {
        const hasProblems = this.#problems.follow(news.rows);
        const isBehind = this.#accounts.get(news.accountId)?.follow(news) === false;
        if (isBehind || hasProblems) void this.#catchUp();
      },
      rows: (rows) => void this.#problems.follow(rows),
      report: ({ accountId, failure, isDone }) =>
        this.#accounts.get(accountId)?.noteReport(failure, isDone),
      session: (state) => this.#connection.keeper.noteState(state),
      states: (changed) => this.#takeStates(changed),
      push: (isLive) => control.setPushed(isLive),
      hello: () => this.#push.greet(),
      here: () => undefined,
      retry: () => this.#push.retryOwn(),
      logout: () => {
        this.#isWiped = true;
        this.#writer.lose('fenced');
      },
    };
  }

  /** Reads what other tabs have committed and this one has not heard of. */
  async #catchUp(): Promise<void> {
    const { store } = this.#data;
    if (this.#writer.loss !== null || this.#closing !== null) return;
    try {
      await this.#problems.read(store);
      for (const account of this.#accounts.values()) await account.catchUp(store);
    } catch {
      this.#writer.lose('lost');
    }
  }

  /**
   * Takes what the store has, of all accounts in it; at first what shows at once. Where it is lost,
   * all goes on in memory.
   */
  async load(): Promise<void> {
    const { store } = this.#data;
    try {
      if (this.#writer.loss === null) await this.#read(store);
    } catch (error) {
      if ((error as Error).name !== 'StoreLostError') throw error;
      // Nothing is written over what was not read.
      this.#life = null;
      await store.close();
      this.#writer.lose('lost');
    }
    const session = this.#connection.keeper.current();
    // The user may have no account yet.
    if (Object.keys(session.accounts).length > 0) this.#open(findOwnAccount(this.#schema, session));
    this.#takeSession(session);
  }

  async #read(store: OpenStore): Promise<void> {
    await this.#removeOldAliases(store);
    await this.#problems.read(store);
    for (const id of await listAccounts(store)) {
      if (this.#accounts.has(id)) continue;
      const account = this.#makeStore(id);
      await account.read(store);
      await this.#add(id, account).uploads.load(store);
    }
  }

  /** A page that is offline may lack the code: then a later start does it. */
  async #removeOldAliases(store: OpenStore): Promise<void> {
    const aliases = await store.load('aliases');
    const end = Date.now() - LIFE_OF_ALIASES;
    const old = aliases.filter(([, alias]) => ((alias as { at?: number }).at ?? 0) < end);
    const code = old.length > 0 ? await import('../store/old-aliases.js').catch(() => null) : null;
    if (code !== null) await this.#writer.write(await code.findUnused(store, old));
  }

  /** Reads what the store has besides, once the program has had its turn. */
  async readRest(): Promise<void> {
    const { store } = this.#data;
    if ([...this.#accounts.values()].every(({ store: { isLoaded } }) => isLoaded)) return;
    await nextTask();
    for (const account of this.#accounts.values()) {
      try {
        await account.loadRest(store);
      } catch {
        if (this.#closing !== null) return;
        if (account.store.isLoaded) continue;
        this.#writer.lose('lost');
      }
    }
  }

  /** Ends all that is open. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  /** Has the server tell of changes. */
  follow(): void {
    this.#push.lead();
    this.#sync.onWake(() => this.#push.retry());
  }

  #takeStates(changed: ChangedStates | null): void {
    let isOther = changed === null;
    for (const [id, states] of Object.entries(changed ?? {})) {
      this.#accounts.get(id)?.takeStates(states);
      // An account comes with the first object that others share, and goes with the last one: any
      // answer tells of another session.
      const shares = states['ShareNotification'] ?? this.#shares;
      isOther ||= !this.#client.session.accounts[id] || (this.#shares ?? shares) !== shares;
      this.#shares = shares;
    }
    if (isOther) this.#sync.control.wake();
  }

  makeClient(): CachedClient<P> {
    const client = this.#client;
    return {
      get session() {
        return client.session;
      },
      onSession: client.onSession,
      account: (id = findOwnAccount(this.#schema, client.session)) => this.#bind(id),
      raw: client.raw,
      sync: this.#sync.control,
      schema: this.#outdated,
      problems: this.#problems.list,
      close: () => this.close(),
      logout: (options) => this.#logout(options),
    };
  }

  #bind(id: string): CachedAccount<P> {
    const tables = this.#schema.types.filter(isKept);
    const bound =
      this.#bound.get(id) ?? bindCache(this.#client.account(id), this.#open(id), tables);
    this.#bound.set(id, bound);
    return bound;
  }

  #open(id: string): AccountCache {
    const known = this.#accounts.get(id);
    if (known !== undefined) return known;
    const made = this.#add(id, this.#makeStore(id));
    made.want();
    // Other tabs may have it open.
    if (this.#peers.isShared) void this.#catchUp();
    return made;
  }

  #makeStore(accountId: string): AccountStore {
    return new AccountStore({
      accountId,
      tables: this.#schema.types.filter(isKept),
      writer: this.#writer,
      versionOf: (table) => versionOf(table, this.#connection.keeper.current()),
      announce: (news, durable) => this.#peers.announce('commit', news, durable),
    });
  }

  #add(accountId: string, store: AccountStore): AccountCache {
    const { keeper, scope, send } = this.#connection;
    const hasOnceKeys = (): boolean => ONCE in keeper.current().capabilities;
    const account = new AccountCache({
      ...{ accountId, store, rules: this.#rules, lists: this.#lists, problems: this.#problems },
      ...{ writer: this.#writer, shown: this.#shown },
      uploads: this.#makeUploads(accountId, store, hasOnceKeys),
      peers: this.#peers,
      wire: { send: (request) => scope.run(undefined, (signal) => send(request, signal)) },
      types: () => this.#schema.types.filter((table) => isUsed(table, accountId, keeper.current())),
      limits: () => readLimits(keeper.current()),
      hasOnceKeys,
      settleSession: () => keeper.settle(),
      coverageOf: (type) => this.#coverage[type],
      isOutdated: (type) => this.#outdated.getSnapshot().outdated.includes(type),
      findRefusal: () => this.#findRefusal(accountId),
      onChange: this.#sync.show,
      onFenced: () => void this.#catchUp(),
    });
    this.#accounts.set(accountId, account);
    return account;
  }

  #makeUploads(accountId: string, store: AccountStore, hasOnceKeys: () => boolean): UploadContext {
    const connection = this.#connection;
    return {
      ...{ accountId, store, hasOnceKeys, writer: this.#writer },
      ...{ open: this.#data.store, quota: this.#quota, http: connection.http },
      hold: (key, work) => this.#peers.hold(`upload ${key}`, work),
      maxSize: () => readLimit(connection.keeper.current(), 'maxSizeUpload'),
      // One is sent at a time: it needs no gate.
      blobsBy: (http) => makeBlobs(accountId, { ...connection, http }, (task) => task()),
    };
  }

  #findRefusal(accountId: string): Refusal | null {
    if (this.#closing !== null || this.#writer.loss === 'fenced') return CLOSED;
    const account = this.#client.session.accounts[accountId];
    if (account === undefined) return GONE;
    return account.isReadOnly
      ? { type: 'accountReadOnly', description: 'The user may only read the account.' }
      : null;
  }

  /** The user's access may have changed, and the history of the server's data. */
  #takeSession(session: Session): void {
    if (session.username !== this.#data.username) {
      void this.close();
      return;
    }
    void this.#writer.write([sessionRow(session)]);
    this.#findOutdated(session);
    // The state alone tells nothing: a server may have another one with each response.
    const { value } = sessionRow({ ...session, state: '' });
    const isOther = !isEqual(value, this.#session);
    this.#session = value;
    if (isOther) this.#peers.announce('session', session.state);
    for (const [id, account] of this.#accounts) {
      if (session.accounts[id] !== undefined) account.renew(isOther);
      else if (!account.store.isLoaded) {
        // All of it is taken away once all of it is known.
        void account.store.settle().then(() => {
          if (this.#closing === null) this.#takeSession(this.#connection.keeper.current());
        });
      } else {
        this.#accounts.delete(id);
        this.#bound.delete(id);
        void account.drop();
      }
    }
    this.#sync.show();
  }

  #findOutdated(session: Session): void {
    const { types = {} } = readSync(session);
    const outdated = this.#schema.types.flatMap(({ name, hash }) => {
      const known = types[name]?.hash;
      return known === undefined || known === hash ? [] : [name];
    });
    if (isEqual(outdated, [...this.#outdated.getSnapshot().outdated])) return;
    this.#outdated.set(Object.freeze({ outdated: Object.freeze(outdated) }));
  }

  #noteLoss(loss: Loss): void {
    this.#sync.noteLoss(loss);
    if (loss === 'fenced') void this.close();
    else this.#reopen.want((reopen) => this.#wait(reopen));
  }

  /** Waits for a lost store. */
  #wait(reopen: typeof reopenStore): void {
    const host: StoreHost = {
      ...{ data: this.#data, writer: this.#writer, peers: this.#peers, problems: this.#problems },
      ...{ accounts: this.#accounts, session: this.#connection.keeper.current },
      life: () => this.#life,
      read: (store) => this.#read(store),
      resume: (life) => {
        this.#life = life;
        this.#sync.noteLoss(null);
        for (const account of this.#accounts.values()) account.want();
        void this.readRest();
      },
      end: (isWiped) => {
        this.#isWiped ||= isWiped;
        this.#writer.lose('fenced');
      },
    };
    const { scope } = this.#connection;
    scope.run(undefined, (signal) => reopen(host, REOPEN_TOOLS, signal)).catch(() => undefined);
  }

  async #end(): Promise<void> {
    await this.#connection.close();
    for (const lazy of [this.#rules, this.#shown, this.#lists, this.#reopen]) lazy.close();
    const ended = this.#sync.close();
    await this.#writer.settle();
    await this.#peers.close();
    await ended;
    await this.#writer.settle();
    await this.#data.store.close().catch(() => undefined);
  }

  async #logout({ discard = false }: LogoutOptions = {}): Promise<void> {
    const unsent = discard || this.#isWiped ? 0 : await this.#countUnsent();
    if (unsent > 0)
      throw new Error(`The server has not answered ${unsent} writes and files: discard them.`);
    if (this.#closing === null) this.#peers.announce('logout', null);
    await this.close();
    if (this.#isWiped) return;
    if (this.#writer.loss === 'fenced')
      throw new Error('Another client has the store by now: it can remove the data.');
    await wipeUserData(this.#data);
    this.#isWiped = true;
  }

  /** Counts what a logout takes away, and the server lacks. */
  async #countUnsent(): Promise<number> {
    const known = new Set(this.#schema.types.filter(isKept).map(({ name }) => name));
    const unknown = await countUnknownWrites(this.#data, known);
    const files = Array.from(this.#accounts.values(), ({ uploads }) => uploads.unsent);
    const { pending } = this.#sync.control.getSnapshot();
    return files.reduce((sum, unsent) => sum + unsent, pending + unknown);
  }
}
