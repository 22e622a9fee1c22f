import { lateError, translateError } from '../../database/postgresql/errors.js';
import { HookTransactions } from '../../database/postgresql/hook-prisma.js';
import type { Pool } from '../../database/postgresql/pool.js';
import { MethodError } from '../../protocol/errors.js';
import { inTime } from '../../runtime/deadlines.js';
import type { Conductor } from '../../runtime/slices.js';
import type {
  CallOptions,
  ChangesAsked,
  ObjectsAsked,
  PageAsked,
  QueryPage,
  Snapshot,
  StateAndChanges,
  StateAndObjects,
  StateChange,
  StatementPlan,
  Store,
  Trace,
  TracedStatement,
  Transaction,
} from '../port.js';
import { type NamedType, StorageNames } from '../sql/names.js';
import { ChangePruner } from '../sql/prune.js';
import { fewQuery, readsInOrder } from '../sql/query.js';
import type { BlobKey } from '../sql/records.js';
import { type SnapshotServices, SqlSnapshot } from '../sql/snapshot.js';
import { CommitListeners, SqlTransaction } from '../sql/transaction.js';
import { plansInTime, timeWork, tracedStore } from '../traced.js';
import { collectableBlobs, collectBlobs } from './blobs.js';
import { Connection, type ConnectionOptions } from './connection.js';
import { postgresql } from './dialect.js';
import { engine } from './engine.js';
import { type GroupHost, runGroup } from './group.js';
import { Lanes, type Waiting, type WriteJob } from './lanes.js';
import { readPlan } from './plan.js';
import { retried } from './retry.js';
import { setUp } from './session.js';
import { Shares } from './shares.js';
import { Together } from './together.js';

/** How long the store's own upkeep, and a ping, may take, ms. */
const UPKEEP_WAIT = 30_000;
const PING_WAIT = 5000;

/** How long writes that wait join a transaction which has begun, ms. */
const GROUP_TIME = 20;

/** Reads that share a connection. A page may take long, and the database has other processors for the rest. */
const READS_AT_ONCE = 16;
const PAGES_AT_ONCE = 4;

/** How long a statement may take for whose answer the reads of others wait, ms. */
const PATIENCE = 100;

export interface PostgresqlStoreOptions {
  /**
   * The store's own, opened with `pipeline`: closed by its `close`. Nothing that a work waits for may take its
   * connections.
   */
  readonly pool: Pool;
  /** All types that the store is asked for: which tables and columns their names stand for. */
  readonly types: readonly NamedType[];
  readonly conductor: Conductor;
  /** Milliseconds since 1970: the time of change records and of blobs. */
  readonly now?: () => number;
  /** How long writes that wait join a transaction which has begun, ms: for tests. */
  readonly groupTime?: number;
  /** How long a statement may take for whose answer the reads of others wait, ms: for tests. */
  readonly patience?: number;
  /** Where the Prisma client of hooks finds the transactions of works that wait for them. */
  readonly transactions?: HookTransactions;
  /** Called with the text of each statement before it runs, transaction control apart. */
  readonly onStatement?: (sql: string) => void;
  /** Told what an `onCommit` listener throws; the writer must not suffer for it. */
  readonly onListenerError?: (error: unknown) => void;
}

/** What a connection is asked for. */
type ConnectOptions = Omit<ConnectionOptions, 'onStatement' | 'transactions'>;

/** The work waits for other things, or may scan: it takes one of the connections for these. */
interface LongOption {
  readonly isLong?: boolean;
}

interface ReadOptions extends Pick<ConnectOptions, 'deadline' | 'once' | 'longest'>, LongOption {
  /** The work does nothing but read: it may be run again. */
  readonly mayRepeat?: boolean;
}

/** The Store on PostgreSQL. */
export function createPostgresqlStore(options: PostgresqlStoreOptions): Store {
  return new PostgresqlStore(options);
}

class PostgresqlStore implements Store {
  readonly #services: SnapshotServices;
  readonly #pool: Pool;
  readonly #now: () => number;
  readonly #transactions: HookTransactions;
  readonly #onStatement: ((sql: string) => void) | undefined;
  readonly #lanes = new Lanes((...work) => this.#runJobs(...work));
  readonly #host: GroupHost;
  readonly #shares: Shares;
  readonly #together: Together;
  /** Pages by an index: with a filter that few objects meet one takes long. */
  readonly #pages: Together;
  readonly #listeners: CommitListeners;
  readonly #pruner: ChangePruner;

