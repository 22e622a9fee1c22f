import type { JSONSchema7 } from 'json-schema';
import { SET_OPERATIONS } from '../../capability/set-operations.js';
import { BOUNDS } from '../bounds.js';
import { UNKNOWN_WORDS, wordNames, wordsText } from '../key-words.js';
import { TIMES } from '../property-view.js';
import { METHOD_NAMES } from '../standard-methods.js';
import { access } from './access-keys.js';
import { answered } from './answered-keys.js';
import {
  count,
  deprecated,
  flag,
  lists,
  names,
  nullsEqualBeside,
  ref,
  renamedFrom,
  text,
} from './key-schemas.js';
import { ruleKeys } from './rule-keys.js';
import { queryShapes } from './shape-keys.js';
import { share } from './share-keys.js';

export const standardMethod: JSONSchema7 = {
  type: 'object',
  description: 'The further arguments and answers of a standard method.',
  examples: [{}],
  properties: {
    arguments: {
      ...ref('schema'),
      description: 'Further arguments: the properties of an object.',
      examples: [{ type: 'object', properties: { sortAsTree: { type: 'boolean' } } }],
    },
    response: {
      ...ref('schema'),
      description: 'Further members of the response: the properties of an object.',
      examples: [{ type: 'object', properties: { collapsed: { type: 'integer' } } }],
    },
  },
  additionalProperties: false,
};

const standardMethods: JSONSchema7 = {
  description:
    'The standard methods that the type has: a list of names, or an object that adds arguments ' +
    'and response members to them. Of a type without any, clients learn its state alone.',
  examples: [['get', 'query'], { get: {}, query: {} }],
  if: { type: 'array' },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { type: 'array', items: { enum: [...METHOD_NAMES] } },
  else: {
    type: 'object',
    minProperties: 1,
    properties: Object.fromEntries(METHOD_NAMES.map((name) => [name, ref('standardMethod')])),
    additionalProperties: false,
  },
};

export const dataType: JSONSchema7 = {
  type: 'object',
  description:
    'A data type: it gets the six standard methods /get, /set, /changes, /query, ' +
    '/queryChanges and /copy, unless `standardMethods` names fewer.',
  examples: [{ properties: { text: { type: 'string', default: '' } } }],
  properties: {
    description: text('The meaning of one object of the type.', 'One thing to do.'),
    acceptSnakeCase: flag('Names may be given in snake_case too; answers never have it.', false),
    properties: {
      type: 'object',
      minProperties: 1,
      maxProperties: BOUNDS.typeProperties,
      description:
        `The properties by name, at most ${BOUNDS.typeProperties}. ` +
        'Each type has id, created and updated besides.',
      examples: [{ text: { type: 'string', default: '' } }],
      additionalProperties: ref('property'),
    },
    required: names('The properties that a create must give.', 'text'),
    answered,
    standardProperties: {
      type: 'object',
      description:
        'The standard properties that the type goes without. Its own `created` or `updated` ' +
        'takes the place of the standard one.',
      examples: [{ created: false, updated: false }],
      properties: Object.fromEntries(
        TIMES.map((name) => [
          name,
          { enum: [false], description: `The type has no ${name}.`, examples: [false] },
        ]),
      ),
      minProperties: 1,
      additionalProperties: false,
    },
    unknownProperties: {
      enum: wordNames(UNKNOWN_WORDS),
      default: 'refuse',
      description: wordsText(UNKNOWN_WORDS),
      examples: ['keep'],
    },
    filter: {
      type: 'object',
      description: 'The conditions that /query takes, by name.',
      examples: [{ text: 'contains' }],
      additionalProperties: ref('filter'),
    },
    sort: {
      type: 'array',
      description: 'The properties that /query sorts by.',
      items: ref('sort'),
      examples: [['title', { property: 'due', indexed: true }]],
    },
    query: queryShapes,
    singleton: flag(
      'One object, with the id `singleton`, that is always there: no create, no destroy.',
      false,
    ),
    standardMethods,
    refuses: {
      type: 'array',
      description:
        'The operations of /set that clients may not do: each is refused with `forbidden`. Hooks ' +
        'may do them.',
      items: { enum: [...SET_OPERATIONS] },
      minItems: 1,
      uniqueItems: true,
      examples: [['create', 'update']],
    },
    unique: lists(
      'Properties, or lists of properties, whose values no two objects of an account share.',
      {
        description: 'A property, or several whose values are unique together.',
        examples: ['code', ['list', 'position']],
        if: { type: 'array' },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { type: 'array', items: { type: 'string' }, minItems: 1 },
        else: {
          if: { type: 'object' },
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
          then: nullsEqualBeside({
            properties: names('Properties that are unique together.', 'code'),
          }),
          else: { type: 'string' },
        },
      },
      ['code', ['list', 'position']],
    ),
    indexes: lists(
      'Ordered indexes, each over the properties of a list: for filters by equality and sorts.',
      { type: 'array', items: { type: 'string' }, minItems: 1 },
      [['list', 'position']],
    ),
    limits: {
      type: 'object',
      description:
        'The limits of an account: objects (`count`), and octets of the JSON of each (`octets`).',
      examples: [{ count: 10_000, octets: 65_536 }],
      properties: {
        count: count('Objects: one more is `overQuota`.', BOUNDS.maxInteger, { minimum: 1 }),
        octets: count(
          "Octets of an object's JSON as /get gives it: more is `tooLarge`, unless it was larger " +
            'before.',
          BOUNDS.maxInteger,
          { minimum: 1 },
        ),
      },
      minProperties: 1,
      additionalProperties: false,
    },
    ...ruleKeys,
    access,
    share,
    deprecated,
    renamedFrom,
    drops: names('Properties whose values the next migration may lose or narrow.', 'oldName'),
  },
  required: ['properties'],
  additionalProperties: false,
};
