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

/** What `Object.create` makes is a hash table to V8, whatever it is used for; instances are not. */
class Declared {
  [member: string]: JsonValue;
}

/** It has no members (no `constructor` either), and no prototype. */
const BARE: object = Declared.prototype;
Reflect.deleteProperty(BARE, 'constructor');
Reflect.setPrototypeOf(BARE, null);

/**
 * The same for an object whose members are those that a type declares: such names come again, so V8
 * knows the shape, and makes, reads and writes the object in about half the time. What has other
 * names in each request (ids) is better off as an `emptyObject`.
 */
export function declaredObject(): Record<string, JsonValue> {
  return new Declared();
}

/** True for what is no instance of a class: an object literal, or one of the two above. */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || prototype === BARE;
}
