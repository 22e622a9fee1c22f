import type { JSONSchema7 } from 'json-schema';
import { isOfBranch } from '../../../src/capability/places.js';
import { branchesIn } from '../../../src/descriptor/branches.js';
import type { ModelProperty } from '../../../src/descriptor/model.js';
import { isMap, type Json, type JsonMap } from '../client/json.js';
import { listKinds, toSchema } from './least.js';

/**
 * Returns what `onDestroy: setNull` leaves of a property's value, by the schema alone: an entry of
 * a list or map goes, another id becomes null where it may be null. Undefined: it is absent.
 */
export const removeId = (
  { schema, nullable }: ModelProperty,
  value: Json,
  id: string,
): Json | undefined => {
  if (value === id) return nullable ? null : undefined;
  return removeWithin(schema, value, id);
};

function removeWithin(schema: JSONSchema7, value: Json, id: string): Json | undefined {
  if (value === id) return listKinds(schema).includes('null') ? null : undefined;
  if (Array.isArray(value)) {
    const items = toSchema(schema.items);
    return value.flatMap((one) => (one === id ? [] : (removeWithin(items, one, id) ?? null)));
  }
  if (!isMap(value)) return value;
  const branch = branchesIn(schema).find(({ step }) => isOfBranch(step, value))?.schema ?? schema;
  const left: JsonMap = {};
  for (const [name, one] of Object.entries(value)) {
    const declared = branch.properties?.[name];
    const isEntry = declared === undefined;
    if (isEntry && (name === id || one === id)) continue;
    const rest = removeWithin(toSchema(declared ?? branch.additionalProperties), one, id);
    if (rest !== undefined) left[name] = rest;
  }
  return left;
}
