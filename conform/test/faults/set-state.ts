import { asMap, type Json, type JsonMap } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import {
  changeResponses,
  entries,
  ignoring,
  member,
  onResponse,
  renamed,
  sent,
  setErrors,
} from './makers.js';

/** States that are never the same twice. */
let asked = 0;

export const setStateFaults: readonly Fault[] = [
  {
    name: 'ifInState is ignored',
    checks: [
      'set-if-in-state',
      'set-if-in-state-unknown',
      'set-if-in-state-written',
      'set-if-in-state-twice',
      'set-if-in-state-first',
      'singleton-if-in-state',
    ],
    ...ignoring('set', 'ifInState'),
  },
  {
    name: 'a state is compared as a number',
    checks: ['set-if-in-state-written'],
    ...sent('set', (args) =>
      typeof args['ifInState'] === 'string' && args['ifInState'] !== ''
        ? { ...args, ifInState: String(Number(args['ifInState'])) }
        : args,
    ),
  },
  {
    name: 'ifInState null is compared, too',
    checks: ['set-if-in-state-unknown'],
    ...sent('set', (args) => (args['ifInState'] === null ? { ...args, ifInState: '' } : args)),
  },
  {
    name: 'each /set moves the state',
    checks: ['set-nothing', 'set-destroy-unchanged-state', 'set-states-counted'],
    ...member('set', 'newState', (state) => `${String(state)}1`),
  },
  {
    name: 'the state moves with each /get',
    checks: ['set-states-of-accounts', 'set-states'],
    ...member('get', 'state', () => {
      asked += 1;
      return `asked${asked}`;
    }),
  },
  {
    name: 'SetErrors have no type',
    checks: ['set-error-shape'],
    ...setErrors(({ type: _, ...error }) => error),
  },
  {
    name: 'SetErrors tell properties as one string',
    checks: ['set-error-shape', 'set-create-all-invalid-listed'],
    ...setErrors((error) =>
      Array.isArray(error['properties'])
        ? { ...error, properties: [error['properties']] }
        : { ...error, properties: [5] },
    ),
  },
  {
    name: 'SetErrors are not described',
    checks: ['set-error-described'],
    ...setErrors(({ description: _, ...error }) => error),
  },
  {
    name: 'creates under illegal creation ids are left out',
    checks: ['set-illegal-creation-id'],
    ...sent('set', (args) => ({
      ...args,
      create: entries(args['create'], (all) => all.filter(([key]) => key === 'good')),
    })),
  },
  {
    name: 'an object of a large call is left out',
    checks: ['set-max-objects'],
    ...sent('set', (args) =>
      Array.isArray(args['destroy']) ? { ...args, destroy: args['destroy'].slice(1) } : args,
    ),
  },
  {
    name: 'less is taken than is told',
    checks: ['set-max-objects'],
    ...sent('set', (args) =>
      Array.isArray(args['destroy']) ? { ...args, destroy: [...args['destroy'], 'more'] } : args,
    ),
  },
  {
    name: 'an object that was read once in a request is not read again',
    checks: ['set-sequential', 'set-states'],
    ...onResponse((response) => {
      const first = new Map<string, JsonMap>();
      const responses = response['methodResponses'] as [string, JsonMap, string][];
      const now = responses.map(([name, args, id]) => {
        if (!name.endsWith('/get')) return [name, args, id];
        // The answer of a /set comes before it is known to those that read later.
        const known = first.get(name) ?? args;
        first.set(name, known);
        return [name, responses.length > 2 ? known : { ...args, state: 'old' }, id];
      });
      return { ...response, methodResponses: now as unknown as Json };
    }),
  },
  {
    name: 'a singleton is missing until it is written',
    checks: ['singleton-there', 'singleton-unwritten'],
    ...member('get', 'list', () => []),
  },
  {
    name: 'a singleton that was never written has no values',
    checks: ['singleton-there', 'singleton-unwritten'],
    ...member('get', 'list', (all) =>
      Array.isArray(all) ? all.map((one) => ({ id: asMap(one)['id'] ?? null })) : all,
    ),
  },
  {
    name: 'a singleton is an object like any other',
    checks: ['singleton-not-created'],
    ...renamed('singleton', 'forbidden'),
  },
  {
    name: 'updates of a singleton are no changes',
    checks: ['singleton-update'],
    ...member('changes', 'updated', () => []),
  },
  {
    name: 'an account without the type is no account',
    checks: ['singleton-account-without'],
    ...renamed('accountNotSupportedByMethod', 'accountNotFound'),
  },
  {
    name: 'a method that the type lacks is a wrong call',
    checks: ['singleton-methods'],
    ...renamed('unknownMethod', 'invalidArguments'),
  },
  {
    name: 'oldState is the state after',
    checks: ['set-create-answer', 'set-update-answer', 'set-destroy-answer', 'set-states'],
    ...changeResponses('set', (args) => ({ ...args, oldState: args['newState'] ?? null })),
  },
];
