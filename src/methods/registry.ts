import type {
  CapabilityDefinition,
  DataTypeDefinition,
  MethodDefinition,
} from '../capability/definition.js';

/** All registered capabilities, indexed: what dispatch, the session and Blob/lookup read. */
export interface Registry {
  readonly capabilities: ReadonlyMap<string, CapabilityDefinition>;
  readonly methods: ReadonlyMap<string, MethodDefinition>;
  readonly dataTypes: ReadonlyMap<string, DataTypeDefinition>;
}

/**
 * Indexes capability definitions. Throws where two define one URN, type or method: a defect of the
 * generator, which refuses that at the descriptor's line.
 */
export function createRegistry(definitions: readonly CapabilityDefinition[]): Registry {
  const capabilities = new Map<string, CapabilityDefinition>();
  const methods = new Map<string, MethodDefinition>();
  const dataTypes = new Map<string, DataTypeDefinition>();
  for (const capability of definitions) {
    add(capabilities, capability.urn, capability, 'capability');
    for (const method of capability.methods) add(methods, method.name, method, 'method');
    for (const type of capability.dataTypes) add(dataTypes, type.name, type, 'data type');
  }
  return Object.freeze({ capabilities, methods, dataTypes });
}

function add<T>(map: Map<string, T>, key: string, value: T, what: string): void {
  if (map.has(key)) throw new Error(`The ${what} ${key} is defined twice in the registry.`);
  map.set(key, value);
}
