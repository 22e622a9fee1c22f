import type { JsonValue } from '../../../src/protocol/json.js';
import type { Session } from '../call/session.js';
import type { OpenStore, Change as RowChange } from '../persist/port.js';
import type { AccountStore } from '../store/account-store.js';
import type { StoreWriter } from '../store/store-writer.js';
import type { PendingWrite } from '../store/write.js';
import type { AccountCache } from './account-cache.js';
import type { Peers } from './peers.js';
import type { Problems } from './problems.js';
import type { ReopenTools } from './reopen-tools.js';
import type { Life, UserData } from './user-data.js';

/** A client that has lost its store. */
export interface StoreHost {
  readonly data: UserData;
  readonly writer: StoreWriter;
  readonly peers: Peers;
  readonly problems: Problems;
  readonly accounts: ReadonlyMap<string, AccountCache>;
  readonly session: () => Session;
  /** The data that the client has had; null: none, or not all of them. */
  readonly life: () => Life | null;
  /** Reads what the store has and the client has never read. */
  readonly read: (store: OpenStore) => Promise<void>;
  /** Takes note that the store is there again, with these data. */
  readonly resume: (life: Life) => void;
  /** Ends the client: the user has logged out, or another client has the data. */
  readonly end: (isWiped: boolean) => void;
}

/** Data of a store, and the epoch under which the client may write them. */
interface Found {
  readonly open: OpenStore;
  readonly epoch: number;
  /** Null: the browser has removed them. */
  readonly life: Life | null;
  /** They are those that the client has had. */
  readonly isOwn: boolean;
  /** The user has logged out, before this client was opened. */
  readonly isAfterLogout: boolean;
}

/** The return of an account: it reads a store that has others' commits. */
interface Return {
  readonly account: AccountCache;
  /** The step of the store as it was found. */
  readonly before: number;
  /** Null: the store has others' commits. */
  readonly step: number | null;
}

/** Opens a lost store again, as often as it takes. Rejects when the signal is aborted. */
export async function reopenStore(
  host: StoreHost,
  tools: ReopenTools,
  signal: AbortSignal,
): Promise<void> {
  const { data, writer, peers } = host;
  const backoff = new tools.Backoff();
  // The rows that they have not read may be gone.
  for (const account of host.accounts.values()) if (!account.store.isLoaded) giveUp(account);
  for (;;) {
    await tools.sleep(backoff.next(), signal);
    await data.store.close().catch(() => undefined);
    data.store.replace(null);
    let open: OpenStore | null = null;
    try {
      open = await data.reopen();
      await writer.settle();
      const returning = new Returning(host, tools, open, signal);
      await peers.pause(() => returning.run());
      return;
    } catch (error) {
      data.store.replace(null);
      await open?.close().catch(() => undefined);
      signal.throwIfAborted();
      if ((error as Error).name !== 'FencedError' || peers.isShared) continue;
      host.end(false);
      return;
    }
  }
}

/** Only a part of an account is here, as of no state: the server is asked for all. */
function giveUp(account: AccountCache): void {
  const { replica, rows } = account.store;
  const whole = rows.types.filter((type) => replica.coverage(type) === 'all');
  replica.apply({
    cursors: new Map(rows.types.map((type) => [type, null])),
    coverage: new Map(whole.map((type) => [type, null])),
  });
  account.giveUp();
}

/** Returns all rows of an account. */
function findAll({ replica, rows, log, notes }: AccountStore): readonly RowChange[] {
  const objects = rows.types.map((type) => {
    const all = Array.from(replica.baseRows(type), ({ $key, $pending, ...object }) => object);
    return [type, new Map(all.map((object) => [String(object['id']), object]))] as const;
  });
  const change = {
    objects: new Map(objects),
    cursors: new Map(rows.types.map((type) => [type, replica.cursor(type)])),
    lists: new Map(Array.from(replica.lists, (list) => [list.name, list])),
    aliases: replica.aliases,
  };
  const shown = Array.from(notes, ([name, note]) => {
    const value = note as unknown as JsonValue;
    return { table: 'meta', key: notes.prefix + name, value } as const;
  });
  return [...rows.write(change), ...log.rows, ...shown];
}

/** The return of a client to a store that is open again. */
class Returning {
  readonly #host: StoreHost;
  readonly #tools: ReopenTools;
  readonly #open: OpenStore;
  readonly #signal: AbortSignal;

  constructor(host: StoreHost, tools: ReopenTools, open: OpenStore, signal: AbortSignal) {
    this.#host = host;
    this.#tools = tools;
    this.#open = open;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    const { peers } = this.#host;
    if (peers.isShared) {
      await peers.runAlone(this.#open, ({ epoch }) => this.#return(() => epoch));
      return;
    }
    // Another client may have had the data meanwhile: the epoch of this one is then too old.
    await this.#return((isOwn) => (isOwn ? this.#host.writer.epoch : this.#open.fence()));
  }

  async #return(findEpoch: (isOwn: boolean) => number | null | Promise<number>): Promise<void> {
    const host = this.#host;
    const open = this.#open;
    const before = host.life();
    const stored = await this.#tools.readLife(open);
    // The user had logged out before this client was opened: it begins.
    const isAfterLogout = stored?.id === null && before === null;
    const life = isAfterLogout ? null : stored;
    const isOther = life !== null && before !== null && life.id !== before.id;
    if (life?.id === null || (isOther && life.isAfterLogout)) {
      await open.close();
      host.end(life.id === null);
      return;
    }
    const isOwn = life !== null && before !== null && !isOther;
    const epoch = (await findEpoch(isOwn)) ?? (await open.fence());
    await this.#write({ open, epoch, life, isOwn, isAfterLogout });
  }

