import type { PropertyDefinition } from '../../capability/definition.js';
import type { Place } from '../../capability/places.js';
import { emptyObject, isJsonObject, type JsonValue } from '../../protocol/json.js';
import { quoted } from '../issues.js';
import type { ReferenceProperty } from '../type-index.js';

/** The ids in a reference property's value, each once; nothing where the value has another shape. */
export function referredIds(property: PropertyDefinition, value: JsonValue | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) {
    return [...new Set(value.filter((item): item is string => typeof item === 'string'))];
  }
  if (property.reference?.form === 'set' && isJsonObject(value)) return Object.keys(value);
  return [];
}

export const NOTHING_CREATED = 'refers to a creation id under which nothing was created';

/** Completes the sentence that the property's name begins. `births`: ids that creates would have. */
export function unknownReference(type: string, id: string, births: ReadonlySet<string>): string {
  return births.has(id)
    ? NOTHING_CREATED
    : `refers to ${quoted(id)}, which is no ${type} of this account`;
}

const IN_LISTS: readonly Place[] = Object.freeze([[], [{ each: 'item' }]]);
const IN_SETS: readonly Place[] = Object.freeze([...IN_LISTS, [{ each: 'key' }]]);

/** Where the ids in a reference property's value are, whatever its shape. */
export function placesOf({ reference }: ReferenceProperty): readonly Place[] {
  return reference.form === 'set' ? IN_SETS : IN_LISTS;
}

/** The value with another text in the place of each id. */
export function resolvedReferences(
  property: ReferenceProperty,
  value: JsonValue,
  resolve: (text: string) => string,
): JsonValue {
  if (typeof value === 'string') return resolve(value);
  if (Array.isArray(value)) {
    return value.map((item: JsonValue) => (typeof item === 'string' ? resolve(item) : item));
  }
  if (property.reference.form !== 'set' || !isJsonObject(value)) return value;
  const keys = Object.keys(value);
  if (!keys.some((key) => key.startsWith('#'))) return value;
  const resolved = emptyObject();
  for (const key of keys) resolved[resolve(key)] = value[key] ?? null;
  return resolved;
}

/** The value without references to objects that are gone (setNull). */
export function withoutReferences(
  property: ReferenceProperty,
  value: JsonValue,
  isGone: (id: string) => boolean,
): JsonValue {
  if (typeof value === 'string') return isGone(value) ? null : value;
  if (Array.isArray(value)) {
    return value.filter((item: JsonValue) => typeof item !== 'string' || !isGone(item));
  }
  if (!isJsonObject(value) || property.reference.form !== 'set') return value;
  const kept = emptyObject();
  for (const [key, member] of Object.entries(value)) if (!isGone(key)) kept[key] = member;
  return kept;
}
