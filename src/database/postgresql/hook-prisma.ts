import { AsyncLocalStorage } from 'node:async_hooks';
import { PrismaPg } from '@prisma/adapter-pg';
import { UnavailableError } from '../../protocol/errors.js';
import { type AnyClient, type ClientModule, openClient } from '../hook-client.js';
import type { Pool, PoolClient } from './pool.js';

type Adapter = Awaited<ReturnType<PrismaPg['connect']>>;

/** A work's transaction, for as long as it is open. */
interface Scope {
  readonly client: PoolClient;
  open: boolean;
}

const transactions = new AsyncLocalStorage<Scope>();
const joined = new AsyncLocalStorage<Scope>();

/** Runs a work of the engine so that hooks inside of it can join its transaction. */
export async function inTransaction<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  const scope = { client, open: true };
  try {
    return await transactions.run(scope, work);
  } finally {
    scope.open = false;
  }
}

/** The typed client that hook files get, and how it joins the engine's transaction. */
export interface HookPrisma {
  readonly client: AnyClient;
  /**
   * Runs `work` so that the client sees what the transaction around it has not committed yet; once
   * `work` has settled, the client refuses whatever `work` left running.
   */
  join<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * A Prisma client for reading: PostgreSQL refuses every statement of it that writes, since a row
 * written so would have no change record.
 */
export function openHookPrisma(pool: Pool, module: ClientModule): HookPrisma {
  // Before the first statement of a connection, which the pool hands out after this.
  pool.on('connect', (client) => {
    // It fails where the connection is gone already, which its next statement will tell.
    client.query('SET default_transaction_read_only = on').catch(() => undefined);
  });
  const factory = new PrismaPg(pool);
  const adapter = {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: async () => joining(await factory.connect()),
  } as const;
  const client = openClient(module, adapter);
  return Object.freeze({
    client,
    async join<T>(work: () => Promise<T>): Promise<T> {
      const transaction = transactions.getStore();
      if (transaction === undefined) return work();
      // Its own: the work may be given up while the transaction goes on.
      const scope = { client: transaction.client, open: transaction.open };
      try {
        // Awaited inside: Prisma's promises begin when they are waited for, and a work may give one.
        return await joined.run(scope, async () => await work());
      } finally {
        scope.open = false;
      }
    },
  });
}

/** The adapter, which reads on the transaction's connection where a work has joined one. */
function joining(adapter: Adapter): Adapter {
  const run = async <T>(statement: (on: Adapter) => Promise<T>): Promise<T> => {
    const scope = joined.getStore();
    if (scope === undefined) return statement(adapter);
    if (!scope.open) throw new UnavailableError('The transaction is over.');
    return reading(adapter, scope.client, statement);
  };
  return Object.create(adapter, {
    queryRaw: {
      value: (query: Parameters<Adapter['queryRaw']>[0]) => run((on) => on.queryRaw(query)),
    },
    executeRaw: {
      value: (query: Parameters<Adapter['executeRaw']>[0]) => run((on) => on.executeRaw(query)),
    },
  }) as Adapter;
}

/**
 * One statement inside a read-only savepoint: it can't write, and where it fails the transaction goes
 * on. All three are queued at once, so that no other statement comes in between.
 */
async function reading<T>(
  adapter: Adapter,
  client: PoolClient,
  statement: (on: Adapter) => Promise<T>,
): Promise<T> {
  const on = Object.create(adapter, { client: { value: client } }) as Adapter;
  const [, result] = await Promise.allSettled([
    client.query('SAVEPOINT hook; SET LOCAL transaction_read_only = on'),
    statement(on),
    client.query('ROLLBACK TO hook; RELEASE hook'),
  ]);
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}
