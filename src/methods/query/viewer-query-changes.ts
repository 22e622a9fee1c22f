import type { Moment } from '../../access/view-changes.js';
import type { DataTypeDefinition } from '../../capability/definition.js';
import type { ChangeKind, Snapshot, View } from '../../store/port.js';
import { readSince } from '../changes/viewer-changes.js';
import type { Services } from '../context.js';
import { cannotCalculate, requireReached } from '../states.js';

/** The changes of a view since a number. */
export interface ViewerChanges {
  readonly kinds: ReadonlyMap<string, ChangeKind | null>;
  /** The number of the view now. */
  readonly current: number;
}

/**
 * Returns the net change of each object in a view since a number. No filter and no sort reads
 * values of each user, so changes of these move nothing. Refuses more than
 * QUERY_CHANGES_MAX objects.
 */
export async function viewerChangesSince(
  snapshot: Snapshot,
  { type, view, since }: ViewerSpan,
  services: Services,
): Promise<ViewerChanges> {
  const maximum = services.limits.queryChangesMax;
  const current = await snapshot.viewNumber(type, view);
  requireReached('sinceQueryState', { since, current });
  const kinds = new Map<string, ChangeKind | null>();
  const limits = { records: Math.max(maximum + 1, MIN_RECORDS), objects: maximum, reach: maximum };
  for (let at: Moment = { number: since }; at.number < current; ) {
    const question = { type, view, since: at, tellsOwn: false };
    const found = await readSince(snapshot, question, limits, services);
    for (const [id, kind] of found.kinds) kinds.set(id, follow(kinds.get(id), kind));
    const end = found.end ?? at;
    const isCut = end.upTo !== undefined || end.number < (found.records.at(-1)?.number ?? 0);
    if (isCut || kinds.size > maximum) {
      cannotCalculate(`More than ${maximum} objects have changed.`, {
        ...{ code: 'tooManyChanged', since, current, maximum },
      });
    }
    at = { number: end.number };
  }
  return { kinds, current };
}

/** Change records read at once. */
const MIN_RECORDS = 5000;

interface ViewerSpan {
  readonly type: DataTypeDefinition;
  readonly view: View;
  readonly since: number;
}

/** Returns what two changes are together: an object may leave a view and come back. */
function follow(before: ChangeKind | null | undefined, next: ChangeKind): ChangeKind | null {
  if (next === 'destroyed') return before === 'created' ? null : 'destroyed';
  if (before === 'created') return 'created';
  return before === 'destroyed' || before === 'updated' ? 'updated' : next;
}
