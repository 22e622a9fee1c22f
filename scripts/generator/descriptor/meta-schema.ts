import type { JSONSchema7 } from 'json-schema';
import { BOUNDS } from './bounds.js';
import { OPERATOR_NAMES, OPERATORS } from './operators.js';

/**
 * The descriptor language as a JSON Schema (draft-07, which editors read): the single description
 * of which keys there are and what they take. What it can't say is a rule in check/.
 */
export const TYPE_NAMES = ['string', 'boolean', 'integer', 'number', 'array', 'object'] as const;
export const FORMATS = ['utc-date', 'id'] as const;

const text = (description: string, ...examples: string[]): JSONSchema7 => ({
  type: 'string',
  description,
  ...(examples.length > 0 ? { examples } : {}),
});
const flag = (description: string, fallback: boolean): JSONSchema7 => ({
  type: 'boolean',
  description,
  default: fallback,
});
const count = (description: string, maximum: number, minimum = 0): JSONSchema7 => ({
  type: 'integer',
  minimum,
  maximum,
  description,
});
const ref = (name: string): JSONSchema7 => ({ $ref: `#/definitions/${name}` });

const typeKey: JSONSchema7 = {
  description:
    "The JSON type of the value, or a list of one type and 'null' (in quotes) where it may " +
    'be null.',
  examples: ['string', ['string', 'null']],
  if: { type: 'array' },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: {
    type: 'array',
    items: { enum: [...TYPE_NAMES, 'null'] },
    minItems: 2,
    maxItems: 2,
    contains: { const: 'null' },
    uniqueItems: true,
  },
  else: { enum: [...TYPE_NAMES] },
};

/** Keys that a property of a type and a schema within one have in common. */
const schemaKeys: Record<string, JSONSchema7> = {
  type: typeKey,
  description: text('What the value means, in a sentence: it becomes the doc comment.'),
  enum: {
    type: 'array',
    items: {},
    minItems: 1,
    description: 'The values that are allowed.',
    examples: [['small', 'large']],
  },
  format: {
    enum: [...FORMATS],
    description: 'utc-date: an RFC 3339 date with Z. id: an Id as RFC 8620 1.2 has it.',
  },
  minLength: count('Code points at least (strings).', BOUNDS.maxStringLength),
  maxLength: count(
    `Code points at most (strings); ${BOUNDS.stringLength} where not given.`,
    BOUNDS.maxStringLength,
    1,
  ),
  pattern: text('A regular expression that a string must match somewhere.', '^[A-Z]{2}$'),
  minimum: { type: 'number', description: 'The least number that is allowed.' },
  maximum: { type: 'number', description: 'The greatest number that is allowed.' },
  items: { ...ref('schema'), description: 'What the items of a list look like.' },
  minItems: count('Items at least (lists).', BOUNDS.maxItems),
  maxItems: count(`Items at most (lists); ${BOUNDS.items} where not given.`, BOUNDS.maxItems),
  uniqueItems: flag('No two items of the list are equal.', false),
  properties: {
    type: 'object',
    description: 'The members of a nested object; each may be absent unless `required` names it.',
    additionalProperties: ref('schema'),
  },
  additionalProperties: {
    description:
      'What members beside `properties` hold: a schema, true (any JSON) or false (there are ' +
      'none: the default).',
    if: { type: 'object' },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: ref('schema'),
    else: { type: 'boolean' },
  },
  propertyNames: {
    type: 'object',
    description: 'What the names of further members look like: { format: id }.',
    properties: { format: { enum: ['id'] } },
    required: ['format'],
    additionalProperties: false,
  },
  minProperties: count('Members at least (objects).', BOUNDS.maxProperties),
  maxProperties: count(
    `Members at most (objects); ${BOUNDS.properties} where further members are allowed.`,
    BOUNDS.maxProperties,
  ),
};

/**
 * `required` in a schema names members; it stands here because a property of a type has none of
 * its own.
 */
const schema: JSONSchema7 = {
  type: 'object',
  description: 'A value within a property, an argument or a response.',
  properties: {
    ...schemaKeys,
    required: { ...ref('names'), description: 'The members that must be there.' },
  },
  required: ['type'],
  additionalProperties: false,
};

const property: JSONSchema7 = {
  type: 'object',
  description:
    'A property: a JSON Schema for its shape and a few words for its behaviour. It is ' +
    'required, nullable, or has a default.',
  properties: {
    ...schemaKeys,
    required: {
      ...ref('names'),
      description: 'The members of a nested object that must be there.',
    },
    default: {
      description: 'What a create without the property stores, and what a null patch restores.',
    },
    access: {
      enum: ['mutable', 'immutable', 'serverSet'],
      default: 'mutable',
      description:
        'mutable: clients write it. immutable: on create alone. serverSet: the server writes ' +
        'it, clients read it.',
    },
    blob: flag(
      'The value is the id of a blob in the same account, for which a blob reference record ' +
        'is kept.',
      false,
    ),
  },
  required: ['type'],
  additionalProperties: false,
};

