import { type Steps, Strides } from '../runtime/paused-work.js';
import { isPlainObject } from './json.js';

/**
 * Returns JSON with the members of every object in order of their names: equal values, equal text.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return objectText(members.map(([key, inner]) => [key, canonicalJson(inner)]));
}

/** Returns the text of an object whose values are text already; sorts the members given. */
export function objectText(members: [name: string, text: string][]): string {
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, inner]) => `${JSON.stringify(key)}:${inner}`).join(',')}}`;
}

/** Gives the same text to `put`, in pieces and with pauses: for values that may be large. */
export function* canonicalJsonSteps(
  value: unknown,
  put: (piece: string) => void,
  strides = new Strides(),
): Steps<void> {
  if (strides.isOver()) yield;
  if (Array.isArray(value)) {
    put('[');
    for (const [index, item] of value.entries()) {
      if (index > 0) put(',');
      yield* canonicalJsonSteps(item, put, strides);
    }
    put(']');
  } else if (isPlain(value)) {
    let separator = '{';
    for (const name of Object.keys(value).sort()) {
      put(`${separator}${JSON.stringify(name)}:`);
      separator = ',';
      yield* canonicalJsonSteps(value[name], put, strides);
    }
    put(separator === '{' ? '{}' : '}');
  } else put(JSON.stringify(value) ?? 'null');
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && isPlainObject(value);
}
