import type { JSONSchema7 } from 'json-schema';
import { ACCOUNT_USES, wordNames, wordsText } from '../key-words.js';
import { deprecated, ref, text } from './key-schemas.js';

export const method: JSONSchema7 = {
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
