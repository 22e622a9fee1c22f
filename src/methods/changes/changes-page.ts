import type { DataTypeDefinition } from '../../capability/definition.js';
import type { ChangeKind, ChangeRecord } from '../../store/port.js';
import type { TypeIndex } from '../type-index.js';

/** The net changes of many records, and how many of them a page of /changes takes. */

/** Change records that one page looks at, at most. */
export const MAX_RECORDS = 5000;

/** The changes in one answer. */
export interface Page {
  /** The number of the last record of the page, null for no record. */
  readonly end: number | null;
  /** Ids in all three lists. */
  readonly size: number;
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly destroyed: readonly string[];
}

export const NOTHING: Page = { end: null, size: 0, created: [], updated: [], destroyed: [] };

/**
 * Returns the properties that alone changed in all of `updated` between the two states (RFC 8621
 * 2.2, decision 29 for every type): also those that changed and changed back. Null where nothing
 * was updated, and where some record doesn't tell. The time of the update is among them, if the
 * type has one.
 */
export function updatedProperties(
  { visible, roles, type }: TypeIndex,
  records: readonly Pick<ChangeRecord, 'number' | 'kind' | 'objectId' | 'properties'>[],
  page: Pick<Page, 'end' | 'updated'>,
): readonly string[] | null {
  if (page.end === null || page.updated.length === 0) return null;
  const ids = new Set(page.updated);
  const lists = new Set<ChangeRecord['properties']>();
  for (const { number, objectId, kind, properties } of records) {
    if (number > page.end) break;
    if (ids.has(objectId)) lists.add(kind === 'updated' ? properties : null);
  }
  const changed = new Set(roles.updated === undefined ? [] : [roles.updated.name]);
  for (const list of lists) {
    if (list === null) return null;
    for (const name of list) changed.add(name);
  }
  const answered = followersOf(type, changed);
  if (answered === null) return null;
  return [...visible.map(({ name }) => name).filter((name) => changed.has(name)), ...answered];
}

/**
 * Returns the answered properties that follow one that changed. Null where a family does: a client
 * knows by which of its names it asks.
 */
function followersOf(
  { answered = [] }: DataTypeDefinition,
  changed: ReadonlySet<string>,
): readonly string[] | null {
  const following = answered.filter(({ sources }) => sources.some(({ name }) => changed.has(name)));
  const isKnown = following.every(({ parts }) => parts === undefined);
  return isKnown ? following.map(({ name }) => name) : null;
}

/**
 * Returns the longest run of records whose coalesced ids are no more than `maximum`. Records are
 * taken in order, so no later page contradicts an earlier one (5.2). At least one record fits:
 * progress is sure.
 */
export function fill(records: readonly ChangeRecord[], maximum: number): Page {
  const kinds = new Map<string, ChangeKind | null>();
  let count = 0;
  let length = 0;
  let index = 0;
  for (const { objectId, kind } of records) {
    index += 1;
    if (kind === 'access' || kind === 'own') {
      if (count <= maximum) length = index;
      continue;
    }
    const before = kinds.get(objectId) ?? null;
    const after = coalesce(before, kind);
    if (before === null) count += 1;
    if (after === null) count -= 1;
    kinds.set(objectId, after);
    if (count <= maximum) length = index;
  }
  const end = records[length - 1]?.number ?? null;
  if (length === records.length) return pageOf(end, kinds);
  const fewer = new Map<string, ChangeKind | null>();
  addChanges(fewer, records.slice(0, length));
  return pageOf(end, fewer);
}

/**
 * 5.2: created and updated is created, updated and destroyed is destroyed, created and destroyed is
 * nothing. An object that went may come back where its id is not the server's to choose: that is an
 * update.
 */
function coalesce(before: ChangeKind | null | undefined, next: ChangeKind): ChangeKind | null {
  if (before === 'destroyed' && next === 'created') return 'updated';
  if (before !== 'created') return next;
  return next === 'destroyed' ? null : 'created';
}

/** The net change of each object over a run of records; null for one that came and went. */
export type NetChanges = ReadonlyMap<string, ChangeKind | null>;

/** Goes on with what `kinds` has by the records that follow. */
export function addChanges(
  kinds: Map<string, ChangeKind | null>,
  records: readonly ChangeRecord[],
): void {
  for (const { objectId, kind } of records) {
    if (kind !== 'access' && kind !== 'own')
      kinds.set(objectId, coalesce(kinds.get(objectId), kind));
  }
}

/** Returns the page of these changes. */
export function pageOf(end: number | null, kinds: NetChanges): Page {
  const created: string[] = [];
  const updated: string[] = [];
  const destroyed: string[] = [];
  for (const [id, kind] of kinds) {
    if (kind === 'created') created.push(id);
    else if (kind === 'updated') updated.push(id);
    else if (kind === 'destroyed') destroyed.push(id);
  }
  const size = created.length + updated.length + destroyed.length;
  return { end, size, created, updated, destroyed };
}
