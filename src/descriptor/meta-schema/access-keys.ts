import type { JSONSchema7 } from 'json-schema';
import { BOUNDS } from '../bounds.js';
import { WHO, wordsText } from '../key-words.js';
import { flag, names, ref, text } from './key-schemas.js';

/** A flag; of a rule about parents also the name of a right. */
const allowed = (description: string): JSONSchema7 => ({
  ...flag(description, false),
  type: ['boolean', 'string'],
});

/** The keys of a rule that says who may do what with the objects of a type. */

export const accessRule: JSONSchema7 = {
  type: 'object',
  description: 'Users, and what they may do with which objects.',
  examples: [{ who: 'role:auditor', read: true }],
  properties: {
    who: {
      ...text('', 'owner', 'role:auditor', 'property'),
      description: `The users that the rule is about.\n${wordsText(WHO)}`,
    },
    of: text('Of `property` and `parent`: the property that the rule looks at.', 'assignee'),
    where: {
      ...ref('partCondition'),
      description: 'Only objects with these values: one value, a list, or { not: [values] }.',
      examples: [{ public: true }],
    },
    read: allowed('They see the object.'),
    create: allowed('They may create such an object.'),
    update: {
      description: 'They may change the object: all properties (true), or those of the list.',
      default: false,
      examples: [true, ['done']],
      if: { type: 'array' },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { ...names('The properties that they may change.', 'done'), minItems: 1 },
      else: { type: ['boolean', 'string'] },
    },
    destroy: allowed('They may destroy the object.'),
    leave: flag('They may change the object so that they no longer see it.', false),
  },
  required: ['who'],
  additionalProperties: false,
};

export const access: JSONSchema7 = {
  type: 'array',
  description:
    'The users who see, create, change and destroy objects. Without it all users of the account ' +
    'do.',
  items: ref('accessRule'),
  minItems: 1,
  maxItems: BOUNDS.accessRules,
  examples: [[{ who: 'owner', read: true, update: true }]],
};
