import type { DataTypeDefinition } from '../capability/definition.js';
import { readInParts } from '../methods/read-in-parts.js';
import { knownShares, principalsNamed } from '../methods/set/share-values.js';
import { indexOf } from '../methods/type-index.js';
import { batchesOf } from '../methods/work/batches.js';
import { grantsOf, keyOf } from '../methods/work/grant-upkeep.js';
import type { Moved } from '../methods/work/links.js';
import type { JsonValue } from '../protocol/json.js';
import type { Grant, Transaction } from '../store/port.js';

/** Objects whose shares are mended at once: each may give many rights. */
const OBJECTS_AT_ONCE = 25;
/** Octets of their shares, and of whole objects that are written. */
const SHARES_AT_ONCE = 1_000_000;
const ROWS_AT_ONCE = 10_000_000;

/** The shares of some objects, by their ids. */
type Shares = ReadonlyMap<string, JsonValue>;

/**
 * Gives principals the rights that the `shareWith` of objects say, and takes all others. Rights
 * that the type has no more are dropped, and principals that are not there. Calls `note` with the
 * grants that changed, of some objects at a time.
 */
export async function mendShares(
  transaction: Transaction,
  type: DataTypeDefinition,
  ids: readonly string[],
  note: (moved: Moved<Grant>) => Promise<void> = async () => undefined,
): Promise<void> {
  for (let at = 0; at < ids.length; at += OBJECTS_AT_ONCE) {
    const some = ids.slice(at, at + OBJECTS_AT_ONCE);
    for await (const shares of mendValues(transaction, type, some))
      await note(await mendGrants(transaction, type, shares));
  }
}

async function mendGrants(
  transaction: Transaction,
  type: DataTypeDefinition,
  shares: Shares,
): Promise<Moved<Grant>> {
  const wanted = new Map([...shares].flatMap(([id, value]) => [...grantsOf(type, id, value)]));
  const grants = await transaction.grantsAt(type, [...shares.keys()]);
  const held = new Map(grants.map((grant) => [keyOf(grant), grant]));
  const moved = {
    removed: [...held.values()].filter((grant) => !wanted.has(keyOf(grant))),
    added: [...wanted.values()].filter((grant) => !held.has(keyOf(grant))),
  };
  await transaction.changeGrants(moved.removed, moved.added);
  return moved;
}

/**
 * Reads the shares of objects, as this version knows them, in parts. Writes the
 * objects whose shares are others: they alone are read whole. Nobody shares an object that is gone.
 */
async function* mendValues(
  transaction: Transaction,
  type: DataTypeDefinition,
  ids: readonly string[],
): AsyncGenerator<Shares> {
  const unshared = new Map(ids.map((id) => [id, null]));
  const { share } = type;
  const { shareWith } = indexOf(type).roles;
  if (share === undefined || shareWith === undefined) {
    yield unshared;
    return;
  }
  const { name } = shareWith;
  const read = { type, ids, properties: [shareWith], maxOctets: SHARES_AT_ONCE };
  for await (const objects of readInParts(transaction, read)) {
    const named = new Set(objects.flatMap((object) => principalsNamed(object[name] ?? null)));
    const principals = new Set(await transaction.existingPrincipals([...named]));
    const known = new Map<string, JsonValue>();
    const changed: string[] = [];
    for (const object of objects) {
      const before = object[name] ?? null;
      const after = knownShares(share, before, principals);
      known.set(object.id, after);
      unshared.delete(object.id);
      if (JSON.stringify(after) !== JSON.stringify(before)) changed.push(object.id);
    }
    await writeValues(transaction, { type, name }, changed, known);
    yield known;
  }
  if (unshared.size > 0) yield unshared;
}

async function writeValues(
  transaction: Transaction,
  { type, name }: { readonly type: DataTypeDefinition; readonly name: string },
  ids: readonly string[],
  shares: Shares,
): Promise<void> {
  const read = { type, ids, properties: type.properties, maxOctets: ROWS_AT_ONCE };
  for await (const objects of readInParts(transaction, read)) {
    const rows = objects.map((object) => ({ ...object, [name]: shares.get(object.id) ?? null }));
    for (const batch of batchesOf(rows)) await transaction.writeRows('update', type, batch);
  }
}
