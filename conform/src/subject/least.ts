import type { JSONSchema7, JSONSchema7Definition } from 'json-schema';
import { branchesIn } from '../../../src/descriptor/branches.js';
import { leastHeight, SampleDepth } from '../../../src/descriptor/nesting.js';
import { sampleOf } from '../../../src/descriptor/sample-values.js';
import type { Json } from '../client/json.js';

/** Returns a value of a schema with nothing in it that may be left out. */
export function buildLeast(schema: JSONSchema7): Json {
  const branches = new SampleDepth().branchesOf(schema, branchesIn(schema));
  const flattest = branches.toSorted((a, b) => leastHeight(a.schema) - leastHeight(b.schema))[0];
  if (flattest !== undefined) return buildLeast(flattest.schema);
  switch (listKinds(schema).find((kind) => kind !== 'null')) {
    case 'object': {
      const { properties = {}, required = [], minProperties = 0 } = schema;
      if (minProperties > required.length) return sampleOf(schema) as Json;
      return Object.fromEntries(
        required.map((name) => [name, buildLeast(toSchema(properties[name]))]),
      );
    }
    case 'array':
      return (schema.minItems ?? 0) > 0 ? (sampleOf(schema) as Json) : [];
    default:
      return sampleOf(schema) as Json;
  }
}

/** Returns the JSON types that a schema allows. */
export function listKinds({ type }: JSONSchema7): readonly string[] {
  return type === undefined ? [] : Array.isArray(type) ? type : [type];
}

/** Returns a schema as an object: `true` allows anything. */
export function toSchema(schema: JSONSchema7['items'] | JSONSchema7Definition): JSONSchema7 {
  return typeof schema === 'object' && !Array.isArray(schema) ? schema : {};
}
