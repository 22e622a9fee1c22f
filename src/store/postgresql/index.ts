import { setTimeout as sleep } from 'node:timers/promises';
import { isRetryable, lateError } from '../../database/postgresql/errors.js';
import type { Pool } from '../../database/postgresql/pool.js';
import { MethodError } from '../../protocol/errors.js';
import { inTime } from '../in-time.js';
import type { CallOptions, Snapshot, StateChange, Store, Transaction } from '../port.js';
import { type NamedType, type StorageNames, storageNames } from '../sql/names.js';
import { ChangePruner } from '../sql/prune.js';
import { Turns } from '../turns.js';
import { type BlobKey, collectableBlobs, collectBlobs } from './blobs.js';
import { Connection } from './connection.js';
import { Lanes } from './lanes.js';
import { PostgresqlSnapshot } from './snapshot.js';
import { PostgresqlTransaction } from './transaction.js';

/** How long the store's own upkeep, and a ping, may take, ms. */
const UPKEEP_WAIT = 30_000;
const PING_WAIT = 5000;

/** Connections that works which wait for other things leave to the others. */
const KEPT_FREE = 4;

/** Before a transaction that lost against another runs again, ms; times a random number. */
const RETRY_PAUSE = 20;

const READ = 'ISOLATION LEVEL REPEATABLE READ READ ONLY';
// Each statement sees what is committed before it: what the lock was waited for, too.
const WRITE = 'ISOLATION LEVEL READ COMMITTED READ WRITE';
// D27, whatever the server's setting.
const DURABLE = 'SET LOCAL synchronous_commit = on';
// A statement of its own before anything is read: one that locked and read would read what was there
// before it waited.
const LOCK = 'SELECT 1 FROM "JmapAccount" WHERE "id" = $1 FOR UPDATE';

export interface PostgresqlStoreOptions {
  /** Closed by the store's `close`. Nothing that a work waits for may take its connections. */
  readonly pool: Pool;
  /** All types that the store is asked for: which tables and columns their names stand for. */
  readonly types: readonly NamedType[];
  /** Milliseconds since 1970: the time of change records and of blobs. */
  readonly now?: () => number;
  /** Called with the text of each statement before it runs, transaction control apart. */
  readonly onStatement?: (sql: string) => void;
  /** Told what an `onCommit` listener throws; the writer must not suffer for it. */
  readonly onListenerError?: (error: unknown) => void;
}

/** The Store on PostgreSQL. */
export function createPostgresqlStore(options: PostgresqlStoreOptions): Store {
  return new PostgresqlStore(options);
}

class PostgresqlStore implements Store {
  readonly #names: StorageNames;
  readonly #pool: Pool;
  readonly #now: () => number;
  readonly #onStatement: ((sql: string) => void) | undefined;
  readonly #lanes = new Lanes();
  readonly #waiting: Turns;
  readonly #listeners = new Set<(change: StateChange) => void>();
  readonly #onListenerError: (error: unknown) => void;
  readonly #pruner: ChangePruner;

  constructor(options: PostgresqlStoreOptions) {
    this.#names = storageNames(options.types);
    this.#pool = options.pool;
    this.#waiting = new Turns(Math.max(1, options.pool.options.max - KEPT_FREE));
    this.#now = options.now ?? Date.now;
    this.#onStatement = options.onStatement;
    this.#onListenerError = options.onListenerError ?? (() => undefined);
    this.#pruner = new ChangePruner({
      rows: (query) =>
        this.#reading(performance.now() + UPKEEP_WAIT, (connection) => connection.query(query)),
      change: (accountId, statement) =>
        this.#upkeep(accountId, (connection) => connection.change(statement)),
    });
  }

  read<T>(
    accountId: string,
    options: CallOptions,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    const { deadline, exclusive = false } = options;
    const read = (): Promise<T> =>
      this.#reading(deadline, async (connection) => {
        const snapshot = new PostgresqlSnapshot(this.#names, connection, accountId);
        try {
          return await work(snapshot);
        } finally {
          snapshot.end();
        }
      });
    return exclusive ? this.#waiting.run(deadline, read) : read();
  }

  write<T>(
    accountId: string,
    options: CallOptions,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    const { deadline, exclusive = false } = options;
    return this.#lanes.run(accountId, deadline, () =>
      // What hooks have done elsewhere must not be done twice.
      exclusive
        ? this.#waiting.run(deadline, () =>
            this.#write(accountId, deadline, (transaction) =>
              inTime(deadline, work(transaction), lateError),
            ),
          )
        : retried(deadline, () => this.#write(accountId, deadline, work)),
    );
  }

  onCommit(listener: (change: StateChange) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  async ping(): Promise<void> {
    await this.#reading(performance.now() + PING_WAIT, (connection) =>
      connection.control('SELECT 1 FROM "JmapMeta" LIMIT 1'),
    );
  }

  pruneChanges(before: number, limit: number): Promise<number> {
    return this.#pruner.prune(before, limit);
  }

  async collectBlobs(before: number, limit: number): Promise<readonly BlobKey[]> {
    const found = await this.#reading(performance.now() + UPKEEP_WAIT, (connection) =>
      collectableBlobs(connection, before, limit),
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
      gone.push(...removed);
    }
    return gone;
  }

  async close(): Promise<void> {
    await this.#lanes.close();
    // Waits for connections that are in use.
    await this.#pool.end();
  }

  async #reading<T>(deadline: number, work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#begin(READ, '', deadline);
    try {
      return await work(connection);
    } finally {
      await connection.rollback();
    }
  }

  async #write<T>(
    accountId: string,
    deadline: number,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    const connection = await this.#begin(WRITE, DURABLE, deadline);
    const transaction = new PostgresqlTransaction(this.#names, connection, accountId, this.#now());
    let result: T;
    try {
      if ((await connection.control(LOCK, accountId)).length === 0) {
        // Deleted since the request was let in: nothing may be written that nobody would remove.
        throw new MethodError('accountNotFound', 'The account has been deleted.');
      }
      result = await connection.join(() => work(transaction));
      transaction.end();
      transaction.assertWhole();
    } catch (error) {
      transaction.end();
      await connection.rollback();
      throw error;
    }
    await connection.commit();
    const { changed } = transaction;
    // The lane goes on after this, so listeners hear of an account's states in order.
    if (changed !== undefined) this.#announce({ accountId, changed });
    return result;
  }

  /** Runs a work of the store's own in a transaction that holds the account, if it is there still. */
  #upkeep<T>(accountId: string, work: (connection: Connection) => Promise<T>): Promise<T> {
    const deadline = performance.now() + UPKEEP_WAIT;
    return this.#lanes.run(accountId, deadline, async () => {
      const connection = await this.#begin(WRITE, DURABLE, deadline);
      let result: T;
      try {
        await connection.control(LOCK, accountId);
        result = await work(connection);
      } catch (error) {
        await connection.rollback();
        throw error;
      }
      await connection.commit();
      return result;
    });
  }

  #begin(how: string, also: string, deadline: number): Promise<Connection> {
    return Connection.begin(this.#pool, how, also, { deadline, onStatement: this.#onStatement });
  }

  #announce(change: StateChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.#onListenerError(error);
      }
    }
  }
}

/** Runs a transaction again where the database undid it for the sake of another. */
async function retried<T>(deadline: number, run: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      const pause = RETRY_PAUSE * (0.5 + Math.random());
      if (!isRetryable(error) || performance.now() + pause > deadline) throw error;
      await sleep(pause);
    }
  }
}
