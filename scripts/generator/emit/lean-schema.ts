import type { JSONSchema7, JSONSchema7Definition } from 'json-schema';
import type { JsonValue } from '../../../src/protocol/json.js';
import { literal } from './code.js';
import { memberName } from './generated-module.js';

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
  if (schema.oneOf !== undefined) return leanUnion(schema);
  if (schema.const !== undefined) return constantType(schema, [schema.const as JsonValue]);
  if (schema.enum?.some((value) => typeof value === 'object' && value !== null))
    return constantType(schema, schema.enum as readonly JsonValue[]);
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

/** Returns a union as one of its branches, or null where it may be null: no type is beside it. */
function leanUnion({ title, description, type, oneOf = [] }: JSONSchema7): JSONSchema7 {
  const branches = oneOf.map((branch) => (typeof branch === 'object' ? lean(branch) : branch));
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    oneOf: [type].flat().includes('null') ? [...branches, { type: 'null' }] : branches,
  };
}

/** Returns a schema whose type is one of the values, each as a literal. */
function constantType(
  { title, description }: JSONSchema7,
  values: readonly JsonValue[],
): JSONSchema7 {
  const type = values.map(literalType).join(' | ');
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    tsType: values.length === 1 ? type : `(${type})`,
  } as JSONSchema7;
}

/** Returns the TypeScript type of a value and no other: `readonly [1, 2]`. */
function literalType(value: JsonValue): string {
  if (Array.isArray(value)) return `readonly [${value.map(literalType).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return literal(value);
  const members = Object.entries(value).map(
    ([name, inner]) => `readonly ${memberName(name)}: ${literalType(inner)}`,
  );
  return members.length === 0 ? 'Readonly<Record<string, never>>' : `{ ${members.join('; ')} }`;
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
  const isListed = schema.enum !== undefined || schema.const !== undefined;
  if (type === undefined || isListed || schema.title !== undefined) return lean(schema);
  const names = [type].flat().map((name) => LEAVES.get(name));
  if (names.length === 0 || names.includes(undefined)) return lean(schema);
  const distinct = [...new Set(names)];
  const tsType = distinct.length === 1 ? `${distinct[0]}` : `(${distinct.join(' | ')})`;
  return { ...(description === undefined ? {} : { description }), tsType } as JSONSchema7;
}