  constructor(options: PostgresqlStoreOptions) {
    const { types, conductor } = options;
    this.#services = { names: new StorageNames(types), conductor };
    this.#pool = options.pool;
    setUp(this.#pool);
    this.#shares = new Shares(options.pool.options.max);
    const longest = options.patience ?? PATIENCE;
    const open = (connection: Connection, accountId: string): SqlSnapshot<Connection> =>
      this.#snapshot(connection, accountId);
    this.#together = new Together({
      atOnce: READS_AT_ONCE,
      open,
      run: (accountId, deadline, work) =>
        this.#reading(accountId, { deadline, once: true, longest }, work),
      // Where connections are waited for, accounts take turns.
      mayMix: (accountId) => this.#shares.isFree(accountId),
    });
    this.#pages = new Together({
      atOnce: PAGES_AT_ONCE,
      open,
      run: (accountId, deadline, work) =>
        this.#reading(accountId, { deadline, once: true, longest, isLong: true }, work),
      mayMix: () => false,
    });
    this.#host = {
      groupTime: options.groupTime ?? GROUP_TIME,
      transact: (...work) => this.#transact(...work),
      open: (connection, accountId) => this.#open(connection, accountId),
      announce: (change) => this.#listeners.tell(change),
    };
    this.#now = options.now ?? Date.now;
    this.#transactions = options.transactions ?? new HookTransactions();
    this.#onStatement = options.onStatement;
    this.#listeners = new CommitListeners(options.onListenerError);
    this.#pruner = new ChangePruner({
      rows: (query) =>
        this.#reading('', { deadline: performance.now() + UPKEEP_WAIT }, (connection) =>
          connection.query(query),
        ),
      change: async (accountId, statement) =>
        (await this.#upkeep(accountId, (connection) => connection.change(statement))) ?? 0,
    });
  }

  read<T>(
    accountId: string,
    options: CallOptions,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    return this.#read(accountId, options, false, work);
  }

  readObjects(asked: ObjectsAsked): Promise<StateAndObjects> {
    const { type, ids, properties, maxOctets } = asked;
    return this.#readTogether(this.#together, asked, async (snapshot) => {
      const [number, objects] = await Promise.all([
        snapshot.stateNumber(type),
        snapshot.get(type, ids, properties, maxOctets),
      ]);
      return { number, objects };
    });
  }

  readChanges(asked: ChangesAsked): Promise<StateAndChanges> {
    const { type, since, limit } = asked;
    return this.#readTogether(this.#together, asked, async (snapshot) => {
      const [number, records] = await Promise.all([
        snapshot.stateNumber(type),
        snapshot.changes(type, since, limit),
      ]);
      return { number, records };
    });
  }

  readPage(asked: PageAsked): Promise<QueryPage> {
    const { accountId, type, plan, window, wanted } = asked;
    const work = (snapshot: Snapshot): Promise<QueryPage> =>
      snapshot.page(type, plan, window, wanted);
    const asksOnce = fewQuery({ type, accountId, dialect: postgresql }, plan) === null;
    if (asksOnce && readsInOrder(plan, postgresql))
      return this.#readTogether(this.#pages, asked, work);
    return this.#read(accountId, { ...asked, mayScan: true }, asksOnce, work);
  }

  /** A read that asks for all at once. */
  #readTogether<T>(
    together: Together,
    { accountId, deadline, trace }: Pick<PageAsked, 'accountId' | 'deadline' | 'trace'>,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    const options = { deadline, mayScan: true, trace };
    const alone = (): Promise<T> => this.#read(accountId, options, true, work);
    // Nobody could tell whose statements those of a shared connection are.
    if (trace !== undefined) return alone();
    return together.read({ accountId, deadline }, work, alone);
  }

  #read<T>(
    accountId: string,
    { deadline, exclusive = false, mayScan = false, trace }: CallOptions,
    once: boolean,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    // A long read would have the others wait for it.
    const how = { deadline, once, isLong: exclusive || mayScan, mayRepeat: !exclusive };
    return timeWork(trace, work, 'waiting', (told) =>
      this.#reading(accountId, how, async (connection) => {
        if (trace !== undefined) connection.trace = trace;
        const snapshot = this.#snapshot(connection, accountId);
        try {
          return await told(snapshot);
        } finally {
          snapshot.end();
        }
      }),
    );
  }

  write<T>(
    accountId: string,
    options: CallOptions,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    const { deadline, exclusive: alone = false, expects, trace = null } = options;
    const expected = expects && { table: expects.type.table, ids: expects.ids };
    return new Promise((resolve, reject) => {
      const settle = resolve as (value: unknown) => void;
      this.#lanes.push(accountId, {
        ...{ deadline, alone, work, trace, expects: expected },
        ...{ resolve: settle, reject },
      });
    });
  }

  onCommit(listener: (change: StateChange) => void): () => void {
    return this.#listeners.add(listener);
  }

  async ping(): Promise<void> {
    await this.#reading('', { deadline: performance.now() + PING_WAIT }, (connection) =>
      connection.all('SELECT 1 FROM "JmapMeta" LIMIT 1'),
    );
  }

  pruneChanges(before: number, limit: number): Promise<number> {
    return this.#pruner.prune(before, limit);
  }

  async collectBlobs(before: number, limit: number): Promise<readonly BlobKey[]> {
    const found = await this.#reading(
      '',
      { deadline: performance.now() + UPKEEP_WAIT },
      (connection) => collectableBlobs(connection, before, limit),
    );
    const byAccount = new Map<string, string[]>();
    for (const { accountId, id } of found) {
      const ids = byAccount.get(accountId) ?? [];
      byAccount.set(accountId, [...ids, id]);
    }
    const gone: BlobKey[] = [];
    for (const [accountId, ids] of byAccount) {
      const removed = await this.#upkeep(accountId, (connection) =>
        collectBlobs(connection, before, accountId, ids),
      );
      gone.push(...(removed ?? []));
    }
    return gone;
  }

  traced(trace: Trace): Store {
    return tracedStore(this, trace);
  }

  plans(
    accountId: string,
    deadline: number,
    statements: readonly TracedStatement[],
  ): Promise<readonly (StatementPlan | null)[]> {
    return plansInTime(deadline, statements, (statement) =>
      this.#reading(accountId, { deadline, isLong: true }, (connection) =>
        readPlan(connection, statement),
      ),
    );
  }

  async close(): Promise<void> {
    await this.#lanes.close();
    this.#shares.close();
    // Waits for connections that are in use.
    await this.#pool.end();
  }

  #reading<T>(
    accountId: string,
    { isLong = false, mayRepeat = false, ...how }: ReadOptions,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const { deadline } = how;
    const read = async (): Promise<T> => {
      const connection = await this.#connect(how);
      try {
        const result = await work(connection);
        // Of one snapshot only if that was begun; the answer is there already.
        await connection.begun();
        return result;
      } finally {
        // Nobody waits for its answer.
        void connection.rollback();
      }
    };
    return this.#shares.run(accountId, deadline, isLong, () =>
      mayRepeat ? retried(deadline, read) : read(),
    );
  }

  /** Runs a work in a transaction that holds the account; nothing of it stays where it throws. */
  #transact<T>(
    accountId: string,
    { isLong = false, ...how }: ConnectOptions & LongOption,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    return this.#shares.run(accountId, how.deadline, isLong, async () => {
      const connection = await this.#connect({ ...how, writes: accountId });
      let result: T;
      try {
        result = await work(connection);
      } catch (error) {
        await connection.rollback();
        throw error;
      }
      await connection.commit();
      return result;
    });
  }

  /** The account's turn: one work alone, or as many as wait together. */
  async #runJobs(accountId: string, first: WriteJob, waiting: Waiting): Promise<void> {
    if (!first.alone) return runGroup(this.#host, accountId, first, waiting);
    try {
      // What hooks have done elsewhere must not be done twice.
      first.resolve(await this.#runAlone(accountId, first));
    } catch (error) {
      first.reject(error);
    }
  }

  async #runAlone(accountId: string, { deadline, work, trace }: WriteJob): Promise<unknown> {
    let changed: StateChange['changed'] | undefined;
    const how = { deadline, serial: true, isLong: true };
    const result = await this.#transact(accountId, how, async (connection) => {
      connection.trace = trace;
      const transaction = this.#open(connection, accountId);
      try {
        await connection.begun();
        const value = await connection.join(() => inTime(deadline, work(transaction), lateError));
        transaction.assertWhole();
        ({ changed } = transaction);
        return value;
      } finally {
        transaction.end();
      }
    });
    // The lane goes on after this, so listeners hear of an account's states in order.
    if (changed !== undefined) this.#listeners.tell({ accountId, changed });
    return result;
  }

  /** Runs a work of the store's own in a transaction that holds the account, if it is there still. */
  async #upkeep<T>(
    accountId: string,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await this.#transact(accountId, { deadline: performance.now() + UPKEEP_WAIT }, work);
    } catch (error) {
      // Whoever deletes the account removes its rows.
      if (error instanceof MethodError) return undefined;
      throw error;
    }
  }

  #snapshot(connection: Connection, accountId: string): SqlSnapshot<Connection> {
    return new SqlSnapshot(engine, this.#services, { connection, accountId });
  }

  #open(connection: Connection, accountId: string): SqlTransaction<Connection> {
    return new SqlTransaction(engine, this.#services, { connection, accountId }, this.#now());
  }

  async #connect(options: ConnectOptions): Promise<Connection> {
    const own = { transactions: this.#transactions, onStatement: this.#onStatement };
    try {
      return new Connection(await this.#pool.acquire(options.deadline), { ...options, ...own });
    } catch (error) {
      throw translateError(error);
    }
  }
}
