import { HookError } from '../methods/hook-errors.js';
import { quoted } from '../methods/issues.js';
import { emptyObject, InexactNumber, isPlainObject, type JsonValue } from '../protocol/json.js';
import { finish, type Steps, Strides } from '../runtime/paused-work.js';

/** Deeper than anything that may be stored; a value that holds itself is deeper than that. */
const MAX_DEPTH = 500;

/** One walk through what a hook gave. */
interface Walk {
  /** The hook, for messages. */
  readonly what: string;
  readonly strides: Strides;
}

/**
 * Returns a copy of what a hook gave; what the hook does to its own later doesn't reach the copy.
 * Leaves out undefined members. Throws HookError for what JSON would silently lose or change: a
 * Date, a Map, NaN, half a character. Pauses.
 */
export function copyValueSteps(what: string, value: unknown): Steps<JsonValue> {
  return copy({ what, strides: new Strides() }, value, '', 0);
}

/** Returns the same at once. */
export function copyValue(what: string, value: unknown): JsonValue {
  return finish(copyValueSteps(what, value));
}

function* copy(walk: Walk, value: unknown, place: string, depth: number): Steps<JsonValue> {
  if (walk.strides.isOver()) yield;
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'string':
      return wellFormed(walk, value, place);
    case 'number':
      if (!Number.isFinite(value)) refuse(walk, String(value), place);
      return value === 0 ? 0 : value;
    case 'object':
      break;
    default:
      refuse(walk, typeof value, place);
  }
  if (value === null) return null;
  // A client's own number that no double holds: whoever judges the value knows it.
  if (value instanceof InexactNumber) return value as unknown as JsonValue;
  if (depth >= MAX_DEPTH) refuse(walk, `something nested deeper than ${MAX_DEPTH} levels`, place);
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const [index, item] of (value as readonly unknown[]).entries()) {
      items.push(yield* copy(walk, item, inside(place, index), depth + 1));
    }
    return items;
  }
  if (!isPlainObject(value)) {
    refuse(walk, `a ${value.constructor?.name ?? 'class instance'}`, place);
  }
  const object = emptyObject();
  for (const name of Object.keys(value)) {
    const member = (value as Readonly<Record<string, unknown>>)[name];
    if (member === undefined) continue;
    const own = wellFormed(walk, name, place);
    object[own] = yield* copy(walk, member, inside(place, name), depth + 1);
  }
  return object;
}

function inside(place: string, name: string | number): string {
  return place === '' ? String(name) : `${place}/${name}`;
}

/** RFC 8620 1.5: I-JSON has no half of a character. */
function wellFormed(walk: Walk, text: string, place: string): string {
  if (/\p{Surrogate}/u.test(text)) refuse(walk, 'a text with half a character', place);
  return text;
}

function refuse({ what }: Walk, foreign: string, place: string): never {
  const at = place === '' ? '' : ` at ${quoted(place)}`;
  throw new HookError(what, `gave ${foreign}${at}, which is no JSON`);
}
