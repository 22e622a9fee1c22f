import type { Json, JsonMap } from '../support/json.js';
import { equal } from './account.js';
import type { Refusal } from './judge-call.js';
import { canonicalDate, isMap, readDate } from './schema.js';

/** The server and the model differ. */
export class Disagreement extends Error {}

export function agree(what: string, actual: unknown, expected: unknown): void {
  if (equal(actual, expected)) return;
  throw new Disagreement(
    `${what}:\n  server ${JSON.stringify(actual)}\n  model  ${JSON.stringify(expected)}`,
  );
}

export function agreeOn(what: string, holds: boolean, about: unknown): asserts holds {
  if (!holds) throw new Disagreement(`${what}: ${JSON.stringify(about)}`);
}

const sorted = (texts: readonly string[]): readonly string[] => [...texts].sort();

/** The same ids, none twice, in any order. */
export function agreeOnIds(what: string, actual: unknown, expected: Iterable<string>): void {
  agreeOn(`${what} is a list of ids`, isTexts(actual), actual);
  agree(what, sorted(actual), sorted([...new Set(expected)]));
}

export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** A member that may be left out where it is null (RFC 8620 3.5), as a map. */
export function entries(response: JsonMap, name: string): ReadonlyMap<string, Json> {
  const value = response[name] ?? null;
  if (value === null) return new Map();
  agreeOn(`${name} is an object or null, and not empty`, isMap(value), value);
  return new Map(Object.entries(value));
}

export function agreeOnMembers(
  what: string,
  response: JsonMap,
  needed: readonly string[],
  others: readonly string[] = [],
): void {
  const names = Object.keys(response);
  const wrong = [
    ...needed.filter((name) => !names.includes(name)),
    ...names.filter((name) => !needed.includes(name) && !others.includes(name)),
  ];
  agreeOn(`${what} has its members and no others`, wrong.length === 0, wrong);
}

/** RFC 8620 1.4: a UTCDate with milliseconds. */
export function agreeOnDate(what: string, value: unknown): asserts value is string {
  const is = typeof value === 'string' && readDate(value) !== undefined;
  agreeOn(`${what} is a canonical UTCDate`, is && canonicalDate(value) === value, value);
}

/** A method error: type, and a description for people. */
export function agreeOnError(what: string, name: string, response: JsonMap, type: string): void {
  agree(`${what}: the name of the response`, name, 'error');
  agree(`${what}: the error`, response['type'], type);
  agree(`${what}: its description`, typeof response['description'], 'string');
}

/** SetErrors (RFC 8620 5.3), by key. `properties` may point into a property: its name counts. */
export function agreeOnRefusals(
  what: string,
  actual: ReadonlyMap<string, Json>,
  expected: ReadonlyMap<string, Refusal>,
): void {
  const told = [...actual].map(([key, one]) => [key, isMap(one) ? (one['type'] ?? null) : null]);
  const types: JsonMap = Object.fromEntries(told);
  const right = [...expected].map(([key, { type, or }]) => [
    key,
    or !== undefined && types[key] === or ? or : type,
  ]);
  agree(`${what}: types of SetErrors`, types, Object.fromEntries(right));
  for (const [key, refusal] of expected) {
    const error = actual.get(key);
    agreeOn(`${what} ${key} is an object`, isMap(error), error);
    const { description, properties, existingId, objectIds } = error;
    agreeOn(`${what} ${key} has a description`, typeof description === 'string', error);
    if (refusal.properties !== undefined) {
      agreeOn(`${what} ${key} has properties`, isTexts(properties), error);
      const names = properties.map((one) => one.split('/')[0] ?? '');
      agreeOnIds(`${what} ${key} properties`, [...new Set(names)], refusal.properties);
      const isNamed = properties.every((one) => description.includes(one.split('/')[0] ?? ''));
      agreeOn(`${what} ${key}: its description names each property`, isNamed, error);
    }
    if (refusal.existingId !== undefined)
      agree(`${what} ${key} existingId`, existingId, refusal.existingId);
    if (refusal.objectIds !== undefined)
      agree(`${what} ${key} objectIds`, objectIds, refusal.objectIds.slice(0, 10));
  }
}
