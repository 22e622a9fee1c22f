import { emptyObject, type JsonValue } from '../../protocol/json.js';
import type { StoredObject } from '../../store/port.js';
import type { ReferenceProperty } from '../type-index.js';
import { withoutReferences } from '../work/reference-values.js';
import { type Link, push, textOf } from './object-keys.js';

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
