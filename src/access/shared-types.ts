import type { SharedTypes } from '../accounts/index.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import { holdsBlobs } from '../capability/places.js';
import { BLOB } from '../protocol/session.js';
import type { ViewRules } from './views.js';

/** Returns the types that users see by shares of objects. One of them may have files. */
export function sharedTypesIn(
  types: ReadonlyMap<string, DataTypeDefinition>,
  sharedTables: ViewRules['sharedTables'],
): SharedTypes {
  const shared = [...types.values()].filter(
    ({ name }) => (sharedTables.get(name) ?? []).length > 0,
  );
  const hasFiles = shared.some(({ properties }) => properties.some(holdsBlobs));
  return {
    tables: [...new Set([...sharedTables.values()].flat())],
    capabilities: new Set([
      ...shared.map(({ capability }) => capability),
      ...(hasFiles ? [BLOB] : []),
    ]),
  };
}
