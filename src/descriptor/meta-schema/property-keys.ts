import type { JSONSchema7 } from 'json-schema';
import { ACCESS, STORED, wordNames, wordsText } from '../key-words.js';
import { deprecated, flag, names, renamedFrom, text } from './key-schemas.js';
import { schemaKeys, typeNeeded } from './value-keys.js';

export const property: JSONSchema7 = {
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
        by: text('The reference of the counted type that leads to this one.', 'parentId'),
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
