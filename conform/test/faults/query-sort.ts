import { asMap, type Json, type JsonMap } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import { forgiving, ignoring, list, NO_RESULTS, renamed, sent } from './makers.js';

/** Changes each comparator of /query. */
const comparators = (change: (comparator: JsonMap) => JsonMap) =>
  sent('query', (args) => {
    const { sort } = args;
    if (!Array.isArray(sort)) return args;
    const isMap = (one: Json): boolean =>
      one !== null && typeof one === 'object' && !Array.isArray(one);
    return { ...args, sort: sort.map((one) => (isMap(one) ? change(asMap(one)) : one)) };
  });

const swapped = ([a, b, ...rest]: Json[]): Json[] =>
  a === undefined || b === undefined ? [] : [b, a, ...rest];

/** Turns every second answer around. */
let turns = 0;
const turning = list('query', 'ids', (ids) => {
  turns += 1;
  return turns % 2 === 0 ? ids.toReversed() : ids;
});

/** Sorts by one collation whatever is asked. */
const always = (collation: string) =>
  comparators((comparator) =>
    typeof comparator['collation'] === 'string' ? { ...comparator, collation } : comparator,
  );

export const querySortFaults: readonly Fault[] = [
  {
    name: 'the order is another one call after call',
    checks: ['query-sort-none-stable', 'query-sort-equal-stable'],
    ...turning,
  },
  {
    name: 'two ids are in the wrong order',
    checks: [
      'query-sort-none-by-creation',
      'query-sort-ties',
      'query-sort-last-tie',
      'query-sort-behind-moment',
      'query-sort-described',
      'query-collation-octet',
      'query-collation-default-casemap',
      'query-collation-nulls',
      'query-collation-numeric-ties',
    ],
    ...list('query', 'ids', swapped),
  },
  {
    name: 'a malformed sort is none',
    checks: ['query-sort-malformed'],
    ...forgiving('invalidArguments', 'query', NO_RESULTS),
  },
  {
    name: 'isAscending is taken for true where it is no Boolean',
    checks: ['query-sort-malformed'],
    ...comparators((comparator) =>
      typeof comparator['isAscending'] === 'boolean'
        ? comparator
        : { ...comparator, isAscending: true },
    ),
  },
  {
    name: 'an unsupported sort is ignored',
    checks: [
      'query-sort-unsupported',
      'query-sort-undeclared',
      'query-sort-unknown-member',
      'query-collation-unknown',
      'query-collation-exact-names',
    ],
    ...forgiving('unsupportedSort', 'query', NO_RESULTS),
  },
  {
    name: 'an unsupported sort is a wrong argument',
    checks: ['query-sort-unsupported', 'query-sort-undeclared', 'query-collation-unknown'],
    ...renamed('unsupportedSort', 'invalidArguments'),
  },
  {
    name: 'unknown members of comparators are ignored',
    checks: ['query-sort-unknown-member'],
    ...comparators(({ more: _, ...comparator }) => comparator),
  },
  {
    name: 'isAscending is ignored',
    checks: [
      'query-sort-direction',
      'query-sort-kinds',
      'query-sort-ties',
      'query-sort-described',
      'query-collation-octet',
      'query-collation-ascii-casemap',
      'query-collation-ascii-numeric',
      'query-collation-unicode-casemap',
    ],
    ...comparators(({ isAscending: _, ...comparator }) => comparator),
  },
  {
    name: 'the default is descending',
    checks: ['query-sort-direction', 'query-sort-kinds', 'query-collation-default-unicode'],
    ...comparators((comparator) => ({ isAscending: false, ...comparator })),
  },
  {
    name: 'an unknown collation is refused whatever is sorted by',
    checks: ['query-sort-collation-ignored'],
    ...comparators((comparator) =>
      comparator['collation'] === 'i;unknown'
        ? { ...comparator, property: 'noSuchProperty' }
        : comparator,
    ),
  },
  {
    name: 'the first comparator alone counts',
    checks: ['query-sort-ties', 'query-sort-last-tie'],
    ...sent('query', (args) => {
      const { sort } = args;
      return Array.isArray(sort) ? { ...args, sort: sort.slice(0, 1) } : args;
    }),
  },
  {
    name: '/query ignores the sort',
    checks: [
      'query-sort-direction',
      'query-sort-kinds',
      'query-sort-malformed',
      'query-sort-unsupported',
      'query-sort-described',
    ],
    ...ignoring('query', 'sort'),
  },
  {
    name: 'a sort leaves out what comes last',
    checks: ['query-sort-permutation'],
    ...list('query', 'ids', (ids) => ids.slice(0, -1)),
  },
  {
    name: 'a collation that is advertised is refused',
    checks: ['query-collation-advertised', 'query-collation-ascii-numeric'],
    ...comparators((comparator) =>
      comparator['collation'] === 'i;ascii-numeric'
        ? { ...comparator, collation: 'i;latin1-numeric' }
        : comparator,
    ),
  },
  {
    name: 'every collation is that of octets',
    checks: [
      'query-collation-ascii-casemap',
      'query-collation-ascii-numeric',
      'query-collation-unicode-casemap',
      'query-collation-nulls',
      'query-collation-numeric-ties',
    ],
    ...always('i;octet'),
  },
  {
    name: 'every collation ignores case',
    checks: ['query-collation-octet'],
    ...always('i;unicode-casemap'),
  },
  {
    name: 'every collation knows ASCII alone',
    checks: ['query-collation-unicode-casemap'],
    ...always('i;ascii-casemap'),
  },
  {
    name: 'the default is the order of octets',
    checks: [
      'query-collation-default-unicode',
      'query-collation-default-case',
      'query-collation-default-casemap',
    ],
    ...comparators((comparator) => ({ collation: 'i;octet', ...comparator })),
  },
];
