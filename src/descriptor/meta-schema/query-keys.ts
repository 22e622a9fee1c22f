import type { JSONSchema7 } from 'json-schema';
import { OPERATOR_NAMES, OPERATORS } from '../operators.js';
import { flag, names, text } from './key-schemas.js';

const operator: JSONSchema7 = {
  enum: [...OPERATOR_NAMES],
  description: OPERATOR_NAMES.map((name) => `${name}: ${OPERATORS[name].description}`).join('\n'),
  examples: ['equals'],
};

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

export const sort: JSONSchema7 = {
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
