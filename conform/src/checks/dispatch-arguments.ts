import { expect } from 'expect';
import type { StandardMethodName } from '../../../src/capability/definition.js';
import { typeChecks } from '../check.js';
import { sortRemoved } from '../subject/queries.js';
import { buildCalls, NEEDS } from './dispatch.js';

/** RFC 8620 3.5 to 3.9: arguments for which calls of a type's methods are refused. */

/** Arguments of a wrong type: the method, the argument at fault, and what is sent. */
export const WRONG_TYPES: readonly (readonly [StandardMethodName, string, object])[] = [
  ['get', 'ids', { ids: 'x' }],
  ['get', 'ids', { ids: {} }],
  ['get', 'ids', { ids: [1] }],
  ['get', 'ids', { ids: [null] }],
  ['get', 'properties', { properties: 'text' }],
  ['get', 'properties', { properties: [1] }],
  ['query', 'limit', { limit: '5' }],
  ['query', 'limit', { limit: 1.5 }],
  ['query', 'position', { position: 1.5 }],
  ['query', 'position', { position: '0' }],
  ['query', 'anchor', { anchor: 1 }],
  ['query', 'anchorOffset', { anchorOffset: '1' }],
  ['query', 'calculateTotal', { calculateTotal: 'yes' }],
  ['query', 'sort', { sort: {} }],
  ['query', 'filter', { filter: [] }],
  ['query', 'filter', { filter: 'x' }],
  ['changes', 'maxChanges', { sinceState: '0', maxChanges: '3' }],
  ['changes', 'sinceState', { sinceState: 3 }],
  ['queryChanges', 'sinceQueryState', { sinceQueryState: 3 }],
  ['queryChanges', 'upToId', { sinceQueryState: '0', upToId: 1 }],
  ['queryChanges', 'calculateTotal', { sinceQueryState: '0', calculateTotal: 1 }],
  ['set', 'create', { create: [] }],
  ['set', 'update', { update: 'x' }],
  ['set', 'destroy', { destroy: {} }],
  ['set', 'destroy', { destroy: [1] }],
  ['set', 'ifInState', { ifInState: 1 }],
  ['copy', 'create', { create: [] }],
  ['copy', 'fromAccountId', { fromAccountId: 1, create: {} }],
  ['copy', 'onSuccessDestroyOriginal', { create: {}, onSuccessDestroyOriginal: 'yes' }],
  ['copy', 'ifFromInState', { create: {}, ifFromInState: 1 }],
];

export const dispatchArgumentChecks = typeChecks('3.6.2', NEEDS, [
  {
    id: 'dispatch-unknown-arguments',
    section: '3.9',
    level: 'must',
    rule: 'An argument that the method doesn’t have is invalidArguments, whatever its value.',
    async run(subject) {
      for (const [method, args] of buildCalls(subject))
        for (const wrong of [{ foo: 1 }, { 'other name': null }]) {
          const answer = await subject.client.call(method, { ...args, ...wrong });
          const expected = subject.matchError('invalidArguments', ...Object.keys(wrong));
          expect({ method, answer }).toEqual({ method, answer: expected });
        }
    },
  },
  {
    id: 'dispatch-null-arguments',
    section: '3.5',
    level: 'must',
    rule: 'An argument that may be null, given as null, is as if it were left out.',
    /**
     * Compares each call with nulls to the same call without them. The order of /queryChanges
     * lists is left aside.
     */
    async run(subject) {
      const { A1: accountId, client, type } = subject;
      const all = await client.get(type, { accountId });
      expect(await client.get(type, { accountId, ids: null, properties: null })).toEqual(all);
      const { state: sinceState } = all;
      if (subject.has('changes'))
        expect(await client.changes(type, { accountId, sinceState, maxChanges: null })).toEqual(
          await client.changes(type, { accountId, sinceState }),
        );
      if (subject.has('set')) {
        const nulls = { ifInState: null, create: null, update: null, destroy: null };
        expect(await client.set(type, { accountId, ...nulls })).toEqual(
          await client.set(type, { accountId }),
        );
      }
      if (!subject.has('query')) return;
      const nulls = { filter: null, sort: null, anchor: null, limit: null };
      const query = await client.query(type, { accountId });
      expect(await client.query(type, { accountId, ...nulls })).toEqual(query);
      if (!subject.has('queryChanges') || !query.canCalculateChanges) return;
      const since = { accountId, sinceQueryState: query.queryState };
      const more = { filter: null, sort: null, maxChanges: null, upToId: null };
      expect(sortRemoved(await client.queryChanges(type, { ...since, ...more }))).toEqual(
        sortRemoved(await client.queryChanges(type, since)),
      );
    },
  },
  {
    id: 'dispatch-wrong-types',
    level: 'must',
    rule:
      'An argument of the wrong type is invalidArguments: it is neither converted ' +
      'nor ignored.',
    /**
     * Skips methods that the type lacks. Gives /copy a good second account, since a server may
     * judge accounts first.
     */
    async run(subject) {
      // Accounts that are wrong, too, may be told first.
      const [, fromAccountId] = subject.server.listWritable(subject.profile.capability);
      for (const [verb, argument, wrong] of WRONG_TYPES) {
        if (!subject.has(verb) || (verb === 'copy' && fromAccountId === undefined)) continue;
        const from = verb === 'copy' ? { fromAccountId } : {};
        const args = { accountId: subject.A1, ...from, ...wrong };
        const answer = await subject.client.call(`${subject.type}/${verb}`, args);
        const expected = subject.matchError('invalidArguments', argument);
        expect({ verb, wrong, answer }).toEqual({ verb, wrong, answer: expected });
      }
    },
  },
  {
    id: 'dispatch-error-changes-nothing',
    level: 'must',
    rule:
      'A call that ends in a method-level error changed nothing: state and objects are as ' +
      'before.',
    needs: { methods: ['set'], text: true, room: 2, singleton: undefined },
    /**
     * Lets each call carry a good create and update beside its fault. A server that writes before
     * it judges leaves a trace.
     */
    async run(subject) {
      const id = await subject.makeOne(subject.A1);
      const before = await subject.takeSnapshot(subject.A1);
      const writes = {
        create: { k: subject.create('new') },
        update: { [id]: { [subject.profile.text]: 'changed' } },
      };
      for (const wrong of [{ destroy: 'x' }, { ifInState: 'no' }, { ifInState: 7 }]) {
        const args = { accountId: subject.A1, ...writes, ...wrong };
        const [answer] = await subject.client.call(`${subject.type}/set`, args);
        expect(answer).toBe('error');
      }
      expect(await subject.takeSnapshot(subject.A1)).toEqual(before);
    },
  },
]);
