import type { ModelType } from '../../../scripts/generator/model.js';
import type { CapabilityDefinition } from '../../../src/capability/definition.js';
import type { TypeHooks } from '../../../src/capability/hooks.js';
import { createLogging } from '../../../src/logging.js';
import { createSetHooks } from '../../../src/methods/hooks/set-hooks.js';
import { createRegistry } from '../../../src/methods/registry.js';
import { type RestOptions, startRest } from '../../../src/rest.js';

/** What a server's start finishes, without the server: types as the generator would emit them. */
export interface Started {
  readonly types: readonly ModelType[];
  readonly hooks?: Readonly<Record<string, TypeHooks>>;
}

/** `shared`: the version before may go on beside it. */
export function start(
  { types, hooks = {} }: Started,
  on: Pick<RestOptions, 'store' | 'database' | 'shared' | 'pause'>,
): Promise<{ stop(): Promise<void> }> {
  const capability: CapabilityDefinition = {
    urn: 'urn:example:things',
    name: 'things',
    descriptorHash: 'sha256-',
    session: {},
    accountSession: {},
    bareSession: false,
    accountLevel: true,
    dataTypes: types.map(({ name, table, properties, shadows, uniques }) => ({
      ...{ name, table, properties, shadows, uniques, capability: 'urn:example:things' },
      ...{ acceptSnakeCase: false, filters: [], sorts: [] },
      validate: { update: fits, filter: fits },
    })),
    methods: [],
    hooks: { types: hooks },
  };
  const registry = createRegistry([capability]);
  const setHooks = createSetHooks(registry);
  return startRest({
    ...on,
    registry,
    ...(setHooks === undefined ? {} : { setHooks }),
    hooks: {
      timeout: 2000,
      prisma: null,
      join: (work) => work(),
      onError: (error) => {
        throw error;
      },
    },
    log: createLogging('fatal').log,
  });
}

const fits = Object.assign(() => true, { errors: null });
