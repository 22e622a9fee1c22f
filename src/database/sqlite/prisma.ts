import type { Database } from 'better-sqlite3';
import { PrismaClient } from '../../../build/prisma/engine-sqlite/client.js';
import { Conductor } from '../../runtime/slices.js';
import { openDatabase } from './open.js';
import { OpenFiles } from './open-files.js';
import { sharedAdapter } from './prisma-adapter.js';
import { Writer } from './writer.js';

export type { PrismaClient };

/**
 * Waiting for the lock and running, ms: Prisma's own 2 s and 5 s are short beside a long group
 * commit.
 */
const TRANSACTION_OPTIONS = { maxWait: 10_000, timeout: 10_000 };

/**
 * Returns a Prisma client that shares the engine's writing connection and lock (prisma-adapter.ts
 * says how and why). `$disconnect` closes its reading connection only; do it before the writing one
 * is closed.
 */
export function openPrisma(writerDatabase: Database, writer: Writer): PrismaClient {
  return new PrismaClient({
    adapter: sharedAdapter(writerDatabase, writer),
    transactionOptions: TRANSACTION_OPTIONS,
  });
}

/**
 * Returns a Prisma client for a command: a process of its own beside a running server. It waits for
 * the server's writes as the server waits for its. `$disconnect` closes all it opened.
 */
export function openPrismaStandalone(file: string): PrismaClient {
  const db = openDatabase({ file });
  const writer = new Writer(db, new Conductor(), { files: new OpenFiles(file) });
  const dispose = async (): Promise<void> => {
    await writer.close();
    db.close();
  };
  return new PrismaClient({
    adapter: sharedAdapter(db, writer, dispose),
    transactionOptions: TRANSACTION_OPTIONS,
  });
}
