import type { JSONSchema7, JSONSchema7Definition } from 'json-schema';

/**
 * Returns the schema after changing every schema directly within it: members, items, further
 * members, branches.
 */
export function mapInner(
  schema: JSONSchema7,
  change: (inner: JSONSchema7) => JSONSchema7,
): JSONSchema7 {
  const each = <T extends JSONSchema7Definition>(inner: T): JSONSchema7Definition =>
    typeof inner === 'object' ? change(inner) : inner;
  const { properties, items, additionalProperties, oneOf } = schema;
  return {
    ...schema,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, inner]) => [name, each(inner)]),
          ),
        }),
    ...(oneOf === undefined ? {} : { oneOf: oneOf.map(each) }),
    ...(typeof items === 'object' && !Array.isArray(items) ? { items: change(items) } : {}),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: change(additionalProperties) }
      : {}),
  };
}
