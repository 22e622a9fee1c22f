import { join } from 'node:path';
import { formatVersion, VERSION_KEYS } from '../accounts/index.js';
import { openBackfillDatabase } from '../database/backfill-database.js';
import { HookTransactions, openHookPrisma } from '../database/postgresql/hook-prisma.js';
import {
  blindCtype,
  migrate,
  openPool,
  recordUnicodeVersion,
} from '../database/postgresql/index.js';
import { notifyDatabase } from '../database/postgresql/notify-session.js';
import type { BreakReason } from '../database/postgresql/pool.js';
import { openPrisma } from '../database/postgresql/prisma.js';
import { ratePoints } from '../database/postgresql/rate-points.js';
import { shardLeases } from '../database/postgresql/shard-leases.js';
import type { Hub } from '../push/hub/hub.js';
import { openPollHub } from '../push/hub/poll.js';
import { openPostgresqlHub } from '../push/hub/postgresql.js';
import { postgresql } from '../store/postgresql/dialect.js';
import { createPostgresqlStore } from '../store/postgresql/index.js';
import { miscountedSql } from '../store/sql/aggregate-sql.js';
import type { HubSettings, Storage, StorageOptions } from './storage.js';

/**
 * Connections for calls, for reads of accounts and tokens, for their changes, and for what hooks
 * read. Changes wait for each other: reads, for which requests wait, have connections of their own.
 */
const CALLS = 16;
const ACCESS = 2;
const CHANGES = 3;
const HOOKS = 4;
/** For migrations and what they leave, whose statements may be long. */
const REST = 1;
/** For rate limits: those who wait for one busy key hold no connection of others. */
const RATES = 1;

/**
 * How long PostgreSQL may take to answer about users, accounts and tokens, and to answer hooks
 * outside of a transaction, ms. Beyond it the network counts as gone.
 */
const ACCESS_ANSWER = 5000;
const HOOK_ANSWER = 60_000;
/** The same for counting a request, ms: the memory counts it then (leased-counter.ts). */
const RATE_ANSWER = 250;
/**
 * How long a change of users, accounts, access or tokens waits for a lock, ms. Then it gives its
 * connection to others. It is well below the time for an answer.
 */
const LOCK_WAIT = 1000;

/** Brings a PostgreSQL database up to date and opens all that serves from it. */
export async function openPostgresqlStorage(
  url: string,
  { root, types, hookClient, log, opened, conductor }: StorageOptions,
): Promise<Storage> {
  const onError = (reason: BreakReason): void =>
    log.warn({ err: reason }, 'a connection to the database broke');
  const generalPool = openPool({ url, size: REST, onError });
  opened.push(() => generalPool.end());
  const { applied } = await migrate(
    generalPool,
    join(root, 'prisma', 'postgresql', 'migrations'),
    (migration, table, rows) => log.info({ migration, table, rows }, 'rows filled by a migration'),
  );
  if (applied.length > 0) log.info({ applied }, 'migrations applied');
  await recordUnicodeVersion(generalPool);
  await warnOfCtype(generalPool, log);

  const generalPrisma = openPrisma(generalPool);
  opened.push(() => generalPrisma.$disconnect());
  const transactions = new HookTransactions();
  const store = createPostgresqlStore({
    // A pool of its own: what a work waits for must not wait for a connection that works hold.
    pool: openPool({ url, size: CALLS, onError, pipeline: true }),
    types,
    conductor,
    transactions,
    onListenerError: (error) => log.error({ err: error }, 'a listener to commits failed'),
  });
  opened.push(() => store.close());
  const ofAccess = { url, onError, answerWithin: ACCESS_ANSWER };
  const accessPool = openPool({ ...ofAccess, size: ACCESS });
  const principals = openPooled(accessPool, opened);
  const changePool = openPool({ ...ofAccess, size: CHANGES, lockWait: LOCK_WAIT });
  const prisma = openPooled(changePool, opened);
  const ofHooks = { size: HOOKS, readOnly: true, answerWithin: HOOK_ANSWER };
  const hookPool = openPool({ url, onError, ...ofHooks });
  opened.push(() => hookPool.end());
  const hooks = openHookPrisma(hookPool, await hookClient('postgresql'), transactions);
  opened.push(() => hooks.client.$disconnect());
  const readAccessVersion = () => readVersion(accessPool);
  const version = new SharedRead(readAccessVersion);
  store.onCommit(({ isReachMoved }) => (isReachMoved ? version.forget() : undefined));
  return {
    ...{ store, prisma, principals, hooks, shared: true, readAccessVersion },
    ...{ accessVersion: () => version.read(), forgetAccessVersion: () => version.forget() },
    backfill: openBackfillDatabase(generalPrisma, (one) => miscountedSql(one, postgresql)),
    openHub: (settings) => openHub(url, accessPool, settings),
    openRatePoints(secret) {
      const answerWithin = RATE_ANSWER;
      const pool = openPool({ url, size: RATES, onError, relaxed: true, answerWithin });
      opened.push(() => pool.end());
      return ratePoints(pool, secret);
    },
    // Its server minds them.
    requireFiles: () => undefined,
    // PostgreSQL ends what a client has left.
    isHeld: () => false,
  };
}

/** Opens a Prisma client on a pool; both are closed at the end. */
function openPooled(
  pool: ReturnType<typeof openPool>,
  opened: StorageOptions['opened'],
): Storage['prisma'] {
  opened.push(() => pool.end());
  const prisma = openPrisma(pool);
  opened.push(() => prisma.$disconnect());
  return prisma;
}

/** Tells the log of a database whose LC_CTYPE makes searches slow. */
async function warnOfCtype(
  pool: ReturnType<typeof openPool>,
  log: StorageOptions['log'],
): Promise<void> {
  const ctype = await blindCtype(pool);
  if (ctype !== undefined) {
    log.warn(
      { ctype },
      "the database's LC_CTYPE knows ASCII letters only: other searches read all objects of an " +
        'account (docs/reference/operations.md, PostgreSQL)',
    );
  }
}

/** Opens a hub. The connections of `pool` hold shards where no session can. */
function openHub(
  url: string,
  pool: ReturnType<typeof openPool>,
  { bus, epoch, log }: HubSettings,
): Hub {
  const leases = shardLeases(pool);
  if (bus.kind === 'poll') return openPollHub({ interval: bus.interval, leases });
  return openPostgresqlHub({ database: notifyDatabase(url), leases, epoch, log });
}

/** How long a version read before is good, ms: a change is seen within a second (contract). */
const VERSION_AGE = 250;

async function readVersion(pool: ReturnType<typeof openPool>): Promise<string> {
  const { rows } = await pool.query<Record<'key' | 'value', string>>(
    'SELECT "key", "value" FROM "JmapMeta" WHERE "key" = ANY($1)',
    [VERSION_KEYS],
  );
  return formatVersion(rows);
}

/** Asks at most every `VERSION_AGE` ms, however many requests there are. */
class SharedRead {
  readonly #read: () => Promise<string>;
  #version: Promise<string> | undefined;

  constructor(read: () => Promise<string>) {
    this.#read = read;
  }

  read(): Promise<string> {
    const known = this.#version;
    if (known !== undefined) return known;
    const version = this.#read();
    this.#version = version;
    const forget = (): void => {
      if (this.#version === version) this.forget();
    };
    // After a failure the next request reads again.
    version.then(() => setTimeout(forget, VERSION_AGE).unref(), forget);
    return version;
  }

  /** Has the next request read again. */
  forget(): void {
    this.#version = undefined;
  }
}
