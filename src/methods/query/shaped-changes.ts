import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import { escapeToken } from '../../protocol/json-pointer.js';
import type { ChangeRecord, PlanShape, QueryPlan, Snapshot } from '../../store/port.js';
import type { NetChanges } from '../changes/changes-page.js';
import { cannotCalculate, type Span } from '../states.js';
import { isImmutable } from '../type-index.js';

/**
 * Changes of a shaped result beside the objects that changed: an object enters or leaves it, or
 * moves, with another one.
 */

/** The query whose changes are told. */
export interface ChangesScene {
  readonly type: DataTypeDefinition;
  readonly plan: QueryPlan;
  /** QUERY_CHANGES_MAX. */
  readonly maximum: number;
  /** Of a collapsed result: the groups of objects that were destroyed. */
  readonly left: GroupChanges['left'];
}

/** The part of change records that tells of groups. */
export interface GroupChanges {
  /** Objects of which a record doesn't say that they have stayed in their group. */
  readonly moved: Set<string>;
  /** The groups of destroyed objects, by the object; null for none. */
  readonly left: Map<string, string | null>;
}

/** The objects that may have moved. */
export interface Reach {
  /** Objects that did not change, and may have been in the result. */
  readonly others: readonly string[];
  /** All objects whose place in the result is to be told. */
  readonly present: readonly string[];
}

/** Returns the objects that may have moved with those that changed. */
export async function reachOf(
  snapshot: Snapshot,
  { shape, ...scene }: ChangesScene & { readonly shape: PlanShape },
  changes: NetChanges,
  changed: readonly string[],
): Promise<Reach> {
  return shape.kind === 'tree'
    ? reachBelow(snapshot, scene, shape.by, changed)
    : reachOfGroups(snapshot, scene, shape.by, { changes, changed });
}

/**
 * All objects below a changed one move with it. An object that has left the place below one has
 * changed itself, or one between them has.
 */
async function reachBelow(
  snapshot: Snapshot,
  { type, maximum }: ChangesScene,
  by: PropertyDefinition,
  changed: readonly string[],
): Promise<Reach> {
  const reference = escapeToken(by.name);
  const present = await snapshot.descendants(type, reference, changed, maximum);
  if (present.length > maximum)
    cannotCalculate(`More than ${maximum} objects lie below those that have changed.`, {
      ...{ code: 'tooManyChanged', maximum },
    });
  const own = new Set(changed);
  return { others: present.filter((id) => !own.has(id)), present };
}

/**
 * Of each group that a changed object is in, one object was in the result and one is. The former is
 * a changed one, or the first of the others.
 */
async function reachOfGroups(
  snapshot: Snapshot,
  { type, plan, left }: ChangesScene,
  by: PropertyDefinition,
  { changes, changed }: { readonly changes: NetChanges; readonly changed: readonly string[] },
): Promise<Reach> {
  const objects = await snapshot.get(type, changed, [by]);
  const groups = new Set<string>();
  const regrouping = new Set<string>();
  const alone: string[] = [];
  for (const [id, group] of left) {
    if (group === null || changes.get(id) !== 'destroyed') continue;
    groups.add(group);
    regrouping.add(group);
  }
  for (const object of objects) {
    const group = object[by.name];
    if (typeof group !== 'string') alone.push(object.id);
    else {
      groups.add(group);
      if (changes.get(object.id) !== 'created') regrouping.add(group);
    }
  }
  const all = { by, groups: [...groups] };
  const before = await snapshot.firsts(type, plan, { ...all, except: changed });
  const now = await snapshot.firsts(type, plan, { ...all, except: [] });
  const former = new Map(before.map(({ group, id }) => [group, id]));
  // Only new objects are in it, and behind the one that was the first: nothing moves.
  const isQuiet = ({ group, id }: { readonly group: string; readonly id: string }): boolean =>
    former.get(group) === id && !regrouping.has(group);
  const quiet = new Set(now.filter(isQuiet).map(({ group }) => group));
  const loud = now.filter(({ group }) => !quiet.has(group));
  return {
    others: before.filter(({ group }) => !quiet.has(group)).map(({ id }) => id),
    present: [...loud.map(({ id }) => id), ...alone],
  };
}

/** Notes what records tell of groups. */
export function noteGroups(
  { moved, left }: GroupChanges,
  records: readonly ChangeRecord[],
  by: PropertyDefinition,
): void {
  const maySwap = !isImmutable(by);
  for (const { kind, objectId, properties, group } of records) {
    if (kind === 'destroyed' && group !== undefined) left.set(objectId, group);
    const stays = properties !== null && !properties.includes(by.name);
    if (maySwap && kind === 'updated' && !stays) moved.add(objectId);
  }
}

/**
 * Refuses the changes where an object has left a group that nothing names: nobody can tell which
 * object stands in its place in the result.
 */
export function requireGroups(
  changes: NetChanges,
  { moved, left }: GroupChanges,
  { since, current }: Span,
): void {
  for (const [id, kind] of changes) {
    const isKnown = kind === 'destroyed' ? left.has(id) : !moved.has(id);
    if (kind === 'created' || kind === null || (isKnown && !moved.has(id))) continue;
    cannotCalculate('An object has left its group: another one may stand in its place.', {
      ...{ code: 'leftGroup', since, current },
    });
  }
}
