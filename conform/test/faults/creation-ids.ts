import { asMap, type Json, type JsonMap } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import {
  changeResponses,
  creates,
  entries,
  onRequest,
  onResponse,
  patches,
  sent,
  strings,
} from './makers.js';

const ids = (change: (ids: JsonMap) => JsonMap | undefined): Partial<Fault> =>
  onResponse(({ createdIds, ...response }) => {
    if (createdIds === undefined) return response;
    const now = change(asMap(createdIds));
    return now === undefined ? response : { ...response, createdIds: now };
  });

const unresolved = (text: string): string => text.replace(/(^|[/])#/, '$1r0');

export const creationIdFaults: readonly Fault[] = [
  {
    name: 'createdIds are not answered',
    checks: ['creation-ids-answered', 'creation-ids-kept', 'creation-ids-split'],
    ...ids(() => undefined),
  },
  {
    name: 'createdIds are answered where none were sent',
    checks: ['creation-ids-answered'],
    ...onResponse((response) => ({ createdIds: {}, ...response })),
  },
  {
    name: 'createdIds that were given are forgotten',
    checks: [
      'creation-ids-kept',
      'creation-ids-given',
      'creation-ids-given-update',
      'creation-ids-real-ids',
      'creation-ids-split',
      'creation-references-given',
    ],
    ...onRequest((request) =>
      request['createdIds'] === undefined ? request : { ...request, createdIds: {} },
    ),
  },
  {
    name: 'a refused object is in createdIds',
    checks: ['creation-ids-kept'],
    ...ids((all) => ({ ...all, bad: 'r0nothing' })),
  },
  {
    name: 'creation ids are answered as they were sent',
    checks: ['creation-ids-real-ids', 'creation-ids-same-call-states'],
    ...changeResponses('set', (args) => ({
      ...args,
      updated: entries(args['updated'], (all) => all.map(([, one]) => ['#x', one])),
      destroyed: Array.isArray(args['destroyed']) ? args['destroyed'].map(() => '#x') : null,
    })),
  },
  {
    name: '/get leaves creation ids out',
    checks: ['creation-ids-in-get', 'creation-ids-given-in-get'],
    ...sent('get', (args) => ({
      ...args,
      ids: Array.isArray(args['ids'])
        ? args['ids'].filter((id) => !String(id).startsWith('#'))
        : (args['ids'] ?? null),
    })),
  },
  {
    name: 'a creation id that was given is never another',
    checks: ['creation-ids-reused'],
    ...ids((all) => ({ ...all, k: 'given' })),
  },
  {
    name: 'a create that is refused takes its creation id out',
    checks: ['creation-ids-refused-keeps'],
    ...ids(({ k: _, ...rest }) => rest),
  },
  {
    name: 'creation ids are no keys of update and no ids of destroy',
    checks: [
      'creation-ids-given',
      'creation-ids-given-update',
      'creation-ids-earlier-call',
      'creation-ids-earlier-call-update',
      'creation-ids-refused-keeps',
      'creation-ids-reused',
      'creation-ids-same-call-update',
      'creation-ids-same-call-destroy',
      'creation-ids-split',
    ],
    ...sent('set', (args) => ({
      ...args,
      update: entries(args['update'], (all) => all.map(([key, one]) => [unresolved(key), one])),
      destroy: Array.isArray(args['destroy'])
        ? args['destroy'].map((id) => unresolved(String(id)))
        : (args['destroy'] ?? null),
    })),
  },
  {
    name: 'a text that looks like a creation id is resolved',
    checks: ['creation-ids-in-text'],
    ...patches((patch) => strings(patch, (text) => unresolved(text)) as JsonMap),
  },
  {
    name: 'creation ids are cut',
    checks: ['creation-ids-any-id'],
    ...sent('set', (args) => ({
      ...args,
      create: entries(args['create'], (all) => all.map(([key, one]) => [key.slice(0, 64), one])),
    })),
  },
  {
    name: 'a creation id __proto__ is lost',
    checks: ['creation-ids-any-id'],
    ...sent('set', (args) => ({
      ...args,
      create: entries(args['create'], (all) => all.filter(([key]) => key !== '__proto__')),
    })),
  },
  {
    name: 'creation ids in references are not resolved',
    checks: [
      'creation-references-earlier-call',
      'creation-references-given',
      'creation-references-same-call',
    ],
    ...creates((one) => strings(one, unresolved) as JsonMap),
  },
  {
    name: 'creation ids in references of patches are not resolved',
    checks: ['creation-references-update', 'creation-references-pointer'],
    ...patches((one) => strings(one, unresolved) as JsonMap),
  },
  {
    name: 'references are reported as they were sent',
    checks: ['creation-references-earlier-call', 'creation-references-same-call'],
    ...changeResponses('set', (args) => ({
      ...args,
      created: entries(args['created'], (all) =>
        all.map(([key, one]) => [key, withoutLinks(asMap(one))]),
      ),
    })),
  },
  {
    name: 'creates of one call are done in the order in which they are listed',
    checks: ['creation-references-same-call'],
    ...sent('set', (args) => {
      const all = Object.entries(asMap(args['create']));
      const known = (at: number) => all.slice(0, at).map(([key]) => `#${key}`);
      const create = all.map(([key, one], at) => [
        key,
        strings(one, (text) => (known(at).includes(text) ? text : unresolved(text))),
      ]);
      return all.length === 0 ? args : { ...args, create: Object.fromEntries(create) as Json };
    }),
  },
];

const withoutLinks = ({ parentId: _, links: __, ...rest }: JsonMap): JsonMap => rest;
