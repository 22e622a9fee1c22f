import type { Json, JsonMap } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import {
  accepted,
  changeResponses,
  creates,
  dropping,
  items,
  reported,
  sent,
  setErrors,
  strings,
  values,
  without,
} from './makers.js';

/** A server that changes each string of a /set before it looks at it. */
const rewritten = (change: (text: string) => string): Partial<Fault> =>
  sent('set', (args) => ({
    ...args,
    create: values(args['create'], (object) => values(object, (one) => strings(one, change))),
    update: values(args['update'], (patch) => values(patch, (one) => strings(one, change))),
  }));

const isCollection = (value: Json): boolean => value !== null && typeof value === 'object';

export const setCreateFaults: readonly Fault[] = [
  {
    name: 'created tells the id alone',
    checks: [
      'set-create-answer',
      'set-create-answer-exact',
      'set-create-defaults',
      'set-date-digits',
    ],
    ...reported(({ id = null }) => ({ id })),
  },
  {
    name: 'created tells what the client sent, too',
    checks: ['set-create-answer-exact', 'creation-ids-in-text'],
    ...reported((one) => ({ ...one, title: 'what was sent' })),
  },
  {
    name: 'the state stays whatever was done',
    checks: [
      'set-create-answer',
      'set-create-answer-exact',
      'set-update-answer',
      'set-update-answer-exact',
      'set-destroy-answer',
      'set-destroy-answer-exact',
      'set-states',
      'set-states-counted',
      'creation-ids-same-call-states',
    ],
    ...changeResponses('set', (args) => ({ ...args, newState: args['oldState'] ?? '0' })),
  },
  {
    name: 'no state is told',
    checks: ['set-create-answer', 'set-update-answer', 'set-destroy-answer', 'set-states'],
    ...without('set', 'newState'),
  },
  {
    name: 'an empty map or list is kept as null',
    checks: ['set-create-default-given', 'set-create-defaults'],
    ...items((item) =>
      Object.fromEntries(
        Object.entries(item).map(([key, value]) => [key, isCollection(value) ? null : value]),
      ),
    ),
  },
  {
    name: 'an invalid object is taken',
    checks: [
      'set-create-required',
      'set-create-unknown-property',
      'set-create-unknown-null',
      'set-create-server-set',
      'set-create-wrong-type',
      'set-create-not-object',
      'set-create-prototype-names',
      'set-text-length',
      'set-text-code-points',
      'set-text-nul',
      'set-date-invalid',
      'set-update-server-set',
      'set-update-unknown-null',
      'set-update-null-required',
      'set-update-prototype-names',
      'patch-nested-invalid',
      'patch-keys-judged',
      'patch-keys-counted',
      'creation-references-later-call',
      'creation-references-circle',
      'creation-references-refused',
    ],
    ...accepted('invalidProperties'),
  },
  {
    name: 'one of the invalid properties is told',
    checks: ['set-create-all-invalid-listed', 'set-create-unknown-null', 'set-update-unknown-null'],
    ...setErrors((error) =>
      Array.isArray(error['properties'])
        ? { ...error, properties: error['properties'].slice(0, 1) }
        : error,
    ),
  },
  {
    name: 'a server-set property of a client is left out',
    checks: [
      ...['set-create-server-set', 'set-create-server-set-refused'],
      'set-create-all-invalid-listed',
    ],
    ...creates((one) =>
      dropping(one, (key) => ['id', 'created', 'updated', 'count'].includes(key)),
    ),
  },
  {
    name: 'unknown properties are left out in silence',
    checks: ['set-create-unknown-property', 'set-create-prototype-names', 'set-continues'],
    ...creates((one) =>
      dropping(one, (key) => /^(noSuchProperty|__proto__|constructor|toString)$/.test(key)),
    ),
  },
  {
    name: 'one bad create refuses all',
    checks: ['set-continues', 'set-create-not-object'],
    ...changeResponses('set', (args) =>
      args['notCreated'] === null ? args : { ...args, created: null },
    ),
  },
  {
    name: 'texts are normalised',
    checks: ['set-text-kept'],
    ...rewritten((text) => text.normalize('NFC')),
  },
  {
    name: 'texts are trimmed',
    checks: ['set-text-kept'],
    ...rewritten((text) => text.trim()),
  },
  {
    name: 'texts that are too long are cut',
    checks: ['set-text-length', 'set-text-code-points'],
    ...rewritten((text) => [...text].slice(0, 200).join('')),
  },
  {
    name: 'texts are cut before they are as long as they may be',
    checks: ['set-text-length'],
    ...rewritten((text) => text.slice(0, 199)),
  },
  {
    name: 'texts are cut by units of UTF-16',
    checks: ['set-text-code-points'],
    ...rewritten((text) => (text.length > 200 ? text.slice(0, 200) : text)),
  },
  {
    name: 'U+0000 is left out',
    checks: ['set-text-nul'],
    ...rewritten((text) => text.replaceAll('\u0000', '')),
  },
  {
    name: 'dates have a fraction that is zero',
    checks: ['set-date-canonical', 'set-date-digits'],
    ...items((item) => ({
      ...item,
      due: typeof item['due'] === 'string' ? item['due'].replace(/(\.\d+)?Z$/, '.000Z') : null,
    })),
  },
  {
    name: 'a key __proto__ is lost',
    checks: ['set-map-keys'],
    ...items(
      (item) =>
        values(item, (one) =>
          isCollection(one) && !Array.isArray(one)
            ? dropping(one as JsonMap, (key) => key === '__proto__')
            : one,
        ) as JsonMap,
    ),
  },
  {
    name: 'numbers are rounded to what a double can be',
    checks: ['set-number-text'],
    ...sent('set', (args: JsonMap) => args),
  },
  {
    name: 'a number that no double holds is taken for an object without members',
    checks: ['set-number-for-object'],
    ...sent('set', (args: JsonMap) => emptied(args) as JsonMap),
  },
];

/** With an empty object for each number beyond the range of doubles. */
function emptied(value: Json): Json {
  if (value === Number.POSITIVE_INFINITY) return {};
  if (Array.isArray(value)) return value.map(emptied);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, emptied(one)]));
}
