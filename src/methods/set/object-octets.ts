import type { DataTypeDefinition } from '../../capability/definition.js';
import { storedValues } from '../../capability/user-values.js';
import { type JsonObject, writeNumbers } from '../../protocol/json.js';
import type { StoredObject } from '../../store/port.js';
import type { TypeIndex } from '../type-index.js';
import { NO_VALUES } from './own-values.js';
import { unknownNames } from './unknown-members.js';

/** Returns the octets of an object's JSON, as /get gives it with all that is stored. */
export function octetsOf(index: TypeIndex, object: StoredObject): number {
  const names = index.visible.map(({ name }) => name);
  const all = index.unknown === null ? names : [...names, ...unknownNames(index, object)];
  const shown = all.filter((name) => Object.hasOwn(object, name));
  return Buffer.byteLength(
    writeNumbers(JSON.stringify(Object.fromEntries(shown.map((name) => [name, object[name]])))),
  );
}

/** Returns the octets of the values that a user has given of an object, as they are stored. */
export function octetsOfValues(type: DataTypeDefinition, values: JsonObject): number {
  return values === NO_VALUES ? 0 : Buffer.byteLength(storedValues(type, values));
}
