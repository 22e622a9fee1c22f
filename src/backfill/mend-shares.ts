import type { DataTypeDefinition } from '../capability/definition.js';
import { isStored } from '../capability/stored-properties.js';
import { knownShares } from '../methods/set/share-values.js';
import { indexOf } from '../methods/type-index.js';
import { grantsOf, keyOf } from '../methods/work/grant-upkeep.js';
import type { Moved } from '../methods/work/links.js';
import type { Grant, StoredObject, Transaction } from '../store/port.js';

/**
 * Gives principals the rights that the `shareWith` of objects say, and takes all others. Rights
 * that the type has no more are dropped. Returns the grants that changed.
 */
export async function mendShares(
  transaction: Transaction,
  type: DataTypeDefinition,
  ids: readonly string[],
): Promise<Moved<Grant>> {
  const objects = await knownObjects(transaction, type, ids);
  const { shareWith } = indexOf(type).roles;
  const wanted = new Map(
    objects.flatMap((object) => [
      ...grantsOf(type, object.id, object[shareWith?.name ?? ''] ?? null),
    ]),
  );
  const held = new Map(
    (await transaction.grantsAt(type, ids)).map((grant) => [keyOf(grant), grant]),
  );
  const moved = {
    removed: [...held.values()].filter((grant) => !wanted.has(keyOf(grant))),
    added: [...wanted.values()].filter((grant) => !held.has(keyOf(grant))),
  };
  await transaction.changeGrants(moved.removed, moved.added);
  return moved;
}

/** Returns the objects without rights that the type has no more, and writes those that had some. */
async function knownObjects(
  transaction: Transaction,
  type: DataTypeDefinition,
  ids: readonly string[],
): Promise<readonly StoredObject[]> {
  const { share } = type;
  const { shareWith } = indexOf(type).roles;
  if (share === undefined || shareWith === undefined) return [];
  const { name } = shareWith;
  const objects = await transaction.get(type, ids, type.properties.filter(isStored));
  const known = objects.map((object) => {
    const before = object[name] ?? null;
    const after = knownShares(share, before);
    const isSame = JSON.stringify(after) === JSON.stringify(before);
    return isSame ? object : { ...object, [name]: after };
  });
  const changed = known.filter((object, index) => object !== objects[index]);
  if (changed.length > 0) await transaction.writeRows('update', type, changed);
  return known;
}
