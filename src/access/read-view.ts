import type { DataTypeDefinition } from '../capability/definition.js';
import { markedForms, principalScope } from '../capability/scopes.js';
import type {
  AccessRecord,
  SharesHeld,
  Snapshot,
  View,
  ViewRecord,
  ViewRecordAt,
} from '../store/port.js';
import { HeldScopes } from './held-scopes.js';
import { PastScopes } from './past-scopes.js';
import { recordsOfView } from './records-of-view.js';
import { changesOfView, type Moment, type ViewChanges } from './view-changes.js';
import { seesWhole } from './views.js';

export interface ViewQuestion {
  readonly type: DataTypeDefinition;
  readonly view: View;
  readonly since: Moment;
  /** The number of the last change record that there is. */
  readonly current: number;
  /** False where changes of the user's own values don't count; absent for true. */
  readonly tellsOwn?: boolean;
}

/** How much may be read for an answer. */
export interface ViewLimits {
  /** Change records of one page. */
  readonly records: number;
  /** Objects in the answer. */
  readonly objects: number;
  /** Objects and change records that are looked at where the user's access has changed. */
  readonly reach: number;
}

/** The changes of a view, and the change records that tell them: in order, without gaps. */
export interface ViewAnswer extends ViewChanges {
  readonly records: readonly ViewRecordAt[];
  /** The user has gained or lost scopes by them. */
  readonly isMoved: boolean;
  /** Scopes that the user has gained or lost since the moment. */
  readonly allMoved: readonly string[];
}

/** More has to be looked at than the limits allow: more than `maximum` of `what`. */
export class BeyondReachError extends Error {
  override readonly name = 'BeyondReachError';
  readonly maximum: number;

  constructor(maximum: number, what: string) {
    super(`More than ${maximum} ${what} have changed.`);
    this.maximum = maximum;
  }
}

/**
 * Reads what has changed in a view since a moment. Rejects with BeyondReachError where access has
 * changed and too many objects, or later changes, would have to be looked at.
 */
export async function readViewChanges(
  snapshot: Snapshot,
  question: ViewQuestion,
  limits: ViewLimits,
): Promise<ViewAnswer> {
  const { type, since, current } = question;
  const { upTo } = since;
  // A record that has happened in part has to be gone on with.
  const before = upTo === undefined ? since.number : since.number - 1;
  const read = await snapshot.viewRecords(type, before, limits.records);
  const records = recordsOfView(question.view, read, question.tellsOwn);
  const last = records.at(-1)?.number ?? before;
  const isBehind = last < current && !seesWhole(question.view);
  const shares = await snapshot.sharesHeld(question.view.userId);
  const later = isBehind ? await readAccess(snapshot, { ...question, ...shares }, last) : [];
  const held = heldBefore(question.view, shares, [...records, ...later]);
  const moved = movedScopes(held, records);
  const past =
    moved.length === 0
      ? NOTHING
      : await readPast(snapshot, { ...question, moved, records }, limits.reach);
  const history = {
    held,
    records,
    hasRights: type.share !== undefined,
    ...(upTo === undefined ? {} : { upTo }),
    findObjects: (number: number, scopes: readonly string[]) => past.findBefore(number, scopes),
  };
  const isMoved = moved.length > 0;
  const allMoved = movedScopes(held, [...records, ...later]);
  return { ...changesOfView(history, limits.objects), records, isMoved, allMoved };
}

const NOTHING = new PastScopes([], []);

/** Access records that are read at once; changes of access and their scopes that are, in all. */
const RECORDS_AT_ONCE = 10;
const MAX_PASSED = 100_000;

/** Reads what has changed of the access of a view's principals behind a number; in order. */
async function readAccess(
  snapshot: Snapshot,
  { type, view, groupIds }: ViewQuestion & SharesHeld,
  since: number,
): Promise<readonly AccessRecord[]> {
  // From the last one back: then it is known which groups the user has left since.
  const principals = new Set([view.userId, ...groupIds]);
  const records: AccessRecord[] = [];
  let passed = 0;
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const some = await snapshot.accessRecords(type, view, { since, before }, RECORDS_AT_ONCE);
    for (const { changes, ...record } of some) {
      for (const { memberId, principalId } of changes)
        if (memberId === view.userId) principals.add(principalId);
      const own = changes.filter(({ principalId }) => principals.has(principalId));
      for (const { scopes } of changes) passed += 1 + scopes.length;
      if (own.length > 0) records.push({ ...record, changes: own });
      before = record.number;
    }
    if (some.length < RECORDS_AT_ONCE) return records.reverse();
    if (passed > MAX_PASSED) throw new BeyondReachError(MAX_PASSED, 'rights of users');
  }
}

/** Returns the scopes that the user of a view has. */
export async function readHeld(
  snapshot: Pick<Snapshot, 'sharesHeld'>,
  view: View,
): Promise<HeldScopes> {
  return heldBefore(view, await snapshot.sharesHeld(view.userId), []);
}

/** Returns the scopes that the user of a view had before all of the records. */
function heldBefore(
  { userId, scopes }: View,
  { groupIds, scopes: given }: SharesHeld,
  records: readonly ViewRecord[],
): HeldScopes {
  const fixed = [...scopes, ...[userId, ...groupIds].map(principalScope)];
  const held = new HeldScopes({ userId, groupIds, fixed, given });
  for (const record of records.toReversed()) {
    if (record.kind !== 'access') continue;
    for (const change of record.changes.toReversed()) held.revert(change);
  }
  return held;
}

/** Returns the scopes that the user gains or loses by the records. */
function movedScopes(held: HeldScopes, records: readonly ViewRecord[]): readonly string[] {
  const now = held.copy();
  const moved = records.flatMap((record) =>
    record.kind === 'access' ? record.changes.flatMap((change) => now.apply(change)) : [],
  );
  return [...new Set(moved)];
}

interface Moved extends ViewQuestion {
  readonly moved: readonly string[];
  readonly records: readonly ViewRecordAt[];
}

function allForms(scope: string): readonly string[] {
  return [scope, ...markedForms(scope)];
}

/** Reads who had these scopes since the first record. */
async function readPast(
  snapshot: Snapshot,
  { type, view, current, moved, records }: Moved,
  reach: number,
): Promise<PastScopes> {
  const scopes = type.share === undefined ? moved : moved.flatMap(allForms);
  const today = await snapshot.objectsWith(type, scopes, reach);
  if (today.length > reach) throw new BeyondReachError(reach, 'objects');
  const last = records.at(-1)?.number ?? current;
  const rest = last < current ? await snapshot.objectRecords(type, last, reach + 1) : [];
  if (rest.length > reach) throw new BeyondReachError(reach, 'objects');
  const all = [...records, ...recordsOfView(view, rest)];
  return new PastScopes(
    today,
    all.filter((record) => record.kind !== 'access'),
  );
}
