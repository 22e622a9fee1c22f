import { HookTransactions } from '../../database/postgresql/hook-prisma.js';
import type { Pool } from '../../database/postgresql/pool.js';
import { MethodError } from '../../protocol/errors.js';
import type { Conductor } from '../../runtime/slices.js';
import type {
  BlobKey,
  CallOptions,
  ChangesRequest,
  ObjectsRequest,
  QueryPage,
  QueryPageRequest,
  Snapshot,
  StateAndChanges,
  StateAndObjects,
  StateChange,
  StatementPlan,
  StateNumbers,
  Store,
  TracedStatement,
  Transaction,
} from '../port.js';
import type { Fragment } from '../sql/fragment.js';
import { ChangePruner, collectBlobs, type Pruning, pruneAnswers } from '../sql/prune.js';
import { fewQuery, readsInOrder } from '../sql/query-statements.js';
import { readStates } from '../sql/read-states.js';
import type { Row } from '../sql/row-codec.js';
import { SqlSnapshot } from '../sql/snapshot.js';
import { type NamedType, StorageNames } from '../sql/storage-names.js';
import type { SnapshotServices } from '../sql/table-snapshot.js';
import { CommitListeners, SqlTransaction } from '../sql/transaction.js';
import { plansInTime, timeWork } from '../traced.js';
import type { Connection } from './connection.js';
import { Connections } from './connections.js';
import { postgresql } from './dialect.js';
import { engine } from './engine.js';
import { type GroupHost, runGroup } from './group.js';
import { Lanes } from './lanes.js';
import { readPlan } from './plan.js';
import { Together } from './together.js';

/** How long the store's own upkeep, and a ping, may take, ms. */
const UPKEEP_WAIT = 30_000;
const PING_WAIT = 5000;

/** How long writes that wait join a transaction which has begun, ms. */
const GROUP_TIME = 20;

/** Reads that share a connection; fewer pages, as one may be long and other processors are free. */
const READS_AT_ONCE = 16;
const PAGES_AT_ONCE = 4;

/** How long a statement may take for whose answer the reads of others wait, ms. */
const PATIENCE = 100;

export interface PostgresqlStoreOptions {
  /**
   * The store's own pool, opened with `pipeline`; `close` closes it. Nothing that a work waits for
   * may take its connections.
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

/** Returns the Store on PostgreSQL. */
export function createPostgresqlStore(options: PostgresqlStoreOptions): Store {
  return new PostgresqlStore(options);
}

class PostgresqlStore implements Store {
  readonly #services: SnapshotServices;
  readonly #connections: Connections;
  readonly #lanes: Lanes;
  readonly #together: Together;
  /** Pages by an index: with a filter that few objects meet one takes long. */
  readonly #pages: Together;
  readonly #listeners: CommitListeners;
  readonly #pruning: Pruning;
  readonly #pruner: ChangePruner;

  constructor(options: PostgresqlStoreOptions) {
    const { types, conductor, now = Date.now, patience: longest = PATIENCE } = options;
    const { transactions = new HookTransactions(), onStatement } = options;
    this.#services = { names: new StorageNames(types), conductor };
    const connections = new Connections(options.pool, { transactions, onStatement });
    this.#connections = connections;
    this.#together = new Together(connections, { atOnce: READS_AT_ONCE, longest, isLong: false });
    this.#pages = new Together(connections, { atOnce: PAGES_AT_ONCE, longest, isLong: true });
    this.#listeners = new CommitListeners(options.onListenerError);
    const host: GroupHost = {
      connections,
      groupTime: options.groupTime ?? GROUP_TIME,
      open: (connection, accountId) =>
        new SqlTransaction(engine, this.#services, { connection, accountId }, now()),
      announce: (change) => this.#listeners.tell(change),
    };
    this.#lanes = new Lanes((...work) => runGroup(host, ...work));
    this.#pruning = {
      rows: (query) => this.#look((connection) => connection.query(query)),
      remove: (accountId, statement) => this.#remove(accountId, statement),
    };
    this.#pruner = new ChangePruner(this.#pruning, postgresql);
  }

  read<T>(
    accountId: string,
    options: CallOptions,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    return this.#read(accountId, options, false, work);
  }

