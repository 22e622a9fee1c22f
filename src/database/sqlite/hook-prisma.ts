import { AsyncLocalStorage } from 'node:async_hooks';
import type { Database } from 'better-sqlite3';
import { type AnyClient, type ClientModule, openClient } from '../hook-client.js';
import { openDatabase } from './open.js';
import { type JoinScope, readingAdapter } from './prisma-adapter.js';

/** The typed client that hook files get, and how it joins the engine's transaction. */
export interface HookPrisma {
  readonly client: AnyClient;
  /**
   * Runs `work` so that the client reads on the writing connection, what is not committed yet
   * included. Only for a work that has the connection's transaction for itself.
   */
  join<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * A Prisma client for reading: it refuses every statement that writes, since a row written so would
 * have no change record. `$disconnect` closes its reading connection.
 */
export function openHookPrisma(writerDatabase: Database, module: ClientModule): HookPrisma {
  const scopes = new AsyncLocalStorage<JoinScope>();
  const adapter = readingAdapter(
    writerDatabase,
    () => openDatabase({ file: writerDatabase.name, readonly: true, isReopened: true }),
    () => scopes.getStore(),
  );
  const client = openClient(module, adapter);
  return Object.freeze({
    client,
    async join<T>(work: () => Promise<T>): Promise<T> {
      const scope = { open: true };
      try {
        // Awaited inside: Prisma's promises begin when they are waited for, and a work may give one.
        return await scopes.run(scope, async () => await work());
      } finally {
        scope.open = false;
      }
    },
  });
}
