import { relative } from 'node:path';
import {
  bootstrap,
  createAuthenticator,
  createTickets,
  pruneAudit,
  pruneDirectory,
  pruneSubscriptions,
  pruneTickets,
  resumeDeletions,
} from '../accounts/index.js';
import { pruneLogouts } from '../accounts/oidc/back-channel.js';
import type { AuthSettings } from '../accounts/oidc/settings.js';
import { countRefused } from '../backfill/conversions.js';
import { blobsHeld } from '../database/blob-hold.js';
import { pruneRates } from '../database/rate-rows.js';
import { TaskRows } from '../database/task-rows.js';
import { listAccountCreatedKinds } from '../hooks/task-kinds.js';
import { BaseUrls, baseUrlText } from '../http/base-url.js';
import { createHttpServer } from '../http/server.js';
import { createShared, type Metrics, type Shared, type TransportServices } from '../http/shared.js';
import type { Dispatcher } from '../methods/dispatch.js';
import { createIdGenerator } from '../protocol/ids.js';
import { listScopes } from '../protocol/open-capabilities.js';
import { BLOB, Sessions } from '../protocol/session.js';
import { endBefore } from '../runtime/deadlines.js';
import type { RateLimits } from '../runtime/rates/rate-limits.js';
import { WebSocketEndpoint } from '../websocket/endpoint.js';
import { BASE_URLS, type Config, ConfigError, readConfig } from './config.js';
import { Duplicates } from './duplicates.js';
import { loadAuth } from './load-auth.js';
import { createLogging, type Logger } from './logging.js';
import { createMetrics } from './metrics.js';
import {
  closeAll,
  closeTogether,
  createDispatcher,
  type Engine,
  EXPLAIN,
  type Opened,
  openEngine,
  reachOf,
  startTasks,
} from './open-engine.js';
import { openIdentity } from './open-identity.js';
import { openRates } from './open-rates.js';
import type { PushFigures } from './push-metrics.js';
import { reloadWith } from './reload-with.js';
import { ownerEntry, runtimeMembers } from './session-members.js';
import { type Delivery, startDelivery } from './start-delivery.js';
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

/** How long stopping may take, ms: the contract has 10 s from SIGTERM, closing the database too. */
const GRACE = 8500;
/** The same for the good-bye to other servers: they notice a silence, too. */
const HUB_GRACE = 1000;

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
  const auth = await loadAuth(config.auth);
  if (auth.providers.length > 0 && config.baseUrl === null)
    throw new ConfigError('BASE_URL', '', `${BASE_URLS}: identity providers name it to clients`);
  const opened: Opened = [];
  try {
    return await start({ config, auth, root, opened });
  } catch (error) {
    // The caller needs the error of the start, whatever else fails after it.
    await closeAll(opened).catch(() => undefined);
    throw error;
  }
}

interface StartOptions {
  readonly config: Config;
  readonly auth: AuthSettings;
  readonly root: string;
  readonly opened: Opened;
}

async function start({ config, auth, root, opened }: StartOptions): Promise<StartedServer> {
  const { log, flush } = createLogging(config.logLevel);
  const engine = await openEngine(config, { root, log, opened });
  const { storage } = engine;
  let stopping = false;
  const duplicates = duplicatesOf(engine);
  const transport = await transportServices({ engine, auth, duplicates, opened });
  opened.push(() => endBefore(performance.now() + HUB_GRACE, transport.hub.close()));
  const shared = createShared({
    ...transport,
    // The migrations were applied before this process listened.
    async ready() {
      if (stopping) throw new Error('The server stops.');
      await storage.store.ping();
    },
  });
  // Closed behind HTTP and the sender, which both tell of the states that it knows.
  opened.push(async () => shared.close());
  // Closed behind HTTP: a job may take minutes, and must not keep the server from closing its port.
  const haltTasks = startTasks(engine, transport.dispatcher.services, opened);
  const http = createHttpServer(shared, new WebSocketEndpoint(shared));
  const url = await http.listen(config.host, config.port);
  // At the same time: each may wait for a database that hangs, or for others' servers.
  const running: (() => Promise<void>)[] = [() => http.close(GRACE)];
  opened.push(() => closeTogether(running));
  // Only when all else is fine: the line that tells of the token is printed once.
  const firstToken = await bootstrap(storage.prisma, {
    dataDir: config.dataDir,
    enabled: config.bootstrapToken,
    tasks: listAccountCreatedKinds(engine.registry),
  });
  const delivery = startPush(engine, shared);
  if (delivery !== null) running.push(() => delivery.stop());
  transport.figures.push = () => ({
    ...{ replays: shared.push.replays, receivers: shared.push.receivers },
    hub: shared.hub.counts(),
    delivery: delivery?.counts() ?? null,
  });
  const upkeep = startUpkeep(upkeepOf(engine, duplicates));
  running.push(() => upkeep.stop());
  log.info({ url }, 'listening');

  const { path } = new BaseUrls(config);
  return {
    url,
    lines: [`jmapsmith listens on ${url}`, ...firstLines(firstToken, `${url}${path}`)],
    log,
    flush,
    async close() {
      stopping = true;
      haltTasks();
      await closeAll(opened);
    },
    isHeld: storage.isHeld,
  };
}

function duplicatesOf({ storage, registry, now, log }: Engine): Duplicates {
  const { shared, backfill } = storage;
  return new Duplicates({
    ...{ now, log, shared },
    types: registry.dataTypes.values(),
    find: (check) => backfill.duplicates(check),
    kept: () => backfill.kept(),
    migrated: async () => (await backfill.newest()).at,
  });
}

