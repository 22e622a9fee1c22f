import type { JSONSchema7 } from 'json-schema';
import { DESTROY_RULES, wordNames, wordsText } from '../key-words.js';
import { lists, names, ref, text } from './key-schemas.js';

/** The keys of a type whose rules depend on the values of an object, and of its own errors. */

const error = text(
  'The error of a refusal, one of the type’s `errors`, in the place of the standard one.',
  'invoiceIsPaid',
);

const scalars = (description: string, example: unknown[]): JSONSchema7 =>
  lists(description, { type: ['string', 'number', 'boolean', 'null'] }, example);

/** Values by property: the object has one of the values, of each property. */
export const condition: JSONSchema7 = {
  type: 'object',
  description: 'Properties, each with the values by which a rule holds, or { not: [values] }.',
  examples: [{ status: ['sent', 'paid'] }, { sentAt: { not: [null] } }],
  minProperties: 1,
  additionalProperties: {
    if: { type: 'object' },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: {
      properties: { not: scalars('The rule holds by every other value.', ['draft']) },
      required: ['not'],
      additionalProperties: false,
    },
    else: scalars('The values by which the rule holds.', ['sent', 'paid']),
  },
};

/** The same of objects that an aggregate is made of; a name may lead into a value. */
export const partCondition: JSONSchema7 = {
  type: 'object',
  description:
    'Only objects with these values: of properties, or of members by their path ' +
    '(`keywords/$seen`). One value, a list, or { not: [values] }.',
  examples: [{ isOpen: true }, { 'keywords/$seen': null }, { status: { not: ['void'] } }],
  minProperties: 1,
  additionalProperties: {
    if: { type: ['object', 'array'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: condition.additionalProperties as JSONSchema7,
    else: { type: ['string', 'number', 'boolean', 'null'] },
  },
};

const steps: JSONSchema7 = {
  type: 'object',
  description: 'By value: the values that may follow it. A value that isn’t listed is final.',
  examples: [{ draft: ['sent'], sent: ['paid', 'void'] }],
  minProperties: 1,
  additionalProperties: { type: 'array', items: { type: ['string', 'null'] } },
};

/** Returns whether a schema has a key with an object: the long form of a rule. */
const hasObject = (key: string): JSONSchema7 => ({
  properties: {
    [key]: { type: 'object', description: 'The long form has an object here.', examples: [{}] },
  },
  required: [key],
});

const transitions: JSONSchema7 = {
  type: 'object',
  description: 'By property: the steps along which clients may change its value.',
  examples: [{ status: { draft: ['sent'], sent: ['paid', 'void'] } }],
  minProperties: 1,
  additionalProperties: {
    type: 'object',
    if: hasObject('from'),
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: {
      properties: {
        initial: {
          ...lists('The values of new objects; any if not given.', { type: 'string' }, ['draft']),
          minItems: 1,
        },
        from: steps,
        error,
      },
      additionalProperties: false,
    },
    else: steps,
  },
};

export const immutableRule: JSONSchema7 = {
  type: 'object',
  description: 'A condition, or an object that says more.',
  examples: [{ when: { status: ['paid'] }, except: ['note'] }],
  if: hasObject('when'),
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: {
    properties: {
      when: ref('condition'),
      properties: names('The properties that clients can’t change; all others may.', 'lines'),
      except: names('The properties that they can change beside those of the condition.', 'note'),
      destroy: {
        enum: wordNames(DESTROY_RULES),
        default: 'allow',
        description: wordsText(DESTROY_RULES),
        examples: ['refuse'],
      },
      error,
    },
    required: ['when'],
    additionalProperties: false,
  },
  else: ref('condition'),
};

export const requiredRule: JSONSchema7 = {
  type: 'object',
  description: 'A condition, and the properties that are not empty then.',
  examples: [{ when: { status: ['sent', 'paid'] }, properties: ['number'] }],
  properties: {
    when: ref('condition'),
    properties: { ...names('The properties that are neither null nor empty.', 'number') },
    error,
  },
  required: ['when', 'properties'],
  additionalProperties: false,
};

/** Returns the schema of a rule, or of a list of them. */
const oneOrMany = (rule: string, description: string, ...examples: unknown[]): JSONSchema7 => ({
  description,
  examples: examples as JSONSchema7['examples'] & object,
  if: { type: 'array' },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { type: 'array', items: ref(rule), minItems: 1 },
  else: ref(rule),
});

const errors: JSONSchema7 = {
  description: 'SetErrors of the type’s own: names, or an object of them.',
  examples: [['invoiceIsPaid'], { invoiceIsPaid: { description: 'It is paid.' } }],
  if: { type: 'array' },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { type: 'array', items: { type: 'string' }, minItems: 1 },
  else: {
    type: 'object',
    minProperties: 1,
    additionalProperties: {
      type: 'object',
      properties: {
        description: text('When the server answers so.', 'The invoice is paid.'),
        members: {
          type: 'object',
          description: 'The members of the error, each of which a hook gives.',
          examples: [{ since: { type: 'string' } }],
          additionalProperties: ref('schema'),
        },
      },
      additionalProperties: false,
    },
  },
};

export const ruleKeys: Record<string, JSONSchema7> = {
  transitions,
  immutableWhen: oneOrMany(
    'immutableRule',
    'The values by which clients can’t change the other properties.',
    { status: ['sent', 'paid'] },
    { when: { status: ['paid'] }, except: ['note'], destroy: 'refuse' },
  ),
  requiredWhen: oneOrMany(
    'requiredRule',
    'The values by which properties are neither null nor empty.',
    { when: { status: ['sent', 'paid'] }, properties: ['number'] },
  ),
  errors,
};
