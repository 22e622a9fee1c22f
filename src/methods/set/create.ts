import type { PropertyDefinition } from '../../capability/definition.js';
import { formatUtcDate } from '../../protocol/dates.js';
import { equalSteps } from '../../protocol/equal.js';
import type { SetError } from '../../protocol/errors.js';
import { declaredObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import type { Steps } from '../../protocol/slices.js';
import type { StoredObject } from '../../store/port.js';
import type { TypeIndex } from '../type-index.js';
import type { Draft } from './draft.js';

/** The id of a new object and the time in ms that it embeds. */
export interface Birth {
  readonly id: string;
  readonly time: number;
}

/** The SetError of a draft; null where it may be proposed. */
export function refusal({ refused, problems }: Draft): SetError | null {
  return refused ?? (problems.any ? problems.toSetError() : null);
}

const NOTHING: JsonObject = Object.freeze(declaredObject());

/** The whole object: what was given, else what `original` has, else the defaults (5.3, 5.4). */
export function newObject(
  index: TypeIndex,
  given: JsonObject,
  birth: Birth,
  original: JsonObject = NOTHING,
): StoredObject {
  const object = declaredObject();
  const born = formatUtcDate(birth.time);
  for (const property of index.type.properties) {
    const { name, role, computed } = property;
    if (role !== undefined) object[name] = role === 'id' ? birth.id : born;
    // What others count of a copy is nothing yet.
    else if (computed?.kind === 'count') object[name] = defaultOf(property);
    else {
      const value = given[name];
      object[name] = (value === undefined ? original[name] : value) ?? defaultOf(property);
    }
  }
  return object as StoredObject;
}

/** What a create without the property stores and a null patch restores. */
export function defaultOf(property: PropertyDefinition): JsonValue {
  return property.default ?? null;
}

/**
 * 5.3: what the client of a create can't know: all that it didn't send, or that is stored
 * otherwise.
 */
export function* creationReport(
  index: TypeIndex,
  sent: JsonObject,
  object: StoredObject,
): Steps<JsonObject> {
  const report = declaredObject();
  for (const { name } of index.visible) {
    const value = object[name] ?? null;
    const given = Object.hasOwn(sent, name) ? sent[name] : undefined;
    if (given === value) continue;
    if (given === undefined || !(yield* equalSteps(given, value))) report[name] = value;
  }
  return report;
}
