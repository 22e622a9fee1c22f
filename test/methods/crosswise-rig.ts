import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { postgresqlSearchSql, sqliteSearchSql } from '../../scripts/generator/migrations/search.js';
import { startBackfill } from '../../src/backfill/start-backfill.js';
import { FilesystemBlobStore } from '../../src/blobs/filesystem.js';
import { openPool } from '../../src/database/postgresql/index.js';
import { openDatabase } from '../../src/database/sqlite/index.js';
import { createHooks } from '../../src/hooks/runner.js';
import type { HookServices } from '../../src/hooks/scope.js';
import { Dispatcher } from '../../src/methods/dispatch.js';
import { createRegistry } from '../../src/methods/registry.js';
import { HashSlots } from '../../src/methods/set/hash-slots.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { parseIJson } from '../../src/protocol/ijson.js';
import { parseRequest } from '../../src/protocol/request.js';
import { responseText } from '../../src/protocol/response.js';
import type { Storage, StorageOptions } from '../../src/server/storage.js';
import { openPostgresqlStorage } from '../../src/server/storage-postgresql.js';
import { openSqliteStorage } from '../../src/server/storage-sqlite.js';
import { conductor } from '../support/conductor.js';
import { registry as generated } from '../support/registry.js';
import { ROOT } from '../support/server.js';
import { CROSSWISE, crosswiseCapability, crosswiseTables, SEARCHED } from './crosswise.js';
import { BLOB, type Call, CORE, type Json, ONCE, U1 } from './rig.js';

const registry = createRegistry([
  ...generated.filter(({ urn }) => urn === CORE || urn === BLOB),
  crosswiseCapability,
]);
export const DATA_TYPES = [...registry.dataTypes.values()];
const hookServices: HookServices = {
  ...{ timeout: 60_000, prisma: null, onError: () => undefined },
  join: (work) => work(),
};
const hooks = createHooks(registry, hookServices);
const log = pino({ level: 'silent' });
const LIMITS = {
  ...{ maxObjectsInGet: 100, maxObjectsInSet: 100, queryMaxLimit: 100, queryChangesMax: 1000 },
  ...{ maxSizeUpload: 1000, maxSizeRequest: 1e6, maxSizeResponse: 1e6, requestTimeout: 30_000 },
  ...{ changesKeep: 3_600_000, onceKeep: 1_800_000 },
};

/** A plain connection beside the storage. */
interface Connection {
  readonly storage: Storage;
  run(sql: string): Promise<unknown>;
  rows(sql: string): Promise<readonly Json[]>;
}

/**
 * The crosswise types served from a new database: on PostgreSQL with a URL, else on SQLite. With
 * `isSecond`, by one more server on the PostgreSQL database of another.
 */
export async function openCrosswise(url: string | null, isSecond = false) {
  const folder = mkdtempSync(join(tmpdir(), 'names-'));
  const opened: StorageOptions['opened'] = [];
  const options: StorageOptions = {
    ...{ root: ROOT, log, opened, types: DATA_TYPES, conductor },
    hookClient: (database) =>
      database === 'sqlite'
        ? import('../../build/prisma/sqlite/client.js')
        : import('../../build/prisma/postgresql/client.js'),
  };
  const connection =
    url === null
      ? await onSqlite(join(folder, 'jmap.db'), options)
      : await onPostgresql(url, options, isSecond);
  const { store, backfill: database, shared } = connection.storage;
  let ahead = 0;
  const services = {
    ...{
      store,
      registry,
      ids: createIdGenerator(),
      limits: LIMITS,
      conductor,
      hashing: new HashSlots(),
    },
    blobs: new FilesystemBlobStore(join(folder, 'blobs')),
    ...(hooks === undefined ? {} : { hooks }),
    once: { capability: ONCE, keep: LIMITS.onceKeep },
    now: () => Date.now() + ahead,
  };
  const dispatcher = new Dispatcher(services, LIMITS, (error) => {
    throw error;
  });
  return {
    ...connection,

    /**
     * Makes a call by `U1` on a1 and returns its arguments, or those of its error with `error`
     * beside.
     */
    async call(name: string, args: object = {}): Promise<Json> {
      const [[answered, response]] = (await this.send([[name, args, 'c']])).methodResponses;
      return answered === name ? response : { error: response.type, ...response };
    },

    /** Sends calls on a1 by a user, with further capabilities in `using`. */
    async send(calls: readonly Call[], using: readonly string[] = [], user = U1): Promise<Json> {
      const methodCalls = calls.map(([name, args, callId], index) => [
        name,
        { accountId: 'a1', ...args },
        callId ?? `c${index}`,
      ]);
      const body = JSON.stringify({ using: [CORE, BLOB, CROSSWISE, ...using], methodCalls });
      const envelope = parseRequest(parseIJson(Buffer.from(body)), {
        maxCallsInRequest: 10,
        hasCapability: () => true,
      });
      return JSON.parse([...responseText(await dispatcher.handle(envelope, user), 's')].join(''));
    },

    /** Lets the methods see a later time. */
    wait(milliseconds: number): void {
      ahead += milliseconds;
    },

    /** Does the work of a server's start with what migrations left. */
    async start(): Promise<void> {
      const running = await startBackfill({
        ...{ store, registry, conductor, log, database, shared },
        ...(hooks === undefined ? {} : { hooks }),
        hookServices,
        blobs: { read: () => Promise.reject(new Error('There are no blobs here.')) },
      });
      await running.stop();
    },

    /** A blob of a1 that nothing refers to. */
    async blob(): Promise<string> {
      const { id } = services.ids.next('b');
      const deadline = performance.now() + 60_000;
      await store.write('a1', { deadline }, (transaction) =>
        transaction.insertBlobs([{ id, type: 'text/plain', size: 1, uploaderId: U1.userId }]),
      );
      return id;
    },

    async close(): Promise<void> {
      for (const close of opened.reverse()) await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function onSqlite(file: string, options: StorageOptions): Promise<Connection> {
  const storage = await openSqliteStorage(file, options);
  const db = openDatabase({ file });
  options.opened.push(() => void db.close());
  const search = sqliteSearchSql(SEARCHED).create;
  for (const sql of [...crosswiseTables('TEXT', 'JSONB'), ...search]) db.exec(sql);
  const run = async (sql: string) => db.exec(sql);
  return { storage, run, rows: async (sql) => db.prepare(sql).all() as Json[] };
}

async function onPostgresql(
  url: string,
  options: StorageOptions,
  isSecond: boolean,
): Promise<Connection> {
  const storage = await openPostgresqlStorage(url, options);
  const pool = openPool({ url, size: 2 });
  options.opened.push(() => pool.end());
  const search = postgresqlSearchSql(SEARCHED).create;
  const tables = [...crosswiseTables('TEXT COLLATE "C"', 'JSONB'), ...search];
  for (const sql of isSecond ? [] : tables) await pool.query(sql);
  const run = (sql: string) => pool.query(sql);
  return { storage, run, rows: async (sql) => (await pool.query(sql)).rows };
}