const operator: JSONSchema7 = {
  enum: [...OPERATOR_NAMES],
  description: OPERATOR_NAMES.map((name) => `${name}: ${OPERATORS[name].description}`).join('\n'),
};

const filter: JSONSchema7 = {
  description:
    'A condition of /query: an operator, or { property, is } where the condition has another ' +
    'name than its property.',
  examples: ['contains', { property: 'due', is: 'before' }],
  if: { type: 'string' },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: operator,
  else: {
    type: 'object',
    properties: {
      property: text("The property that is compared; the condition's own name where not given."),
      is: operator,
      description: text('What the condition is for: it becomes the doc comment.'),
    },
    required: ['is'],
    additionalProperties: false,
  },
};

const sort: JSONSchema7 = {
  description: 'A property to sort by: its name, or { property, indexed }.',
  examples: ['title', { property: 'due', indexed: true }],
  if: { type: 'string' },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { type: 'string' },
  else: {
    type: 'object',
    properties: {
      property: text('The property to sort by.'),
      indexed: flag('Keep an ordered index: faster sorts of many records, slower writes.', false),
    },
    required: ['property'],
    additionalProperties: false,
  },
};

const dataType: JSONSchema7 = {
  type: 'object',
  description:
    'A data type: it gets the six standard methods /get, /set, /changes, /query, ' +
    '/queryChanges and /copy.',
  properties: {
    description: text('What one object of the type is, in a sentence.'),
    acceptSnakeCase: flag('Input names may be given in snake_case too.', false),
    properties: {
      type: 'object',
      minProperties: 1,
      maxProperties: BOUNDS.typeProperties,
      description:
        `The properties by name (camelCase), at most ${BOUNDS.typeProperties}. ` +
        'Each type has id, created and updated besides.',
      additionalProperties: ref('property'),
    },
    required: { ...ref('names'), description: 'The properties that a create must give.' },
    filter: {
      type: 'object',
      description: 'The conditions that /query takes, by name.',
      additionalProperties: ref('filter'),
    },
    sort: {
      type: 'array',
      description: 'The properties that /query sorts by.',
      items: ref('sort'),
    },
  },
  required: ['properties'],
  additionalProperties: false,
};

const method: JSONSchema7 = {
  type: 'object',
  description: 'A method beside the standard ones.',
  properties: {
    description: text('What the method does, in a sentence.'),
    account: {
      enum: ['none', 'read', 'write'],
      default: 'read',
      description:
        'none: it has no accountId. read: it reads data of the account. write: a read-only ' +
        'account refuses it.',
    },
    accountCapability: text(
      'The capability that the account must have, where it is not the one of this descriptor.',
      'urn:ietf:params:jmap:blob',
    ),
    arguments: { ...ref('schema'), description: 'The arguments: an object.' },
    response: { ...ref('schema'), description: 'The response: an object.' },
  },
  required: ['arguments', 'response'],
  additionalProperties: false,
};

const freeObject = (description: string): JSONSchema7 => ({
  type: 'object',
  description,
  default: {},
});

export const META_SCHEMA: JSONSchema7 = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'https://jmapsmith.invalid/descriptor.schema.json',
  title: 'JMAP capability descriptor',
  description:
    'A capability with its data types and methods. docs/descriptors.md explains each key.',
  type: 'object',
  properties: {
    capability: text(
      'The URN or URL that requests name in `using`.',
      'urn:example:todos',
      'https://example.com/jmap/gadgets',
    ),
    description: text('What the capability is for, in a sentence.'),
    session: freeObject("Static members of its object in the session's `capabilities`."),
    accountSession: freeObject(
      "Static members of its object in each account's `accountCapabilities`.",
    ),
    bareSession: flag(
      'The object in `capabilities` is exactly {}: without the hash that others carry.',
      false,
    ),
    accountLevel: flag(
      'It belongs to accounts: it stands in `accountCapabilities` and `primaryAccounts`.',
      true,
    ),
    types: {
      type: 'object',
      description: 'The data types by name (PascalCase).',
      additionalProperties: ref('dataType'),
    },
    methods: {
      type: 'object',
      description: 'Methods of its own, by name: Type/method.',
      additionalProperties: ref('method'),
    },
  },
  required: ['capability'],
  additionalProperties: false,
  definitions: {
    names: { type: 'array', items: { type: 'string' } },
    dataType,
    property,
    schema,
    filter,
    sort,
    method,
  },
};
