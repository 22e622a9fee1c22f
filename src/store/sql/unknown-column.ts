import { isAnswered } from '../../capability/answered.js';
import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import { holdsReferences } from '../../capability/named-references.js';
import { formedValue } from '../../capability/text-forms.js';
import { UNKNOWN_COLUMN } from '../../capability/unknown-properties.js';
import { emptyObject, isJsonObject, type JsonValue } from '../../protocol/json.js';
import { deriveOnce } from '../../runtime/derive-once.js';
import type { StoredObject } from '../port.js';

/**
 * The column that holds the members which a type keeps without declaring them. A later version of
 * the type may declare a name that objects have there already. Readers see such a value as the
 * property's if clients may give it. Otherwise they see it under another name. The server's next
 * start writes these objects anew.
 */

/** Names and properties of a type, by name. */
const propertiesOf = deriveOnce(
  (type: DataTypeDefinition): ReadonlyMap<string, PropertyDefinition> =>
    new Map(type.properties.map((property) => [property.name, property])),
);

/** In front of the name of a value that its declared property can't have. */
const FORMER = 'undeclared:';

/** Puts the members of the column into an object that was read. */
export function addUnknown(
  type: DataTypeDefinition,
  object: Record<string, JsonValue>,
  members: JsonValue,
): void {
  if (!isJsonObject(members)) return;
  const declared = propertiesOf(type);
  for (const name of Object.keys(members)) {
    const value = members[name] ?? null;
    const property = declared.get(name);
    if (property === undefined) {
      object[isAnswered(type, name) ? freeName(FORMER + name, members) : name] = value;
      continue;
    }
    const formed = formedValue(property, value);
    if (mayHave(type, property, formed)) object[name] = formed;
    else object[freeName(FORMER + name, members)] = value;
  }
}

/** Returns the column's value for an object; null where it has no such member. */
export function encodeUnknown(type: DataTypeDefinition, object: StoredObject): string | null {
  const declared = propertiesOf(type);
  let members: Record<string, JsonValue> | null = null;
  for (const name of Object.keys(object)) {
    if (declared.has(name)) continue;
    members ??= emptyObject();
    members[name] = object[name] ?? null;
  }
  return members && JSON.stringify(members);
}

/** Returns whether the column's value, parsed, has a name that the type declares now. */
export function hasDeclared(type: DataTypeDefinition, members: JsonValue): boolean {
  const declared = propertiesOf(type);
  const isDeclared = (name: string): boolean => declared.has(name) || isAnswered(type, name);
  return isJsonObject(members) && Object.keys(members).some(isDeclared);
}

/** Returns the column of a type; null if it keeps nothing undeclared. */
export function unknownColumn(type: DataTypeDefinition): string | null {
  return type.properties.some(({ role }) => role === 'unknown') ? UNKNOWN_COLUMN : null;
}

/**
 * A property that is judged by other objects, that clients don't give, or that the engine gives a
 * meaning (whom the object is shared with) takes no such value.
 */
function mayHave(
  type: DataTypeDefinition,
  property: PropertyDefinition,
  value: JsonValue,
): boolean {
  const { name, access, computed, role, blobs = [] } = property;
  const isGiven = access === 'mutable' || access === 'immutable';
  const isLinked = holdsReferences(property) || blobs.length > 0;
  const isUnique = type.uniques?.some(({ properties }) => properties.includes(property)) === true;
  if (!isGiven || isLinked || isUnique || computed !== undefined || role !== undefined)
    return false;
  const candidate = emptyObject();
  candidate[name] = value;
  return type.validate.update(candidate);
}

function freeName(wanted: string, taken: Readonly<Record<string, JsonValue>>): string {
  let name = wanted;
  for (let number = 2; Object.hasOwn(taken, name); number += 1) name = `${wanted}-${number}`;
  return name;
}
