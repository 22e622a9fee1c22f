import type { JSONSchema7 } from 'json-schema';
import { BOUNDS } from '../bounds.js';
import { count, lists, names, text } from './key-schemas.js';

const octets = (description: string, example: number | string): JSONSchema7 => ({
  type: ['integer', 'string'],
  description,
  examples: [example],
});

/** A quota of a capability (RFC 9425). */
export const quota: JSONSchema7 = {
  type: 'object',
  description: 'A limit that objects of some types share in each account.',
  examples: [{ types: ['Todo'], count: 10_000, warn: '80%' }],
  properties: {
    description: text('The words that clients may show.', 'Todos of this account.'),
    types: names('The types whose objects count, of any capability.', 'Todo'),
    count: count('Objects that an account may have.', BOUNDS.maxInteger, {
      minimum: 1,
      example: 10_000,
    }),
    octets: octets(
      "Octets that the JSON of an account's objects may take together, as /get gives it. A unit " +
        'is `B`, `kB`, `MB`, `GB`, `TB`, `KiB`, `MiB`, `GiB` or `TiB`.',
      '5GB',
    ),
    counts: {
      ...lists(
        'The things whose octets count: the `objects`, the `blobs` that they refer to, or both.',
        { enum: ['objects', 'blobs'] },
        ['objects', 'blobs'],
      ),
      minItems: 1,
      default: ['objects'],
    },
    of: {
      enum: ['unreferenced'],
      description:
        'unreferenced: a quota of the blobs that no object refers to, which has no types. The ' +
        'oldest ones make room for uploads.',
      examples: ['unreferenced'],
    },
    per: {
      enum: ['user'],
      description: 'user: each user of an account has the quota `of` blobs alone.',
      examples: ['user'],
    },
    warn: octets('The amount from which clients warn: as the limit, or a share of it.', '80%'),
    soft: octets(
      'A second level between `warn` and the limit: clients show it, and nothing is refused.',
      '90%',
    ),
  },
  required: ['types'],
  additionalProperties: false,
};

export const quotaKeys: Readonly<Record<'quotas' | 'plans', JSONSchema7>> = {
  quotas: {
    type: 'object',
    description: 'The quotas of its accounts, by name.',
    examples: [{ todos: { types: ['Todo'], count: 10_000 } }],
    additionalProperties: { $ref: '#/definitions/quota' },
  },
  plans: {
    type: 'object',
    description: 'Other limits of its quotas, for accounts that have a plan of that name.',
    examples: [{ free: { todos: 500 } }],
    additionalProperties: {
      type: 'object',
      description: 'The limits of a plan, by the names of quotas.',
      examples: [{ todos: 500 }],
      minProperties: 1,
      additionalProperties: octets('The limit that the quota has under the plan.', 500),
    },
  },
};
