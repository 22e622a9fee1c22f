import { mkdirSync } from 'node:fs';
import { relative } from 'node:path';
import {
  bootstrap,
  createAuthenticator,
  createTickets,
  pruneTickets,
  resumeDeletions,
} from '../accounts/index.js';
import { bindSecrets } from '../backfill/bind-secrets.js';
import { startBackfill } from '../backfill/start-backfill.js';
import { openBlobStore } from '../blobs/index.js';
import { blobsHeld } from '../database/blob-hold.js';
import { TaskRows } from '../database/task-rows.js';
import { requireHooks } from '../hooks/required.js';
import { createHooks } from '../hooks/runner.js';
import { TaskWorker } from '../hooks/tasks.js';
import { BaseUrls, baseUrlText } from '../http/base-url.js';
import { createHttpServer } from '../http/server.js';
import { createShared, type TransportServices } from '../http/shared.js';
import type { Services } from '../methods/context.js';
import { Dispatcher } from '../methods/dispatch.js';
import { createRegistry, type Registry } from '../methods/registry.js';
import { HashSlots } from '../methods/set/hash-slots.js';
import { createIdGenerator } from '../protocol/ids.js';
import { Sessions } from '../protocol/session.js';
import { Conductor } from '../runtime/slices.js';
import { createSteadyClock } from '../runtime/steady-clock.js';
import { WebSocketEndpoint } from '../websocket/endpoint.js';
import { type Config, ConfigError, readConfig } from './config.js';
import { createLogging, type Logger } from './logging.js';
import { createMetrics } from './metrics.js';
import { loadProject } from './project.js';
import { BLOB, runtimeMembers } from './session-members.js';
import type { Storage, StorageOptions } from './storage.js';
import { createUnavailableLog } from './unavailable.js';
import { startUpkeep, type UpkeepOptions } from './upkeep.js';

/** The composition root: configuration, storage, methods, transports; their ends in reverse. */

export interface StartedServer {
  /** The address listened on, without a path. */
  readonly url: string;
  /** Lines for the operator: one with the URL, at the very first start also a curl command. */
  readonly lines: readonly string[];
  readonly log: Logger;
  /** Stops accepting, finishes what runs for at most `GRACE` ms, closes everything. */
  close(): Promise<void>;
  /** Returns whether a thread that nobody can stop would keep the process from ending. */
  isHeld(): boolean;
  /** Puts all log lines on their way. */
  flush(): void;
}

const CLOCK_JUMPED = 'the clock jumped ahead: nothing is removed by it until it stays so for a day';

const EXPLAIN = 'urn:jmapsmith:explain';
const ONCE = 'urn:jmapsmith:once';

/** How long stopping may take, ms: the contract has 10 s from SIGTERM, closing the database too. */
const GRACE = 8500;

/** Functions that close things at the end, last things first. */
type Opened = StorageOptions['opened'];

/**
 * Starts a server whose project, with its modules and migrations, lies in `root`. Relative paths of
 * the environment begin at the current folder. Rejects with ConfigError, MissingClientError,
 * ProjectError, MissingHookError, ServerLockError, DatabaseFileError, MigrationError, or the error
 * of the system.
 */
