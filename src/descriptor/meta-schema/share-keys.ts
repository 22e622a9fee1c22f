import type { JSONSchema7 } from 'json-schema';
import { text } from './key-schemas.js';

/** The keys by which users share the objects of a type (RFC 9670 4). */
export const share: JSONSchema7 = {
  type: 'object',
  description: 'Users share single objects with others, who get rights there (RFC 9670).',
  examples: [{ rights: { mayRead: 'See it.', mayAdmin: 'Share it.' }, read: 'mayRead' }],
  properties: {
    rights: {
      type: 'object',
      description: 'The rights by name, each with its meaning.',
      examples: [{ mayRead: 'See it.' }],
      minProperties: 1,
      additionalProperties: { type: 'string' },
    },
    read: text('The right to see the object.', 'mayRead'),
    update: {
      description:
        'The right to change the object, or the rights by property: `*` stands for all others.',
      examples: ['mayWrite', { name: 'mayWrite', '*': 'mayAdmin' }],
      if: { type: 'object' },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { additionalProperties: { type: 'string' }, minProperties: 1 },
      else: { type: 'string' },
    },
    destroy: text('The right to destroy the object.', 'mayAdmin'),
    create: {
      enum: ['owner', 'everyone'],
      default: 'owner',
      description:
        'The users who may create objects: those who may write in all of the account, or all who ' +
        'reach it.',
      examples: ['everyone'],
    },
  },
  required: ['rights', 'read'],
  additionalProperties: false,
};
