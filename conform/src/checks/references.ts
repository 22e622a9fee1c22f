import { expect } from 'expect';
import { serverChecks } from '../check.js';
import type { MethodResponse } from '../client/answers.js';
import type { Json, JsonMap } from '../client/json.js';
import { at, satisfying } from '../expected.js';
import type { Server } from '../subject/server.js';

/** RFC 8620 3.7: how a result reference is resolved, shown by Core/echo alone. */

/** Returns a reference to the answer of the echo `source`. */
export const from = (path: Json, more: JsonMap = {}): JsonMap => ({
  resultOf: 'source',
  name: 'Core/echo',
  path,
  ...more,
});

/**
 * Echoes `value`, then the value that `path` finds in that response. Returns the name and the
 * arguments of the second response.
 */
async function resolve(server: Server, value: JsonMap, path: Json): Promise<[string, JsonMap]> {
  return await refer(server, value, { '#x': from(path) });
}

/**
 * Echoes `value`, then `args`, which refer to it. Returns the name and the arguments of the second
 * response.
 */
export async function refer(
  server: Server,
  value: JsonMap,
  args: JsonMap,
): Promise<[string, JsonMap]> {
  const { methodResponses } = await server.user.client().api([
    ['Core/echo', value, 'source'],
    ['Core/echo', args, 'target'],
  ]);
  expect(methodResponses).toHaveLength(2);
  expect(at(methodResponses, 0)).toEqual(['Core/echo', value, 'source']);
  const [name, answer, callId] = at(methodResponses, 1);
  expect(callId).toBe('target');
  return [name, answer];
}

/** Expects each path to find its value in an object (RFC 8620 3.7). */
async function finds(
  server: Server,
  cases: readonly (readonly [value: JsonMap, path: string, found: Json])[],
): Promise<void> {
  for (const [value, path, found] of cases)
    expect([path, await resolve(server, value, path)]).toEqual([path, ['Core/echo', { x: found }]]);
}

/** Expects each path to find nothing in a value: the call fails with invalidResultReference. */
async function findsNone(
  server: Server,
  value: JsonMap,
  ...paths: readonly string[]
): Promise<void> {
  const failed = server.err('invalidResultReference');
  for (const path of paths)
    expect([path, await resolve(server, value, path)]).toEqual([path, failed]);
}

const LIST: Json = [{ id: 'a' }, { id: 'b' }, { id: 'a' }];
const PARTS: Json = [{ parts: [{ id: 1 }, { id: 2 }] }, { parts: [] }, { parts: [{ id: 3 }] }];

/** None of these is a ResultReference. */
export const WRONG: readonly Json[] = [
  null,
  'text',
  5,
  [],
  {},
  { resultOf: 'source', name: 'Core/echo' },
  { resultOf: 'source', path: '/x' },
  { name: 'Core/echo', path: '/x' },
  { resultOf: 'source', name: 'Core/echo', path: 1 },
  { resultOf: 'source', name: 'Core/echo', path: null },
  { resultOf: 'source', name: 1, path: '/x' },
  { resultOf: 1, name: 'Core/echo', path: '/x' },
];

/** Returns the answer of the second of three echoes, which refers to another one. */
async function referTo(server: Server, resultOf: string): Promise<MethodResponse> {
  const { methodResponses } = await server.user.client().api([
    ['Core/echo', { x: 0 }, 'before'],
    ['Core/echo', { '#x': { resultOf, name: 'Core/echo', path: '/x' } }, 'self'],
    ['Core/echo', { x: 1 }, 'later'],
  ]);
  return at(methodResponses, 1);
}

