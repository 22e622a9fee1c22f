import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Principal } from '../../../../src/accounts/principal.js';
import { startBackfill } from '../../../../src/backfill/start-backfill.js';
import type { BlobStore } from '../../../../src/blobs/blob-store.js';
import { FilesystemBlobStore } from '../../../../src/blobs/filesystem.js';
import {
  type BackfillDatabase,
  openBackfillDatabase,
} from '../../../../src/database/backfill-database.js';
import * as postgresql from '../../../../src/database/postgresql/index.js';
import { openPrisma as openPrismaOfPool } from '../../../../src/database/postgresql/prisma.js';
import { migrate, openDatabase, Writer } from '../../../../src/database/sqlite/index.js';
import { openPrisma } from '../../../../src/database/sqlite/prisma.js';
import { requireHooks } from '../../../../src/hooks/required.js';
import { createHooks } from '../../../../src/hooks/runner.js';
import type { HookServices } from '../../../../src/hooks/scope.js';
import { Dispatcher } from '../../../../src/methods/dispatch.js';
import { createRegistry, type Registry } from '../../../../src/methods/registry.js';
import { HashSlots } from '../../../../src/methods/set/hash-slots.js';
import { createIdGenerator } from '../../../../src/protocol/ids.js';
import { parseIJson, parseJson } from '../../../../src/protocol/ijson.js';
import { parseRequest } from '../../../../src/protocol/request.js';
import { responseText } from '../../../../src/protocol/response.js';
import { createLogging } from '../../../../src/server/logging.js';
import { capabilitiesOf } from '../../../../src/server/project.js';
import type { Store } from '../../../../src/store/port.js';
import { createPostgresqlStore } from '../../../../src/store/postgresql/index.js';
import { createSqliteStore } from '../../../../src/store/sqlite/index.js';
import { tokenPrincipal } from '../../../accounts/token-principal.js';
import { conductor } from '../../../support/conductor.js';

// biome-ignore lint/suspicious/noExplicitAny: expectations walk into answers of any shape
export type Answer = any;

const LIMITS = {
  maxObjectsInGet: 1000,
  maxObjectsInSet: 1000,
  queryMaxLimit: 5000,
  queryChangesMax: 10_000,
  maxSizeUpload: 1_000_000,
  changesKeep: 30 * 24 * 3_600_000,
  maxSizeRequest: 10_000_000,
  maxSizeResponse: 100_000_000,
  requestTimeout: 30_000,
};

export const ACCOUNT_ID = 'a1';
/** Another account of the same user, for copies. */
export const OTHER_ID = 'a2';
const ACCOUNT = {
  id: ACCOUNT_ID,
  name: 'a1',
  isPersonal: true,
  isReadOnly: false,
  capabilities: null,
};
const USER: Principal = tokenPrincipal(
  'u1',
  't1',
  new Map([ACCOUNT, { ...ACCOUNT, id: OTHER_ID }].map((one) => [one.id, one])),
);

/** A blob that objects may refer to. */
export const BLOB_ID = `b${'1'.repeat(26)}`;

interface CallOptions {
  readonly isWhole?: boolean;
  /** The user who calls; `u1` where left out. */
  readonly userId?: string;
}

export interface Served {
  /** The statements of the store; on SQLite alone. */
  readonly statements: string[];
  /**
   * One call: the answer, or `{ error, ... }`. With `isWhole` no `accountId` is added to the
   * arguments.
   */
  call(name: string, args?: object, options?: CallOptions): Promise<Answer>;
  /** Several calls as they are, with other capabilities in `using`: their responses. */
  request(
    methodCalls: readonly object[],
    using?: readonly string[],
    user?: Principal,
  ): Promise<Answer>;
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly registry: Registry;
  close(): Promise<void>;
}

/**
 * Serves the generated files of a project's folder by the engine from a SQLite file, a new one
 * unless the folder `kept` has it, or from `url`.
 */
