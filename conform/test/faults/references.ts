import type { Call } from '../../src/client/answers.js';
import { asMap, type Json, type JsonMap } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import {
  changeResponses,
  forgiving,
  list,
  onCalls,
  onRequest,
  onResponse,
  onResponses,
  renamed,
  sent,
} from './makers.js';

/** Changes what a reference of an echo found. */
const found = (change: (value: Json) => Json): Partial<Fault> =>
  changeResponses('echo', ({ x, ...args }) => (x === undefined ? args : { ...args, x: change(x) }));

/** Changes each reference of the calls. */
const references = (change: (reference: JsonMap) => Json): Partial<Fault> =>
  onCalls(([name, args, id]) => [
    name,
    Object.fromEntries(
      Object.entries(args as JsonMap).map(([key, value]) => [
        key,
        key.startsWith('#') && asMap(value)['resultOf'] !== undefined
          ? change(asMap(value))
          : value,
      ]),
    ),
    id,
  ]);

const without = (is: (name: string, args: JsonMap) => boolean) => (args: JsonMap) =>
  Object.fromEntries(Object.entries(args).filter(([name]) => !is(name, args)));

/** A reference that fails finds null. */
const nothing = forgiving('invalidResultReference', 'echo', { x: null });

export const referencesFaults: readonly Fault[] = [
  {
    name: 'a reference that fails finds null',
    checks: [
      'references-star-fails',
      'references-star-of-objects',
      'references-index',
      'references-escapes',
      'references-not-there',
      'references-own-members',
      'references-slash',
      'references-not-answered-yet',
      'references-name',
      'references-error-response',
      'references-first-response',
      'references-shape',
      'references-shape-error',
      'references-one-fails',
      'references-through-state',
    ],
    ...nothing,
  },
  {
    name: 'the value of a reference is wrapped into a list',
    checks: ['references-resolve', 'references-null', 'references-empty-path', 'references-chain'],
    ...found((value) => [value]),
  },
  {
    name: 'lists are not flattened',
    checks: ['references-star-flattens'],
    ...found((value) => (Array.isArray(value) ? value.map((one) => [one]) : value)),
  },
  {
    name: 'equal values are found once',
    checks: ['references-star'],
    ...found((value) =>
      Array.isArray(value) && value.every((one) => typeof one === 'string')
        ? [...new Set(value)]
        : value,
    ),
  },
  {
    name: 'a star is another name on objects, too',
    checks: ['references-star-of-objects'],
    ...references((one) => ({ ...one, path: String(one['path']).replaceAll('/*', '/0') })),
  },
  {
    name: 'paths are taken for what they are not without their spaces',
    checks: ['references-index'],
    ...references((one) => ({
      ...one,
      path: typeof one['path'] === 'string' ? one['path'].replace(' ', '') : (one['path'] ?? null),
    })),
  },
  {
    name: '~ is never an escape',
    checks: ['references-escapes'],
    ...references((one) => ({ ...one, path: String(one['path']).replaceAll('~', '~0') })),
  },
  {
    name: 'the last response with a call id is meant',
    checks: ['references-first-response'],
    ...onRequest((request) => {
      const calls = request['methodCalls'] as unknown as Call[];
      const last = calls.map(([name, args, id], index) =>
        calls.slice(index + 1).some((other) => other[2] === id)
          ? [name, args, `${id}-`]
          : [name, args, id],
      );
      return { ...request, methodCalls: last as unknown as Json };
    }),
  },
  {
    name: 'call ids are found trimmed and without what is special',
    checks: ['references-any-call-id'],
    ...references((one) => ({
      ...one,
      resultOf: String(one['resultOf']).replaceAll(/[^a-z]/g, '-'),
    })),
  },
  {
    name: 'the name of a reference is not looked at',
    checks: ['references-name'],
    ...references((one) => ({ ...one, name: 'Core/echo' })),
  },
  {
    name: 'an error can be referred to by any name but its own',
    checks: ['references-error-response'],
    ...references((one) => ({
      ...one,
      name: one['name'] === 'error' ? 'x' : (one['name'] ?? null),
    })),
  },
  {
    name: 'another error tells of what is no reference',
    checks: ['references-shape-error', 'references-not-there'],
    ...renamed('invalidResultReference', 'invalidArguments'),
  },
  {
    name: 'a plain argument wins over its reference',
    checks: ['references-both-forms'],
    ...onCalls(([name, args, id]) => [
      name,
      without((key, all) => key.startsWith('#') && key.slice(1) in all)(args as JsonMap),
      id,
    ]),
  },
  {
    name: 'the referenced form wins over the plain one',
    checks: ['references-both-forms', 'references-both-forms-of-set'],
    ...onCalls(([name, args, id]) => [
      name,
      without((key, all) => `#${key}` in all)(args as JsonMap),
      id,
    ]),
  },
  {
    name: 'references are looked for inside of arguments',
    checks: ['references-top-level', 'references-found-inside'],
    ...onResponses(([name, args, id]) => [name, withoutHashes(args) as JsonMap, id]),
  },
  {
    name: 'after an error no further call is run',
    checks: ['references-one-fails'],
    ...onResponse((response) => {
      const all = response['methodResponses'] as [string, Json, string][];
      const failed = all.findIndex(([name]) => name === 'error');
      return { ...response, methodResponses: failed === -1 ? all : all.slice(0, failed + 1) };
    }),
  },
  {
    name: 'references of ids are not looked at: all objects are listed',
    checks: [
      'references-query-get',
      'references-changes-get',
      'references-list-ids',
      'references-empty-list',
      'references-wrong-type',
      'references-limits',
      'references-arguments',
    ],
    ...sent(
      'get',
      without((name) => name === '#ids'),
    ),
  },
  {
    name: 'ids that are found to be null are none',
    checks: ['references-null-ids'],
    ...list('get', 'list', () => []),
  },
  {
    name: 'limits are held against what was sent',
    checks: ['references-limits'],
    ...forgiving('requestTooLarge', 'get', { list: [], notFound: [] }),
  },
  {
    name: 'references of some arguments are not looked at',
    checks: ['references-arguments-of-queries'],
    ...sent(
      'query',
      without((name) => name === '#limit' || name === '#position'),
    ),
  },
  {
    name: 'a reference that fails counts as left out',
    checks: ['references-rejected-whole'],
    ...sent(
      'set',
      without((name) => name.startsWith('#')),
    ),
  },
  {
    name: 'other arguments are checked before references are resolved',
    checks: ['references-rejected-whole'],
    ...sent(
      'get',
      without((name) => name.startsWith('#')),
    ),
  },
  {
    name: 'unknown properties of a create are dropped',
    checks: ['references-inside-create-named'],
    ...sent('set', (args) => withoutHashes({ ...args, '#x': 0 }) as JsonMap),
  },
  {
    name: 'references in a create are resolved',
    checks: ['references-inside-create'],
    ...sent('set', (args) => ({ ...args, create: resolvedIn(args['create'] ?? null, 'text') })),
  },
  {
    name: 'unknown conditions of a filter are dropped',
    checks: ['references-inside-filter'],
    ...sent('query', (args) => withoutHashes(args) as JsonMap),
  },
  {
    name: 'a create changes the value that was referred to',
    checks: ['references-twice'],
    ...onResponses(([name, args, id]) => [
      name,
      id === 'e' && name === 'Core/echo' ? { x: { k: {} } } : args,
      id,
    ]),
  },
  {
    name: 'the last response of a call is meant',
    checks: ['references-copy-first'],
    ...references((one) => ({
      ...one,
      name: String(one['name']).endsWith('/set')
        ? String(one['name']).replace('/set', '/copy')
        : String(one['name']),
    })),
  },
];

/** Without members whose names begin with #, however deep. */
function withoutHashes(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutHashes);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !name.startsWith('#'))
      .map(([name, one]) => [name, withoutHashes(one)]),
  );
}

/** Members whose names begin with # without it, with this text. */
function resolvedIn(value: Json, text: string): Json {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) =>
      name.startsWith('#') ? [name.slice(1), text] : [name, resolvedIn(one, text)],
    ),
  );
}
