import { type BackfillOptions, startBackfill } from '../../../src/backfill/start-backfill.js';
import type { CapabilityDefinition } from '../../../src/capability/capability-definition.js';
import type { EvolutionDefinition } from '../../../src/capability/evolution.js';
import type { TypeHooks } from '../../../src/capability/hooks.js';
import type { ModelType } from '../../../src/descriptor/model.js';
import { createHooks } from '../../../src/hooks/runner.js';
import type { HookServices } from '../../../src/hooks/scope.js';
import { createRegistry } from '../../../src/methods/registry.js';
import { createLogging } from '../../../src/server/logging.js';
import { conductor as shared } from '../../support/conductor.js';

/**
 * Finishes what a server's start finishes, without the server: types as the generator would emit
 * them.
 */
export interface Started {
  readonly types: readonly ModelType[];
  readonly hooks?: Readonly<Record<string, TypeHooks>>;
  readonly evolutions?: readonly EvolutionDefinition[];
  /** HOOK_TIMEOUT, ms. */
  readonly timeout?: number;
  readonly log?: BackfillOptions['log'];
  /** That of the store's where left out. */
  readonly conductor?: BackfillOptions['conductor'];
  /** Runs behind each read of the store, ahead of what follows from it. */
  readonly behindRead?: () => Promise<void>;
}

/** `shared`: the version before may go on beside it. */
export function start(
  {
    types,
    hooks = {},
    evolutions = [],
    timeout = 60_000,
    log = SILENT,
    conductor = shared,
    behindRead,
  }: Started,
  on: Pick<BackfillOptions, 'store' | 'database' | 'shared' | 'pause'>,
): Promise<{ stop(): Promise<void> }> {
  const capability: CapabilityDefinition = {
    urn: 'urn:example:things',
    name: 'things',
    descriptorHash: 'sha256-',
    session: {},
    accountSession: {},
    bareSession: false,
    accountLevel: true,
    dataTypes: types.map(({ name, table, properties, shadows, uniques, singleton }) => ({
      ...{ name, table, properties, shadows, uniques, capability: 'urn:example:things' },
      ...(singleton ? { singleton } : {}),
      ...{ acceptSnakeCase: false, filters: [], sorts: [] },
      validate: { update: fits, filter: fits },
    })),
    methods: [],
    hooks: { types: hooks },
    evolutions,
  };
  const { store } = on;
  const read = store.read.bind(store);
  if (behindRead !== undefined)
    store.read = async (...args) => {
      const result = await read(...args);
      await behindRead();
      return result as never;
    };
  const registry = createRegistry([capability]);
  const hookServices: HookServices = {
    timeout,
    prisma: null,
    join: (work) => work(),
    onError: (error) => {
      throw error;
    },
  };
  const computing = createHooks(registry, hookServices);
  return startBackfill({
    ...on,
    registry,
    ...(computing === undefined ? {} : { hooks: computing }),
    hookServices,
    conductor,
    blobs: { read: () => Promise.reject(new Error('There are no blobs here.')) },
    log,
  });
}

const SILENT = createLogging('fatal').log;

const fits = Object.assign(() => true, { errors: null });
