import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import { type Viewer, withUserValues } from '../../capability/user-values.js';
import type { Snapshot, StoredObject } from '../../store/port.js';

/**
 * Returns objects with the values that the user has of its own. Where one of `properties` is such a
 * value, this takes one statement. Hooks have none: `viewer` is null. Throws `requestTooLarge` for
 * values beyond `maxOctets`.
 */
export async function addUserValues(
  snapshot: Pick<Snapshot, 'userValues'>,
  type: DataTypeDefinition,
  { objects, properties, maxOctets }: ReadObjects,
  viewer: Viewer | null,
): Promise<readonly StoredObject[]> {
  if (viewer === null || !properties.some(({ perUser }) => perUser === true)) return objects;
  const ids = objects.map(({ id }) => id);
  const values = await snapshot.userValues(type, viewer.userId, ids, maxOctets);
  return objects.map((one) => withUserValues(one, values.get(one.id), viewer, properties));
}

interface ReadObjects {
  readonly objects: readonly StoredObject[];
  readonly properties: readonly PropertyDefinition[];
  readonly maxOctets: number;
}
