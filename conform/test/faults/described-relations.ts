import { asMap, type Item, type Json, type JsonMap } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import {
  accepted,
  changeResponses,
  events,
  list,
  member,
  onResponse,
  renamed,
  sent,
} from './makers.js';

/** Faults against a descriptor's words about several objects together. */

/** Shows values as they were before updates, until something is created or destroyed. */
function forgettingUpdates(...names: readonly string[]): Partial<Fault> {
  const shown = new Map<string, Json>();
  const show = (item: Item): Item => {
    const old = names.flatMap((name): [string, Json][] => {
      const key = `${item.id} ${name}`;
      if (!Object.hasOwn(item, name)) return [];
      if (!shown.has(key)) shown.set(key, item[name] ?? null);
      return [[name, shown.get(key) ?? null]];
    });
    return { ...item, ...Object.fromEntries(old) };
  };
  return {
    ...list('get', 'list', (all) => all.map((item) => show(item as Item))),
    ...sent('set', (args) => {
      if (args['create'] !== undefined || args['destroy'] !== undefined) shown.clear();
      return args;
    }),
  };
}

/** An object that another one of the call needs is refused for that one. */
function asListed(args: JsonMap): JsonMap {
  const { needed, ...created } = asMap(args['created']);
  if (needed === undefined) return args;
  const refused = { type: 'alreadyExists', existingId: asMap(needed)['id'] ?? '' };
  return { ...args, created, notCreated: { ...asMap(args['notCreated']), needed: refused } };
}

export const describedRelationFaults: readonly Fault[] = [
  {
    name: 'references to nothing are taken',
    checks: [
      'described-links-targets',
      'described-links-later-creation-id',
      'described-links-acyclic',
      'described-links-forms',
      'described-links-update',
      'described-links-gone',
      'described-links-turned',
    ],
    ...accepted('invalidProperties'),
  },
  {
    name: 'the id behind a creation id is not reported',
    checks: [
      'described-links-creation-ids',
      'described-links-several',
      'described-blobs-creation-id',
    ],
    ...member('set', 'created', (made) =>
      Object.fromEntries(
        Object.entries(asMap(made)).map(([key, one]) => [key, { id: asMap(one)['id'] ?? null }]),
      ),
    ),
  },
  {
    name: 'a linked object is forbidden',
    checks: ['described-links-restrict', 'described-links-holders'],
    ...renamed('objectIsLinked', 'forbidden'),
  },
  {
    name: 'an object that cascades or is unlinked is no change',
    checks: ['described-links-cascade', 'described-links-set-null'],
    ...changeResponses('changes', (args) => ({ ...args, updated: [], destroyed: [] })),
  },
  {
    name: 'copies refer to what is in another account',
    checks: ['described-links-copied'],
    ...member('copy', 'notCreated', () => null),
  },
  {
    name: 'two objects share a unique value',
    checks: [
      'described-unique-shared',
      'described-unique-updates',
      'described-unique-later-loses',
      'described-unique-valid',
      'described-unique-sequential',
      'described-normal-unique',
      'described-nulls-equal',
    ],
    ...accepted('alreadyExists'),
  },
  {
    name: 'the holder of a unique value is not told',
    checks: [
      ...['described-unique-shared', 'described-unique-copied'],
      ...['described-unique-copied-existing', 'described-normal-unique', 'described-nulls-equal'],
    ],
    ...onResponse(
      (response) =>
        JSON.parse(JSON.stringify(response).replaceAll('"existingId"', '"other"')) as JsonMap,
    ),
  },
  {
    name: 'unique values are all the same',
    checks: ['described-unique-different', 'described-unique-updates'],
    ...sent(
      'set',
      (args) =>
        JSON.parse(JSON.stringify(args).replaceAll(/"code":"[^"]*"/g, '"code":"same"')) as JsonMap,
    ),
  },
  {
    name: 'a count stays',
    checks: ['described-aggregates', 'described-counts', 'described-counts-unmoved'],
    ...list('get', 'list', (all: Json[]) => all.map((item) => ({ ...(item as Item), count: 0 }))),
  },
  {
    name: 'a count forgets that an update moves an object',
    checks: ['described-aggregates'],
    ...forgettingUpdates('count'),
  },
  {
    name: 'sums and greatest values forget updates of what they are made of',
    checks: ['described-aggregates-values'],
    ...forgettingUpdates('octets', 'lastDay'),
  },
  {
    name: 'a count forgets updates of what its condition reads',
    checks: ['described-aggregates-values'],
    ...forgettingUpdates('unread'),
  },
  {
    name: 'a count moves without a change',
    checks: ['described-counts'],
    ...list('changes', 'updated', () => []),
  },
  {
    name: 'the count of objects has no limit',
    checks: ['described-limits-count', 'described-limits-over-quota'],
    ...accepted('overQuota'),
  },
  {
    name: 'the octets of an object have no limit',
    checks: ['described-limits-octets', 'described-limits-too-large'],
    ...accepted('tooLarge'),
  },
  {
    name: 'an object over the count is called invalid',
    checks: ['described-limits-over-quota'],
    ...renamed('overQuota', 'invalidProperties'),
  },
  {
    name: 'an object that is too large is called invalid',
    checks: ['described-limits-too-large'],
    ...renamed('tooLarge', 'invalidProperties'),
  },
  {
    name: 'of two updates of a call the first is refused',
    checks: ['described-unique-swap'],
    ...changeResponses('set', (args) => {
      const [first, ...rest] = Object.entries(asMap(args['updated']));
      if (first === undefined || rest.length === 0) return args;
      return {
        ...args,
        updated: Object.fromEntries(rest),
        notUpdated: { [first[0]]: { type: 'alreadyExists', existingId: rest[0]?.[0] ?? '' } },
      };
    }),
  },
  {
    name: 'an object that counts others is reported with its first state',
    checks: ['described-counts-told'],
    ...events('state', (event) => event.replace(/"Project":"\w+"/, '"Project":"0"')),
  },
  {
    name: 'creates that refer to one another are judged as they are listed',
    checks: ['described-unique-needed'],
    ...changeResponses('set', asListed),
  },
  {
    name: 'copies that refer to one another are judged as they are listed',
    checks: ['described-unique-needed-copied'],
    ...changeResponses('copy', asListed),
  },
];
