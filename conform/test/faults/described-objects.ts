import { asMap, type Json, type JsonMap } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import {
  copies,
  creates,
  dropping,
  http,
  ignoring,
  list,
  sent,
  session,
  setErrors,
} from './makers.js';

/**
 * Faults against a descriptor's words about blobs, hidden properties, values that many objects
 * hold, and further arguments.
 */

const lowered = (value: Json): Json =>
  JSON.parse(JSON.stringify(value).replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())) as Json;

export const describedObjectFaults: readonly Fault[] = [
  {
    name: 'a blob that is given to an object is forgotten',
    checks: [
      'described-blobs-any',
      'described-blobs-last-reference',
      'described-blobs-creation-id',
      'described-blobs-copied',
      'blob-lookup-each',
      'blob-lookup-null',
    ],
    ...creates((object) => dropping(object, (name) => name === 'blobId')),
  },
  {
    name: 'a copy has no blob',
    checks: ['described-blobs-copied'],
    ...copies((one) => ({ ...one, blobId: null })),
  },
  {
    name: 'blobs are for their uploaders alone, whatever refers to them',
    checks: ['described-blobs-shared'],
    ...http(
      ({ path }) => path.includes('/download/'),
      (answer) => ({ ...answer, status: 404 }),
    ),
  },
  {
    name: 'a blob goes with what referred to it first',
    checks: ['described-blobs-last-reference'],
    ...ignoring('set', 'create'),
  },
  {
    name: 'no type refers to blobs',
    checks: ['blob-lookup-types'],
    ...session(
      (one) => JSON.parse(JSON.stringify(one).replace(/"Gadget",|,?"Gadget"/, '')) as JsonMap,
    ),
  },
  {
    name: 'a blob that is looked up twice is listed twice',
    checks: ['blob-lookup-repeated'],
    ...list('lookup', 'list', (all) => [...all, ...all]),
  },
  {
    name: '/copy leaves out a list',
    checks: ['copy-every-value'],
    ...copies((one) => ({ ...one, list: [] })),
  },
  {
    name: 'unique texts are compared without their case',
    checks: ['described-unique-exact'],
    ...sent('set', (args) => ({ ...args, create: lowered(args['create'] ?? null) })),
  },
  {
    name: 'a destroyed object keeps its unique values',
    checks: ['described-unique-freed'],
    ...ignoring('set', 'destroy'),
  },
  {
    name: 'all that links is told, however much it is',
    checks: ['described-links-holders'],
    ...setErrors((error) =>
      Array.isArray(error['objectIds'])
        ? { ...error, objectIds: [...error['objectIds'], 'r0more'] }
        : error,
    ),
  },
  {
    name: 'keys are compared without their case',
    checks: ['query-condition-keys'],
    ...sent('query', (args) =>
      args['filter'] === undefined ? args : { ...args, filter: lowered(args['filter']) },
    ),
  },
  {
    name: 'of a list of values the first one counts',
    checks: ['query-condition-in'],
    ...sent('query', (args) => {
      const filter = Object.entries(asMap(args['filter'])).map(
        ([name, value]) => [name, Array.isArray(value) ? value.slice(0, 1) : value] as const,
      );
      return filter.length === 0 ? args : { ...args, filter: Object.fromEntries(filter) };
    }),
  },
  {
    name: 'further arguments are not looked at',
    checks: ['described-arguments'],
    ...ignoring('query', 'shout'),
  },
];
