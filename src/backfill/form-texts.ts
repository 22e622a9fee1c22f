import type {
  DataTypeDefinition,
  PropertyDefinition,
  UniqueDefinition,
} from '../capability/definition.js';
import { formedValue, ownForm } from '../capability/text-forms.js';
import type { JsonValue } from '../protocol/json.js';
import { emptyObject } from '../protocol/json.js';
import { deriveOnce } from '../runtime/derive-once.js';
import type { Snapshot, StoredObject } from '../store/port.js';

export interface FormedTexts {
  readonly formed: readonly StoredObject[];
  /** Not normalised: another object has the unique value. */
  readonly conflictingIds: readonly string[];
}

/** The properties with texts that are stored in one form. A secret is sealed. */
const formedProperties = deriveOnce(({ properties }: DataTypeDefinition) =>
  properties.filter(
    (property) =>
      property.secret === undefined &&
      property.role === undefined &&
      (property.texts !== undefined || ownForm(property) !== undefined),
  ),
);

/** Returns objects with their texts in the forms that writes of today give them. */
export async function formTexts(
  type: DataTypeDefinition,
  objects: readonly StoredObject[],
  snapshot: Snapshot,
): Promise<FormedTexts> {
  const properties = formedProperties(type);
  if (properties.length === 0) return { formed: objects, conflictingIds: [] };
  const after = objects.map((object) => formObject(properties, object));
  const conflicting = new Set<string>();
  for (const unique of type.uniques ?? []) {
    const moved = after.filter(
      (now, at) => textOf(unique, now) !== textOf(unique, objects[at] ?? now),
    );
    for (const id of await collisionsOf(type, unique, moved, snapshot)) conflicting.add(id);
  }
  return {
    formed: after.map((now, at) => (conflicting.has(now.id) ? (objects[at] ?? now) : now)),
    conflictingIds: [...conflicting],
  };
}

function formObject(properties: readonly PropertyDefinition[], object: StoredObject): StoredObject {
  const changed = properties.flatMap((property) => {
    const value = object[property.name] ?? null;
    const formed = formedValue(property, value);
    return formed === value ? [] : [[property.name, formed] as const];
  });
  if (changed.length === 0) return object;
  return Object.assign(emptyObject(), object, Object.fromEntries(changed)) as StoredObject;
}

/** Returns the ids of objects whose new values another object has, or an earlier one would get. */
export async function collisionsOf(
  type: DataTypeDefinition,
  unique: UniqueDefinition,
  moved: readonly StoredObject[],
  snapshot: Snapshot,
): Promise<readonly string[]> {
  if (moved.length === 0) return [];
  const keys = moved.map((object) => valuesOf(unique, object)).filter((key) => isKey(unique, key));
  const owners = new Map<string, string>();
  if (keys.length > 0) {
    for (const { id, key } of await snapshot.holders(type, unique, keys))
      owners.set(JSON.stringify(key), id);
  }
  return moved.flatMap((object) => {
    const text = textOf(unique, object);
    const owner = owners.get(text) ?? object.id;
    owners.set(text, owner);
    return owner === object.id || !isKey(unique, valuesOf(unique, object)) ? [] : [object.id];
  });
}

function isKey({ nullsEqual }: UniqueDefinition, values: readonly JsonValue[]): boolean {
  return nullsEqual === true || !values.includes(null);
}

function valuesOf({ properties }: UniqueDefinition, object: StoredObject): readonly JsonValue[] {
  return properties.map(({ name }) => object[name] ?? null);
}

function textOf(unique: UniqueDefinition, object: StoredObject): string {
  return JSON.stringify(valuesOf(unique, object));
}
