import type {
  CapabilityDefinition,
  MethodDefinition,
} from '../capability/capability-definition.js';
import type { DataTypeDefinition } from '../capability/definition.js';

/** Reading alone, or everything. */
export type AccessMode = 'read' | 'full';

/** The capabilities and data types that somebody may use. */
export interface Narrowing {
  /** By URN; null: all. */
  readonly capabilities: ReadonlyMap<string, AccessMode> | null;
  /** By name; null: all. */
  readonly types: ReadonlyMap<string, AccessMode> | null;
}

/**
 * Returns how a capability may be used; null where not at all. A capability that gives access to
 * nothing, such as core, is whole for everybody, unless it has scopes that somebody lacks.
 */
export function findCapabilityMode(
  { capabilities }: Narrowing,
  capability: CapabilityDefinition,
): AccessMode | null {
  if (capabilities === null) return 'full';
  const mode = capabilities.get(capability.urn);
  if (mode === 'full') return mode;
  if (givesAccess(capability)) return mode ?? null;
  return mode === 'read' || capability.oauthScopes === undefined ? 'full' : null;
}

/** Returns how a data type may be used; null where not at all. */
export function findTypeMode(
  { capabilities, types }: Narrowing,
  { name, capability }: Pick<DataTypeDefinition, 'name' | 'capability'>,
): AccessMode | null {
  // A capability with types gives access to them.
  const ofCapability = capabilities === null ? 'full' : (capabilities.get(capability) ?? null);
  const ofType = types === null ? 'full' : (types.get(name) ?? null);
  return chooseNarrower(ofCapability, ofType);
}

/** Returns the mode that allows less; null allows nothing. */
export function chooseNarrower(
  one: AccessMode | null,
  other: AccessMode | null,
): AccessMode | null {
  if (one === null || other === null) return null;
  return one === 'full' ? other : one;
}

/** Returns whether data or a project's own code can be reached by a capability. */
export function givesAccess({ urn, dataTypes, methods }: CapabilityDefinition): boolean {
  return dataTypes.length > 0 || methods.some((method) => reachesSomething(method, urn));
}

function reachesSomething(
  { account, accountCapability, capability, body }: MethodDefinition,
  urn: string,
): boolean {
  if (body === 'hookFile') return true;
  return account !== 'none' && (accountCapability ?? capability) === urn;
}

/**
 * Returns whether a method is a hook file's and about no data type, by the types that there are: a
 * reach of types can't say what it may do.
 */
export function isOfNoType(
  { name, body }: MethodDefinition,
  types: { has(name: string): boolean },
): boolean {
  return body === 'hookFile' && !types.has(typeNameOf(name));
}

/** Returns the part of a method's name that names a type, `Todo` of `Todo/get`. */
export function typeNameOf(method: string): string {
  const slash = method.indexOf('/');
  return slash === -1 ? '' : method.slice(0, slash);
}

/**
 * Returns the parts of the capabilities in reach that may be used less than the rest: the same list
 * for the same reach, whatever it comes of. Empty where nothing is narrowed.
 */
export function listNarrowed(
  narrowing: Narrowing,
  capabilities: readonly CapabilityDefinition[],
): readonly (readonly string[])[] {
  if (narrowing.capabilities === null && narrowing.types === null) return [];
  const types = new Map(
    capabilities.flatMap(({ dataTypes }) => dataTypes).map((type) => [type.name, type]),
  );
  const narrowed: (readonly string[])[] = [];
  for (const capability of capabilities) {
    const mode = findCapabilityMode(narrowing, capability);
    if (mode === null || !givesAccess(capability)) continue;
    if (mode === 'read') narrowed.push([capability.urn, mode]);
    for (const type of capability.dataTypes) {
      const ofType = findTypeMode(narrowing, type);
      if (ofType !== mode) narrowed.push([type.name, ofType ?? 'none']);
    }
    if (narrowing.types === null) continue;
    const lost = capability.methods.filter((method) => isOfNoType(method, types));
    narrowed.push(...lost.map(({ name }) => [name, 'none']));
  }
  return narrowed;
}
