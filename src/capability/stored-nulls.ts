import type { JsonValue } from '../protocol/json.js';
import type { PropertyDefinition } from './definition.js';

/**
 * The meaning of null in stored objects. A property that is no longer nullable keeps its column
 * for one release. The previous version may write null there; readers see the default.
 */

/** Returns what null stands for; undefined where the object lacks the property. */
export function absentOf(property: PropertyDefinition): JsonValue | undefined {
  if (property.optional === true) return undefined;
  return isFilled(property) ? (property.default ?? null) : null;
}

/** Returns whether null stands for the time when the object was created. */
export function isTimed({ nullable, defaultNow, optional }: PropertyDefinition): boolean {
  return defaultNow === true && !nullable && optional !== true;
}

/** Returns whether what is read is never null, even where its column is. */
export function isFilled(property: PropertyDefinition): boolean {
  const { nullable, default: value = null } = property;
  return (!nullable && value !== null) || isTimed(property);
}
