import type { JSONSchema7 } from 'json-schema';
import { branchesIn } from '../../../src/descriptor/branches.js';
import { isEnd } from '../../../src/descriptor/nesting.js';
import type { Json } from '../client/json.js';
import { buildLeast } from './least.js';

/** Values of definitions that contain themselves, at the greatest depth that they may have. */

const known = new WeakMap<JSONSchema7, boolean>();

/** Tells whether a schema has a definition that contains itself. */
export function hasEnd(schema: JSONSchema7): boolean {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const found = isEnd(schema) || listInner(schema).some(hasEnd);
  known.set(schema, found);
  return found;
}

/** Lists the schemas directly within a schema. */
function listInner(schema: JSONSchema7): readonly JSONSchema7[] {
  const { properties = {}, items, additionalProperties, oneOf = [] } = schema;
  const all = [...Object.values(properties), ...[items].flat(), additionalProperties, ...oneOf];
  return all.filter((one) => typeof one === 'object');
}

/**
 * Builds the value in which a definition lies within itself as often as it may. Given `beyond`, it
 * puts that one level deeper, where nothing is legal. Undefined where there is no such value.
 */
export function buildDeepest(schema: JSONSchema7, beyond?: Json): Json | undefined {
  if (isEnd(schema)) return beyond;
  if (!hasEnd(schema)) return undefined;
  const { properties = {}, items, additionalProperties } = schema;
  const branch = branchesIn(schema).find((one) => hasEnd(one.schema));
  if (branch !== undefined) return buildDeepest(branch.schema, beyond);
  if (typeof items === 'object' && !Array.isArray(items)) {
    const item = buildDeepest(items, beyond);
    return item === undefined ? (buildLeast(schema) as Json) : [item];
  }
  const least = buildLeast(schema) as Record<string, Json>;
  const [name, inner] =
    Object.entries(properties).find(([, one]) => typeof one === 'object' && hasEnd(one)) ??
    (['k', additionalProperties] as const);
  if (typeof inner !== 'object' || !hasEnd(inner)) return least;
  const deeper = buildDeepest(inner, beyond);
  return deeper === undefined ? least : { ...least, [name]: deeper };
}
