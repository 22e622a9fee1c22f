import type { CapabilityDefinition } from '../../capability/capability-definition.js';
import type { DataTypeDefinition } from '../../capability/definition.js';
import { PRINCIPALS } from '../../capability/principal-names.js';

/** The types of RFC 9670. */
export interface PrincipalTypes {
  readonly principal: DataTypeDefinition;
  readonly notification: DataTypeDefinition;
}

/** Finds the types of principals; null where the project, or the server, doesn't have them. */
export function findPrincipalTypes(
  capabilities: ReadonlyMap<string, CapabilityDefinition>,
): PrincipalTypes | null {
  const { dataTypes = [] } = capabilities.get(PRINCIPALS) ?? {};
  const principal = dataTypes.find(({ name }) => name === 'Principal');
  const notification = dataTypes.find(({ name }) => name === 'ShareNotification');
  if (principal === undefined || notification === undefined) return null;
  return Object.freeze({ principal, notification });
}

/** Returns the names of the types. */
export function typeNamesOf(types: PrincipalTypes): readonly string[] {
  return Object.values(types).map(({ name }) => name);
}
