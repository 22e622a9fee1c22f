import type { PropertyDefinition } from './definition.js';

/** Returns whether the type's table has a column of the property. */
export function isStored({ role, perUser }: Pick<PropertyDefinition, 'role' | 'perUser'>): boolean {
  return role !== 'myRights' && perUser !== true;
}

/** Returns whether the engine gives the property its value, and nobody else. */
export function isOfEngine({ role }: Pick<PropertyDefinition, 'role'>): boolean {
  return role !== undefined && role !== 'shareWith';
}
