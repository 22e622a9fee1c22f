import type { JSONSchema7, JSONSchema7Definition } from 'json-schema';

/** The names that json-schema-to-typescript gives to the types that have no parts. */
const LEAVES: ReadonlyMap<string, string> = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['integer', 'number'],
  ['boolean', 'boolean'],
  ['null', 'null'],
]);

/**
 * Returns a schema of the same type in fewer words. Values without parts have their TypeScript name
 * at once (`tsType`). This saves time: json-schema-to-typescript goes over every schema some thirty
 * times, and most schemas of a descriptor are such leaves.
 */
export function lean(schema: JSONSchema7): JSONSchema7 {
  const { properties, items, additionalProperties } = schema;
  // Beside named members, the type of further ones is made wider by theirs, which it has to see.
  if (properties !== undefined && typeof additionalProperties === 'object') return schema;
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: leanMembers(properties) }),
    ...(typeof items === 'object' && !Array.isArray(items) ? { items: leanValue(items) } : {}),
    ...(typeof additionalProperties === 'object'
      ? // A leaf by itself is printed otherwise here, without brackets.
        { additionalProperties: lean(additionalProperties) }
      : {}),
  };
}

function leanMembers(properties: Record<string, JSONSchema7Definition>): typeof properties {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      typeof schema === 'object' ? leanValue(schema) : schema,
    ]),
  );
}

function leanValue(schema: JSONSchema7): JSONSchema7 {
  const { type, description } = schema;
  if (type === undefined || schema.enum !== undefined || schema.title !== undefined)
    return lean(schema);
  const names = [type].flat().map((name) => LEAVES.get(name));
  if (names.length === 0 || names.includes(undefined)) return lean(schema);
  const distinct = [...new Set(names)];
  const tsType = distinct.length === 1 ? `${distinct[0]}` : `(${distinct.join(' | ')})`;
  return { ...(description === undefined ? {} : { description }), tsType } as JSONSchema7;
}
