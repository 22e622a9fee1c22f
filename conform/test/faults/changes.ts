import type { Json } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import { changeResponses, forgiving, ignoring, list, member, onResponses, sent } from './makers.js';

const NOTHING = {
  accountId: 'a',
  oldState: '0',
  newState: '0',
  hasMoreChanges: false,
  created: [],
  updated: [],
  destroyed: [],
};

export const changesFaults: readonly Fault[] = [
  {
    name: '/changes tells another oldState',
    checks: ['changes-none', 'changes-kinds'],
    ...member('changes', 'oldState', (state) => `${String(state)}0`),
  },
  {
    name: '/changes leaves out a created id',
    checks: ['changes-kinds', 'changes-pages', 'changes-exactly-max-changes'],
    ...list('changes', 'created', (ids) => ids.slice(1)),
  },
  {
    name: '/changes leaves out updated ids',
    checks: ['changes-merged-pages', 'changes-write-between-pages'],
    ...list('changes', 'updated', () => []),
  },
  {
    name: '/changes leaves out of updatedProperties what changed',
    checks: ['described-unknown-told', 'described-links-set-null', 'changes-kinds'],
    ...changeResponses('changes', (args) => ({ ...args, updatedProperties: ['updated'] })),
  },
  {
    name: '/changes tells what was created and destroyed as destroyed',
    checks: ['changes-merged'],
    ...list('changes', 'destroyed', (ids) => [...ids, 'r0never']),
  },
  {
    name: 'an update that changes nothing is told',
    checks: ['changes-no-op-update'],
    ...changeResponses('changes', (args) => ({
      ...args,
      updated: [...(args['updated'] as Json[]), 'r0x'],
    })),
  },
  {
    name: '/changes ignores maxChanges',
    checks: ['changes-max-changes-invalid', 'changes-pages', 'changes-exactly-max-changes'],
    ...ignoring('changes', 'maxChanges'),
  },
  {
    name: 'any state is one that was issued',
    checks: ['changes-unknown-state', 'changes-state-ahead'],
    ...forgiving('cannotCalculateChanges', 'changes', NOTHING),
  },
  {
    name: 'sinceState is taken for 0 where it is missing',
    checks: ['changes-since-state-required'],
    ...sent('changes', (args) => ({ ...args, sinceState: args['sinceState'] ?? '0' })),
  },
  {
    name: 'there is no state between sinceState and the newest',
    checks: ['changes-intermediate-state'],
    ...onResponses(([name, args, id]) =>
      args['hasMoreChanges'] === true
        ? ['error', { type: 'cannotCalculateChanges' }, id]
        : [name, args, id],
    ),
  },
];
