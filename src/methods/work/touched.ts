import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import { equalSteps } from '../../protocol/equal.js';
import { type Steps, Strides } from '../../runtime/paused-work.js';
import type { ChangeKind, NewChange, NewScopes, StoredObject } from '../../store/port.js';
import { unknownNames } from '../set/unknown-members.js';
import { indexOf, type TypeIndex } from '../type-index.js';

/** The objects that a unit of work has touched, and the change records that follow. */

/** An object that a unit of work has touched. */
export interface Entry {
  readonly id: string;
  /**
   * The object before the unit; null if the unit creates it. If no hook sees the type, a destroyed
   * object has only the properties that links and aggregates need.
   */
  readonly before: StoredObject | null;
  /** Null once it is destroyed. */
  after: StoredObject | null;
  /** The row that the database holds now. */
  stored: StoredObject | null;
}

/** The objects of a type. */
export interface TypeWork {
  readonly type: DataTypeDefinition;
  /** In the order in which they were first touched. */
  readonly entries: Map<string, Entry>;
  /** Entries that have changed since `flush`. */
  dirty: Entry[];
  /** By id: the objects whose scopes follow from changes of others. */
  readonly moved: Map<string, NewScopes>;
}

const KINDS = Object.freeze({
  bornAndGone: ['created', 'destroyed'],
  created: ['created'],
  updated: ['updated'],
  destroyed: ['destroyed'],
  unchanged: [],
} as const);

/** Returns the kinds of an object's records: none where the object is as it was. */
export function kindsOf({ before, after }: Entry): readonly ChangeKind[] {
  if (before === null) return after === null ? KINDS.bornAndGone : KINDS.created;
  if (after === null) return KINDS.destroyed;
  return after === before ? KINDS.unchanged : KINDS.updated;
}

/** Returns the group that a destroyed object was in; nothing where it is not known. */
function groupOf({ before }: Entry, by: string): Pick<NewChange, 'group'> {
  const group = before?.[by];
  return typeof group === 'string' || group === null ? { group } : {};
}

/** Returns the ids of objects of which nothing but the scopes has changed. */
export function movedAlone({ entries, moved }: TypeWork): readonly string[] {
  if (moved.size === 0) return [];
  return [...moved.keys()].filter((id) => {
    const entry = entries.get(id);
    return entry === undefined || kindsOf(entry).length === 0;
  });
}

/** Returns the records of a type: creates first, destroys last. */
export function recordsOf(work: TypeWork): readonly NewChange[] {
  const { type, entries } = work;
  const records: Record<ChangeKind, NewChange[]> = { created: [], updated: [], destroyed: [] };
  const by = type.query?.collapse?.by.name;
  for (const entry of entries.values()) {
    for (const kind of kindsOf(entry)) {
      const change = { objectId: entry.id, kind };
      const isNoted = by !== undefined && kind === 'destroyed';
      records[kind].push(isNoted ? { ...change, ...groupOf(entry, by) } : change);
    }
  }
  const moved = movedAlone(work).map((objectId) => ({ objectId, kind: 'updated' }) as const);
  return records.created.concat(records.updated, moved, records.destroyed);
}

/**
 * Returns the properties that the unit changed in existing objects of the type, beside the time of
 * the update. Null where an undeclared one changed: a client can't ask for it by name.
 */
export function* changedProperties({
  type,
  entries,
}: Pick<TypeWork, 'type' | 'entries'>): Steps<readonly PropertyDefinition[] | null> {
  const index = indexOf(type);
  let left = type.properties.filter(({ role }) => role !== 'updated' && role !== 'unknown');
  const changed: PropertyDefinition[] = [];
  const strides = new Strides();
  for (const { before, after } of entries.values()) {
    if (before === null || after === null || after === before) continue;
    if (strides.isOver(left.length)) yield;
    if (index.unknown !== null && (yield* hasOtherUnknown(index, before, after))) return null;
    const different = left.filter(({ name }) => before[name] !== after[name]);
    for (const property of different) {
      const { name } = property;
      // A hook's write reads the object again: what is the same then is another list or object.
      const [old, now] = [before[name], after[name]];
      if (old !== undefined && now !== undefined && (yield* equalSteps(old, now))) continue;
      changed.push(property);
      left = left.filter((one) => one !== property);
    }
  }
  return changed;
}

/** Returns whether the undeclared properties of an object are others than before. */
function* hasOtherUnknown(
  index: TypeIndex,
  before: StoredObject,
  after: StoredObject,
): Steps<boolean> {
  for (const name of new Set([...unknownNames(index, before), ...unknownNames(index, after)])) {
    const [old, now] = [before[name], after[name]];
    if (old === now) continue;
    if (old === undefined || now === undefined || !(yield* equalSteps(old, now))) return true;
  }
  return false;
}
