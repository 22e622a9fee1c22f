import { Ajv, type AnySchema, type ValidateFunction } from 'ajv';
import type { JSONSchema7 } from 'json-schema';
import type { ModelProperty } from '../../src/descriptor/model.js';
import type { FuzzType, FuzzWorld } from './world.js';

/**
 * The shapes of the arguments of each method's response, compiled once, of the descriptors alone.
 */
export type Shapes = ReadonlyMap<string, ValidateFunction>;

const text: JSONSchema7 = { type: 'string', minLength: 1 };
const texts: JSONSchema7 = { type: 'array', items: text };
const count: JSONSchema7 = { type: 'integer', minimum: 0 };
const boolean: JSONSchema7 = { type: 'boolean' };
/** Ids of this server begin with a letter. */
const id: JSONSchema7 = { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$' };

/** RFC 8620 5.3, 5.4; RFC 9404 4.1. */
export const SET_ERRORS: readonly string[] = Object.freeze([
  'alreadyExists',
  'blobNotFound',
  'forbidden',
  'invalidPatch',
  'invalidProperties',
  'notFound',
  'objectIsLinked',
  'overQuota',
  'rateLimit',
  'singleton',
  'tooLarge',
  'willDestroy',
]);

const setError: JSONSchema7 = {
  type: 'object',
  properties: {
    type: { enum: [...SET_ERRORS] },
    description: text,
    properties: { type: 'array', items: { type: 'string' } },
    existingId: id,
    objectIds: { type: 'array', items: id, minItems: 1, maxItems: 10 },
    notFound: { type: 'array', items: { type: 'string' } },
  },
  required: ['type', 'description'],
  additionalProperties: false,
};

const mapOf = (values: JSONSchema7): JSONSchema7 => ({
  type: ['object', 'null'],
  additionalProperties: values,
});

function members(
  properties: Record<string, JSONSchema7>,
  required: readonly string[],
  more: JSONSchema7 | undefined,
): JSONSchema7 {
  return {
    type: 'object',
    properties: { ...properties, ...more?.properties },
    required: [...required],
    additionalProperties: false,
  };
}

function objectOf(type: FuzzType, required: readonly string[]): JSONSchema7 {
  const shown = (property: ModelProperty): JSONSchema7 =>
    property.role === 'id' ? { anyOf: [id, { const: 'singleton' }] } : property.schema;
  const properties = type.visible.map((property) => [property.name, shown(property)] as const);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: [...required],
    additionalProperties: false,
  };
}

function standardShapes(type: FuzzType): [string, JSONSchema7][] {
  const item = objectOf(type, ['id']);
  const made = objectOf(type, ['id']);
  const changed: JSONSchema7 = { anyOf: [{ type: 'null' }, objectOf(type, [])] };
  const states = { accountId: text, oldState: text, newState: text };
  const problems = mapOf(setError);
  const names = type.visible.map(({ name }) => name);
  const added: JSONSchema7 = {
    type: 'array',
    items: members({ id: text, index: count }, ['id', 'index'], undefined),
  };
  const shapes: Record<string, readonly [Record<string, JSONSchema7>, readonly string[]]> = {
    get: [
      {
        accountId: text,
        state: text,
        list: { type: 'array', items: item },
        notFound: { type: 'array', items: { type: 'string' } },
      },
      ['accountId', 'state', 'list', 'notFound'],
    ],
    changes: [
      {
        ...{ ...states, hasMoreChanges: boolean, created: texts, updated: texts, destroyed: texts },
        updatedProperties: { type: ['array', 'null'], items: { enum: names } },
      },
      [
        ...['accountId', 'oldState', 'newState', 'hasMoreChanges', 'created', 'updated'],
        ...['destroyed', 'updatedProperties'],
      ],
    ],
    set: [
      {
        ...states,
        created: mapOf(made),
        updated: mapOf(changed),
        destroyed: { type: ['array', 'null'], items: text },
        notCreated: problems,
        notUpdated: problems,
        notDestroyed: problems,
      },
      ['accountId', 'newState'],
    ],
    copy: [
      { ...states, fromAccountId: text, created: mapOf(made), notCreated: problems },
      ['accountId', 'fromAccountId', 'newState'],
    ],
    query: [
      {
        accountId: text,
        queryState: text,
        canCalculateChanges: boolean,
        position: count,
        ids: { ...texts, uniqueItems: true },
        total: count,
        limit: count,
      },
      ['accountId', 'queryState', 'canCalculateChanges', 'position', 'ids'],
    ],
    queryChanges: [
      {
        accountId: text,
        oldQueryState: text,
        newQueryState: text,
        total: count,
        removed: texts,
        added,
      },
      ['accountId', 'oldQueryState', 'newQueryState', 'removed', 'added'],
    ],
  };
  return type.type.methods.map(({ name, response }): [string, JSONSchema7] => {
    const shape = shapes[name];
    if (shape === undefined) throw new Error(`${name} is no standard method.`);
    const [properties, required] = shape;
    return [`${type.name}/${name}`, members(properties, required, response)];
  });
}

export function responseShapes({ types, methods }: FuzzWorld): Shapes {
  // Formats are judged by the tests of dates and ids; here it is the kind that counts.
  const ajv = new Ajv({ strict: false, validateFormats: false, allowUnionTypes: true });
  const schemas = [
    ...types.flatMap(standardShapes),
    ...methods.map(({ name, response }): [string, JSONSchema7] => [name, response]),
  ];
  return new Map(
    schemas.map(([name, schema]): [string, ValidateFunction] => [
      name,
      ajv.compile(schema as AnySchema),
    ]),
  );
}
