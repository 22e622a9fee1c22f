import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/protocol/json.js';
import { unescapeToken } from '../../../src/protocol/json-pointer.js';

/** Returns the value of a property, or of a member within it: `due`, `place/city`. */
export function readPath(path: string): (object: JsonObject) => JsonValue | undefined {
  const tokens = path.split('/').map(unescapeToken);
  const [first = ''] = tokens;
  // All others are there where an object has them itself, which takes longer to find out.
  if (tokens.length === 1 && !(first in Object.prototype)) return (object) => object[first];
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