export const referencesChecks = serverChecks('3.7', [
  {
    id: 'references-resolve',
    level: 'must',
    rule:
      'An argument whose name begins with # is a result reference: the value found stands in for ' +
      'the argument without the #, beside the others.',
    /**
     * Resolves whole values, then several references beside an argument that is written out, to
     * show that they don't disturb each other.
     */
    async run(server) {
      await finds(server, [
        [{ a: { b: ['c', 1, null, true] } }, '/a', { b: ['c', 1, null, true] }],
        [{ a: { b: 'c' } }, '/a/b', 'c'],
      ]);
      const args = { '#x': from('/a'), '#y': from('/b/0'), z: 3 };
      const [name, answer] = await refer(server, { a: 1, b: [2] }, args);
      expect([name, answer]).toEqual(['Core/echo', { x: 1, y: 2, z: 3 }]);
    },
  },
  {
    id: 'references-null',
    level: 'must',
    rule: 'A path that leads to null finds null: that is a value.',
    run: (server) => finds(server, [[{ a: null, b: [null] }, '/a', null]]),
  },
  {
    id: 'references-empty-path',
    level: 'must',
    rule: 'The empty path finds the whole arguments object of the response.',
    run: (server) => finds(server, [[{ a: 1, b: [2] }, '', { a: 1, b: [2] }]]),
  },
  {
    id: 'references-star',
    level: 'must',
    rule:
      'On an array, * applies the rest of the path to each item and lists the values that it ' +
      'finds in order, equal values too. On an empty array the list is empty.',
    run: (server) =>
      finds(server, [
        [{ list: LIST }, '/list/*/id', ['a', 'b', 'a']],
        [{ list: [] }, '/list/*/id', []],
        [{ list: [{ id: null }, { id: {} }] }, '/list/*/id', [null, {}]],
        [{ a: [1, 2] }, '/a/*', [1, 2]],
        [{ a: [{ b: 1 }, { b: 2 }] }, '/a/1/b', 2],
      ]),
  },
  {
    id: 'references-star-flattens',
    level: 'must',
    rule:
      'Where what * finds in an item is a list, its items are put into the result in its place: ' +
      'one level for each *.',
    /**
     * Nests lists to several depths, since a server may flatten all levels or none. RFC 8620 3.7
     * asks for one at each star.
     */
    run: (server) =>
      finds(server, [
        [{ list: PARTS }, '/list/*/parts/*/id', [1, 2, 3]],
        [{ list: PARTS }, '/list/*/parts', [{ id: 1 }, { id: 2 }, { id: 3 }]],
        [{ a: [[1], [2, [3]]] }, '/a/*', [1, 2, [3]]],
        [{ a: [2, [4, 6]] }, '/a/*', [2, 4, 6]],
        [{ a: [[[1], [2]], [[3, [4]]]] }, '/a/*/*', [1, 2, 3, [4]]],
        [
          {
            a: [
              [1, 2],
              [3, 4],
            ],
          },
          '/a/*/1',
          [2, 4],
        ],
      ]),
  },
  {
    id: 'references-not-there',
    level: 'must',
    rule:
      'A path that leads nowhere rejects the call with invalidResultReference: to a member that ' +
      'is not there, or through text, a number or null.',
    /**
     * Tries members that JavaScript, Python or Ruby would find on strings and lists, such as
     * length.
     */
    run: (server) =>
      findsNone(
        server,
        { a: 'text', b: null, n: 5, o: { c: 1 }, t: true },
        ...['/d', '/o/d', '/o/c/d', '/a/0', '/a/length', '/b/c', '/n/0', '/t/x', '/o/', '/A'],
      ),
  },
  {
    id: 'references-star-fails',
    level: 'must',
    rule:
      'Where the rest of the path finds nothing in one of the items, the whole ' +
      'reference fails.',
    async run(server) {
      await findsNone(server, { a: [{ b: 1 }, {}, { b: 2 }] }, '/a/*/b');
      await findsNone(server, { a: [{ b: 1 }, 5, null] }, '/a/*/b');
    },
  },
  {
    id: 'references-star-of-objects',
    level: 'must',
    rule: 'On an object, * is the name of a member like any other.',
    async run(server) {
      await finds(server, [
        [{ '*': 5 }, '/*', 5],
        [{ o: { '*': { a: 1 } } }, '/o/*/a', 1],
      ]);
      await findsNone(server, { o: { a: 1 } }, '/o/*', '/*', '/o/*/a');
    },
  },
  {
    id: 'references-index',
    level: 'must',
    rule:
      'Into an array leads the decimal index of an item, without sign, exponent or leading zero ' +
      '(RFC 6901 4).',
    /**
     * Tries tokens that lenient parsers take for numbers. Each of them must find nothing in a list.
     */
    async run(server) {
      const a = ['x', 'y'];
      await finds(server, [
        [{ a }, '/a/0', 'x'],
        [{ a }, '/a/1', 'y'],
        [{ a: { 1: 'z' } }, '/a/1', 'z'],
      ]);
      const wrong = ['01', '2', '-', '-1', '+1', '1e0', '1.0', ' 1', '', 'length', '0x1', '**'];
      await findsNone(server, { a }, ...wrong.map((token) => `/a/${token}`));
    },
  },
  {
    id: 'references-escapes',
    level: 'must',
    rule:
      'In a token of the path ~1 is / and ~0 is ~, in this order; another ~ is no JSON Pointer ' +
      '(RFC 6901 3 and 4). A name may be empty.',
    /**
     * Has a member named ~1 and one named /, so that a server that unescapes in the wrong order
     * finds the other value.
     */
    async run(server) {
      await finds(server, [
        [{ 'a/b': { 'm~n': 1 } }, '/a~1b/m~0n', 1],
        [{ '~1': 1, '/': 2 }, '/~01', 1],
        [{ '': { '': 2 } }, '//', 2],
        [{ 'ä "\\%20': 3 }, '/ä "\\%20', 3],
      ]);
      await findsNone(server, { 'a~2': 1, 'a~': 1 }, '/a~2', '/a~');
    },
  },
  {
    id: 'references-own-members',
    level: 'must',
    rule:
      'Members that the JSON has are found, and nothing that objects of the server may have ' +
      'beside.',
    async run(server) {
      const paths = ['/toString', '/__proto__', '/constructor/prototype', '/a/__proto__'];
      await findsNone(server, { a: {}, l: [1] }, ...paths, '/l/length', '/l/constructor');
    },
  },
  {
    id: 'references-slash',
    level: 'must',
    rule: 'A path that is not empty begins with a slash.',
    run: (server) => findsNone(server, { ids: [1], $: 3 }, 'ids', 'ids/0', '#/ids', '$', './ids'),
  },
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
        const failed = [...server.err('invalidResultReference'), 'self'];
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
        const { methodResponses } = await server.user.client().api([
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
        expect([name, ...(await refer(server, { x: 1 }, { '#x': from('/x', { name }) }))]).toEqual([
          name,
          ...server.err('invalidResultReference'),
        ]);
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
      const referred = async (name: string): Promise<[string, JsonMap]> => {
        const { methodResponses } = await server.user.client().api([
          ['Core/noSuchMethod', {}, 'q'],
          ['Core/echo', { '#x': { resultOf: 'q', name, path: '/type' } }, 'e'],
        ]);
        expect(at(methodResponses, 0)[1]['type']).toBe('unknownMethod');
        const [answer, args] = at(methodResponses, 1);
        return [answer, args];
      };
      expect(await referred('error')).toEqual(['Core/echo', { x: 'unknownMethod' }]);
      expect(await referred('Core/noSuchMethod')).toEqual(server.err('invalidResultReference'));
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
      const { methodResponses } = await server.user.client().api([
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
        [...server.err('invalidResultReference'), 'e2'],
        [...server.err('invalidResultReference'), 'e3'],
      ]);
    },
  },
  {
    id: 'references-chain',
    level: 'must',
    rule: 'A response that came about by references can be referred to as any other.',
    async run(server) {
      const reference = (resultOf: string, path: string): JsonMap => ({
        '#x': { resultOf, name: 'Core/echo', path },
      });
      const { methodResponses } = await server.user.client().api([
        ['Core/echo', { x: { x: { x: [{ y: 'deep' }] } } }, 'a'],
        ['Core/echo', reference('a', '/x'), 'b'],
        ['Core/echo', reference('b', '/x/x/x'), 'c'],
        ['Core/echo', reference('c', '/x/*/y'), 'd'],
      ]);
      expect(at(methodResponses, 3)).toEqual(['Core/echo', { x: ['deep'] }, 'd']);
    },
  },
  {
    id: 'references-shape',
    level: 'must',
    rule:
      'A value that is no ResultReference (an object with the strings resultOf, name and path) ' +
      'rejects the call, as an invalidResultReference or as an invalid argument.',
    async run(server) {
      const either = satisfying('an error of its reference or its argument', (type) =>
        ['invalidResultReference', 'invalidArguments'].includes(String(type)),
      );
      for (const reference of WRONG) {
        const [name, { type = null }] = await refer(server, { x: 1 }, { '#x': reference });
        expect([reference, name, type]).toEqual([reference, 'error', either]);
      }
    },
  },
  {
    id: 'references-both-forms',
    level: 'must',
    rule: 'An argument given in plain and in referenced form is invalidArguments.',
    async run(server) {
      const args = { x: 2, '#x': from('/x') };
      expect(await refer(server, { x: 1 }, args)).toEqual(server.err('invalidArguments', 'x'));
      const same = { x: 1, '#x': from('/x') };
      expect(await refer(server, { x: 1 }, same)).toEqual(server.err('invalidArguments', 'x'));
    },
  },
  {
    id: 'references-one-fails',
    level: 'must',
    rule:
      'One reference that fails rejects the whole call, whatever the others find; the calls ' +
      'behind it are processed.',
    /** Puts a reference that resolves beside one that fails, and a good call behind both. */
    async run(server) {
      const { methodResponses } = await server.user.client().api([
        ['Core/echo', { x: 1 }, 'source'],
        ['Core/echo', { '#a': from('/x'), '#b': from('/nope'), c: 3 }, 'b'],
        ['Core/echo', { '#a': from('/x') }, 'c'],
      ]);
      expect(methodResponses.slice(1)).toEqual([
        [...server.err('invalidResultReference'), 'b'],
        ['Core/echo', { a: 1 }, 'c'],
      ]);
    },
  },
  {
    id: 'references-top-level',
    level: 'must',
    rule: 'Names of arguments alone are looked at: a # further inside is part of a value.',
    async run(server) {
      const inside = { a: { '#x': from('/x') }, list: [{ '#x': from('/nope') }, '#x'], x: '#y' };
      expect(await refer(server, { x: 1 }, inside)).toEqual(['Core/echo', inside]);
    },
  },
  {
    id: 'references-found-inside',
    level: 'must',
    rule:
      'A reference finds a value, whatever stands in it: the server doesn’t look for references ' +
      'in it again.',
    /**
     * Finds a value that itself looks like a reference. Resolving it again could loop, or read what
     * the client never asked for.
     */
    async run(server) {
      const value = { '#x': from('/x'), 'a*': '#b' };
      expect(await refer(server, { v: value }, { '#y': from('/v') })).toEqual([
        'Core/echo',
        { y: value },
      ]);
    },
  },
]);
