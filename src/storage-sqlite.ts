import { join } from 'node:path';
import { ACCESS_VERSION } from './accounts/index.js';
import { openHookPrisma } from './database/sqlite/hook-prisma.js';
import {
  lockServer,
  migrate,
  openDatabase,
  recordUnicodeVersion,
  Writer,
} from './database/sqlite/index.js';
import { openPrisma } from './database/sqlite/prisma.js';
import { openRest } from './database/sqlite/rest.js';
import type { Storage, StorageOptions } from './storage.js';
import { createSqliteStore } from './store/sqlite/index.js';

/** Takes an SQLite file for this server, brings it up to date and opens all that serves from it. */
export async function openSqliteStorage(
  file: string,
  { root, types, hookClient, log, opened }: StorageOptions,
  scanThreads: number | null = null,
): Promise<Storage> {
  const lock = lockServer(file);
  opened.push(() => lock.release());
  const writerDatabase = openDatabase({ file });
  opened.push(() => void writerDatabase.close());
  const { applied } = migrate(writerDatabase, join(root, 'prisma', 'sqlite', 'migrations'));
  if (applied.length > 0) log.info({ applied }, 'migrations applied');
  recordUnicodeVersion(writerDatabase);

  const writer = new Writer(writerDatabase);
  const store = createSqliteStore({
    writer,
    writerDatabase,
    types,
    reader: openDatabase({ file, readonly: true }),
    ...(scanThreads === null ? {} : { scanThreads }),
    onListenerError: (error) => log.error({ err: error }, 'a listener to commits failed'),
  });
  opened.push(() => store.close());
  const prisma = openPrisma(writerDatabase, writer);
  opened.push(() => prisma.$disconnect());
  const hooks = openHookPrisma(writerDatabase, await hookClient('sqlite'));
  opened.push(() => hooks.client.$disconnect());
  // A connection that is never in a transaction: it sees each commit of any process at once.
  const access = openDatabase({ file, readonly: true });
  opened.push(() => void access.close());
  const version = access.prepare('SELECT "value" FROM "JmapMeta" WHERE "key" = ?').pluck();
  const accessVersion = oncePerTurn(() => String(version.get(ACCESS_VERSION) ?? '0'));
  const rest = openRest(writerDatabase);
  return { store, prisma, accessVersion, hooks, rest, shared: false };
}

/**
 * Requests that one turn of the event loop reads were all on their way when it began: what is looked up for the
 * first of them is as new as each can ask for.
 */
function oncePerTurn<T>(look: () => T): () => T {
  let seen: { readonly value: T } | null = null;
  const forget = (): void => {
    seen = null;
  };
  return () => {
    if (seen === null) {
      seen = { value: look() };
      setImmediate(forget);
    }
    return seen.value;
  };
}
