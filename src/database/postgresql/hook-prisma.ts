import { AsyncLocalStorage } from 'node:async_hooks';
import { PrismaPg } from '@prisma/adapter-pg';
import { UnavailableError } from '../../protocol/errors.js';
import type { Serial } from '../../runtime/serial.js';
import { type AnyClient, type ClientModule, openClient } from '../hook-client.js';
import type { Pool, PoolClient } from './pool.js';

type Adapter = Awaited<ReturnType<PrismaPg['connect']>>;

/** A work's transaction, for as long as it is open. */
interface Scope {
  readonly client: PoolClient;
  /** The transaction's statements, one after the other. */
  readonly turns: Serial;
  open: boolean;
}

const transactions = new AsyncLocalStorage<Scope>();
const joined = new AsyncLocalStorage<Scope>();

/** Runs a work of the engine so that hooks inside of it can join its transaction. */
export async function inTransaction<T>(
  client: PoolClient,
  turns: Serial,
  work: () => Promise<T>,
): Promise<T> {
  const scope = { client, turns, open: true };
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
 * A Prisma client for reading, on a pool that is `readOnly`: PostgreSQL refuses every statement of it
 * that writes, since a row written so would have no change record.
 */
export function openHookPrisma(pool: Pool, module: ClientModule): HookPrisma {
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
      const scope = { ...transaction };
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
    return reading(adapter, scope, statement);
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
 * on. All in one turn, so that no other statement comes in between.
 */
function reading<T>(
  adapter: Adapter,
  scope: Scope,
  statement: (on: Adapter) => Promise<T>,
): Promise<T> {
  const { client, turns } = scope;
  const on = Object.create(adapter, { client: { value: client } }) as Adapter;
  return turns.run(async () => {
    if (!scope.open) throw new UnavailableError('The transaction is over.');
    await client.query('SAVEPOINT hook; SET LOCAL transaction_read_only = on');
    try {
      return await statement(on);
    } finally {
      await client.query('ROLLBACK TO hook; RELEASE hook');
    }
  });
}
