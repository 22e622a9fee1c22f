import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/protocol/json.js';

/** Returns true where two JSON values mean the same; the order of members doesn't count. */
export function isEqual(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isEqual(item, other[index]));
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]))
  );
}

/** Returns a copy of an object with one member set, or without it where the value is undefined. */
export function withMember(
  object: JsonObject,
  name: string,
  value: JsonValue | undefined,
): JsonObject {
  const members = Object.entries(object).filter(([other]) => other !== name);
  // fromEntries defines members: `__proto__` is one like any other.
  return Object.fromEntries(value === undefined ? members : [...members, [name, value]]);
}

/** Returns a value with each text in it replaced, names of members too. Shares what is the same. */
export function mapTexts(value: JsonValue, replace: (text: string) => string): JsonValue {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) {
    const items = value.map((item: JsonValue) => mapTexts(item, replace));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value);
  const mapped = entries.map(([name, one]) => [replace(name), mapTexts(one, replace)] as const);
  const isSame = mapped.every(
    ([name, one], index) => name === entries[index]?.[0] && one === entries[index]?.[1],
  );
  return isSame ? value : Object.fromEntries(mapped);
}
