import { isJsonArray, isJsonObject, type JsonValue } from '../protocol/json.js';
import { unescapeToken } from '../protocol/json-pointer.js';
import { finish, type Steps, Strides } from '../runtime/paused-work.js';
import { isOfBranch, type Place, type PlaceStep } from './places.js';

/**
 * A part of a property's values that conditions and sorts read: the values at a place, such as
 * `emails/*\/address`. A column beside the property's own holds them.
 */
export interface Part {
  /** The name of the property. */
  readonly property: string;
  readonly place: Place;
  /** Values of members of the innermost items, by the path of each (`roles/owner`). */
  readonly where?: Readonly<Record<string, Scalar>>;
}

export type Scalar = string | number | boolean;

/**
 * Stands around the texts of a part in a column that holds them all. No stored text and no text of
 * a client has it, since it is a noncharacter (RFC 7493 2.1).
 */
export const SEPARATOR = '\uffff';

/** Returns whether the place may hold several values. */
export function isManifold(place: Place): boolean {
  return place.some((step) => 'each' in step);
}

/** Returns the values of the part that are no lists, no objects and not null. */
export function valuesAt(part: Pick<Part, 'place' | 'where'>, value: JsonValue): Scalar[] {
  return finish(partSteps(part, value));
}

/** Returns the same with pauses, for values that may be large. */
export function* partSteps(
  { place, where }: Pick<Part, 'place' | 'where'>,
  value: JsonValue,
): Steps<Scalar[]> {
  const last = place.findLastIndex((step) => 'each' in step);
  const strides = new Strides();
  let reached: JsonValue[] = [value];
  for (const [at, step] of place.entries()) {
    const next: JsonValue[] = [];
    for (const one of reached) {
      for (const inner of innerValues(step, one)) {
        if (strides.isOver()) yield;
        if (at !== last || where === undefined || hasMembers(inner, where)) next.push(inner);
      }
    }
    reached = next;
  }
  return reached.filter(isScalar);
}

/**
 * Yields the values one step below. Members come in order of their names: databases don't keep the
 * order in which a client wrote them.
 */
function* innerValues(step: PlaceStep, value: JsonValue): Iterable<JsonValue> {
  if ('each' in step && step.each === 'item') {
    if (isJsonArray(value)) yield* value;
    return;
  }
  if (!isJsonObject(value)) return;
  if ('member' in step) {
    if (Object.hasOwn(value, step.member)) yield value[step.member] ?? null;
    return;
  }
  if ('branch' in step) {
    if (isOfBranch(step, value)) yield value;
    return;
  }
  for (const name of Object.keys(value).sort()) {
    if (step.except?.includes(name) === true) continue;
    yield step.each === 'key' ? name : (value[name] ?? null);
  }
}

function hasMembers(item: JsonValue, where: Readonly<Record<string, Scalar>>): boolean {
  return Object.entries(where).every(([path, value]) => {
    let inner: JsonValue = item;
    for (const token of path.split('/')) {
      const name = unescapeToken(token);
      if (!isJsonObject(inner) || !Object.hasOwn(inner, name)) return false;
      inner = inner[name] ?? null;
    }
    return inner === value;
  });
}

function isScalar(value: JsonValue): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
