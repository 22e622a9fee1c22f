import { join } from 'node:path';
import { formatVersion, VERSION_KEYS } from '../accounts/index.js';
import { openBackfillDatabase } from '../database/backfill-database.js';
import { openHookPrisma } from '../database/sqlite/hook-prisma.js';
import {
  lockServer,
  migrate,
  OpenFiles,
  openDatabase,
  recordUnicodeVersion,
  Writer,
  watchDataVersion,
} from '../database/sqlite/index.js';
import { openPrisma } from '../database/sqlite/prisma.js';
import { openLocalHub } from '../push/hub/local.js';
import { miscountedSql } from '../store/sql/aggregate-sql.js';
import { sqlite } from '../store/sqlite/dialect.js';
import { createSqliteStore } from '../store/sqlite/index.js';
import type { Storage, StorageOptions } from './storage.js';

/** Takes an SQLite file for this server, brings it up to date and opens all that serves from it. */
export async function openSqliteStorage(
  file: string,
  { root, types, hookClient, log, opened, conductor }: StorageOptions,
  scanThreads: number | null = null,
): Promise<Storage> {
  const lock = lockServer(file);
  opened.push(() => lock.release());
  const writerDatabase = openDatabase({ file });
  opened.push(() => void writerDatabase.close());
  const { applied } = migrate(writerDatabase, join(root, 'prisma', 'sqlite', 'migrations'));
  if (applied.length > 0) log.info({ applied }, 'migrations applied');
  recordUnicodeVersion(writerDatabase);

  const files = new OpenFiles(file, [lock.path]);
  const writer = new Writer(writerDatabase, conductor, { files });
  const store = createSqliteStore({
    writer,
    writerDatabase,
    types,
    reader: openDatabase({ file, readonly: true }),
    ...(scanThreads === null ? {} : { scanThreads }),
    onSearchError: (error) => log.error({ err: error }, 'long texts could not be indexed'),
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
  const keys = VERSION_KEYS.map(() => '?').join(', ');
  const select = `SELECT "key", "value" FROM "JmapMeta" WHERE "key" IN (${keys})`;
  const versions = access.prepare<unknown[], Record<'key' | 'value', string>>(select);
  const readAccessVersion = (): string => formatVersion(versions.all(...VERSION_KEYS));
  const version = new Remembered(VERSION_AGE, readAccessVersion);
  store.onCommit(({ isReachMoved }) => {
    if (isReachMoved) version.forget();
  });
  const backfill = openBackfillDatabase(prisma, (one) => miscountedSql(one, sqlite));
  const isHeld = (): boolean => store.isInThread;
  const requireFiles = (): void => files.require();
  const dataVersion = watchDataVersion(writerDatabase);
  return {
    ...{ store, prisma, principals: prisma, hooks, backfill },
    ...{ accessVersion: () => version.look(), forgetAccessVersion: () => version.forget() },
    readAccessVersion,
    ...{ shared: false, requireFiles, isHeld },
    openHub: () => openLocalHub({ dataVersion }),
    openRatePoints: null,
  };
}

/** How long an access version is good, ms: some thirty requests of a busy server share one look. */
const VERSION_AGE = 2;

/**
 * Looks at most every `age` ms. It goes by the clock, not by turns of the event loop: where
 * requests come one by one, each has a turn of its own.
 */
class Remembered<T> {
  readonly #age: number;
  readonly #look: () => T;
  #seen: { readonly value: T; readonly until: number } | null = null;

  constructor(age: number, look: () => T) {
    this.#age = age;
    this.#look = look;
  }

  look(): T {
    const now = performance.now();
    const seen = this.#seen;
    if (seen !== null && now < seen.until) return seen.value;
    const value = this.#look();
    this.#seen = { value, until: now + this.#age };
    return value;
  }

  /** Has the next call look again. */
  forget(): void {
    this.#seen = null;
  }
}
