import { expect } from 'expect';
import type { StandardMethodName } from '../../../src/capability/definition.js';
import { typeChecks } from '../check.js';
import type { Call } from '../client/answers.js';
import { unordered } from '../subject/queries.js';
import type { Subject } from '../subject/subject.js';
import { CORE } from '../subject/user.js';

/** RFC 8620 3.2 to 3.6.2: how calls of a type's methods are told apart, ordered, and refused. */

/** Returns a legal call of each method that the type has. A check spoils one part of it. */
export function calls(
  subject: Subject,
  account: object = { accountId: subject.A1 },
): readonly (readonly [method: string, args: object])[] {
  const { type } = subject;
  // The session's accounts suffice: nothing is copied.
  const [, second = 'a-second'] = subject.server.writable(subject.profile.capability);
  const all: readonly (readonly [StandardMethodName, object])[] = [
    ['get', { ...account, ids: [] }],
    ['set', { ...account }],
    ['changes', { ...account, sinceState: '0' }],
    ['query', { ...account }],
    ['queryChanges', { ...account, sinceQueryState: '0' }],
    ['copy', { ...account, fromAccountId: second, create: {} }],
  ];
  return all.flatMap(([verb, args]) => (subject.has(verb) ? [[`${type}/${verb}`, args]] : []));
}

/** Makes each call of the type with an account, and expects the same answer of all. */
async function eachAnswers(
  subject: Subject,
  account: object,
  expected: readonly [string, object],
): Promise<void> {
  for (const [method, args] of calls(subject, account)) {
    const answer = await subject.client.call(method, args);
    expect({ method, answer }).toEqual({ method, answer: expected });
  }
}

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

