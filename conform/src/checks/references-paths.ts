import { expect } from 'expect';
import { serverChecks } from '../check.js';
import type { Json } from '../client/json.js';
import { buildReference, expectFound, expectNotFound, refer } from './references-echoes.js';

/** RFC 8620 3.7: what the path of a result reference finds, shown by Core/echo alone. */

const LIST: Json = [{ id: 'a' }, { id: 'b' }, { id: 'a' }];
const PARTS: Json = [{ parts: [{ id: 1 }, { id: 2 }] }, { parts: [] }, { parts: [{ id: 3 }] }];

export const referencePathChecks = serverChecks('3.7', [
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
      await expectFound(server, [
        [{ a: { b: ['c', 1, null, true] } }, '/a', { b: ['c', 1, null, true] }],
        [{ a: { b: 'c' } }, '/a/b', 'c'],
      ]);
      const args = { '#x': buildReference('/a'), '#y': buildReference('/b/0'), z: 3 };
      const [name, answer] = await refer(server, { a: 1, b: [2] }, args);
      expect([name, answer]).toEqual(['Core/echo', { x: 1, y: 2, z: 3 }]);
    },
  },
  {
    id: 'references-null',
    level: 'must',
    rule: 'A path that leads to null finds null: that is a value.',
    run: (server) => expectFound(server, [[{ a: null, b: [null] }, '/a', null]]),
  },
  {
    id: 'references-empty-path',
    level: 'must',
    rule: 'The empty path finds the whole arguments object of the response.',
    run: (server) => expectFound(server, [[{ a: 1, b: [2] }, '', { a: 1, b: [2] }]]),
  },
  {
    id: 'references-star',
    level: 'must',
    rule:
      'On an array, * applies the rest of the path to each item and lists the values that it ' +
      'finds in order, equal values too. On an empty array the list is empty.',
    run: (server) =>
      expectFound(server, [
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
      expectFound(server, [
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
      expectNotFound(
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
      await expectNotFound(server, { a: [{ b: 1 }, {}, { b: 2 }] }, '/a/*/b');
      await expectNotFound(server, { a: [{ b: 1 }, 5, null] }, '/a/*/b');
    },
  },
  {
    id: 'references-star-of-objects',
    level: 'must',
    rule: 'On an object, * is the name of a member like any other.',
    async run(server) {
      await expectFound(server, [
        [{ '*': 5 }, '/*', 5],
        [{ o: { '*': { a: 1 } } }, '/o/*/a', 1],
      ]);
      await expectNotFound(server, { o: { a: 1 } }, '/o/*', '/*', '/o/*/a');
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
      await expectFound(server, [
        [{ a }, '/a/0', 'x'],
        [{ a }, '/a/1', 'y'],
        [{ a: { 1: 'z' } }, '/a/1', 'z'],
      ]);
      const wrong = ['01', '2', '-', '-1', '+1', '1e0', '1.0', ' 1', '', 'length', '0x1', '**'];
      await expectNotFound(server, { a }, ...wrong.map((token) => `/a/${token}`));
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
      await expectFound(server, [
        [{ 'a/b': { 'm~n': 1 } }, '/a~1b/m~0n', 1],
        [{ '~1': 1, '/': 2 }, '/~01', 1],
        [{ '': { '': 2 } }, '//', 2],
        [{ 'ä "\\%20': 3 }, '/ä "\\%20', 3],
      ]);
      await expectNotFound(server, { 'a~2': 1, 'a~': 1 }, '/a~2', '/a~');
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
      await expectNotFound(server, { a: {}, l: [1] }, ...paths, '/l/length', '/l/constructor');
    },
  },
  {
    id: 'references-slash',
    level: 'must',
    rule: 'A path that is not empty begins with a slash.',
    run: (server) =>
      expectNotFound(server, { ids: [1], $: 3 }, 'ids', 'ids/0', '#/ids', '$', './ids'),
  },
]);
