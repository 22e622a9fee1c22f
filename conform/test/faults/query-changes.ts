import { asMap, type Json, type JsonMap } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import {
  changeResponses,
  forgiving,
  ignoring,
  list,
  member,
  onResponses,
  renamed,
  sent,
} from './makers.js';

const NOTHING: JsonMap = {
  accountId: 'a',
  oldQueryState: '0',
  newQueryState: '0',
  removed: [],
  added: [],
};

const ids = (added: readonly Json[]): Json[] => added.map((one) => asMap(one)['id'] ?? null);

export const queryChangesFaults: readonly Fault[] = [
  {
    name: '/queryChanges tells another oldQueryState',
    checks: ['query-changes-none', 'query-changes-created', 'query-changes-same-query'],
    ...member('queryChanges', 'oldQueryState', (state) => `${String(state)}${Math.random()}`),
  },
  {
    name: '/queryChanges keeps the old state',
    checks: [
      'query-changes-created',
      'query-changes-busy-writer',
      'query-changes-old-state',
      'query-changes-up-to-id-cuts',
      'query-changes-around-filter-exact',
      'query-changes-random-splices',
    ],
    ...changeResponses('queryChanges', (args) => ({
      ...args,
      newQueryState: args['oldQueryState'] ?? null,
    })),
  },
  {
    name: '/queryChanges leaves out what was added',
    checks: [
      'query-changes-created',
      'query-changes-added-in-order',
      'query-changes-around-filter',
      'query-changes-moved',
      'query-changes-max-changes',
      'query-changes-old-state',
      'query-changes-sparse',
      'query-changes-up-to-id',
      'query-changes-up-to-id-default-order',
      'query-changes-up-to-id-ignored',
      'query-sync-changes',
      'query-changes-null',
    ],
    ...list('queryChanges', 'added', (added) => added.slice(1)),
  },
  {
    name: '/queryChanges removes nothing',
    checks: [
      'query-changes-destroyed',
      'query-changes-exact',
      'query-changes-around-filter',
      'query-changes-around-filter-exact',
      'query-changes-moved',
      'query-changes-sparse',
      'query-changes-up-to-id',
      'query-changes-random-splices',
      'query-sync-changes',
      'query-changes-every-query',
      'query-changes-null',
    ],
    ...member('queryChanges', 'removed', () => []),
  },
  {
    name: '/queryChanges gives wrong indexes',
    checks: [
      'query-changes-created',
      'query-changes-added-in-order',
      'query-changes-old-state',
      'query-changes-random-splices',
      'query-changes-null',
    ],
    ...list('queryChanges', 'added', (added) => added.map((one) => ({ ...asMap(one), index: 0 }))),
  },
  {
    name: '/queryChanges sorts added by id, not by index',
    checks: ['query-changes-added-in-order', 'query-changes-random-splices'],
    ...list('queryChanges', 'added', (added) => added.toReversed()),
  },
  {
    name: '/queryChanges counts without being asked',
    checks: ['query-changes-total', 'query-changes-none'],
    ...changeResponses('queryChanges', (args) => ({ total: 2, ...args })),
  },
  {
    name: '/queryChanges counts one too many',
    checks: ['query-changes-total', 'query-changes-random-splices', 'query-changes-sparse'],
    ...member('queryChanges', 'total', (total) => Number(total) + 1),
  },
  {
    name: '/queryChanges adds what is gone again',
    checks: ['query-changes-created-and-destroyed', 'query-changes-exact', 'query-changes-unread'],
    ...list('queryChanges', 'added', (added) => [...added, { id: 'r0gone', index: added.length }]),
  },
  {
    name: '/queryChanges tells what didn’t change',
    checks: ['query-changes-none', 'query-changes-exact', 'query-changes-up-to-id-cuts'],
    ...list('queryChanges', 'removed', (removed) => [...removed, 'r0other']),
  },
  {
    name: '/queryChanges leaves out what stays where it was',
    checks: ['query-changes-moved'],
    ...changeResponses('queryChanges', (args) => {
      const removed = (args['removed'] ?? []) as Json[];
      const added = (args['added'] ?? []) as Json[];
      // An object that was at the start before it is so still, most likely.
      const stays = added.filter((one) => asMap(one)['index'] === 0).flatMap((one) => ids([one]));
      return {
        ...args,
        removed: removed.filter((id) => !stays.includes(id)),
        added: added.filter((one) => !stays.includes(ids([one])[0] ?? null)),
      };
    }),
  },
  {
    name: '/queryChanges ignores maxChanges',
    checks: [
      'query-changes-max-changes',
      'query-changes-max-changes-zero',
      'query-changes-invalid',
    ],
    ...ignoring('queryChanges', 'maxChanges'),
  },
  {
    name: '/queryChanges counts added alone',
    checks: ['query-changes-max-changes'],
    ...sent('queryChanges', (args) =>
      typeof args['maxChanges'] === 'number' && args['maxChanges'] > 0
        ? { ...args, maxChanges: args['maxChanges'] + 1 }
        : args,
    ),
  },
  {
    name: 'more changes than maxChanges can’t be calculated',
    checks: ['query-changes-max-changes', 'query-changes-max-changes-zero'],
    ...renamed('tooManyChanges', 'cannotCalculateChanges'),
  },
  {
    name: 'wrong arguments of /queryChanges are taken',
    checks: ['query-changes-invalid', 'query-changes-malformed-query'],
    ...forgiving('invalidArguments', 'queryChanges', NOTHING),
  },
  {
    name: '/queryChanges tells a malformed filter as unsupported',
    checks: ['query-changes-malformed-query'],
    ...renamed('invalidArguments', 'unsupportedFilter'),
  },
  {
    name: '/queryChanges looks at the state first',
    checks: ['query-changes-unsupported-first'],
    ...onResponses(([name, args, id]) =>
      name === 'error' && String(args['type']).startsWith('unsupported')
        ? [name, { ...args, type: 'cannotCalculateChanges' }, id]
        : [name, args, id],
    ),
  },
  {
    name: 'any queryState is one that was issued',
    checks: ['query-changes-unknown-state', 'query-changes-other-query'],
    ...forgiving('cannotCalculateChanges', 'queryChanges', NOTHING),
  },
  {
    name: '/queryChanges takes the empty list of comparators for another sort',
    checks: ['query-changes-same-query'],
    ...sent('queryChanges', (args) =>
      Array.isArray(args['sort']) && args['sort'].length === 0
        ? { ...args, sinceQueryState: 'another' }
        : args,
    ),
  },
  {
    name: '/queryChanges cuts off behind upToId whatever is sorted by',
    checks: ['query-changes-up-to-id-ignored'],
    ...onUpToId((args) => ({ ...args, added: [], removed: [] })),
  },
  {
    name: '/queryChanges ignores upToId',
    checks: [
      'query-changes-up-to-id-cuts',
      'query-changes-up-to-id-default-order',
      'query-changes-up-to-id-filtered',
    ],
    ...ignoring('queryChanges', 'upToId'),
  },
  {
    name: '/queryChanges leaves out what is in front of upToId',
    checks: ['query-changes-up-to-id'],
    ...onUpToId((args) => ({
      ...args,
      removed: ((args['removed'] ?? []) as Json[]).slice(1),
    })),
  },
  {
    name: 'responses come out of order',
    checks: ['query-sync-first', 'query-sync-changes'],
    ...onResponses(([name, args, id]) =>
      name.endsWith('/get') ? [name, { ...args, list: [], notFound: ['a'] }, id] : [name, args, id],
    ),
  },
];