/** Begins to hear other processes, and to push to subscriptions. */
function startPush(engine: Engine, shared: Shared): Delivery | null {
  const { push, hub, authenticator, principalViews } = shared;
  const { push: parts } = engine;
  const delivery = parts && startDelivery({ engine, parts, push, hub, authenticator });
  hub.listen({
    hints: (hints) => push.hint(hints),
    doubt() {
      void push.compare();
      delivery?.compare();
      principalViews?.lookAtNoticed();
    },
    subscription: (id) => delivery?.changed(id),
  });
  principalViews?.lookAtNoticed();
  return delivery;
}

/** The parts for the transports, and those that the server needs of them besides. */
interface ServerServices extends Omit<TransportServices, 'ready' | 'dispatcher'> {
  readonly dispatcher: Dispatcher;
  /** Returns what metrics tell of push, once it has begun. */
  readonly figures: { push: () => PushFigures | null };
}

interface TransportOptions {
  readonly engine: Engine;
  readonly auth: AuthSettings;
  readonly duplicates: Duplicates;
  readonly opened: Opened;
}

async function transportServices(options: TransportOptions): Promise<ServerServices> {
  const { engine, auth, duplicates, opened } = options;
  const { config, log, registry, storage, conductor, blobs, epoch } = engine;
  const { store, prisma } = storage;
  const figures: ServerServices['figures'] = { push: () => null };
  const vapid = engine.push?.vapid ?? null;
  const unavailable = createUnavailableLog(log);
  const tellDefect = (err: unknown, reference: string): void =>
    log.error({ reference, err }, 'defect');
  const sessions = new Sessions({
    capabilities: registry.capabilities.values(),
    runtime: runtimeMembers({ ...engine, limits: config.limits }),
    entriesOf: ownerEntry,
    // Neither ever decreases.
    version: () => epoch.version + (vapid?.version ?? 0),
    baseUrl: baseUrlText(config.baseUrl),
  });
  const metrics = metricsOf(engine, duplicates, figures);
  const ids = createIdGenerator();
  const { identity, signIns, close } = await openIdentity({
    ...{ auth, prisma, ids, log, allow: config.auth.allow, baseUrl: config.baseUrl },
    scopes: listScopes([...registry.capabilities.values()]),
    tasks: listAccountCreatedKinds(registry),
  });
  opened.push(async () => close());
  const authenticator = createAuthenticator(storage.principals, {
    ...reachOf(engine),
    directory: config.admin,
    accessVersion: reloadWith(storage.accessVersion, vapid === null ? [epoch] : [epoch, vapid]),
    providers: signIns,
  });
  const parts = { ids, authenticator, sessions, opened, tellDefect, unavailable };
  const { once, principals, dispatcher } = createDispatcher(engine, parts);
  return {
    rates: ratesOf(engine, metrics, opened),
    ...config,
    blobsHeld: engine.blobsHeld,
    ...{ registry, store, blobs, ids, conductor, log, unavailable, once, dispatcher, figures },
    identity,
    authenticator,
    tickets: createTickets(prisma, { providers: signIns }),
    readEpoch: async () => {
      await epoch.reload();
      return epoch.current;
    },
    hub: storage.openHub({ bus: config.pushBus, epoch: () => epoch.current, log }),
    ...{ sessions, principalViews: principals },
    blobCapability: BLOB,
    explainCapability: EXPLAIN,
    metrics,
  };
}

function metricsOf(
  { registry, storage, hooks }: Engine,
  duplicates: Duplicates,
  figures: ServerServices['figures'],
): Metrics {
  return createMetrics({
    process: true,
    duplicates: duplicates.counts,
    push: () => figures.push(),
    ...(registry.evolutions.length === 0
      ? {}
      : { unconverted: async () => countRefused(await storage.backfill.notes()) }),
    ...(hooks === undefined ? {} : { tasks: () => new TaskRows(storage.prisma).count() }),
  });
}

function ratesOf({ config, storage, log }: Engine, metrics: Metrics, opened: Opened): RateLimits {
  const { rateLimits, secretsKey } = config;
  const isShared = rateLimits.store === 'database' && rateLimits.rules.length > 0;
  const openPoints = isShared ? storage.openRatePoints?.(secretsKey) : undefined;
  return openRates(rateLimits, { openPoints, metrics, log, opened });
}

function upkeepOf(engine: Engine, duplicates: Duplicates): UpkeepOptions {
  const { config, log, registry, storage, blobs, now, push } = engine;
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
    blobsHeld: engine.blobsHeld,
    pruneAudit: (before, limit) => pruneAudit(prisma, before, limit),
    pruneDirectory: (before, limit) => pruneDirectory(prisma, before, limit),
    pruneTickets: (before, limit) => pruneTickets(prisma, before, limit),
    pruneRates: (before, limit) => pruneRates(prisma, before, limit),
    pruneLogouts: (before, limit) => pruneLogouts(prisma, before, limit),
    async pruneSubscriptions(before, limit) {
      const gone = await pruneSubscriptions(prisma, before, limit);
      for (const id of gone) push?.pusher.removed(id);
      if (gone.length > 0)
        log.info({ removed: gone.length }, 'push subscriptions have ended and are removed');
      return gone.length;
    },
    findDuplicates: (stopped) => duplicates.look(stopped),
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
