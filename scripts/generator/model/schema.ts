import type { JSONSchema7 } from 'json-schema';
import type { JsonValue } from '../../../src/protocol/json.js';
import { BOUNDS } from '../descriptor/bounds.js';
import { kindOf, typeOf } from '../descriptor/view.js';
import { items, type Located, member, members, text, words } from '../load/located.js';

/**
 * What a schema is for. `stored` values get the default bounds; `message` ones (arguments and
 * responses of methods) are bounded by the request's size.
 */
export type SchemaUse = 'stored' | 'message';

/** The keys of a schema that are taken over as they are where they fit its type. */
const COPIED: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  integer: ['minimum', 'maximum'],
  number: ['minimum', 'maximum'],
  array: ['minItems', 'maxItems', 'uniqueItems'],
  object: ['minProperties', 'maxProperties'],
};

/** Makes a plain JSON Schema of a descriptor's schema, bounds and closed objects spelled out. */
export function buildSchema(node: Located, use: SchemaUse): JSONSchema7 {
  const { type, nullable } = typeOf(node);
  const own: Record<string, unknown> = {};
  for (const key of COPIED[type ?? ''] ?? []) {
    const value = member(node, key)?.value;
    if (value !== undefined) own[key] = value;
  }
  const description = words(node);
  return {
    ...(description === '' ? {} : { description }),
    type: (nullable ? [type, 'null'] : type) as JSONSchema7['type'],
    ...enumOf(node, nullable),
    ...(use === 'stored' ? defaultBounds(node, type) : {}),
    ...own,
    ...(type === 'array' ? { items: itemSchema(node, use) } : {}),
    ...(type === 'object' ? objectPart(node, use) : {}),
  };
}

/** A list without `items` is wrong and told so; until then it is one of anything. */
function itemSchema(list: Located, use: SchemaUse): JSONSchema7 | true {
  const node = member(list, 'items');
  return node === undefined ? true : buildSchema(node, use);
}

function enumOf(node: Located, nullable: boolean): { enum?: JSONSchema7['enum'] } {
  const values = member(node, 'enum')?.items?.map((item) => item.value);
  if (values === undefined) return {};
  const withNull: JsonValue[] = nullable && !values.includes(null) ? [...values, null] : values;
  return { enum: withNull as JSONSchema7['enum'] };
}

function defaultBounds(node: Located, type: string | undefined): JSONSchema7 {
  switch (type) {
    case 'string':
      return member(node, 'enum') === undefined &&
        kindOf(type, text(member(node, 'format'))) === 'string'
        ? { maxLength: BOUNDS.stringLength }
        : {};
    case 'integer':
      return { minimum: BOUNDS.minInteger, maximum: BOUNDS.maxInteger };
    case 'array':
      return { maxItems: BOUNDS.items };
    case 'object':
      return isOpen(node) ? { maxProperties: BOUNDS.properties } : {};
    default:
      return {};
  }
}

/** Further members are allowed beside the declared ones. */
export function isOpen(node: Located): boolean {
  const further = member(node, 'additionalProperties');
  return further !== undefined && further.value !== false;
}

function objectPart(node: Located, use: SchemaUse): JSONSchema7 {
  const properties = members(member(node, 'properties'));
  const required = items(member(node, 'required')).flatMap((item) => text(item) ?? []);
  const further = member(node, 'additionalProperties');
  const names = member(node, 'propertyNames')?.value as JSONSchema7 | undefined;
  return {
    ...(properties.length === 0
      ? {}
      : {
          properties: Object.fromEntries(
            properties.map(({ name, node: inner }) => [name, buildSchema(inner, use)]),
          ),
        }),
    ...(required.length === 0 ? {} : { required }),
    ...(names === undefined ? {} : { propertyNames: names }),
    additionalProperties:
      further?.members === undefined ? further?.value === true : buildSchema(further, use),
  };
}
