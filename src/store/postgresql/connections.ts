import { setTimeout as sleep } from 'node:timers/promises';
import { isRetryable, translateError } from '../../database/postgresql/driver-errors.js';
import type { Acquired, Pool } from '../../database/postgresql/pool.js';
import { UnavailableError } from '../../protocol/errors.js';
import { lateError } from '../../runtime/deadlines.js';
import { FairSlots } from '../../runtime/fair-slots.js';
import { Connection, type ConnectionOptions } from './connection.js';

/** The connections that long works (they wait or scan), and each account, leave to others. */
const KEPT_FREE = 4;

/**
 * The settings of a store's connection. Outside of a begun transaction, statements sent together
 * read one snapshot and can't write. An acknowledged commit is durable, whatever the server's
 * setting.
 */
const FOR_GOOD = `SET default_transaction_isolation = 'repeatable read';
 SET default_transaction_read_only = on; SET synchronous_commit = on; `;

/**
 * Settings of the planner, unless the operator has changed them. An account's rows lie together in
 * the key's index, and nearly so in the table, so reading a part in key order costs no more than in
 * any other. By the default of 4, an index isn't worth it for a third of a table. One request gets
 * one processor, since others wait for the second.
 */
const PLANNING = `SELECT set_config(name, value, false) FROM pg_settings
 JOIN (VALUES ('random_page_cost', '1.1'), ('max_parallel_workers_per_gather', '0'))
 AS v (name, value)
 USING (name) WHERE source = 'default'`;

/** Before a transaction that lost against another runs again, ms; times a random number. */
const FIRST_PAUSE = 20;
/** Each pause is twice the one before, up to so many times the first. */
const LONGEST_PAUSE = 32;

/** How many of a pool's connections there are for what. */
export interface PoolShares {
  readonly all: number;
  /** For one account. */
  readonly each: number;
  /** For works that wait for other things or may scan: all of them, and one account's. */
  readonly long: number;
  readonly longEach: number;
}

/** In a pool of two or more, long works never get all connections, nor all of one account's. */
export function sharesOf(size: number): PoolShares {
  const long = Math.max(1, size - Math.min(KEPT_FREE, Math.floor(size / 2)));
  const each = Math.min(size, Math.max(2, long));
  const longEach = Math.max(1, Math.min(Math.ceil(size / 2), each - 1));
  return { all: size, each, long, longEach };
}

/** The options that all connections of a store share. */
export type SharedOptions = Pick<ConnectionOptions, 'transactions' | 'onStatement'>;

/** The demands of a work on its connection. */
export interface Demands extends Omit<ConnectionOptions, keyof SharedOptions | 'writes'> {
  /** It waits for other things, or may scan: it takes one of the connections for these. */
  readonly isLong?: boolean;
}

/** The connections of a store's pool, one for each work. Accounts take turns for them. */
export class Connections {
  readonly #pool: Pool;
  readonly #shared: SharedOptions;
  readonly #all: FairSlots;
  readonly #long: FairSlots;

  constructor(pool: Pool, shared: SharedOptions) {
    this.#pool = pool;
    this.#shared = shared;
    const { all, each, long, longEach } = sharesOf(pool.options.max);
    this.#all = createSlots(all, each);
    this.#long = createSlots(long, longEach);
    // Ahead of all that is asked of it.
    pool.on('connect', (client) => {
      // Without them it is of no use: whoever has got it is told that it broke.
      client.query(FOR_GOOD + PLANNING).catch(() => (client as Acquired).socket.destroy());
    });
  }

  /** Returns whether a short work of the account would have a connection at once. */
  isFree(accountId: string): boolean {
    return this.#all.isFree(accountId);
  }

  /** Runs a work that reads; `mayRepeat`: that does nothing else, so that it may be run again. */
  read<T>(
    accountId: string,
    { mayRepeat = false, ...demands }: Demands & { readonly mayRepeat?: boolean },
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const read = async (): Promise<T> => {
      const connection = await this.#connect(demands);
      try {
        const result = await work(connection);
        // Of one snapshot only if that was begun; the answer is there already.
        await connection.begun;
        return result;
      } finally {
        // Nobody waits for its answer.
        void connection.rollback();
      }
    };
    return this.#inTurn(accountId, demands, () =>
      mayRepeat ? retried(demands.deadline, read) : read(),
    );
  }

  /** Runs a work in a transaction that holds the account; nothing of it stays where it throws. */
  write<T>(
    accountId: string,
    demands: Demands,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    return this.#inTurn(accountId, demands, async () => {
      const connection = await this.#connect({ ...demands, writes: accountId });
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

  /** Turns away what waits, and what comes; resolves when those that are in use have come back. */
  async close(): Promise<void> {
    this.#all.close();
    this.#long.close();
    await this.#pool.end();
  }

  #inTurn<T>(
    accountId: string,
    { deadline, isLong = false }: Demands,
    work: () => Promise<T>,
  ): Promise<T> {
    const run = (): Promise<T> => this.#all.run(accountId, deadline, work);
    return isLong ? this.#long.run(accountId, deadline, run) : run();
  }

  async #connect(options: Omit<ConnectionOptions, keyof SharedOptions>): Promise<Connection> {
    try {
      const client = await this.#pool.acquire(options.deadline);
      return new Connection(client, { ...options, ...this.#shared });
    } catch (error) {
      throw translateError(error);
    }
  }
}

function createSlots(size: number, share: number): FairSlots {
  const closed = (): Error => new UnavailableError('The server is stopping.');
  const errors = { late: lateError, closed, full: closed };
  return new FairSlots({ size, share, mayWait: Infinity, errors });
}

/** Runs a transaction again, until the deadline, if the database undid it for another's sake. */
export async function retried<T>(deadline: number, run: () => Promise<T>): Promise<T> {
  for (let losses = 0; ; losses += 1) {
    try {
      return await run();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      const pause = FIRST_PAUSE * Math.min(2 ** losses, LONGEST_PAUSE) * (0.5 + Math.random());
      if (performance.now() + pause > deadline) throw lateError(error);
      await sleep(pause);
    }
  }
}
