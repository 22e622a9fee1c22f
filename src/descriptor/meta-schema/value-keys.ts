import type { JSONSchema7 } from 'json-schema';
import { FORMAT_NAMES, FORMATS } from '../../capability/formats/index.js';
import { BOUNDS } from '../bounds.js';
import { NORMALIZE, ON_DESTROY, wordNames, wordsText } from '../key-words.js';
import { TYPE_NAMES } from '../kinds.js';
import { count, flag, names, ref, text } from './key-schemas.js';

/** The keys of a value: JSON Schema, and the words for sets, blobs and references. */

const onDestroy: JSONSchema7 = {
  default: 'restrict',
  examples: ['cascade', { restrict: 'mailboxHasChild' }],
  description: `The action when the object referred to is destroyed.\n${wordsText(ON_DESTROY)}`,
  if: { type: 'object' },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: {
    properties: {
      restrict: text(
        'The error of the refused destroy: one of the `errors` of the type referred to.',
        'mailboxHasChild',
      ),
    },
    required: ['restrict'],
    additionalProperties: false,
  },
  else: { enum: wordNames(ON_DESTROY) },
};
const acyclic = flag('No object leads back to itself by this reference.', false);

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
export const schemaKeys: Record<string, JSONSchema7> = {
  type: typeKey,
  description: text('The meaning of the value, for doc comments.', 'When it is due.'),
  enum: {
    type: 'array',
    items: {},
    minItems: 1,
    description: 'The allowed values: a union in TypeScript.',
    examples: [['small', 'large']],
  },
  const: {
    description:
      'The only value that is allowed, a literal in TypeScript. It needs no `type`, and is the ' +
      'default of a property that can’t be null.',
    examples: ['Card', 1, true],
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
    'The string is the id of a blob in the account. false: it is none, although it is called ' +
      'blobId or the like.',
    false,
  ),
  normalize: {
    type: 'array',
    items: { enum: wordNames(NORMALIZE) },
    minItems: 1,
    uniqueItems: true,
    description:
      'Changes of a text before it is judged and stored; conditions find it all the same.\n' +
      wordsText(NORMALIZE),
    examples: [['nfc', 'trim', 'lowercase']],
  },
  references: text(
    'The type of the objects in the account that the text, or each item of a list, names by id.',
    'Gadget',
  ),
  onDestroy,
  acyclic,
  pattern: text('A regular expression (ECMA-262, flag u) that must match.', '^[A-Z]{2}$'),
  minimum: {
    type: 'number',
    description: 'The least number.',
    examples: [0],
  },
  maximum: {
    type: 'number',
    description: 'The greatest number.',
    examples: [100],
  },
  items: {
    ...ref('schema'),
    description: 'The schema of the items of a list.',
    examples: [{ type: 'string', maxLength: 100 }],
  },
  minItems: count('Items at least.', BOUNDS.maxItems, { example: 1 }),
  maxItems: count(`Items at most; ${BOUNDS.items} by default.`, BOUNDS.maxItems),
  uniqueItems: flag('No two items are equal.', false),
  properties: {
    type: 'object',
    description: 'The members of a nested object; each may be absent unless `required` names it.',
    examples: [{ street: { type: 'string' } }],
    additionalProperties: ref('schema'),
  },
  additionalProperties: {
    description: 'The schema of further members, true (any JSON) or false (none: the default).',
    examples: [{ type: 'string' }, true],
    if: { type: 'object' },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: ref('schema'),
    else: { type: 'boolean' },
  },
  propertyNames: {
    type: 'object',
    description:
      'The names of further members: { format: id } for texts of a format, { blob: true } or ' +
      '{ references: Gadget } for ids of blobs or objects.',
    examples: [{ format: 'id' }, { blob: true }, { references: 'Gadget' }],
    properties: {
      format: {
        enum: [...FORMAT_NAMES],
        description: 'Each name is a text of the format, in its stored form.',
        examples: ['id', 'language'],
      },
      blob: {
        enum: [true],
        description: 'Each name is the id of a blob in the same account.',
        examples: [true],
      },
      references: text('Each name is the id of such an object in the same account.', 'Gadget'),
      onDestroy,
      acyclic,
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
      'one) or ids: of blobs (blob) or objects (the name of a type).',
    examples: ['string', 'blob', 'Gadget', { type: 'string', enum: ['red', 'green'] }],
    if: { type: 'object' },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: ref('schema'),
    else: { type: 'string' },
  },
  oneOf: {
    type: 'array',
    items: ref('schema'),
    minItems: 1,
    description: 'The branches of a union: objects.',
    examples: [[{ $ref: '#/$defs/home' }, { $ref: '#/$defs/work' }]],
  },
  discriminator: text('The member that tells the branches of a union apart.', '@type'),
  $ref: text(
    'A schema of this descriptor or of a shared file.',
    '#/$defs/address',
    'shared/address.yaml#/Address',
  ),
};

/** A schema has a type, unless it is a set, a union, a constant or one from `$defs`. */
export const typeNeeded: JSONSchema7 = {
  if: { anyOf: ['setOf', 'oneOf', '$ref', 'const'].map((key) => ({ required: [key] })) },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: true,
  else: { required: ['type'] },
};

/**
 * `required` in a schema names members; it stands here because a property of a type has none of
 * its own.
 */
export const schema: JSONSchema7 = {
  type: 'object',
  description: 'A value within a property, an argument or a response.',
  properties: {
    ...schemaKeys,
    required: names('The members that must be there.', 'street'),
  },
  ...typeNeeded,
  additionalProperties: false,
};

/** A schema under `$defs`, which may contain itself. */
export const definition: JSONSchema7 = {
  ...schema,
  description: 'A schema by its name, for $ref.',
  properties: {
    ...schema.properties,
    maxDepth: count(
      'Of a definition that contains itself: how many of its values lie within each other at ' +
        `most; ${BOUNDS.nesting} by default.`,
      BOUNDS.maxNesting,
      { minimum: 1, example: 5 },
    ),
  },
};