  readObjects(request: ObjectsRequest): Promise<StateAndObjects> {
    const { type, ids, properties, maxOctets } = request;
    return this.#readTogether(this.#together, request, async (snapshot) => {
      const [number, objects] = await Promise.all([
        snapshot.stateNumber(type),
        snapshot.get(type, ids, properties, maxOctets),
      ]);
      return { number, objects };
    });
  }

  readChanges(request: ChangesRequest): Promise<StateAndChanges> {
    const { type, since, limit } = request;
    return this.#readTogether(this.#together, request, async (snapshot) => {
      const [number, records] = await Promise.all([
        snapshot.stateNumber(type),
        snapshot.changes(type, since, limit),
      ]);
      return { number, records };
    });
  }

  readPage(request: QueryPageRequest): Promise<QueryPage> {
    const { accountId, type, plan, window, selection } = request;
    const work = (snapshot: Snapshot): Promise<QueryPage> =>
      snapshot.page(type, plan, window, selection);
    const asksOnce = fewQuery({ type, accountId, dialect: postgresql }, plan) === null;
    if (asksOnce && readsInOrder(plan, postgresql))
      return this.#readTogether(this.#pages, request, work);
    return this.#read(accountId, { ...request, mayScan: true }, asksOnce, work);
  }

  /** Runs a read that asks for all at once. */
  #readTogether<T>(
    together: Together,
    { accountId, deadline, trace }: Pick<QueryPageRequest, 'accountId' | 'deadline' | 'trace'>,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    const options = { deadline, mayScan: true, trace };
    const alone = (): Promise<T> => this.#read(accountId, options, true, work);
    // Nobody could tell whose statements those of a shared connection are.
    if (trace !== undefined) return alone();
    const shared = (connection: Connection) => this.#onSnapshot(connection, accountId, work);
    return together.read({ accountId, deadline, work: shared, alone });
  }

  #read<T>(
    accountId: string,
    { deadline, exclusive = false, mayScan = false, trace }: CallOptions,
    once: boolean,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    // A long read would have the others wait for it.
    const demands = { deadline, once, isLong: exclusive || mayScan, mayRepeat: !exclusive };
    return timeWork(trace, work, 'waiting', (timedWork) =>
      this.#connections.read(accountId, demands, (connection) => {
        if (trace !== undefined) connection.trace = trace;
        return this.#onSnapshot(connection, accountId, timedWork);
      }),
    );
  }

  async #onSnapshot<T>(
    connection: Connection,
    accountId: string,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    const snapshot = new SqlSnapshot(engine, this.#services, { connection, accountId });
    try {
      return await work(snapshot);
    } finally {
      snapshot.end();
    }
  }

  write<T>(
    accountId: string,
    options: CallOptions,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    const { deadline, exclusive: alone = false, expects, trace = null } = options;
    const { mayRepeat = !alone } = options;
    const expected = expects && { table: expects.type.table, ids: expects.ids };
    return new Promise((resolve, reject) => {
      const resolveWork = resolve as (value: unknown) => void;
      this.#lanes.push(accountId, {
        ...{ deadline, alone, mayRepeat, work, trace, expects: expected },
        ...{ resolve: resolveWork, reject },
      });
    });
  }

  onCommit(listener: (change: StateChange) => void): () => void {
    return this.#listeners.add(listener);
  }

  readStates(accountIds: readonly string[]): Promise<ReadonlyMap<string, StateNumbers>> {
    const { rows } = this.#pruning;
    return readStates(rows, postgresql, this.#services.names, accountIds);
  }

  async ping(): Promise<void> {
    const demands = { deadline: performance.now() + PING_WAIT };
    await this.#connections.read('', demands, (connection) =>
      connection.all('SELECT 1 FROM "JmapMeta" LIMIT 1'),
    );
  }

  pruneChanges(before: number, limit: number): Promise<number> {
    return this.#pruner.prune(before, limit);
  }

  pruneAnswers(before: number, limit: number): Promise<number> {
    return pruneAnswers(this.#pruning, postgresql, before, limit);
  }

  collectBlobs(before: number, limit: number): Promise<readonly BlobKey[]> {
    return collectBlobs(this.#pruning, postgresql, before, limit);
  }

  plans(
    accountId: string,
    deadline: number,
    statements: readonly TracedStatement[],
  ): Promise<readonly (StatementPlan | null)[]> {
    return plansInTime(deadline, statements, (statement) =>
      this.#connections.read(accountId, { deadline, isLong: true }, (connection) =>
        readPlan(connection, statement),
      ),
    );
  }

  async close(): Promise<void> {
    await this.#lanes.close();
    await this.#connections.close();
  }

  /** Runs a read of the store's own. */
  #look<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#connections.read('', { deadline: performance.now() + UPKEEP_WAIT }, work);
  }

  /** Runs a statement of upkeep in a transaction that holds the account, if it is there still. */
  async #remove(accountId: string, statement: Fragment): Promise<readonly Row[]> {
    const demands = { deadline: performance.now() + UPKEEP_WAIT };
    try {
      return await this.#connections.write(accountId, demands, (connection) =>
        connection.change(statement),
      );
    } catch (error) {
      // The deletion of the account removes its rows.
      if (error instanceof MethodError) return [];
      throw error;
    }
  }
}
