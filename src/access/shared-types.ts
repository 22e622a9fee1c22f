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
  const tables = [...new Set([...sharedTables.values()].flat())];
  return { haveRules: sharedTables.size > 0, tables, capabilities };
}

/**
 * Returns the tables of types with access rules, each with the tables of the objects whose shares
 * count for it.
 */
export function scopedTablesIn(
  types: ReadonlyMap<string, DataTypeDefinition>,
  sharedTables: ViewRules['sharedTables'],
): ReadonlyMap<string, readonly string[]> {
  const scoped = [...types.values()].filter(({ access }) => access !== undefined);
  return new Map(scoped.map(({ name, table }) => [table, sharedTables.get(name) ?? []]));
}
