import { AsyncLocalStorage } from 'node:async_hooks';
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { UnavailableError } from '../../protocol/errors.js';
import type { Serial } from '../../runtime/serial.js';
import { type ClientModule, type HookPrisma, openClient, runWithin } from '../hook-client.js';
import type { Pool, PoolClient } from './pool.js';
import { withTimes } from './prisma-times.js';

/** A work's transaction, for as long as it is open. */
interface Scope {
  readonly client: PoolClient;
  /** The transaction's statements, one after the other. */
  readonly statements: Serial;
  open: boolean;
}

/** The engine's transactions in which hooks run, and the hook works that have joined theirs. */
export class HookTransactions {
  readonly #open = new AsyncLocalStorage<Scope>();
  readonly #joined = new AsyncLocalStorage<Scope>();

  /** Runs a work of the engine so that hooks inside of it can join its transaction. */
  run<T>(client: PoolClient, statements: Serial, work: () => Promise<T>): Promise<T> {
    return runWithin(this.#open, { client, statements, open: true }, work);
  }

  join<T>(work: () => Promise<T>): Promise<T> {
    const transaction = this.#open.getStore();
    if (transaction === undefined) return work();
    // Its own: the work may be given up while the transaction goes on.
    return runWithin(this.#joined, { ...transaction }, work);
  }

  /** Returns the transaction that the running work has joined. */
  get joined(): Scope | undefined {
    return this.#joined.getStore();
  }
}

/**
 * Opens a Prisma client on a `readOnly` pool: PostgreSQL refuses its statements that write, since
 * rows written so would have no change records.
 */
export function openHookPrisma(
  pool: Pool,
  module: ClientModule,
  transactions: HookTransactions,
): HookPrisma {
  const outside = pool.query.bind(pool);
  const query = (statement: pg.QueryConfig): Promise<pg.QueryResult> => {
    const scope = transactions.joined;
    return scope === undefined ? outside(statement) : readWithin(scope, statement);
  };
  // Prisma's statements go to the transaction that the running work has joined.
  pool.query = query as typeof pool.query;
  return Object.freeze({
    client: openClient(module, withTimes(new PrismaPg(pool))),
    join: <T>(work: () => Promise<T>) => transactions.join(work),
  });
}

/**
 * Runs a statement in a read-only savepoint: it can't write, and the transaction survives its
 * failure. All of it is one turn, so no other statement comes in between.
 */
async function readWithin(scope: Scope, statement: pg.QueryConfig): Promise<pg.QueryResult> {
  const { client, statements } = scope;
  requireOpen(scope);
  return statements.run(async () => {
    requireOpen(scope);
    await client.query('SAVEPOINT hook; SET LOCAL transaction_read_only = on');
    try {
      return await client.query(statement);
    } finally {
      await client.query('ROLLBACK TO hook; RELEASE hook');
    }
  });
}

function requireOpen({ open }: Scope): void {
  if (!open) throw new UnavailableError('The transaction is over.');
}
