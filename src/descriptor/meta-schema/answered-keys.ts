import type { JSONSchema7 } from 'json-schema';
import { deprecated, flag, names, ref, text } from './key-schemas.js';
import { schemaKeys, typeNeeded } from './value-keys.js';

/** `onRequest` of a property, stored or answered. */
export const onRequest = flag('A /get gives it only where `properties` names it.', false);

const part: JSONSchema7 = {
  type: 'object',
  description: 'A part of a name in a family.',
  examples: [{ name: 'field' }],
  properties: {
    name: text('The member of the parsed name that has the part.', 'field'),
    values: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      minItems: 1,
      description: 'The texts that are allowed; any text where it is left out.',
      examples: [['asText', 'asDate']],
    },
    optional: flag('A name may go without the part, which has `values` then.', false),
  },
  required: ['name'],
  additionalProperties: false,
};

/** A property that /get has computed. Without a type a family has any JSON. */
export const answeredProperty: JSONSchema7 = {
  type: 'object',
  description:
    'A property that the hook `answer` computes when a /get asks for it: the schema of its ' +
    'value, and what the value follows. A name with * at its end is a family.',
  examples: [{ type: 'string', from: ['text'] }],
  properties: {
    ...schemaKeys,
    required: names('The members of an object that must be there.', 'street'),
    from: names(
      'The stored properties that the value follows, internal ones too: the hook sees no others.',
      'text',
    ),
    onRequest,
    optional: flag('The hook may leave the value out.', false),
    parts: {
      type: 'array',
      items: part,
      minItems: 1,
      maxItems: 10,
      description: 'Of a family: the parts of its names, in order.',
      examples: [[{ name: 'field' }, { name: 'form', values: ['asText'], optional: true }]],
    },
    deprecated,
  },
  required: ['from'],
  if: { required: ['parts'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: true,
  else: typeNeeded,
  additionalProperties: false,
};

/** `answered` of a type. */
export const answered: JSONSchema7 = {
  type: 'object',
  description: 'Properties that the hook `answer` computes when they are read, by name.',
  examples: [{ preview: { type: 'string', from: ['text'] } }],
  minProperties: 1,
  maxProperties: 100,
  additionalProperties: ref('answeredProperty'),
};
