import type { JSONSchema7 } from 'json-schema';
import { ACCESS, STORED, wordNames, wordsText } from '../key-words.js';
import { onRequest } from './answered-keys.js';
import { deprecated, flag, names, nullsEqual, ref, renamedFrom, text } from './key-schemas.js';
import { schemaKeys, typeNeeded } from './value-keys.js';

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
        'The value after a create without the property, after a null patch, and in existing ' +
        'objects when a migration adds the property. A nullable property has null. ' +
        '{ now: true } is the present time.',
      examples: [false, '', 0],
    },
    optional: flag(
      'The property is absent until it is set, and after a null patch. A nullable one keeps null ' +
        'apart from that.',
      false,
    ),
    onRequest,
    readable: {
      type: 'array',
      items: { type: 'string' },
      minItems: 1,
      uniqueItems: true,
      description:
        'The users who may read and write the property. `owner` stands for the owner of the ' +
        'account and for users who may write in all of it, `role:NAME` for users with a role. ' +
        'Others get objects without it.',
      examples: [['owner', 'role:payroll']],
    },
    access: {
      enum: wordNames(ACCESS),
      default: 'mutable',
      examples: ['immutable'],
      description: wordsText(ACCESS),
    },
    principal: flag(
      'The text is the id of a user, or the keys of a set are: access rules can name the property.',
      false,
    ),
    perUser: flag(
      'Each user who sees the object has a value of its own, and the default until it gives one. ' +
        'All who see the object may set theirs.',
      false,
    ),
    stored: {
      enum: wordNames(STORED),
      default: 'hash',
      examples: ['encrypt'],
      description: wordsText(STORED),
    },
    unique: {
      description:
        'No two objects of an account have the same value. Null equals nothing, unless it says ' +
        '{ nulls: equal }: then one object at most has none.',
      default: false,
      examples: [true],
      if: { type: 'object' },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: nullsEqual,
      else: { type: 'boolean' },
    },
    computed: {
      type: 'object',
      description:
        'The server computes the value from properties of the same object (from), objects that ' +
        'refer to it (count, sum, min, max), or properties of others (on).',
      examples: [
        { from: ['title'] },
        { count: 'Gadget', by: 'parentId' },
        { sum: 'Line.amount', by: 'invoiceId', where: { isOpen: true } },
        { on: ['Gadget.title'] },
      ],
      properties: {
        from: names('Properties of the same object that the hook function reads.', 'title'),
        count: text('The type whose objects are counted.', 'Gadget'),
        sum: text('Type.property: the integer or decimal that is added up.', 'Line.amount'),
        min: text(
          'Type.property: the least of its values; null where there are none.',
          'Bid.price',
        ),
        max: text('Type.property: the greatest of its values.', 'Email.receivedAt'),
        by: text('The reference of that type that leads to this one.', 'parentId'),
        where: ref('partCondition'),
        distinct: text('Of a count: the property whose different values are counted.', 'threadId'),
        countsHidden: {
          type: 'boolean',
          description:
            'Of a count, sum, min or max: it is made of all objects and values, also of those ' +
            'that its readers do not see.',
          default: false,
          examples: [true],
        },
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