  async #write(found: Found): Promise<void> {
    const { data, writer, peers, accounts } = this.#host;
    const { open, epoch } = found;
    const life = found.life ?? this.#host.life() ?? this.#tools.makeLife(found.isAfterLogout);
    const returns = await Promise.all(
      Array.from(accounts.values(), (account) => this.#judge(account, found)),
    );
    const log = new Map(await open.load('log'));
    const { unsaved } = writer;
    const rows = this.#findRows(returns, log, found.life === null ? life : null);
    this.#signal.throwIfAborted();
    await this.#commit(rows, epoch);
    data.store.replace(open);
    for (const { account, before, step } of returns)
      account.store.resume(rows, step, writer.isFull ? before : step);
    for (const { account, step } of returns) if (step === null) await account.reread(open);
    if (!found.isOwn && found.life !== null) await this.#host.read(open);
    const isWritten = writer.resume(unsaved, peers.isShared ? null : epoch);
    void isWritten.then((rest) => {
      for (const { account } of returns) account.store.noteStored(rest);
    });
    for (const { account } of returns) account.uploads.keep();
    if (found.life !== null) this.#tell(rows, returns);
    this.#host.resume(life);
  }

  async #judge(account: AccountCache, { open, life, isOwn }: Found): Promise<Return> {
    const { store } = account;
    const [row] = await open.read('meta', [store.rows.stepKey]);
    const stored = Number(row?.[1] ?? 0);
    const isAhead = life === null || (isOwn && store.isAhead(stored));
    const next = this.#host.peers.isShared ? this.#tools.nextStep(stored) : stored;
    return { account, before: stored, step: isAhead ? next : null };
  }

  /** Returns the rows that the store lacks; of an empty one, whose life begins, all. */
  #findRows(
    returns: readonly Return[],
    log: ReadonlyMap<string, JsonValue>,
    life: Life | null,
  ): readonly RowChange[] {
    const { writer, problems, session, peers } = this.#host;
    const behind = new Map(
      returns.flatMap(({ account: { id, store }, step }) =>
        step === null ? [[id, { store, stored: new Map(store.log.stored) }]] : [],
      ),
    );
    const accountOf = ({ key }: RowChange) => behind.get(key.split(' ')[0] ?? '');
    // Others have sent a write, have ended it, or have joined more to it: their row counts.
    const isTaken = (row: RowChange): boolean => {
      const account = row.table === 'log' ? accountOf(row) : undefined;
      const sentAs = account?.stored.get(account.store.rows.nameOf(row.key));
      const own = row.value as PendingWrite | undefined;
      const there = log.get(row.key) as PendingWrite | undefined;
      if (own === undefined || sentAs === undefined) return false;
      return there?.sentAs !== sentAs || there.ids.some((id) => !own.ids.includes(id));
    };
    const isWanted = (row: RowChange): boolean => {
      const { table, key } = row;
      if (table === 'meta') return !key.startsWith('step ');
      return table === 'log' || table === 'aliases' || accountOf(row) === undefined;
    };
    writer.forget(writer.unsaved.filter(isTaken));
    const rows = new Map<string, RowChange>();
    const add = (all: Iterable<RowChange>): void => {
      for (const row of all) rows.set(`${row.table} ${row.key}`, row);
    };
    add(writer.unsaved.filter(isWanted));
    if (life !== null) {
      add([this.#tools.lifeRow(life), this.#tools.sessionRow(session()), ...problems.rows]);
      for (const { account } of returns) add([...findAll(account.store), ...account.uploads.rows]);
    }
    for (const { account, step } of returns) {
      const key = account.store.rows.stepKey;
      if (peers.isShared && step !== null) add([{ table: 'meta', key, value: step }]);
    }
    return [...rows.values()];
  }

  /** Without room for all, the store gets writes and what belongs to them. */
  async #commit(rows: readonly RowChange[], epoch: number): Promise<void> {
    const { writer } = this.#host;
    const options = { epoch, durable: true };
    const needed = (): readonly RowChange[] => rows.filter(this.#tools.isNeeded);
    try {
      await this.#open.commit(writer.isFull ? needed() : rows, options);
    } catch (error) {
      if ((error as Error).name !== 'QuotaError' || writer.isFull) throw error;
      await this.#open.commit(needed(), options);
      writer.noteFull();
    }
  }

  /** Tells other tabs what the store has got. */
  #tell(rows: readonly RowChange[], returns: readonly Return[]): void {
    const { peers, writer } = this.#host;
    for (const { account, before, step } of returns) {
      const { id: accountId } = account;
      const own = rows.filter(
        ({ table, key }) => key.split(' ')[table === 'meta' ? 1 : 0] === accountId,
      );
      if (own.length === 0 && step === null) continue;
      const news = { accountId, step, before, isStored: !writer.isFull, rows: own, outcomes: [] };
      peers.announce('commit', news);
    }
  }
}
