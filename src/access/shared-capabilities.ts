import type { DataTypeDefinition } from '../capability/definition.js';
import { holdsBlobs } from '../capability/places.js';
import { BLOB } from '../protocol/session.js';
import type { ViewRules } from './views.js';

/**
 * Returns the capabilities of the types that users see by shares of objects. One of them may have
 * files.
 */
export function sharedCapabilities(
  types: ReadonlyMap<string, DataTypeDefinition>,
  tables: ViewRules['sharedTables'],
): ReadonlySet<string> {
  const shared = [...types.values()].filter(({ name }) => (tables.get(name) ?? []).length > 0);
  const hasFiles = shared.some(({ properties }) => properties.some(holdsBlobs));
  return new Set([...shared.map(({ capability }) => capability), ...(hasFiles ? [BLOB] : [])]);
}
