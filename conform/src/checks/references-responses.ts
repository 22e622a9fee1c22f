import { expect } from 'expect';
import { serverChecks } from '../check.js';
import type { MethodResponse } from '../client/answers.js';
import type { JsonMap } from '../client/json.js';
import { at } from '../expected.js';
import type { Server } from '../subject/server.js';
import { buildReference, refer } from './references-echoes.js';

/** RFC 8620 3.7: which response a result reference means, shown by Core/echo alone. */

/** Returns the answer of the second of three echoes, which refers to another one. */
async function referTo(server: Server, resultOf: string): Promise<MethodResponse> {
  const { methodResponses } = await server.user.buildClient().api([
    ['Core/echo', { x: 0 }, 'before'],
    ['Core/echo', { '#x': { resultOf, name: 'Core/echo', path: '/x' } }, 'self'],
    ['Core/echo', { x: 1 }, 'later'],
  ]);
  return at(methodResponses, 1);
}

export const referenceResponseChecks = serverChecks('3.7', [
  {
    id: 'references-not-answered-yet',
    level: 'must',
    rule:
      'Calls that have been processed can be referred to: not one that comes later, not the call ' +
      'itself, not one that is not there.',
    /**
     * Sends three calls, the second of which refers to itself, to the third or to nobody. Only the
     * first was answered by then.
     */
    async run(server) {
      for (const resultOf of ['nobody', 'later', 'self', '', 'Before', '0']) {
        const failed = [...server.matchError('invalidResultReference'), 'self'];
        expect([resultOf, await referTo(server, resultOf)]).toEqual([resultOf, failed]);
      }
      expect(await referTo(server, 'before')).toEqual(['Core/echo', { x: 0 }, 'self']);
    },
  },
  {
    id: 'references-any-call-id',
    level: 'must',
    rule: 'Any string that is the id of a call is found as it is.',
    async run(server) {
      for (const id of ['', '#', 'a/b~1 "\\', '🦊', '__proto__', 'x'.repeat(1000)]) {
        const { methodResponses } = await server.user.buildClient().api([
          ['Core/echo', { x: [id] }, id],
          ['Core/echo', { '#x': { resultOf: id, name: 'Core/echo', path: '/x/0' } }, 'e'],
        ]);
        expect(at(methodResponses, 1)).toEqual(['Core/echo', { x: id }, 'e']);
      }
    },
  },
  {
    id: 'references-name',
    level: 'must',
    rule: 'The name in the reference is exactly that of the response, else it fails.',
    async run(server) {
      for (const name of ['core/echo', 'Core/Echo', 'Core/echo ', 'Core', 'error', '', '*'])
        expect([
          name,
          ...(await refer(server, { x: 1 }, { '#x': buildReference('/x', { name }) })),
        ]).toEqual([name, ...server.matchError('invalidResultReference')]);
    },
  },
  {
    id: 'references-error-response',
    level: 'must',
    rule:
      'The response of a call that failed has the name error: by that name its arguments are ' +
      'found, by the name of its method nothing is.',
    /**
     * Refers to a failed call by both names. The name of a response is what counts, not that of its
     * call (RFC 8620 3.7).
     */
    async run(server) {
      const referByName = async (name: string): Promise<[string, JsonMap]> => {
        const { methodResponses } = await server.user.buildClient().api([
          ['Core/noSuchMethod', {}, 'q'],
          ['Core/echo', { '#x': { resultOf: 'q', name, path: '/type' } }, 'e'],
        ]);
        expect(at(methodResponses, 0)[1]['type']).toBe('unknownMethod');
        const [answer, args] = at(methodResponses, 1);
        return [answer, args];
      };
      expect(await referByName('error')).toEqual(['Core/echo', { x: 'unknownMethod' }]);
      expect(await referByName('Core/noSuchMethod')).toEqual(
        server.matchError('invalidResultReference'),
      );
    },
  },
  {
    id: 'references-first-response',
    level: 'must',
    rule:
      'Of several responses with the call id the first is meant, and where its name is another, ' +
      'the reference fails.',
    /**
     * Gives call ids to several calls, which RFC 8620 3.2 allows. The second response has a member
     * that only it has, to be told apart.
     */
    async run(server) {
      const { methodResponses } = await server.user.buildClient().api([
        ['Core/echo', { a: 1 }, 'same'],
        ['Core/echo', { a: 2, b: 2 }, 'same'],
        ['Core/noSuchMethod', {}, 'other'],
        ['Core/echo', { a: 3 }, 'other'],
        ['Core/echo', { '#x': { resultOf: 'same', name: 'Core/echo', path: '/a' } }, 'e1'],
        ['Core/echo', { '#x': { resultOf: 'same', name: 'Core/echo', path: '/b' } }, 'e2'],
        ['Core/echo', { '#x': { resultOf: 'other', name: 'Core/echo', path: '/a' } }, 'e3'],
      ]);
      expect(methodResponses.slice(4)).toEqual([
        ['Core/echo', { x: 1 }, 'e1'],
        [...server.matchError('invalidResultReference'), 'e2'],
        [...server.matchError('invalidResultReference'), 'e3'],
      ]);
    },
  },
  {
    id: 'references-chain',
    level: 'must',
    rule: 'A response that came about by references can be referred to as any other.',
    async run(server) {
      const buildArgs = (resultOf: string, path: string): JsonMap => ({
        '#x': { resultOf, name: 'Core/echo', path },
      });
      const { methodResponses } = await server.user.buildClient().api([
        ['Core/echo', { x: { x: { x: [{ y: 'deep' }] } } }, 'a'],
        ['Core/echo', buildArgs('a', '/x'), 'b'],
        ['Core/echo', buildArgs('b', '/x/x/x'), 'c'],
        ['Core/echo', buildArgs('c', '/x/*/y'), 'd'],
      ]);
      expect(at(methodResponses, 3)).toEqual(['Core/echo', { x: ['deep'] }, 'd']);
    },
  },
]);
