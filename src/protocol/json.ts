import { InexactNumber } from './inexact-number.js';

/** JSON as JMAP sees it (RFC 8620 1.5: I-JSON). */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [member: string]: JsonValue;
}

/** True for a JSON object: neither null nor an array, nor a number that no double holds. */
export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof InexactNumber)
  );
}

/**
 * A JSON object that is being built from names that a client chose. It has no prototype, so
 * `__proto__`, `constructor` and their like are plain members.
 */
export function emptyObject<T = JsonValue>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}