/** Changes what is told where upToId was given. */
function onUpToId(change: (args: JsonMap) => JsonMap): Partial<Fault> {
  let isAsked = false;
  const { request = (one) => one } = sent('queryChanges', (args) => {
    isAsked = typeof args['upToId'] === 'string';
    return args;
  });
  const { answer = (one) => one } = changeResponses('queryChanges', (args) =>
    isAsked ? change(args) : args,
  );
  return { request, answer };
}

export const metamorphicFaults: readonly Fault[] = [
  {
    name: '/changes leaves out a destroyed id',
    checks: ['changes-random-pages'],
    ...list('changes', 'destroyed', (gone) => gone.slice(1)),
  },
  {
    name: '/changes leaves out an updated id',
    checks: ['changes-random-pages'],
    ...list('changes', 'updated', (updated) => updated.slice(1)),
  },
  {
    name: '/changes never has more',
    checks: ['changes-random-pages'],
    ...member('changes', 'hasMoreChanges', () => false),
  },
  {
    name: 'OR within another operator is AND',
    checks: ['query-random-trees'],
    ...sent('query', (args) => {
      const { conditions, ...rest } = asMap(args['filter']);
      if (conditions === undefined) return args;
      const text = JSON.stringify(conditions).replaceAll('"operator":"OR"', '"operator":"AND"');
      return { ...args, filter: { ...rest, conditions: JSON.parse(text) as Json } };
    }),
  },
  {
    name: 'the state of an account is none that was issued',
    checks: ['changes-every-state'],
    ...sent('changes', (args) => ({ ...args, sinceState: 'never issued' })),
  },
  {
    name: 'oldState of a /set is the state at the end',
    checks: ['changes-parallel-creates', 'changes-parallel-steps'],
    ...changeResponses('set', (args) => ({ ...args, oldState: args['newState'] ?? null })),
  },
  {
    name: 'creates at the same time share a state',
    checks: ['changes-parallel-creates', 'changes-parallel-steps'],
    ...member('set', 'newState', (state) => String(Number(state) - (Number(state) % 2))),
  },
  {
    name: '/changes leaves out a created id',
    checks: ['changes-parallel-creates', 'changes-random-pages'],
    ...list('changes', 'created', (created) => created.slice(1)),
  },
];
