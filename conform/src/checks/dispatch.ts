import { expect } from 'expect';
import type { StandardMethodName } from '../../../src/capability/definition.js';
import { type TypeNeeds, typeChecks } from '../check.js';
import type { Call } from '../client/answers.js';
import type { Subject } from '../subject/subject.js';
import { CORE } from '../subject/user.js';

/** RFC 8620 3.2 to 3.6.2: how calls of a type's methods are told apart and ordered. */

/** Needs a type that has /get, be it a singleton or not. */
export const NEEDS: TypeNeeds = Object.freeze<TypeNeeds>({
  methods: ['get'],
  singleton: 'both',
  room: 0,
});

/** Returns a legal call of each method that the type has. A check spoils one part of it. */
export function buildCalls(
  subject: Subject,
  account: object = { accountId: subject.A1 },
): readonly (readonly [method: string, args: object])[] {
  const { type } = subject;
  // The session's accounts suffice: nothing is copied.
  const [, second = 'a-second'] = subject.server.listWritable(subject.profile.capability);
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

export const dispatchChecks = typeChecks('3.6.2', NEEDS, [
  {
    id: 'dispatch-capability-not-used',
    section: '3.3',
    level: 'must',
    rule: 'A method whose capability the request doesn’t name in `using` is an unknownMethod.',
    /** Names core alone in `using`. A server that ignores `using` answers the call. */
    async run(subject) {
      const client = subject.client.with([CORE]);
      for (const [method, args] of buildCalls(subject)) {
        const answer = await client.call(method, args);
        expect({ method, answer }).toEqual({ method, answer: subject.matchError('unknownMethod') });
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
        expect({ method, answer }).toEqual({ method, answer: subject.matchError('unknownMethod') });
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
          subject.matchError('unknownMethod'),
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
        ['error', subject.matchMethodError('invalidArguments', 'ids'), 'b'],
        ['Core/echo', { n: 3 }, 'c'],
      ]);
    },
  },
]);
