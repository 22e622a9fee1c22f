import type { JSONSchema7 } from 'json-schema';
import { FORMAT_NAMES, FORMATS } from '../capability/formats.js';
import { BOUNDS } from './bounds.js';
import { ACCESS, ACCOUNT_USES, ON_DESTROY, STORED, wordNames, wordsText } from './key-words.js';
import { TYPE_NAMES } from './kinds.js';
import { OPERATOR_NAMES, OPERATORS } from './operators.js';
import { METHOD_NAMES } from './standard-methods.js';

/**
 * The descriptor language as a JSON Schema (draft-07, which editors read): the single description
 * of which keys there are and what they take. A rule in check/ says what the schema can't.
 */

const ON_DESTROY_HELP = 'The action when the object referred to is destroyed.';

const text = (description: string, ...examples: string[]): JSONSchema7 => ({
  type: 'string',
  description,
  ...(examples.length > 0 ? { examples } : {}),
});
const flag = (description: string, fallback: boolean): JSONSchema7 => ({
  type: 'boolean',
  description,
  default: fallback,
  examples: [!fallback],
});
const count = (
  description: string,
  maximum: number,
  { minimum = 0, example = 100 } = {},
): JSONSchema7 => ({
  type: 'integer',
  minimum,
  maximum,
  description,
  examples: [example],
});
const ref = (name: string): JSONSchema7 => ({ $ref: `#/definitions/${name}` });

const typeKey: JSONSchema7 = {
  description:
    "The JSON type of the value, or a list of one type and 'null' (in quotes) where it may " +
    'be null.',
  examples: [...TYPE_NAMES, ...TYPE_NAMES.map((name) => [name, 'null'])],
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
  description: text('The meaning of the value: it becomes the doc comment.', 'When it is due.'),
  enum: {
    type: 'array',
    items: {},
    minItems: 1,
    description: 'The values that are allowed; TypeScript has a union of them.',
    examples: [['small', 'large']],
  },
  format: {
    enum: [...FORMAT_NAMES],
    description: FORMAT_NAMES.map((name) => `${name}: ${FORMATS[name].description}`).join('\n'),
    examples: ['utc-date'],
  },
  minLength: count('Code points at least.', BOUNDS.maxStringLength, { example: 1 }),
  maxLength: count(
    `Code points at most; ${BOUNDS.stringLength} by default.`,
    BOUNDS.maxStringLength,
    { minimum: 1 },
  ),
  blob: flag(
    'The string is the id of a blob in the same account. false says that it is none, although ' +
      'its name is blobId or the like.',
    false,
  ),
  pattern: text('A regular expression (ECMA-262, flag u) that must match.', '^[A-Z]{2}$'),
  minimum: {
    type: 'number',
    description: 'The least number that is allowed.',
    examples: [0],
  },
  maximum: {
    type: 'number',
    description: 'The greatest number that is allowed.',
    examples: [100],
  },
  items: {
    ...ref('schema'),
    description: 'The schema of the items of a list.',
    examples: [{ type: 'string', maxLength: 100 }],
  },
  minItems: count('Items at least.', BOUNDS.maxItems, { example: 1 }),
  maxItems: count(`Items at most; ${BOUNDS.items} by default.`, BOUNDS.maxItems),
  uniqueItems: flag('No two items of the list are equal.', false),
  properties: {
    type: 'object',
    description: 'The members of a nested object; each may be absent unless `required` names it.',
    examples: [{ street: { type: 'string' } }],
    additionalProperties: ref('schema'),
  },
  additionalProperties: {
    description:
      'The schema of further members, or true (any JSON), or false (there are none: the default).',
    examples: [{ type: 'string' }, true],
    if: { type: 'object' },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: ref('schema'),
    else: { type: 'boolean' },
  },
  propertyNames: {
    type: 'object',
    description:
      'The names of further members are ids: { format: id }, or of blobs: { blob: true }.',
    examples: [{ format: 'id' }, { blob: true }],
    properties: {
      format: {
        enum: ['id'],
        description: 'id: each name is an Id (RFC 8620 1.2).',
        examples: ['id'],
      },
      blob: {
        enum: [true],
        description: 'Each name is the id of a blob in the same account.',
        examples: [true],
      },
    },
    minProperties: 1,
    additionalProperties: false,
  },
  minProperties: count('Members at least.', BOUNDS.maxProperties, { example: 1 }),
  maxProperties: count(
    `Members at most; ${BOUNDS.properties} where further members are allowed.`,
    BOUNDS.maxProperties,
  ),
  setOf: {
    description:
      'A set: an object whose members are all true. Its keys are strings (string, or a schema of ' +
      'one), or ids of blobs (blob) or of objects (the name of a type).',
    examples: ['string', 'blob', 'Gadget', { type: 'string', enum: ['red', 'green'] }],
    if: { type: 'object' },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: ref('schema'),
    else: { type: 'string' },
  },
  $ref: text('A schema of this descriptor, instead of one written here.', '#/$defs/address'),
};

