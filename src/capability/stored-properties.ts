import type { PropertyDefinition } from './definition.js';

/** Returns whether the database has a column of the property. */
export function isStored({ role }: Pick<PropertyDefinition, 'role'>): boolean {
  return role !== 'myRights';
}

/** Returns whether the engine gives the property its value, and nobody else. */
export function isOfEngine({ role }: Pick<PropertyDefinition, 'role'>): boolean {
  return role !== undefined && role !== 'shareWith';
}
