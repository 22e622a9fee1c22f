import type { DataTypeDefinition, PropertyDefinition } from '../capability/definition.js';
import type { Snapshot, StoredObject } from '../store/port.js';
import { SINGLETON_ID, unwrittenSingleton } from './set/draft.js';
import { indexOf } from './type-index.js';

/**
 * Returns the objects of these ids, or the first ones of the account: whole, or at least with these
 * properties. A singleton that nobody has written has no row: it is returned with its defaults, as
 * readers see it.
 */
export async function readExisting(
  snapshot: Pick<Snapshot, 'get'>,
  type: DataTypeDefinition,
  which: readonly string[] | { readonly first: number },
  properties: readonly PropertyDefinition[] = type.properties,
): Promise<readonly StoredObject[]> {
  const rows = await snapshot.get(type, which, properties);
  if (type.singleton !== true || rows.length > 0) return rows;
  const isAsked = 'first' in which ? which.first > 0 : which.includes(SINGLETON_ID);
  return isAsked ? [Object.freeze(unwrittenSingleton(indexOf(type)))] : rows;
}