export const dispatchChecks = typeChecks(
  '3.6.2',
  { methods: ['get'], singleton: 'both', room: 0 },
  [
    {
      id: 'dispatch-capability-not-used',
      section: '3.3',
      level: 'must',
      rule: 'A method whose capability the request doesn’t name in `using` is an unknownMethod.',
      /** Names core alone in `using`. A server that ignores `using` answers the call. */
      async run(subject) {
        const client = subject.client.with([CORE]);
        for (const [method, args] of calls(subject)) {
          const answer = await client.call(method, args);
          expect({ method, answer }).toEqual({ method, answer: subject.err('unknownMethod') });
        }
      },
    },
    {
      id: 'dispatch-names-exact',
      section: '3.2',
      level: 'must',
      rule:
        'Method names are matched as they are: another letter case, a space or a part of a name ' +
        'is an unknownMethod.',
      async run(subject) {
        const { type, A1: accountId } = subject;
        const lower = type.toLowerCase();
        const names = [`${type}/Get`, `${type}/get `, `${type}`, `${type}/`, '', 'toString'];
        if (lower !== type) names.push(`${lower}/get`);
        for (const method of [...names, '__proto__', 'constructor']) {
          const answer = await subject.client.call(method, { accountId });
          expect({ method, answer }).toEqual({ method, answer: subject.err('unknownMethod') });
        }
      },
    },
    {
      id: 'dispatch-missing-methods',
      level: 'must',
      rule: 'A method that the type doesn’t have is an unknownMethod.',
      /**
       * Takes the missing methods of a server that describes itself. Another server may have more
       * methods than its descriptor says.
       */
      async run(subject) {
        // Somebody's descriptor may lack standard methods that the server has, or forbids (3.6.2).
        const standard = subject.isSelfDescribed ? subject.missing : [];
        for (const verb of [...standard, 'noSuchMethod']) {
          const method = `${subject.type}/${verb}`;
          expect(await subject.client.call(method, { accountId: subject.A1 })).toEqual(
            subject.err('unknownMethod'),
          );
        }
      },
    },
    {
      id: 'dispatch-order',
      section: '3.4',
      level: 'must',
      rule:
        'Responses come in the order of the calls, each with its call’s id, also where several ' +
        'calls have the same.',
      async run(subject) {
        const ids = ['z', 'a', 'm', 'a', 'b'];
        const { type, A1: accountId } = subject;
        const invocations = ids.map((id): Call => [`${type}/get`, { accountId, ids: [] }, id]);
        const { methodResponses } = await subject.client.api(invocations);
        expect(methodResponses.map(([, , id]) => id)).toEqual(ids);
      },
    },
    {
      id: 'dispatch-after-error',
      level: 'must',
      rule:
        'A method-level error is the answer to its call alone: calls before and after it are ' +
        'answered.',
      /**
       * Puts the failing call between two echoes, so that a server which stops at it, or repeats
       * it, is noticed.
       */
      async run(subject) {
        const { methodResponses } = await subject.client.api([
          ['Core/echo', { n: 1 }, 'a'],
          [`${subject.type}/get`, { accountId: subject.A1, ids: 'x' }, 'b'],
          ['Core/echo', { n: 3 }, 'c'],
        ]);
        expect(methodResponses).toEqual([
          ['Core/echo', { n: 1 }, 'a'],
          ['error', subject.methodError('invalidArguments', 'ids'), 'b'],
          ['Core/echo', { n: 3 }, 'c'],
        ]);
      },
    },
    {
      id: 'dispatch-account-missing',
      level: 'must',
      rule: 'A call without accountId is invalidArguments: no account is the default one.',
      async run(subject) {
        await eachAnswers(subject, {}, subject.err('invalidArguments', 'accountId'));
      },
    },
    {
      id: 'dispatch-account-no-string',
      level: 'must',
      rule: 'An accountId that is no String is invalidArguments.',
      async run(subject) {
        for (const accountId of [1, null, [], {}, true])
          await eachAnswers(subject, { accountId }, subject.err('invalidArguments', 'accountId'));
      },
    },
    {
      id: 'dispatch-account-unknown',
      level: 'must',
      rule: 'An accountId of no account is accountNotFound, for each method of the type.',
      async run(subject) {
        const account = { accountId: subject.unknownAccount };
        await eachAnswers(subject, account, subject.err('accountNotFound'));
      },
    },
    {
      id: 'dispatch-account-foreign',
      level: 'must',
      rule:
        'An account that the user has no access to is accountNotFound, as one that does not ' +
        'exist.',
      async run(subject) {
        await eachAnswers(subject, { accountId: subject.AX }, subject.err('accountNotFound'));
      },
    },
    {
      id: 'dispatch-account-without-type',
      level: 'must',
      rule: 'An account of the user’s that doesn’t have the type is accountNotSupportedByMethod.',
      async run(subject) {
        const account = { accountId: subject.accountWithout };
        await eachAnswers(subject, account, subject.err('accountNotSupportedByMethod'));
      },
    },
    {
      id: 'dispatch-read-only',
      level: 'must',
      rule:
        'A write to an account that is read-only is accountReadOnly and changes nothing; reading ' +
        'works.',
      needs: { methods: ['set'] },
      /**
       * Sends creates, updates and destroys of nothing: the right to write comes before the look at
       * objects. Reading must go on to work.
       */
      async run(subject) {
        const { AR: accountId, type, client } = subject;
        const { state } = await client.get(type, { accountId, ids: [] });
        const update = { singleton: {}, x1: {} };
        for (const args of [{ destroy: ['x1'] }, { update }, { create: { k: {} } }])
          expect(await client.call(`${type}/set`, { accountId, ...args })).toEqual(
            subject.err('accountReadOnly'),
          );
        if (subject.has('copy')) {
          const copy = { fromAccountId: subject.A1, accountId, create: { k: { id: 'x1' } } };
          expect(await client.call(`${type}/copy`, copy)).toEqual(subject.err('accountReadOnly'));
        }
        expect((await client.get(type, { accountId, ids: [] })).state).toBe(state);
        if (subject.has('changes')) await client.changes(type, { accountId, sinceState: state });
        if (!subject.has('query')) return;
        const { queryState } = await client.query(type, { accountId });
        if (!subject.has('queryChanges')) return;
        const [name] = await client.call(`${type}/queryChanges`, {
          accountId,
          sinceQueryState: queryState,
        });
        expect(name).toBe(`${type}/queryChanges`);
      },
    },
    {
      id: 'dispatch-unknown-arguments',
      section: '3.9',
      level: 'must',
      rule: 'An argument that the method doesn’t have is invalidArguments, whatever its value.',
      async run(subject) {
        for (const [method, args] of calls(subject))
          for (const wrong of [{ foo: 1 }, { 'other name': null }]) {
            const answer = await subject.client.call(method, { ...args, ...wrong });
            const expected = subject.err('invalidArguments', ...Object.keys(wrong));
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
        expect(unordered(await client.queryChanges(type, { ...since, ...more }))).toEqual(
          unordered(await client.queryChanges(type, since)),
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
        const [, fromAccountId] = subject.server.writable(subject.profile.capability);
        for (const [verb, argument, wrong] of WRONG_TYPES) {
          if (!subject.has(verb) || (verb === 'copy' && fromAccountId === undefined)) continue;
          const from = verb === 'copy' ? { fromAccountId } : {};
          const args = { accountId: subject.A1, ...from, ...wrong };
          const answer = await subject.client.call(`${subject.type}/${verb}`, args);
          const expected = subject.err('invalidArguments', argument);
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
        const id = await subject.one(subject.A1);
        const before = await subject.snapshot(subject.A1);
        const writes = {
          create: { k: subject.create('new') },
          update: { [id]: { [subject.profile.text]: 'changed' } },
        };
        for (const wrong of [{ destroy: 'x' }, { ifInState: 'no' }, { ifInState: 7 }]) {
          const args = { accountId: subject.A1, ...writes, ...wrong };
          const [answer] = await subject.client.call(`${subject.type}/set`, args);
          expect(answer).toBe('error');
        }
        expect(await subject.snapshot(subject.A1)).toEqual(before);
      },
    },
  ],
);
