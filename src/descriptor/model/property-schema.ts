import type { JSONSchema7 } from 'json-schema';
import type { JsonValue } from '../../protocol/json.js';
import { BOUNDS } from '../bounds.js';
import type { UnionSchema } from '../branches.js';
import { KEYS_OF_SETS, kindOf, typeNamed, typeOf } from '../kinds.js';
import { items, type Located, member, members, text, words } from '../located.js';
import { isBlob, isPrincipal } from '../schema-places.js';
import { declaredTarget, withTarget } from './id-schemas.js';

/**
 * The use of a schema. `stored` values get the default bounds; `message` ones (arguments and
 * responses of methods) are bounded by the request's size.
 */
export type SchemaUse = 'stored' | 'message';

/** The schemas of `$defs` by what they were made of: each is one object, wherever it is used. */
const shared: Readonly<Record<SchemaUse, WeakMap<Located, JSONSchema7>>> = Object.freeze({
  stored: new WeakMap(),
  message: new WeakMap(),
});

/** Makes a plain JSON Schema of a descriptor's schema, bounds and closed objects spelled out. */
export function buildSchema(node: Located, use: SchemaUse): JSONSchema7 {
  if (node.definition !== undefined) return buildSchema(node.definition, use);
  if (node.title === undefined) return composeSchema(node, use);
  if (node.depth !== undefined) return endSchema(node.title, node.depth);
  const known = shared[use].get(node);
  if (known !== undefined) return known;
  const made = { ...composeSchema(node, use), title: node.title };
  shared[use].set(node, made);
  return made;
}

/** Returns the schema where a definition would nest too deep: no value is legal there. */
function endSchema(title: string, depth: number): JSONSchema7 {
  return { title, beyondDepth: depth } as JSONSchema7;
}

/** Returns the JSON Schema of a node, with defaults for the bounds that a column needs. */
function composeSchema(node: Located, use: SchemaUse): JSONSchema7 {
  const { type, nullable } = typeOf(node);
  if (member(node, 'setOf') !== undefined) return setSchema(node, nullable);
  const branches = member(node, 'oneOf')?.items;
  if (branches !== undefined) return unionSchema(node, branches, use);
  const constant = member(node, 'const');
  if (constant !== undefined) return constantSchema(node, constant.value);
  const isReference = member(node, 'references') !== undefined;
  const isId = isReference || isBlob(node) || isPrincipal(node);
  if (type === 'string' && isId) return composeId(node, nullable);
  const own: Record<string, unknown> = readNormalize(node);
  for (const key of typeNamed(type)?.bounds ?? []) {
    const value = member(node, key)?.value;
    if (value !== undefined) own[key] = value;
  }
  const description = words(node);
  return {
    ...(description === '' ? {} : { description }),
    type: (nullable ? [type, 'null'] : type) as JSONSchema7['type'],
    ...readEnum(node, nullable),
    ...(use === 'stored' ? boundByDefault(node, type) : {}),
    ...own,
    ...(type === 'array' ? { items: isReference ? listedId(node) : itemSchema(node, use) } : {}),
    ...(type === 'object' ? composeMembers(node, use) : {}),
  };
}

/** Returns `normalize` of a string, a keyword of ours among those of JSON Schema. */
function readNormalize(node: Located): Record<string, unknown> {
  const value = member(node, 'normalize')?.value;
  return value === undefined ? {} : { normalize: value };
}

/** Returns the schema of a union. */
function unionSchema(node: Located, branches: readonly Located[], use: SchemaUse): UnionSchema {
  const description = words(node);
  return {
    ...(description === '' ? {} : { description }),
    type: typeOf(node).nullable ? ['object', 'null'] : 'object',
    discriminator: text(member(node, 'discriminator')) ?? '',
    oneOf: branches.map((branch) => buildSchema(branch, use)),
  };
}

/** Returns the schema of a constant. One that may be null is an enum of both. */
function constantSchema(node: Located, value: JsonValue): JSONSchema7 {
  const { type, nullable } = typeOf(node);
  const description = words(node);
  const values = value === null ? [null] : [value, null];
  return {
    ...(description === '' ? {} : { description }),
    type: (nullable ? [type, 'null'] : type) as JSONSchema7['type'],
    ...(nullable ? { enum: values as JSONSchema7['enum'] } : { const: value as never }),
  };
}

/** Returns the schema of the items of a list of references. */
function listedId(list: Located): JSONSchema7 {
  return withTarget({ type: 'string', format: 'id' }, declaredTarget(list));
}

