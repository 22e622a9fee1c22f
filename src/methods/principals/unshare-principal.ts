import type { DataTypeDefinition } from '../../capability/definition.js';
import { idOfScope, tableOfScope } from '../../capability/scopes.js';
import { emptyObject, isJsonObject, type JsonValue } from '../../protocol/json.js';
import type { Conductor } from '../../runtime/slices.js';
import type { CallOptions, PrincipalId, Store, StoredObject } from '../../store/port.js';
import type { Registry } from '../registry.js';
import { indexOf } from '../type-index.js';
import { UnitOfWork } from '../work/unit.js';
import { accessRelationsOf } from '../work/upkeep-of-services.js';

export interface ShareScene {
  readonly store: Pick<Store, 'write'>;
  readonly conductor: Pick<Conductor, 'startSlices'>;
  readonly registry: Registry;
}

/** Scopes whose objects one transaction changes. */
const SCOPES_AT_ONCE = 100;

/**
 * Takes a principal out of the `shareWith` of all objects of an account, some objects at a time,
 * with change records. Nobody is notified.
 */
export async function unsharePrincipal(
  scene: ShareScene,
  { accountId, principalId }: { readonly accountId: string; readonly principalId: PrincipalId },
  options: () => CallOptions,
): Promise<void> {
  for (let last: string | null = ''; last !== null; ) {
    const behind: string = last;
    last = await unshareSome(scene, { accountId, principalId, behind }, options());
  }
}

/** The shares of a principal in an account. `behind`: a scope that was looked at already. */
interface SomeShares {
  readonly accountId: string;
  readonly principalId: PrincipalId;
  readonly behind: string;
}

/** Returns the last scope that it has looked at; null: there are no more. */
function unshareSome(
  { store, conductor, registry }: ShareScene,
  { accountId, principalId, behind }: SomeShares,
  options: CallOptions,
): Promise<string | null> {
  return store.write(accountId, { ...options, isLong: true }, async (transaction) => {
    // An object has a scope for each right: some of one object may come later, and find nothing.
    const some = await transaction.givenScopes(principalId, behind, SCOPES_AT_ONCE);
    const types = [...registry.dataTypes.values()].filter(({ share }) => share !== undefined);
    const unit = new UnitOfWork(transaction, null, conductor.startSlices(undefined, true), {
      ...{ aggregates: NONE, compute: keep, now: null, access: accessRelationsOf(registry) },
      quotas: registry.quotas,
    });
    for (const type of types) {
      const own = some.filter((scope) => tableOfScope(scope) === type.table);
      const ids = [...new Set(own.map(idOfScope))];
      for (const object of await transaction.get(type, ids, type.properties)) {
        const after = without(type, object, principalId);
        if (after !== null) unit.update(type, object, after);
      }
    }
    await unit.flush();
    await unit.record();
    // Some may be left that no object gives.
    await transaction.changeGrants(
      some.map((scope) => ({ principalId, scope })),
      [],
    );
    return some.at(-1) ?? null;
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
