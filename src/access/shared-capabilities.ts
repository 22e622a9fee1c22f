import type { DataTypeDefinition } from '../capability/definition.js';
import type { ViewRules } from './views.js';

/** Returns the capabilities of the types that users see by shares of objects. */
export function sharedCapabilities(
  types: ReadonlyMap<string, DataTypeDefinition>,
  tables: ViewRules['sharedTables'],
): ReadonlySet<string> {
  const shared = [...types.values()].filter(({ name }) => (tables.get(name) ?? []).length > 0);
  return new Set(shared.map(({ capability }) => capability));
}