export async function serve(root: string, url?: string, kept?: string): Promise<Served> {
  const module = await import(pathToFileURL(join(root, 'generated/registry.ts')).href);
  const registry = createRegistry(capabilitiesOf(module));
  requireHooks(registry);
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'jmapsmith-random-'));
  const statements: string[] = [];
  const { store, database, end } = await (url === undefined
    ? onSqlite(root, folder, registry, statements)
    : onPostgresql(root, url, registry));
  const failures: unknown[] = [];
  const hookServices: HookServices = {
    timeout: LIMITS.requestTimeout,
    prisma: undefined,
    join: (work) => work(),
    onError: (error) => failures.push(error),
  };
  const hooks = createHooks(registry, hookServices);
  const { log } = createLogging('fatal');
  const none = { read: () => Promise.reject(new Error('There are no blobs here.')) };
  const parts = { store, database, registry, hookServices, conductor, blobs: none, log };
  const work = { ...parts, shared: false };
  await (await startBackfill({ ...work, ...(hooks === undefined ? {} : { hooks }) })).stop();
  const blobs = new FilesystemBlobStore(join(folder, 'blobs'));
  const dispatcher = new Dispatcher(
    {
      store,
      registry,
      blobs,
      ids: createIdGenerator(),
      limits: LIMITS,
      conductor,
      hashing: new HashSlots(),
      secretKey: new Uint8Array(32),
      ...(hooks === undefined ? {} : { hooks }),
    },
    LIMITS,
    (error) => failures.push(error),
  );
  const all = [...registry.capabilities.keys()];
  const request: Served['request'] = async (methodCalls, using = all, user = USER) => {
    const body = Buffer.from(JSON.stringify({ using, methodCalls }));
    const envelope = parseRequest(parseIJson(body), {
      maxCallsInRequest: 64,
      hasCapability: (urn) => registry.capabilities.has(urn),
    });
    const answer = await dispatcher.handle(envelope, user);
    const text = [...responseText(answer, 'session-state')].join('');
    if (failures.length > 0) throw failures[0];
    return (parseJson(text) as Answer).methodResponses;
  };
  return {
    ...{ statements, store, blobs, registry, request },

    async call(name, args = {}, { isWhole = false, userId = USER.userId } = {}) {
      const whole = isWhole ? args : { accountId: ACCOUNT_ID, ...args };
      const [[answered, response]] = await request([[name, whole, 'c']], all, { ...USER, userId });
      return answered === name ? response : { error: response.type, ...response };
    },
    async close() {
      await store.close();
      await end();
      if (kept === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

const FIXTURES = `INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created")
  VALUES ('${ACCOUNT_ID}', '', 'u', 1), ('${OTHER_ID}', '', 'u', 1) ON CONFLICT DO NOTHING;
  INSERT INTO "JmapBlob" ("accountId", "id", "type", "size", "uploaderId", "created")
    VALUES ('${ACCOUNT_ID}', '${BLOB_ID}', 'text/plain', 1, '${USER.userId}', 1)
    ON CONFLICT DO NOTHING`;

/** The parts of a database that a server opens. */
interface Storage {
  readonly store: Store;
  readonly database: BackfillDatabase;
  end(): Promise<void>;
}

function onSqlite(
  root: string,
  folder: string,
  { dataTypes }: Registry,
  statements: string[],
): Storage {
  const file = join(folder, 'jmap.db');
  const writerDatabase = openDatabase({ file });
  migrate(writerDatabase, join(root, 'prisma/sqlite/migrations'));
  writerDatabase.exec(FIXTURES);
  const reader = openDatabase({ file, readonly: true });
  const writer = new Writer(writerDatabase, conductor);
  const onStatement = (sql: string) => void statements.push(sql);
  const types = [...dataTypes.values()];
  const options = { writer, writerDatabase, reader, types, onStatement };
  const database = openBackfillDatabase(openPrisma(writerDatabase, writer));
  return { store: createSqliteStore(options), database, end: async () => undefined };
}

async function onPostgresql(root: string, url: string, { dataTypes }: Registry): Promise<Storage> {
  const pool = postgresql.openPool({ url, size: 8, pipeline: true });
  await postgresql.migrate(pool, join(root, 'prisma/postgresql/migrations'));
  await pool.query(FIXTURES);
  const options = { conductor, pool, types: [...dataTypes.values()] };
  // Of its own: the store's connections may be read-only.
  const own = postgresql.openPool({ url, size: 2 });
  const database = openBackfillDatabase(openPrismaOfPool(own));
  return { store: createPostgresqlStore(options), database, end: () => own.end() };
}
