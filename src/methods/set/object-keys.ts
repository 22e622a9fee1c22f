import { emptyObject, type JsonValue } from '../../protocol/json.js';
import type { StoredObject } from '../../store/port.js';
import type { ReferenceProperty } from '../type-index.js';
import { withoutReferences } from '../work/named-ids.js';

/** An object of any type. */
export interface ObjectKey {
  readonly type: string;
  readonly id: string;
}

/** `from` refers to `to` by a property. */
export interface Link {
  readonly from: ObjectKey;
  readonly to: ObjectKey;
  readonly property: ReferenceProperty;
}

export function textOf({ type, id }: ObjectKey): string {
  return `${type}\n${id}`;
}

/** Ids by type name, each once. */
export function idsByType(objects: readonly ObjectKey[]): ReadonlyMap<string, ReadonlySet<string>> {
  const ids = new Map<string, Set<string>>();
  for (const { type, id } of objects) {
    const known = ids.get(type);
    if (known === undefined) ids.set(type, new Set([id]));
    else known.add(id);
  }
  return ids;
}

export function push<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** setNull: one change for each object, however many of its links go. By its key. */
export function linksByOrigin(links: readonly Link[]): ReadonlyMap<string, readonly Link[]> {
  const byOrigin = new Map<string, Link[]>();
  for (const link of links) push(byOrigin, textOf(link.from), link);
  return byOrigin;
}

/** The object without these links of its own. */
export function withoutLinks(
  object: StoredObject,
  links: readonly Link[],
): Record<string, JsonValue> {
  const unlinked = Object.assign(emptyObject(), object);
  const going = new Map<ReferenceProperty, Set<string>>();
  for (const { property, to } of links) {
    going.set(property, (going.get(property) ?? new Set()).add(to.id));
  }
  for (const [property, ids] of going) {
    const value = unlinked[property.name] ?? null;
    unlinked[property.name] = withoutReferences(property, value, (id) => ids.has(id));
  }
  return unlinked;
}
