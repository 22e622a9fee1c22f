import type { DataTypeDefinition } from '../../capability/definition.js';
import { type SetError, setError } from '../../protocol/errors.js';
import type { Snapshot, View } from '../../store/port.js';
import { planOfIds } from '../query/visible-plans.js';

/** Returns the view that limits what a call may name of a type; null where it may name all. */
export type ViewOfType = (type: DataTypeDefinition) => View | null;

/** Returns those of the ids whose objects are in the view. */
export async function findVisible(
  snapshot: Pick<Snapshot, 'page'>,
  type: DataTypeDefinition,
  view: View,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const window = { position: 0, limit: ids.length };
  const page = await snapshot.page(type, planOfIds(type, view, ids), window, null);
  return new Set(page.ids);
}

/**
 * Returns refusals of destroys without the ids of objects that the user doesn't see. `types`: those
 * that the ids may be of.
 */
export async function hideIds(
  refused: ReadonlyMap<string, SetError>,
  types: Iterable<DataTypeDefinition>,
  snapshot: Pick<Snapshot, 'page' | 'existing'>,
  viewOf: ViewOfType,
): Promise<ReadonlyMap<string, SetError>> {
  const ids = [...new Set([...refused.values()].flatMap(({ objectIds = [] }) => objectIds))];
  const hidden = new Set<string>();
  for (const type of types) {
    const view = ids.length === 0 ? null : viewOf(type);
    if (view === null) continue;
    const visible = await findVisible(snapshot, type, view, ids);
    for (const id of await snapshot.existing(type, ids)) if (!visible.has(id)) hidden.add(id);
  }
  if (hidden.size === 0) return refused;
  return new Map(Array.from(refused, ([id, error]) => [id, withoutIds(error, hidden)]));
}

function withoutIds(error: SetError, hidden: ReadonlySet<string>): SetError {
  const { type, objectIds } = error;
  if (objectIds?.some((id) => hidden.has(id)) !== true) return error;
  const left = objectIds.filter((id) => !hidden.has(id));
  const named = left.length === 0 ? '' : `: ${left.join(', ')}`;
  const why = `Other objects link to it or to what would go with it${named}.`;
  return setError(type, why, { objectIds: left });
}
