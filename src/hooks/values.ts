import { quoted } from '../methods/issues.js';
import { emptyObject, InexactNumber, isPlainObject, type JsonValue } from '../protocol/json.js';
import { type Steps, Strides } from '../runtime/slices.js';

/** Deeper than anything that may be stored; a value that holds itself is deeper than that. */
const MAX_DEPTH = 500;

/** A value that is no JSON; the message completes "the hook ... gave". */
export class ForeignValueError extends Error {
  override readonly name = 'ForeignValueError';
}

/**
 * A copy of what a hook gave that shares nothing with it: what the hook does to its own later
 * reaches nobody. Members that are undefined are left out. Throws ForeignValueError for what JSON
 * would lose or change in silence: a Date, a Map, NaN, half a character. Pauses.
 */
export function detachedSteps(value: unknown): Steps<JsonValue> {
  return copy(value, '', 0, new Strides());
}

function* copy(value: unknown, place: string, depth: number, strides: Strides): Steps<JsonValue> {
  if (strides.isOver()) yield;
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'string':
      return wellFormed(value, place);
    case 'number':
      if (!Number.isFinite(value)) refuse(String(value), place);
      return value === 0 ? 0 : value;
    case 'object':
      break;
    default:
      refuse(typeof value, place);
  }
  if (value === null) return null;
  // A client's own number that no double holds: whoever judges the value knows it.
  if (value instanceof InexactNumber) return value as unknown as JsonValue;
  if (depth >= MAX_DEPTH) refuse(`something nested deeper than ${MAX_DEPTH} levels`, place);
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const [index, item] of (value as readonly unknown[]).entries()) {
      items.push(yield* copy(item, inside(place, index), depth + 1, strides));
    }
    return items;
  }
  if (!isPlainObject(value)) refuse(`a ${value.constructor?.name ?? 'class instance'}`, place);
  const object = emptyObject();
  for (const name of Object.keys(value)) {
    const member = (value as Readonly<Record<string, unknown>>)[name];
    if (member === undefined) continue;
    const within = inside(place, name);
    object[wellFormed(name, place)] = yield* copy(member, within, depth + 1, strides);
  }
  return object;
}

function inside(place: string, name: string | number): string {
  return place === '' ? String(name) : `${place}/${name}`;
}

/** RFC 8620 1.5: I-JSON has no half of a character. */
function wellFormed(text: string, place: string): string {
  if (/\p{Surrogate}/u.test(text)) refuse('a text with half a character', place);
  return text;
}

function refuse(what: string, place: string): never {
  throw new ForeignValueError(
    `${what}${place === '' ? '' : ` at ${quoted(place)}`}, which is no JSON`,
  );
}
