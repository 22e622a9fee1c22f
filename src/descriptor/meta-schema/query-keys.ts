import type { JSONSchema7 } from 'json-schema';
import { OPERATOR_NAMES, OPERATORS, SORT_OPERATORS } from '../operators.js';
import { flag, names, text } from './key-schemas.js';

const operator: JSONSchema7 = {
  enum: [...OPERATOR_NAMES],
  description: OPERATOR_NAMES.map((name) => `${name}: ${OPERATORS[name].description}`).join('\n'),
  examples: ['equals'],
};

/** Keys that say what is read, in conditions and in sorts. */
const where: JSONSchema7 = {
  type: 'object',
  description: 'Of items: the values that their members must have, or members of these.',
  additionalProperties: { type: ['string', 'number', 'boolean'] },
  minProperties: 1,
  examples: [{ kind: 'given' }, { 'roles/owner': true }],
};
const internal = flag('Reads an internal property, which clients then find out about.', false);

export const filter: JSONSchema7 = {
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
        "The property, or the part of one, that is compared. Default: the condition's name.",
        'due',
      ),
      is: operator,
      properties: names(
        'Of `text`: the properties, or parts of them, to search.',
        ...['title', 'notes/*/note'],
      ),
      where,
      items: {
        enum: ['any', 'all'],
        description: 'The items that must meet the condition: one, or every one.',
        default: 'any',
        examples: ['all'],
      },
      internal,
      indexed: flag('Keeps an index: faster queries of many objects, slower writes.', false),
      description: text('The purpose of the condition, for doc comments.', 'Due before the date.'),
    },
    required: ['is'],
    additionalProperties: false,
  },
};

export const sort: JSONSchema7 = {
  description: 'A property to sort by: its name, or { property, indexed }.',
  examples: ['title', { property: 'due', indexed: true }, { name: 'from', property: 'fromKey' }],
  if: { type: 'string' },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { type: 'string' },
  else: {
    type: 'object',
    properties: {
      property: text('The property to sort by, or a part of one.', 'due'),
      name: text("The name in a Comparator. Default: the property's.", 'from'),
      is: {
        enum: [...SORT_OPERATORS],
        description:
          'Sorts by a condition: the objects that meet it come behind the others. It is ' +
          '`equals`, `hasKey` or `hasItem`.',
        examples: ['hasKey'],
      },
      argument: text('The member of a Comparator that has the text to compare with.', 'keyword'),
      where,
      internal,
      indexed: flag('Keeps an ordered index: faster sorts of many objects, slower writes.', false),
    },
    required: ['property'],
    additionalProperties: false,
  },
};
