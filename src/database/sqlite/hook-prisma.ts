import { AsyncLocalStorage } from 'node:async_hooks';
import type { Database } from 'better-sqlite3';
import { type ClientModule, type HookPrisma, openClient, runWithin } from '../hook-client.js';
import { openDatabase } from './open.js';
import { type JoinScope, readingAdapter } from './prisma-adapter.js';

/**
 * Returns a Prisma client for reading: it refuses every statement that writes, since a row written
 * so would have no change record. Only a work that has the connection's transaction for itself may
 * join. `$disconnect` closes its reading connection.
 */
export function openHookPrisma(writerDatabase: Database, module: ClientModule): HookPrisma {
  const scopes = new AsyncLocalStorage<JoinScope>();
  const adapter = readingAdapter(
    writerDatabase,
    () => openDatabase({ file: writerDatabase.name, readonly: true, isReopened: true }),
    () => scopes.getStore(),
  );
  const client = openClient(module, adapter);
  return Object.freeze<HookPrisma>({
    client,
    join: (work) => runWithin(scopes, { open: true }, work),
  });
}
