import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../../../build/prisma/engine-postgresql/client.js';
import type { PrismaClient as AnyPrismaClient } from '../../../build/prisma/engine-sqlite/client.js';
import type { Pool } from './pool.js';

/** Waiting for a connection and running, ms: as on SQLite. */
const TRANSACTION_OPTIONS = { maxWait: 10_000, timeout: 10_000 };

/**
 * Returns a Prisma client on a pool of its own: a work of the engine that asks Prisma must not wait
 * for a connection that such works hold. `$disconnect` leaves the pool open.
 *
 * It comes as the type of the client for SQLite: both are generated from one model, and what the
 * project does with either has the same types.
 */
export function openPrisma(pool: Pool): AnyPrismaClient {
  return new PrismaClient({
    adapter: new PrismaPg(pool),
    transactionOptions: TRANSACTION_OPTIONS,
  }) as unknown as AnyPrismaClient;
}
