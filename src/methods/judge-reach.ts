import type { Principal } from '../accounts/principal.js';
import type { MethodDefinition } from '../capability/capability-definition.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import {
  type AccessMode,
  chooseNarrower,
  findCapabilityMode,
  isOfNoType,
  typeNameOf,
} from '../protocol/access-modes.js';
import { MethodError } from '../protocol/errors.js';
import { quoted } from './issues.js';
import type { Registry } from './registry.js';

/**
 * Throws `forbidden` (RFC 8620 3.6.2) for a method of a type that a principal doesn't reach, and
 * for a call of the server's own whose capability it doesn't reach.
 */
export function requireReach(
  principal: Principal,
  method: MethodDefinition,
  registry: Registry,
): void {
  const { capabilities, types } = principal;
  if (capabilities !== null && modeOf(principal, method.capability, registry) === null)
    throw new MethodError('forbidden', `The token doesn't reach ${method.capability}.`);
  if (types === null) return;
  const type = typeOfMethod(method, registry);
  if (type !== undefined) requireType(principal, type);
  else if (isOfNoType(method, registry.dataTypes))
    throw outOfTypes(types, `the method ${quoted(method.name)}`);
}

/** Throws `forbidden` for a type that is none of a principal's. */
export function requireType({ types }: Principal, { name }: DataTypeDefinition): void {
  if (types === null || types.has(name)) return;
  throw outOfTypes(types, `the type ${quoted(name)}`);
}

/** Returns how a call may use its account; null where the account offers nothing for the method. */
export function findMethodMode(
  principal: Principal,
  method: MethodDefinition,
  registry: Registry,
): AccessMode | null {
  const { capabilities, types } = principal;
  if (capabilities === null && types === null) return 'full';
  const { capability, accountCapability = capability } = method;
  const type = typeOfMethod(method, registry);
  const mode = chooseNarrower(
    modeOf(principal, capability, registry),
    modeOf(principal, accountCapability, registry),
  );
  if (types === null || type === undefined) return mode;
  return chooseNarrower(mode, types.get(type.name) ?? null);
}

/** Returns the type that a method is about, by its definition or by its name. */
function typeOfMethod(
  { name, dataType }: MethodDefinition,
  { dataTypes }: Registry,
): DataTypeDefinition | undefined {
  return dataType ?? dataTypes.get(typeNameOf(name));
}

function modeOf(principal: Principal, urn: string, registry: Registry): AccessMode | null {
  const capability = registry.capabilities.get(urn);
  return capability === undefined ? 'full' : findCapabilityMode(principal, capability);
}

function outOfTypes(types: ReadonlyMap<string, AccessMode>, what: string): MethodError {
  const names = [...types.keys()];
  const all = names.length === 0 ? 'no type' : `only the types ${names.join(', ')}`;
  return new MethodError('forbidden', `The token reaches ${all}, so not ${what}.`);
}
