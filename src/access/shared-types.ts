import type { SharedTypes } from '../accounts/principal.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import { holdsBlobs } from '../capability/places.js';
import type { ViewRules } from './views.js';

/** Returns the types that users see by shares of objects. */
export function sharedTypesIn(
  types: ReadonlyMap<string, DataTypeDefinition>,
  sharedTables: ViewRules['sharedTables'],
): SharedTypes {
  const capabilities = new Map<string, boolean>();
  for (const { name, capability, properties } of types.values()) {
    if ((sharedTables.get(name) ?? []).length === 0) continue;
    const hasFiles = properties.some(holdsBlobs);
    capabilities.set(capability, hasFiles || capabilities.get(capability) === true);
  }
  return { tables: [...new Set([...sharedTables.values()].flat())], capabilities };
}
