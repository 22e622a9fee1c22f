import { declaredObject, emptyObject, type JsonObject, type JsonValue } from '../protocol/json.js';
import { deriveOnce } from '../runtime/derive-once.js';
import type { DataTypeDefinition, PropertyDefinition } from './definition.js';

/** Properties of which each user has a value of its own. */

/** Returns the properties of a type of which each user has a value of its own. */
export const perUserOf = deriveOnce(
  ({ properties }: DataTypeDefinition): readonly PropertyDefinition[] =>
    properties.filter(({ perUser }) => perUser === true),
);

/** Returns whether users have values of their own at objects of the type. */
export function hasUserValues(type: DataTypeDefinition): boolean {
  return perUserOf(type).length > 0;
}

/** Returns the values that a user has given of an object as they are stored: JSON by column. */
export function storedValues(type: DataTypeDefinition, values: JsonObject): string {
  const stored = emptyObject();
  for (const { name, column } of perUserOf(type)) {
    const value = values[name] ?? null;
    if (value !== null) stored[column] = value;
  }
  return JSON.stringify(stored);
}

/** The user whose values are meant. */
export interface Viewer {
  readonly userId: string;
  /** The account is the user's own. */
  readonly isOwner: boolean;
}

/** Returns the value of a user who has given none. */
export function defaultFor(property: PropertyDefinition, { isOwner }: Viewer): JsonValue {
  const { default: value = null, ownerDefault = value } = property;
  return isOwner ? ownerDefault : value;
}

/**
 * Returns an object as a user reads it: with the values that the user has given, and defaults for
 * others. `properties`: those that are read.
 */
export function withUserValues<T extends JsonObject>(
  object: T,
  values: JsonObject | undefined,
  viewer: Viewer,
  properties: readonly PropertyDefinition[],
): T {
  const seen: Record<string, JsonValue> = Object.assign(declaredObject(), object);
  for (const property of properties) {
    if (property.perUser !== true) continue;
    const { name } = property;
    const isGiven = values !== undefined && Object.hasOwn(values, name);
    seen[name] = (isGiven ? values[name] : null) ?? defaultFor(property, viewer);
  }
  return seen as T;
}
