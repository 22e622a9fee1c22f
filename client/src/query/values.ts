import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/protocol/json.js';
import { unescapeToken } from '../../../src/protocol/json-pointer.js';

/** Returns the value of a property, or of a member within it: `due`, `place/city`. */
export function readPath(path: string): (object: JsonObject) => JsonValue | undefined {
  const tokens = path.split('/').map(unescapeToken);
  const [first = ''] = tokens;
  if (tokens.length === 1) return (object) => readMember(object, first);
  return (object) => {
    let value: JsonValue | undefined = object;
    for (const token of tokens) {
      if (!isJsonObject(value)) return undefined;
      value = readMember(value, token);
    }
    return value;
  };
}

function readMember(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Returns whether a path leads to one value, not to items of lists or of maps. */
export function isSingle(path: string): boolean {
  return !/(?:^|\/)(?:\*|keys|@type=[^/]*)(?:\/|$)/.test(path);
}

/** Compares texts by code point, which is the order of their UTF-8 octets; `<` goes by UTF-16. */
export function byCodePoint(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) {
    const [a, b] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (a === b) continue;
    // A surrogate stands for a code point above all others of 16 bits.
    if (isSurrogate(a) !== isSurrogate(b)) return isSurrogate(a) ? 1 : -1;
    return a - b;
  }
  return one.length - other.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