/** A schema has a type, unless it is a set or one from `$defs`. */
const typeNeeded: JSONSchema7 = {
  if: { anyOf: [{ required: ['setOf'] }, { required: ['$ref'] }] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: true,
  else: { required: ['type'] },
};

const deprecated = text('The replacement to use: `@deprecated` in the types.', 'Use title.');
const renamedFrom = text('Its name in the last released migration: stored data is kept.', 'label');
const names = (description: string, ...examples: string[]): JSONSchema7 => ({
  ...ref('names'),
  description,
  examples: [examples],
});

/**
 * `required` in a schema names members; it stands here because a property of a type has none of
 * its own.
 */
const schema: JSONSchema7 = {
  type: 'object',
  description: 'A value within a property, an argument or a response.',
  properties: {
    ...schemaKeys,
    required: names('The members that must be there.', 'street'),
  },
  ...typeNeeded,
  additionalProperties: false,
};

const property: JSONSchema7 = {
  type: 'object',
  description:
    'A property: a JSON Schema for its shape and a few words for its behaviour. It is ' +
    'required, nullable, or has a default.',
  properties: {
    ...schemaKeys,
    required: names('The members of a nested object that must be there.', 'street'),
    default: {
      description:
        'The value that a create without the property stores and /set reports, and that a null ' +
        'patch restores. Existing objects get it where a migration adds the property. A nullable ' +
        'property has null.',
      examples: [false, '', 0],
    },
    access: {
      enum: wordNames(ACCESS),
      default: 'mutable',
      examples: ['immutable'],
      description: wordsText(ACCESS),
    },
    stored: {
      enum: wordNames(STORED),
      default: 'hash',
      examples: ['encrypt'],
      description: wordsText(STORED),
    },
    unique: flag('No two objects of an account have the same value; null equals nothing.', false),
    references: text(
      'The type of the objects in the same account that this property names by id.',
      'Gadget',
    ),
    onDestroy: {
      enum: wordNames(ON_DESTROY),
      default: 'restrict',
      examples: ['cascade'],
      description: `${ON_DESTROY_HELP}\n${wordsText(ON_DESTROY)}`,
    },
    acyclic: flag('No object leads back to itself by this property.', false),
    computed: {
      type: 'object',
      description:
        'The server computes the value from properties of the same object (from), objects that ' +
        'refer to it (count, by), or properties of others (on).',
      examples: [
        { from: ['title'] },
        { count: 'Gadget', by: 'parentId' },
        { on: ['Gadget.title'] },
      ],
      properties: {
        from: names('Properties of the same object that the hook function reads.', 'title'),
        count: text('The type whose objects are counted.', 'Gadget'),
        by: text('The property of the counted type that refers to this one.', 'parentId'),
        on: names('Type.property: where a change makes the hook function run.', 'Gadget.title'),
      },
      additionalProperties: false,
    },
    deprecated,
    renamedFrom,
  },
  ...typeNeeded,
  additionalProperties: false,
};

const operator: JSONSchema7 = {
  enum: [...OPERATOR_NAMES],
  description: OPERATOR_NAMES.map((name) => `${name}: ${OPERATORS[name].description}`).join('\n'),
  examples: ['equals'],
};

const filter: JSONSchema7 = {
  description:
    'A condition of /query: an operator, or { property, is } where the condition has another ' +
    'name than its property.',
  examples: [
    ...OPERATOR_NAMES,
    { is: 'contains', indexed: true },
    { property: 'due', is: 'before' },
  ],
  if: { type: 'string' },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: operator,
  else: {
    type: 'object',
    properties: {
      property: text(
        "The property that is compared; the condition's own name where not given.",
        'due',
      ),
      is: operator,
      properties: names('Of `text`: the properties whose words are looked for.', 'title', 'body'),
      indexed: flag('Keep an index: faster queries of many records, slower writes.', false),
      description: text(
        'The purpose of the condition: it becomes the doc comment.',
        'Due before the date.',
      ),
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
      property: text('The property to sort by.', 'due'),
      indexed: flag('Keep an ordered index: faster sorts of many records, slower writes.', false),
    },
    required: ['property'],
    additionalProperties: false,
  },
};

const lists = (description: string, item: JSONSchema7, example: unknown[]): JSONSchema7 => ({
  type: 'array',
  description,
  items: item,
  examples: [example as string[]],
});

const standardMethod: JSONSchema7 = {
  type: 'object',
  description: 'The further arguments and answers of a standard method.',
  examples: [{}],
  properties: {
    arguments: {
      ...ref('schema'),
      description: 'Further arguments: the properties of an object.',
      examples: [{ type: 'object', properties: { sortAsTree: { type: 'boolean' } } }],
    },
    response: {
      ...ref('schema'),
      description: 'Further members of the response: the properties of an object.',
      examples: [{ type: 'object', properties: { collapsed: { type: 'integer' } } }],
    },
  },
  additionalProperties: false,
};

const standardMethods: JSONSchema7 = {
  description:
    'The standard methods that the type has: a list of names, or an object that adds arguments ' +
    'and response members to them.',
  examples: [['get', 'query'], { get: {}, query: {} }],
  if: { type: 'array' },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { type: 'array', items: { enum: [...METHOD_NAMES] }, minItems: 1 },
  else: {
    type: 'object',
    minProperties: 1,
    properties: Object.fromEntries(METHOD_NAMES.map((name) => [name, ref('standardMethod')])),
    additionalProperties: false,
  },
};

const dataType: JSONSchema7 = {
  type: 'object',
  description:
    'A data type: it gets the six standard methods /get, /set, /changes, /query, ' +
    '/queryChanges and /copy, unless `standardMethods` names fewer.',
  examples: [{ properties: { text: { type: 'string', default: '' } } }],
  properties: {
    description: text('The meaning of one object of the type.', 'One thing to do.'),
    acceptSnakeCase: flag('Names may be given in snake_case too; answers never have it.', false),
    properties: {
      type: 'object',
      minProperties: 1,
      maxProperties: BOUNDS.typeProperties,
      description:
        `The properties by name (camelCase), at most ${BOUNDS.typeProperties}. ` +
        'Each type has id, created and updated besides.',
      examples: [{ text: { type: 'string', default: '' } }],
      additionalProperties: ref('property'),
    },
    required: names('The properties that a create must give.', 'text'),
    filter: {
      type: 'object',
      description: 'The conditions that /query takes, by name.',
      examples: [{ text: 'contains' }],
      additionalProperties: ref('filter'),
    },
    sort: {
      type: 'array',
      description: 'The properties that /query sorts by.',
      items: ref('sort'),
      examples: [['title', { property: 'due', indexed: true }]],
    },
    singleton: flag(
      'One object, with the id `singleton`, that is always there: no create, no destroy.',
      false,
    ),
    standardMethods,
    unique: lists(
      'Properties, or lists of properties, whose values no two objects of an account share.',
      {
        description: 'A property, or several whose values are unique together.',
        examples: ['code', ['list', 'position']],
        if: { type: 'array' },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { type: 'array', items: { type: 'string' }, minItems: 1 },
        else: { type: 'string' },
      },
      ['code', ['list', 'position']],
    ),
    indexes: lists(
      'Ordered indexes, each over the properties of a list: for filters by equality and sorts.',
      { type: 'array', items: { type: 'string' }, minItems: 1 },
      [['list', 'position']],
    ),
    limits: {
      type: 'object',
      description:
        'The limits of an account: objects (`count`), and octets of the JSON of each (`octets`).',
      examples: [{ count: 10_000, octets: 65_536 }],
      properties: {
        count: count('Objects: one more is `overQuota`.', BOUNDS.maxInteger, { minimum: 1 }),
        octets: count(
          "Octets of an object's JSON as /get gives it: more is `tooLarge`, unless it was larger " +
            'before.',
          BOUNDS.maxInteger,
          { minimum: 1 },
        ),
      },
      minProperties: 1,
      additionalProperties: false,
    },
    deprecated,
    renamedFrom,
    drops: names('Properties whose values the next migration may lose or narrow.', 'oldName'),
  },
  required: ['properties'],
  additionalProperties: false,
};

const method: JSONSchema7 = {
  type: 'object',
  description: 'A method beside the standard ones.',
  properties: {
    description: text('What the method does.', 'Counts anew.'),
    deprecated,
    account: {
      examples: ['write'],
      enum: wordNames(ACCOUNT_USES),
      default: 'read',
      description: wordsText(ACCOUNT_USES),
    },
    accountCapability: text(
      'The capability that the account must have, where it is not the one of this descriptor.',
      'urn:ietf:params:jmap:blob',
    ),
    arguments: {
      ...ref('schema'),
      description: 'The arguments: an object.',
      examples: [
        {
          type: 'object',
          properties: { accountId: { type: 'string' } },
          required: ['accountId'],
        },
      ],
    },
    response: {
      ...ref('schema'),
      description: 'The response: an object.',
      examples: [{ type: 'object', properties: { accountId: { type: 'string' } } }],
    },
  },
  required: ['arguments', 'response'],
  additionalProperties: false,
};

const freeObject = (description: string): JSONSchema7 => ({
  type: 'object',
  description,
  examples: [{ maxExportSize: 1000 }],
  default: {},
});

export const META_SCHEMA: JSONSchema7 = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'https://jmapsmith.invalid/descriptor.schema.json',
  title: 'JMAP capability descriptor',
  description:
    'A capability with its data types and methods. docs/reference/descriptors.md explains each ' +
    'key.',
  type: 'object',
  properties: {
    capability: text(
      'The URN or URL that requests name in `using`; its key in the session.',
      'urn:example:todos',
      'https://example.com/jmap/gadgets',
    ),
    description: text('The purpose of the capability.', 'A to-do list.'),
    session: freeObject(
      "Static members of its object in the session's `capabilities`, beside the descriptor's hash.",
    ),
    accountSession: freeObject(
      "Static members of its object in each account's `accountCapabilities`.",
    ),
    bareSession: flag('The object in `capabilities` is exactly {}, without the hash.', false),
    accountLevel: flag(
      'It belongs to accounts: `accountCapabilities` and `primaryAccounts` list it.',
      true,
    ),
    types: {
      type: 'object',
      description: 'The data types by name (PascalCase).',
      examples: [{ Todo: { properties: { text: { type: 'string', default: '' } } } }],
      additionalProperties: ref('dataType'),
    },
    $defs: {
      type: 'object',
      description: 'Schemas by name, for $ref.',
      examples: [{ address: { type: 'object', properties: { city: { type: 'string' } } } }],
      additionalProperties: ref('schema'),
    },
    drops: names('Types whose objects the next migration may lose.', 'OldThing'),
    methods: {
      type: 'object',
      description: 'Methods by name: Type/method.',
      examples: [{ 'Gadget/rebuild': {} }],
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
    standardMethod,
    method,
  },
};