export async function startServer(
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<StartedServer> {
  const config = readConfig(env, process.cwd());
  checkProxies(config);
  const opened: Opened = [];
  try {
    return await start(config, root, opened);
  } catch (error) {
    // The caller needs the error of the start, whatever else fails after it.
    await closeAll(opened).catch(() => undefined);
    throw error;
  }
}

async function closeAll(opened: Opened): Promise<void> {
  const failures: unknown[] = [];
  for (const close of opened.splice(0).reverse()) {
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Not everything could be closed.');
}

/** The parts that serve requests, once the database is open and up to date. */
type Engine = Awaited<ReturnType<typeof openEngine>>;

async function start(config: Config, root: string, opened: Opened): Promise<StartedServer> {
  const { log, flush } = createLogging(config.logLevel);
  const engine = await openEngine(config, { root, log, opened });
  const { storage } = engine;
  let stopping = false;
  const transport = transportServices(engine);
  const shared = createShared({
    ...transport,
    // The migrations were applied before this process listened.
    async ready() {
      if (stopping) throw new Error('The server stops.');
      await storage.store.ping();
    },
  });
  const http = createHttpServer(shared, new WebSocketEndpoint(shared));
  const url = await http.listen(config.host, config.port);
  opened.push(() => http.close(GRACE));
  // Only when all else is fine: the line that tells of the token is printed once.
  const firstToken = await bootstrap(storage.prisma, {
    dataDir: config.dataDir,
    enabled: config.bootstrapToken,
  });
  const upkeep = startUpkeep(upkeepOf(engine));
  opened.push(() => upkeep.stop());
  await startTasks(engine, transport.dispatcher.services, opened);
  log.info({ url }, 'listening');

  const { path } = new BaseUrls(config);
  return {
    url,
    lines: [`jmapsmith listens on ${url}`, ...firstLines(firstToken, `${url}${path}`)],
    log,
    flush,
    async close() {
      stopping = true;
      await closeAll(opened);
    },
    isHeld: storage.isHeld,
  };
}

/** Opens the database, and finishes what migrations and older versions left to this start. */
async function openEngine(
  config: Config,
  options: Pick<StorageOptions, 'root' | 'log' | 'opened'>,
) {
  const { root, log, opened } = options;
  const { registry: capabilities, hookClient } = await loadProject(root);
  // Before the database is touched: a server that can't serve migrates nothing.
  const registry = createRegistry(
    capabilities.filter(({ urn }) => config.explain || urn !== EXPLAIN),
  );
  requireHooks(registry);
  requireSecretsKey(config, registry);

  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const types = [...registry.dataTypes.values()];
  const conductor = new Conductor();
  const storage = await openStorage(config, { ...options, types, hookClient, conductor });
  const { store, shared, backfill: database } = storage;
  const tasks: { worker?: TaskWorker } = {};
  const hookServices = {
    wake: () => tasks.worker?.wake(),
    timeout: config.limits.hookTimeout,
    prisma: storage.hooks.client,
    join: storage.hooks.join,
    onError: (err: unknown, hook: string) =>
      log.error({ err, hook }, 'a hook failed after the commit'),
  };
  const hooks = createHooks(registry, hookServices);
  // By it ages are judged.
  const now = createSteadyClock({
    onJump: (ahead) => log.warn({ seconds: Math.round(ahead / 1000) }, CLOCK_JUMPED),
  });
  const blobs = await openBlobStore(config.blobStore);
  const backfilled = { store, registry, hookServices, blobs, log, database };
  const backfill = await startBackfill({ ...backfilled, now, hooks, shared });
  opened.push(() => backfill.stop());
  const { secretsKey: secretKey } = config;
  if (secretKey !== null) await bindSecrets({ ...backfilled, secretKey });
  return { config, log, registry, storage, conductor, hooks, hookServices, tasks, blobs, now };
}

function transportServices(
  engine: Engine,
): Omit<TransportServices, 'ready' | 'dispatcher'> & { readonly dispatcher: Dispatcher } {
  const { config, log, registry, storage, conductor, hooks, blobs } = engine;
  const { limits, secretsKey } = config;
  const { store, prisma } = storage;
  const ids = createIdGenerator();
  const unavailable = createUnavailableLog(log);
  const once = { capability: ONCE, keep: limits.onceKeep };
  const services = {
    ...{ store, blobs, registry, ids, limits, conductor, hooks },
    hashing: new HashSlots(),
    secretKey: secretsKey ?? undefined,
    once,
  };
  const tellDefect = (err: unknown, reference: string): void =>
    log.error({ reference, err }, 'defect');
  return {
    ...config,
    ...{ registry, store, blobs, ids, conductor, log, unavailable, once },
    dispatcher: new Dispatcher(services, limits, tellDefect, unavailable),
    authenticator: createAuthenticator(prisma, { accessVersion: storage.accessVersion }),
    tickets: createTickets(prisma),
    sessions: new Sessions({
      capabilities: registry.capabilities.values(),
      runtime: runtimeMembers(config.limits, registry),
      baseUrl: baseUrlText(config.baseUrl),
    }),
    blobCapability: BLOB,
    explainCapability: EXPLAIN,
    metrics: createMetrics({
      process: true,
      ...(hooks === undefined ? {} : { tasks: () => new TaskRows(prisma).count() }),
    }),
  };
}

/** Starts the work that hooks leave to the server, where there are any. */
async function startTasks(
  { config, log, storage, hooks, hookServices, tasks }: Engine,
  services: Services,
  opened: Opened,
): Promise<void> {
  const rows = new TaskRows(storage.prisma);
  if (hooks === undefined) {
    await rows.drop('accountCreated');
    return;
  }
  const patience = config.limits.requestTimeout;
  const worker = new TaskWorker({ hooks, services, hookServices, tasks: rows, patience, log });
  tasks.worker = worker;
  opened.push(() => worker.stop());
  await worker.start();
}

function upkeepOf({ config, log, registry, storage, blobs, now }: Engine): UpkeepOptions {
  const { limits } = config;
  const { store, prisma } = storage;
  return {
    ...{ now, limits, log },
    pruneChanges: (before, limit) => store.pruneChanges(before, limit),
    pruneAnswers: (before, limit) => store.pruneAnswers(before, limit),
    collectBlobs: (before, limit) => store.collectBlobs(before, limit),
    deleteBlob: (accountId, blobId) => blobs.delete(accountId, blobId),
    listBlobs: () => blobs.list(),
    async knownBlobs(accountId, blobIds) {
      const deadline = performance.now() + limits.requestTimeout;
      const rows = await store.read(accountId, { deadline }, (snapshot) => snapshot.blobs(blobIds));
      return rows.map(({ id }) => id);
    },
    async blobsHeld() {
      storage.requireFiles();
      return blobsHeld(prisma, now);
    },
    pruneTickets: (before, limit) => pruneTickets(prisma, before, limit),
    resumeDeletions(stopped) {
      const data = {
        tables: Array.from(registry.dataTypes.values(), ({ table }) => table),
        database: config.database.kind,
        // The sweep takes them later where a backup runs.
        deleteBlobs: async (accountId: string) => {
          if (!(await blobsHeld(prisma))) await blobs.deleteAccount(accountId);
        },
      };
      return resumeDeletions(prisma, data, stopped);
    },
  };
}

/** Only the engine that is asked for is loaded, with its driver. */
async function openStorage(
  { database, scanThreads }: Config,
  options: StorageOptions,
): Promise<Storage> {
  if (database.kind === 'sqlite') {
    const { openSqliteStorage } = await import('./storage-sqlite.js');
    return openSqliteStorage(database.file, options, scanThreads);
  }
  const { openPostgresqlStorage } = await import('./storage-postgresql.js');
  return openPostgresqlStorage(database.url, options);
}

/** Refuses a start without the key of encrypted properties: a later write of them would fail. */
function requireSecretsKey(config: Config, registry: Registry): void {
  if (config.secretsKey !== null) return;
  for (const type of registry.dataTypes.values()) {
    const property = type.properties.find(({ secret }) => secret === 'encrypt');
    if (property === undefined) continue;
    throw new ConfigError(
      'SECRETS_KEY',
      '',
      `the base64 of 32 random octets: ${type.name}.${property.name} is stored encrypted`,
    );
  }
}

function checkProxies(config: Config): void {
  try {
    new BaseUrls(config);
  } catch {
    const legal = 'addresses or subnets of proxies, or loopback, linklocal, uniquelocal';
    throw new ConfigError('TRUST_PROXY', config.trustProxy.join(','), legal);
  }
}

/** The token itself is never printed: the shell reads it from its file. */
function firstLines(tokenFile: string | null, base: string): readonly string[] {
  if (tokenFile === null) return [];
  const near = relative(process.cwd(), tokenFile);
  const path = near.startsWith('..') ? tokenFile : near;
  const quoted = `'${path.replaceAll("'", "'\\''")}'`;
  return [`curl -H "Authorization: Bearer $(cat ${quoted})" ${base}/.well-known/jmap`];
}
