import { mkdirSync } from 'node:fs';
import { sharedTypesIn } from '../access/shared-types.js';
import { ADMIN_CAPABILITY } from '../accounts/admin-port.js';
import { DirectoryRows } from '../accounts/index.js';
import { livingAccounts } from '../accounts/living.js';
import type { Authenticator } from '../accounts/principal.js';
import { preparePrincipalAccount } from '../accounts/principal-accounts.js';
import { bindSecrets } from '../backfill/bind-secrets.js';
import { startBackfill } from '../backfill/start-backfill.js';
import { openBlobStore } from '../blobs/index.js';
import type { CapabilityDefinition } from '../capability/capability-definition.js';
import { PRINCIPALS, userOfPrincipalAccount } from '../capability/principal-names.js';
import { blobsHeld } from '../database/blob-hold.js';
import { StateEpoch } from '../database/state-epoch.js';
import { TaskRows } from '../database/task-rows.js';
import { requireHooks } from '../hooks/required.js';
import { createHooks } from '../hooks/runner.js';
import { listAccountCreatedKinds } from '../hooks/task-kinds.js';
import { TaskWorker } from '../hooks/tasks.js';
import type { Services } from '../methods/context.js';
import { Dispatcher } from '../methods/dispatch.js';
import type { FailureLog, UnavailableLog } from '../methods/failures.js';
import { findPrincipalTypes, typeNamesOf } from '../methods/principals/principal-index.js';
import { PrincipalViews } from '../methods/principals/principal-views.js';
import { createRegistry, type Registry } from '../methods/registry.js';
import { HashSlots } from '../methods/set/hash-slots.js';
import type { IdGenerator } from '../protocol/ids.js';
import { openCapabilities } from '../protocol/open-capabilities.js';
import type { Sessions } from '../protocol/session.js';
import { Seldom } from '../runtime/seldom.js';
import { Conductor } from '../runtime/slices.js';
import { createSteadyClock } from '../runtime/steady-clock.js';
import { type Config, ConfigError } from './config.js';
import { openPush, pushContact } from './open-push.js';
import { loadProject } from './project.js';
import { VAPID } from './session-members.js';
import type { Storage, StorageOptions } from './storage.js';

/** The parts that serve method calls, without a transport: for a server, and for tests of hooks. */

const CLOCK_JUMPED =
  'the clock jumped ahead: the upkeep removes nothing by it until it stays so for a day';

export const EXPLAIN = 'urn:jmapsmith:explain';
export const ONCE = 'urn:jmapsmith:once';

/** Functions that close things at the end, last things first. */
export type Opened = StorageOptions['opened'];

/** The parts that serve requests, once the database is open and up to date. */
export type Engine = Awaited<ReturnType<typeof openEngine>>;

