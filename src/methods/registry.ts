import type {
  CapabilityDefinition,
  MethodDefinition,
} from '../capability/capability-definition.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import type { EvolutionDefinition } from '../capability/evolution.js';
import type { OwnMethod, TypeHooks } from '../capability/hooks.js';
import type { UnreferencedQuota } from '../capability/quota-definition.js';
import { ADMIN_TYPES } from './admin/admin-types.js';
import { indexQuotas, type Quotas } from './quota/quota-index.js';
import { type Relations, relate } from './set/relations.js';

/** All registered capabilities, indexed: what dispatch, the session and Blob/lookup read. */
export interface Registry {
  readonly capabilities: ReadonlyMap<string, CapabilityDefinition>;
  readonly methods: ReadonlyMap<string, MethodDefinition>;
  readonly dataTypes: ReadonlyMap<string, DataTypeDefinition>;
  /** These, and others with states: those that methods of the engine bring without a table. */
  readonly stateTypes: ReadonlyMap<string, DataTypeDefinition>;
  /** Bodies of methods, from hook files. */
  readonly ownMethods: ReadonlyMap<string, OwnMethod>;
  /** Hooks by the type's name. */
  readonly typeHooks: ReadonlyMap<string, TypeHooks>;
  readonly relations: Relations;
  /** Null where no capability declares any. */
  readonly quotas: Quotas | null;
  /** Null where no capability declares it. */
  readonly unreferencedBlobs: UnreferencedQuota | null;
  /** The conversions of all types, in order of migration. */
  readonly evolutions: readonly EvolutionDefinition[];
}

/**
 * Indexes capability definitions. Throws where two define one URN, type or method: a defect of the
 * generator, which refuses that at the descriptor's line.
 */
export function createRegistry(definitions: readonly CapabilityDefinition[]): Registry {
  const capabilities = new Map<string, CapabilityDefinition>();
  const methods = new Map<string, MethodDefinition>();
  const dataTypes = new Map<string, DataTypeDefinition>();
  const ownMethods = new Map<string, OwnMethod>();
  const typeHooks = new Map<string, TypeHooks>();
  for (const capability of definitions) {
    add(capabilities, capability.urn, capability, 'capability');
    for (const method of capability.methods) add(methods, method.name, method, 'method');
    for (const type of capability.dataTypes) add(dataTypes, type.name, type, 'data type');
    for (const [name, body] of Object.entries(capability.hooks?.methods ?? {}))
      add(ownMethods, name, body, 'method body');
    for (const [name, hooks] of Object.entries(capability.hooks?.types ?? {}))
      add(typeHooks, name, hooks, 'hooks of the type');
  }
  const stateTypes = new Map(dataTypes);
  for (const [name, type] of ADMIN_TYPES)
    if (methods.has(`${name}/changes`)) add(stateTypes, name, type, 'data type');
  const quotas = indexQuotas(capabilities, dataTypes);
  const relations = relate(dataTypes.values(), quotas);
  const evolutions = definitions
    .flatMap((capability) => capability.evolutions ?? [])
    .sort((a, b) => a.migration - b.migration);
  const unreferencedBlobs =
    definitions.find((capability) => capability.unreferencedBlobs)?.unreferencedBlobs ?? null;
  const others = { ownMethods, typeHooks, relations, quotas, unreferencedBlobs, evolutions };
  return Object.freeze({ capabilities, methods, dataTypes, stateTypes, ...others });
}

function add<T>(map: Map<string, T>, key: string, value: T, what: string): void {
  if (map.has(key)) throw new Error(`The ${what} ${key} is defined twice in the registry.`);
  map.set(key, value);
}
