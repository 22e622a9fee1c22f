import type { Json, JsonMap } from './client/json.js';
import { UnexpectedError } from './unexpected.js';

/** Patterns against which answers are held, and that any comparison by `expect` understands. */

/** Describes a pattern that `expect` compares a value with, and shows by its words. */
export interface Matcher {
  asymmetricMatch(actual: unknown): boolean;
  toString(): string;
  toAsymmetricMatcher(): string;
}

/**
 * The mark by which `expect` knows patterns where it prints a difference: it tells their words, not
 * their members.
 */
const PRINTED = { $$typeof: Symbol.for('jest.asymmetricMatcher') };

/** Matches any value to which a function says yes. */
export function satisfying(description: string, matches: (actual: unknown) => boolean): Matcher {
  return {
    ...PRINTED,
    asymmetricMatch: matches,
    toString: () => description,
    toAsymmetricMatcher: () => description,
  };
}

/** Matches an array with exactly these strings, in any order. */
export function sameMembers(expected: readonly string[]): Matcher {
  const wanted = JSON.stringify([...expected].sort());
  return satisfying(
    `members ${wanted}`,
    (actual) => Array.isArray(actual) && JSON.stringify([...actual].sort()) === wanted,
  );
}

/** Matches a string that contains all of these parts. */
export function textWith(...parts: readonly string[]): Matcher {
  return satisfying(
    `text with ${parts.join(', ')}`,
    (actual) => typeof actual === 'string' && parts.every((part) => actual.includes(part)),
  );
}

/**
 * Matches a UTCDate (RFC 8620 1.4) in its shortest form: no fraction where it is zero,
 * milliseconds at most (docs/reference/protocol.md#dates).
 */
export const utcDate = satisfying(
  'a canonical UTCDate',
  (actual) =>
    typeof actual === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,2}[1-9])?Z$/.test(actual) &&
    !Number.isNaN(Date.parse(actual)),
);

/** RFC 8620 1.2: an id of any server, 1 to 255 octets of the URL-safe base64 alphabet. */
export const ID = /^[A-Za-z0-9_-]{1,255}$/;

/** RFC 8620 1.2: what an id should not begin with, digits alone included, or be. */
export const DEFENSIVE = /^(?![-\d])(?!NIL$)/i;

/** Matches an id that begins with a letter and has at most 64 octets (RFC 8620 1.2). */
export const serverId = satisfying(
  'an id',
  (actual) => typeof actual === 'string' && /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(actual),
);

/** Any string. */
export const anyString = satisfying('a string', (actual) => typeof actual === 'string');

/**
 * Returns the entry of a map. Throws UnexpectedError where the map is null or has no such entry of
 * its own.
 */
export function entry<T>(map: Readonly<Record<string, T>> | null, key: string): T {
  const value = map === null ? undefined : Object.hasOwn(map, key) ? map[key] : undefined;
  if (value === undefined)
    throw new UnexpectedError(`There is no ${key} in ${JSON.stringify(map)}`);
  return value;
}

/**
 * Returns the item at an index, negative ones from the end. Throws UnexpectedError where there is
 * none.
 */
export function at<T>(items: readonly T[], index: number): T {
  const item = items.at(index);
  if (item === undefined)
    throw new UnexpectedError(`There is no item ${index} in ${JSON.stringify(items)}`);
  return item;
}

/** Returns a member that is an object. Throws UnexpectedError where it is none. */
export function member(value: Json | undefined, name: string): JsonMap {
  const found =
    value !== null && typeof value === 'object' && !Array.isArray(value) ? value[name] : undefined;
  if (found === null || typeof found !== 'object' || Array.isArray(found)) {
    throw new UnexpectedError(`${name} is no object in ${JSON.stringify(value)}`);
  }
  return found;
}
