import type { DataTypeDefinition } from '../../capability/definition.js';
import { idOfScope, tableOfScope } from '../../capability/scopes.js';
import { emptyObject, isJsonObject, type JsonValue } from '../../protocol/json.js';
import type { Conductor } from '../../runtime/slices.js';
import type { CallOptions, PrincipalId, Store, StoredObject } from '../../store/port.js';
import type { Registry } from '../registry.js';
import { indexOf } from '../type-index.js';
import { UnitOfWork } from '../work/unit.js';
import { accessRelationsOf } from '../work/upkeep-of-services.js';

export interface Unsharing {
  readonly store: Pick<Store, 'write'>;
  readonly conductor: Pick<Conductor, 'startSlices'>;
  readonly registry: Registry;
}

/** Objects that one transaction changes. */
const OBJECTS_AT_ONCE = 100;

/**
 * Takes a principal out of the `shareWith` of all objects of an account, some objects at a time,
 * with change records. Nobody is notified.
 */
export async function unsharePrincipal(
  unsharing: Unsharing,
  { accountId, principalId }: { readonly accountId: string; readonly principalId: PrincipalId },
  options: () => CallOptions,
): Promise<void> {
  for (;;) {
    const hasMore = await unshareSome(unsharing, { accountId, principalId }, options());
    if (!hasMore) return;
  }
}

function unshareSome(
  { store, conductor, registry }: Unsharing,
  { accountId, principalId }: { readonly accountId: string; readonly principalId: PrincipalId },
  options: CallOptions,
): Promise<boolean> {
  return store.write(accountId, { ...options, isLong: true }, async (transaction) => {
    const { scopes } = await transaction.sharesHeld(principalId);
    const types = [...registry.dataTypes.values()].filter(({ share }) => share !== undefined);
    const unit = new UnitOfWork(transaction, null, conductor.startSlices(undefined, true), {
      ...{ aggregates: NONE, compute: keep, now: null, access: accessRelationsOf(registry) },
    });
    let count = 0;
    for (const type of types) {
      const own = scopes.filter((scope) => tableOfScope(scope) === type.table);
      const ids = [...new Set(own.map(idOfScope))].slice(0, OBJECTS_AT_ONCE - count);
      for (const object of await transaction.get(type, ids, type.properties)) {
        const after = without(type, object, principalId);
        if (after === null) continue;
        unit.update(type, object, after);
        count += 1;
      }
    }
    await unit.flush();
    await unit.record();
    return count > 0;
  });
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>();

function keep<T, U>(_: T, object: U): U {
  return object;
}

/** Returns an object that isn't shared with a principal; null where it wasn't. */
function without(
  type: DataTypeDefinition,
  object: StoredObject,
  principalId: PrincipalId,
): StoredObject | null {
  const name = indexOf(type).roles.shareWith?.name ?? '';
  const shared: JsonValue = object[name] ?? null;
  if (!isJsonObject(shared) || !Object.hasOwn(shared, principalId)) return null;
  const left = Object.entries(shared).filter(([id]) => id !== principalId);
  const shareWith =
    left.length === 0 ? null : Object.assign(emptyObject(), Object.fromEntries(left));
  return { ...object, [name]: shareWith };
}
