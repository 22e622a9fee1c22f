import type { DataTypeDefinition } from '../../capability/definition.js';
import { jsonEqual } from '../../protocol/equal.js';
import type { Snapshot, StoredObject } from '../../store/port.js';
import type { UnitOfWork } from '../work/unit.js';
import { principalObjects } from './principal-objects.js';

/** Users that are compared at once, and written by one transaction. */
const AT_ONCE = 1000;

/** The user whose principals are compared, and whether it sees all users. */
export interface PrincipalViewer {
  readonly userId: string;
  readonly seesAll: boolean;
}

/** A principal as the user saw it, and as it is now; null where it didn't see it, or no longer. */
type Difference =
  | { readonly before: StoredObject; readonly after: StoredObject | null }
  | { readonly before: null; readonly after: StoredObject };

/** The differences among the principals behind an id, as far as they are compared at once. */
export interface PrincipalPage {
  readonly differences: readonly Difference[];
  /** The id behind which to go on; null: there are no more. */
  readonly next: string | null;
}

/** Compares principals that a user saw at the last look with those that it sees now. */
export async function comparePrincipals(
  snapshot: Pick<Snapshot, 'get' | 'principals'>,
  type: DataTypeDefinition,
  { userId, seesAll }: PrincipalViewer,
  after: string,
): Promise<PrincipalPage> {
  const which = { first: AT_ONCE, after };
  const stored = await snapshot.get(type, which, type.properties);
  const { principals, accounts } = await snapshot.principals.facts(userId, seesAll, which);
  const ends = [stored, principals].flatMap((all) =>
    all.length < AT_ONCE ? [] : (all.at(-1)?.id ?? []),
  );
  const [next = null] = ends.sort();
  const isOfPage = ({ id }: { readonly id: string }): boolean => next === null || id <= next;
  const facts = { principals: principals.filter(isOfPage), accounts };
  const left = new Map(principalObjects(type, userId, facts));
  const differences: Difference[] = [];
  for (const before of stored.filter(isOfPage)) {
    const now = left.get(before.id) ?? null;
    left.delete(before.id);
    if (now === null || !jsonEqual(before, now)) differences.push({ before, after: now });
  }
  for (const now of left.values()) differences.push({ before: null, after: now });
  return { differences, next };
}

/** Has a user see the principals of a page as they are now. */
export function writePrincipals(
  unit: UnitOfWork,
  type: DataTypeDefinition,
  { differences }: PrincipalPage,
): void {
  for (const { before, after } of differences) {
    if (before === null) unit.create(type, after);
    else if (after === null) unit.destroy(type, before);
    else unit.update(type, before, after);
  }
}
