import type { JSONSchema7 } from 'json-schema';
import { ACCESS, ON_DESTROY, STORED, wordNames, wordsText } from '../key-words.js';
import { deprecated, flag, names, renamedFrom, text } from './key-schemas.js';
import { schemaKeys, typeNeeded } from './value-keys.js';

const ON_DESTROY_HELP = 'The action when the object referred to is destroyed.';

export const property: JSONSchema7 = {
  type: 'object',
  description:
    'A property: a JSON Schema for its shape and a few words for its behaviour. It is ' +
    'required, nullable, optional, or has a default.',
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
    optional: flag(
      'The property may be absent: it is until it is set, and after a null patch. A nullable one ' +
        'keeps null apart from that.',
      false,
    ),
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
