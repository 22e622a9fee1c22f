import { asMap, type Item, type Json, type JsonMap } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import { accepted, changeResponses, list, member, renamed, sent } from './makers.js';

const items = (change: (item: Item) => JsonMap): Partial<Fault> =>
  list('get', 'list', (all) => all.map((item) => change(item as Item)));

const each = (map: Json, change: (value: Json) => Json): JsonMap =>
  Object.fromEntries(Object.entries(asMap(map)).map(([key, value]) => [key, change(value)]));

const MOST = 200;

function cut(value: Json): Json {
  if (typeof value === 'string') return [...value].slice(0, MOST).join('');
  if (Array.isArray(value)) return value.map(cut);
  return value !== null && typeof value === 'object' ? each(value, cut) : value;
}

export const describedFaults: readonly Fault[] = [
  {
    name: 'long texts are cut in silence',
    checks: ['described-values-stored'],
    ...items((item) =>
      Object.fromEntries(
        Object.entries(item).map(([name, value]) => [
          name,
          typeof value === 'string' && name !== 'id' ? value.slice(0, 199) : value,
        ]),
      ),
    ),
  },
  {
    name: 'an invalid value is taken',
    checks: [
      'described-values-refused',
      'described-sets-true',
      'described-values-required',
      'described-immutable-changed',
      'described-server-set-changed',
      'described-server-set-created',
      'described-internal',
      'described-immutable-null',
      'described-values-null-created',
      'described-blobs-refused',
      'described-transitions-refused',
      'described-transitions-begun',
      'described-immutable-when',
      'described-required-when',
      'described-answered-refused',
      'described-answered-whole',
    ],
    ...accepted('invalidProperties'),
  },
  {
    name: 'an object that a rule keeps is destroyed',
    checks: ['described-immutable-kept'],
    ...accepted('dealIsHeld'),
  },
  {
    name: 'an object that a rule keeps is kept by another error',
    checks: ['described-immutable-kept'],
    ...renamed('dealIsHeld', 'forbidden'),
  },
  {
    name: 'gives the id alone',
    checks: ['described-answered-given', 'described-answered-names'],
    ...items(({ id }) => ({ id })),
  },
  {
    name: 'only the first of what is missing is told',
    checks: ['described-values-required'],
    ...member('set', 'notCreated', (map) =>
      each(map, (error) => ({ ...asMap(error), properties: [] })),
    ),
  },
  {
    name: 'defaults are left out',
    checks: ['described-values-defaults'],
    ...items((item) =>
      Object.fromEntries(
        Object.entries(item).filter(([, value]) => value !== 0 && value !== false),
      ),
    ),
  },
  {
    name: 'an update that sends what is there already is refused',
    checks: [
      'described-immutable-same',
      'described-immutable-beside',
      'described-transitions-taken',
    ],
    ...changeResponses('set', (args) => {
      const updated = asMap(args['updated']);
      const error = { type: 'invalidProperties' };
      return { ...args, updated: null, notUpdated: each(updated, () => error) };
    }),
  },
  {
    name: 'an update that changes nothing tells what it did not set',
    checks: ['described-immutable-no-change'],
    ...member('set', 'updated', (map) => each(map, () => ({ updated: '2026-01-01T00:00:00Z' }))),
  },
  {
    name: 'internal properties are shown',
    checks: ['described-internal'],
    ...items((item) => ({ ...item, cost: 0 })),
  },
  {
    name: 'a value for a server-set property is taken',
    checks: ['described-server-set-changed'],
    ...sent(
      'set',
      (args) => JSON.parse(JSON.stringify(args).replaceAll('"count":5', '"count":0')) as JsonMap,
    ),
  },
  {
    name: 'texts beyond the bound are cut before they are looked at',
    checks: ['described-values-refused'],
    ...sent('set', (args) => cut(args) as JsonMap),
  },
  {
    name: 'secrets are shown',
    checks: ['described-secret'],
    ...items((item) => ({ ...item, apiKey: 's3cret of theirs' })),
  },
];
