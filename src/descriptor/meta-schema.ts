import type { JSONSchema7 } from 'json-schema';
import { accessRule } from './meta-schema/access-keys.js';
import { answeredProperty } from './meta-schema/answered-keys.js';
import { flag, freeObject, names, ref, text } from './meta-schema/key-schemas.js';
import { method } from './meta-schema/method-keys.js';
import { property } from './meta-schema/property-keys.js';
import { filter, sort } from './meta-schema/query-keys.js';
import { quota, quotaKeys } from './meta-schema/quota-keys.js';
import { condition, immutableRule, partCondition, requiredRule } from './meta-schema/rule-keys.js';
import { dataType, standardMethod } from './meta-schema/type-keys.js';
import { definition, schema } from './meta-schema/value-keys.js';

/**
 * The descriptor language as a JSON Schema (draft-07, which editors read): the single description
 * of which keys there are and what they take. A rule in check/ says what the schema can't.
 */
export const META_SCHEMA: JSONSchema7 = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'https://jmapsmith.invalid/descriptor.schema.json',
  title: 'JMAP capability descriptor',
  description:
    'A capability with its types and methods. docs/reference/descriptors.md explains the keys.',
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
    oauthScopes: {
      type: 'object',
      description: "The OAuth scopes that an identity provider's token needs to use it.",
      examples: [{ full: 'urn:example:scope:todos', read: 'urn:example:scope:todos.read' }],
      properties: {
        full: text('The scope for all of it.', 'urn:example:scope:todos'),
        read: text('The scope for reading alone.', 'urn:example:scope:todos.read'),
      },
      required: ['full'],
      additionalProperties: false,
    },
    ...quotaKeys,
    types: {
      type: 'object',
      description: 'The data types by name.',
      examples: [{ Todo: { properties: { text: { type: 'string', default: '' } } } }],
      additionalProperties: ref('dataType'),
    },
    $defs: {
      type: 'object',
      description: 'Schemas by name, for $ref.',
      examples: [{ address: { type: 'object', properties: { city: { type: 'string' } } } }],
      additionalProperties: ref('definition'),
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
    answeredProperty,
    schema,
    definition,
    filter,
    sort,
    condition,
    partCondition,
    immutableRule,
    requiredRule,
    accessRule,
    standardMethod,
    method,
    quota,
  },
};