/** Returns the schema of an id: of a reference, or of a blob. */
function composeId(node: Located, nullable: boolean): JSONSchema7 {
  const description = words(node);
  const lengths = ['minLength', 'maxLength'].flatMap((key) => {
    const value = member(node, key)?.value;
    return value === undefined ? [] : [[key, value]];
  });
  const schema: JSONSchema7 = {
    ...(description === '' ? {} : { description }),
    type: nullable ? ['string', 'null'] : 'string',
    ...Object.fromEntries(lengths),
    format: 'id',
  };
  return withTarget(schema, declaredTarget(node));
}

/** Returns the schema under `setOf`; undefined where a word stands there, such as `string`. */
function keySchemaOf(node: Located): Located | undefined {
  const keys = member(node, 'setOf');
  return keys?.members === undefined ? undefined : keys;
}

/** Returns the schema of a set: String[Boolean] or Id[Boolean] (RFC 8620 1.1), all values true. */
function setSchema(node: Located, nullable: boolean): JSONSchema7 {
  const description = words(node);
  const keys = keySchemaOf(node) ?? node;
  const own = Object.fromEntries(
    KEYS_OF_SETS.flatMap((key) => {
      const value = member(keys, key)?.value;
      return value === undefined ? [] : [[key, value]];
    }),
  );
  const declared = declaredTarget(node);
  const target = declared === undefined ? declaredTarget(keys) : declared;
  const isId = target !== undefined || isPrincipal(node);
  const format = isId ? 'id' : text(member(keys, 'format'));
  const schema: JSONSchema7 = {
    ...(description === '' ? {} : { description }),
    type: nullable ? ['object', 'null'] : 'object',
    ...readCount(node, 'minProperties'),
    ...{ maxProperties: BOUNDS.properties, ...readCount(node, 'maxProperties') },
    propertyNames:
      format === undefined ? { maxLength: BOUNDS.keyLength, ...own } : { ...own, format },
    additionalProperties: { type: 'boolean', enum: [true] },
  };
  return withTarget(schema, target);
}

/**
 * Returns a schema with a bound on the number of a set's keys; an empty one if none is declared.
 */
function readCount(node: Located, key: 'minProperties' | 'maxProperties'): JSONSchema7 {
  const value = member(node, key)?.value;
  return typeof value === 'number' ? { [key]: value } : {};
}

/** Returns the schema of a list's items: true, for anything, where a rule reports that it lacks. */
function itemSchema(list: Located, use: SchemaUse): JSONSchema7 | true {
  const node = member(list, 'items');
  return node === undefined ? true : buildSchema(node, use);
}

/** Returns the values of an enum. A nullable one has null, even if the descriptor leaves it out. */
function readEnum(node: Located, nullable: boolean): { enum?: JSONSchema7['enum'] } {
  const values = member(node, 'enum')?.items?.map((item) => item.value);
  if (values === undefined) return {};
  const withNull: JsonValue[] = nullable && !values.includes(null) ? [...values, null] : values;
  return { enum: withNull as JSONSchema7['enum'] };
}

/** Returns the bounds that hold unless a stored value declares its own (BOUNDS). */
function boundByDefault(node: Located, type: string | undefined): JSONSchema7 {
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

/** Returns whether an object may have further members: `additionalProperties` but false. */
export function isOpen(node: Located): boolean {
  const further = member(node, 'additionalProperties');
  return further !== undefined && further.value !== false;
}

/** Returns the keywords about an object's members. Without `additionalProperties` it is closed. */
function composeMembers(node: Located, use: SchemaUse): JSONSchema7 {
  const properties = members(member(node, 'properties'));
  const required = items(member(node, 'required')).flatMap((item) => text(item) ?? []);
  const further = member(node, 'additionalProperties');
  const names = member(node, 'propertyNames');
  const schema: JSONSchema7 = {
    ...(properties.length === 0
      ? {}
      : {
          properties: Object.fromEntries(
            properties.map(({ name, node: inner }) => [name, buildSchema(inner, use)]),
          ),
        }),
    ...(required.length === 0 ? {} : { required }),
    ...(names === undefined
      ? {}
      : { propertyNames: { format: text(member(names, 'format')) ?? 'id' } }),
    additionalProperties:
      further?.members === undefined ? further?.value === true : buildSchema(further, use),
  };
  return withTarget(schema, declaredTarget(names));
}
