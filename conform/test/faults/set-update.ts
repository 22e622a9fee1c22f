import { asMap, type Json } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import {
  accepted,
  changeResponses,
  dropping,
  entries,
  items,
  list,
  patches,
  sent,
  values,
} from './makers.js';

const isEmpty = (value: Json): boolean =>
  value !== null && typeof value === 'object' && Object.keys(value).length === 0;

export const setUpdateFaults: readonly Fault[] = [
  {
    name: 'updated tells nothing',
    checks: [
      'set-update-answer',
      'set-update-answer-exact',
      'set-update-default-reported',
      'singleton-no-op',
      'creation-references-update',
      'patch-whole-value',
    ],
    ...changeResponses('set', (args) => ({
      ...args,
      updated: values(args['updated'], () => null),
    })),
  },
  {
    name: 'updated tells what was asked for',
    checks: ['set-update-answer', 'set-update-answer-exact'],
    ...changeResponses('set', (args) => ({
      ...args,
      updated: values(args['updated'], (one) => ({ ...asMap(one), title: 'after' })),
    })),
  },
  {
    name: 'a server-set property is refused as it is',
    checks: ['set-update-whole-object', 'set-update-no-op'],
    ...patches((patch) => ('id' in patch ? { ...patch, id: 'x1' } : patch)),
  },
  {
    name: 'an empty patch is refused',
    checks: ['set-update-nothing', 'set-update-no-op', 'singleton-if-in-state'],
    ...patches((patch) => (isEmpty(patch) ? { noSuchProperty: 1 } : patch)),
  },
  {
    name: 'an update that changes nothing is told as a change',
    checks: ['set-update-no-op', 'patch-equal-values', 'singleton-no-op'],
    ...changeResponses('set', (args) => ({
      ...args,
      updated: values(args['updated'], (one) => one ?? { updated: '2026-01-02T03:04:05Z' }),
    })),
  },
  {
    name: 'a missing object is found',
    checks: [
      'set-update-unknown-id',
      'set-update-no-id',
      'set-destroy-unknown-id',
      'set-destroy-repeated',
      'creation-ids-unknown',
      'creation-ids-of-request',
      'singleton-other-id',
    ],
    ...accepted('notFound'),
  },
  {
    name: 'a wrong part of a patch is left out, the rest is applied',
    checks: ['set-update-atomic', 'set-update-unknown-null', 'set-update-prototype-names'],
    ...patches((patch) => dropping(patch, (key) => key !== 'title')),
  },
  {
    name: 'patches of one call are mixed up',
    checks: ['set-update-each'],
    ...sent('set', (args) => ({
      ...args,
      update: entries(args['update'], (all) =>
        all.map(([key], index) => [key, all.at(index - 1)?.[1] ?? null]),
      ),
    })),
  },
  {
    name: 'one bad patch refuses all',
    checks: ['set-update-each', 'patch-not-object'],
    ...changeResponses('set', (args) =>
      args['notUpdated'] === null ? args : { ...args, updated: null },
    ),
  },
  {
    name: 'null changes nothing',
    checks: [
      'set-update-null-default',
      'set-update-null-required',
      'singleton-null-default',
      'patch-nested-remove',
      'patch-whole-value',
    ],
    ...patches((patch) => dropping(patch, (_, value) => value === null)),
  },
  {
    name: 'an object that is updated is not destroyed',
    checks: ['set-update-destroyed', 'set-update-will-destroy'],
    ...sent('set', (args) => {
      const updated = Object.keys(asMap(args['update']));
      const destroy = (args['destroy'] ?? []) as Json[];
      return { ...args, destroy: destroy.filter((id) => !updated.includes(String(id))) };
    }),
  },
  {
    name: 'an update of what is destroyed is told as done',
    checks: ['set-update-will-destroy'],
    ...accepted('willDestroy'),
  },
  {
    name: 'destroys are lost',
    checks: ['set-destroy-answer', 'set-destroy-many', 'set-update-destroyed', 'set-continues'],
    ...sent('set', ({ destroy: _, ...args }) => args),
  },
  {
    name: 'destroyed tells more than is gone',
    checks: ['set-destroy-answer', 'set-destroy-answer-exact', 'set-destroy-many'],
    ...list('set', 'destroyed', (ids) => [...ids, 'x9']),
  },
  {
    name: 'destroyed tells an id twice',
    checks: ['set-destroy-repeated'],
    ...list('set', 'destroyed', (ids) => ids.flatMap((id) => [id, id])),
  },
  {
    name: 'a destroyed object takes all others along',
    checks: ['set-destroy-answer', 'set-destroy-many'],
    ...list('get', 'list', () => []),
  },
  {
    name: 'all objects have one id',
    checks: ['set-destroy-id-not-reused', 'set-create-answer'],
    ...changeResponses('set', (args) => ({
      ...args,
      created: values(args['created'], (one) => ({ ...asMap(one), id: 'r0same' })),
    })),
  },
  {
    name: 'lists are kept in an order of their own',
    checks: ['patch-array'],
    ...items((item) => ({
      ...item,
      list: Array.isArray(item['list']) ? [...item['list']].sort() : null,
    })),
  },
];
