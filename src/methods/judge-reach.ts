import type { Principal } from '../accounts/principal.js';
import type { MethodDefinition } from '../capability/capability-definition.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import {
  type AccessMode,
  chooseNarrower,
  findCapabilityMode,
  findTypeMode,
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
  if (principal.capabilities === null && principal.types === null) return;
  const type = typeOfMethod(method, registry);
  if (type !== undefined) requireType(principal, type);
  else if (principal.types !== null && isOfNoType(method, registry.dataTypes)) {
    throw outOfTypes(principal, `the method ${quoted(method.name)}`);
  }
  if (modeOf(principal, method.capability, registry) !== null) return;
  throw new MethodError('forbidden', `The token doesn't reach ${method.capability}.`);
}

/** Throws `forbidden` for a type that a principal doesn't reach. */
export function requireType(principal: Principal, type: DataTypeDefinition): void {
  if (findTypeMode(principal, type) === null)
    throw outOfTypes(principal, `the type ${quoted(type.name)}`);
}

/** Returns how a call may use its account; null where the account offers nothing for the method. */
export function findMethodMode(
  principal: Principal,
  method: MethodDefinition,
  registry: Registry,
): AccessMode | null {
  if (principal.capabilities === null && principal.types === null) return 'full';
  const { capability, accountCapability = capability } = method;
  const type = typeOfMethod(method, registry);
  const mode = chooseNarrower(
    modeOf(principal, capability, registry),
    modeOf(principal, accountCapability, registry),
  );
  return type === undefined ? mode : chooseNarrower(mode, findTypeMode(principal, type));
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

function outOfTypes({ types }: Principal, what: string): MethodError {
  const names = [...(types?.keys() ?? [])];
  const all = names.length === 0 ? 'no type' : `only the types ${names.join(', ')}`;
  return new MethodError('forbidden', `The token reaches ${all}, so not ${what}.`);
}