/** Closes what was opened, last things first, and rejects if something can't be closed. */
export async function closeAll(opened: Opened): Promise<void> {
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

/** Closes things at the same time, and rejects if one of them can't be closed. */
export async function closeTogether(closes: readonly (() => unknown)[]): Promise<void> {
  const ends = await Promise.allSettled(closes.map(async (close) => close()));
  const failures = ends.flatMap((end) =>
    end.status === 'rejected' ? [end.reason as unknown] : [],
  );
  if (failures.length > 0) throw new AggregateError(failures, 'Not everything could be closed.');
}

/** Opens the database, and finishes what migrations and older versions left to this start. */
export async function openEngine(
  config: Config,
  options: Pick<StorageOptions, 'root' | 'log' | 'opened'>,
) {
  const { root, log, opened } = options;
  const { registry: capabilities, hookClient } = await loadProject(root);
  // Before the database is touched: a server that can't serve migrates nothing.
  const registry = createRegistry(servedOf(capabilities, config));
  requireHooks(registry);
  requireSecretsKey(config, registry);

  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const types = [...registry.stateTypes.values()];
  const conductor = new Conductor();
  const storage = await openStorage(config, { ...options, types, hookClient, conductor });
  const { store, shared, backfill: database } = storage;
  const epoch = new StateEpoch(storage.principals);
  await epoch.reload();
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
  const typeNames = new Set(registry.stateTypes.keys());
  const push = await openPush({ config, storage, typeNames, log });
  const blobs = await openBlobStore(config.blobStore);
  const backfilled = { store, registry, hookServices, conductor, blobs, log, database };
  const backfill = await startBackfill({ ...backfilled, now, hooks, shared });
  opened.push(() => backfill.stop());
  const { secretsKey: secretKey } = config;
  if (secretKey !== null) await bindSecrets({ ...backfilled, secretKey });
  return {
    config,
    log,
    registry,
    storage,
    epoch,
    conductor,
    hooks,
    hookServices,
    tasks,
    blobs,
    async blobsHeld() {
      storage.requireFiles();
      return blobsHeld(storage.prisma, now);
    },
    now,
    push,
  };
}

/** Returns the capabilities and methods that the configuration leaves. */
function servedOf(
  capabilities: readonly CapabilityDefinition[],
  config: Config,
): readonly CapabilityDefinition[] {
  const left = new Set<string>();
  if (!config.explain) left.add(EXPLAIN);
  if (!config.admin) left.add(ADMIN_CAPABILITY);
  if (config.principals === 'off') left.add(PRINCIPALS);
  if (!config.push.isOn || pushContact(config) === null) left.add(VAPID);
  const served = capabilities.filter(({ urn }) => !left.has(urn));
  if (config.push.isOn) return served;
  return served.map((capability) => ({
    ...capability,
    methods: capability.methods.filter(({ body }) => !PUSH_METHODS.has(body)),
  }));
}

/** The methods that PUSH=off takes away. */
const PUSH_METHODS: ReadonlySet<string> = new Set(['PushSubscription/get', 'PushSubscription/set']);

/**
 * Starts the work that hooks leave to the server, where there are any. Returns a function that
 * keeps more of it from beginning.
 */
export function startTasks(
  { config, log, storage, hooks, hookServices, tasks }: Engine,
  services: Services,
  opened: Opened,
): () => void {
  if (hooks === undefined) return () => undefined;
  const { prisma } = storage;
  const worker = new TaskWorker({
    ...{ hooks, services, hookServices, log },
    tasks: new TaskRows(prisma),
    accounts: livingAccounts(prisma),
    patience: config.limits.requestTimeout,
  });
  tasks.worker = worker;
  opened.push(() => worker.stop());
  worker.start();
  return () => worker.halt();
}

/** The parts of a server that its dispatcher is made with, beside the engine. */
interface DispatcherParts {
  readonly ids: IdGenerator;
  readonly authenticator: Pick<Authenticator, 'refresh'>;
  readonly sessions: Sessions;
  readonly opened: Opened;
  readonly tellDefect: FailureLog;
  readonly unavailable?: UnavailableLog;
}

/** Returns what runs method calls, and the parts of it that transports need. */
export function createDispatcher(
  engine: Engine,
  { ids, authenticator, sessions, opened, tellDefect, unavailable }: DispatcherParts,
) {
  const { config, registry, storage, conductor, hooks, blobs, blobsHeld } = engine;
  const { limits, secretsKey } = config;
  const once = { capability: ONCE, keep: limits.onceKeep };
  const principals = principalsOf(engine, sessions, authenticator);
  if (principals !== undefined) opened.push(() => principals.close());
  const services = {
    ...{
      principals,
      store: storage.store,
      blobs,
      blobsHeld,
      registry,
      ids,
      limits,
      conductor,
      hooks,
    },
    hashing: new HashSlots(),
    secretKey: secretsKey ?? undefined,
    once,
    push: engine.push?.services,
    directory: config.admin
      ? new DirectoryRows(storage.prisma, { ids, tasks: listAccountCreatedKinds(registry) })
      : undefined,
  };
  return {
    once,
    principals,
    dispatcher: new Dispatcher(services, limits, tellDefect, unavailable),
  };
}

/** Returns what tells the authenticator of a server what credentials reach, beside its tokens. */
export function reachOf({ registry, storage }: Engine) {
  const { dataTypes, relations, capabilities } = registry;
  const principalTypes = findPrincipalTypes(capabilities);
  return {
    accessVersion: storage.accessVersion,
    readAccessVersion: storage.readAccessVersion,
    capabilitiesOf: (scopes: readonly string[]) =>
      openCapabilities([...capabilities.values()], scopes),
    sharedTypes: sharedTypesIn(dataTypes, relations.viewRules.sharedTables),
    principalTypes: principalTypes && typeNamesOf(principalTypes),
  };
}

/** Returns the users that users see; undefined where the project or the server has none. */
function principalsOf(
  { config, registry, storage, conductor, log }: Engine,
  sessions: Sessions,
  authenticator: Pick<Authenticator, 'refresh'>,
): PrincipalViews | undefined {
  const types = findPrincipalTypes(registry.capabilities);
  if (types === null || config.principals === 'off') return undefined;
  // While the database is away each look fails.
  const failures = new Seldom(1);
  return new PrincipalViews({
    ...{ store: storage.store, types, conductor, mode: config.principals },
    prepare: (userId) => preparePrincipalAccount(storage.prisma, userId),
    describe: (principal, accountId) => sessions.account(principal, accountId),
    onMoved: () => storage.forgetAccessVersion(),
    refresh: ({ credential }) => authenticator.refresh(credential),
    async findNoticed(limit) {
      const accountIds = await new TaskRows(storage.prisma).accountsWithNotices(limit);
      return accountIds.map(userOfPrincipalAccount);
    },
    patience: config.limits.requestTimeout,
    onError(err) {
      const fields = failures.admit('principals');
      if (fields !== null)
        log.warn({ err, ...fields }, 'principals of a user could not be looked at');
    },
  });
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
