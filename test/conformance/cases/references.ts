import { expect } from 'vitest';
import { at, err } from '../../support/expected.js';
import type { Json, JsonMap } from '../../support/json.js';
import type { Suite } from '../suite.js';

/** Section E of cases.md: result references (RFC 8620 3.7). */
export function referenceCases(suite: Suite): void {
  const { profile, describe, it } = suite;
  const { name } = profile;

  /** Echoes `value`, then echoes what `path` finds in that response: the second response. */
  const resolve = async (value: JsonMap, path: Json): Promise<[string, JsonMap]> => {
    const { methodResponses } = await suite.client.api([
      ['Core/echo', value, 'source'],
      ['Core/echo', { '#x': { resultOf: 'source', name: 'Core/echo', path } }, 'target'],
    ]);
    const [responseName, args] = at(methodResponses, 1);
    return [responseName, args];
  };

  /** A /get whose ids come by reference from an echo of `ids`. */
  const getReferred = async (ids: Json): Promise<[string, JsonMap]> => {
    const { methodResponses } = await suite.client.api([
      ['Core/echo', { ids }, 'e'],
      [
        `${name}/get`,
        { accountId: suite.A1, '#ids': { resultOf: 'e', name: 'Core/echo', path: '/ids' } },
        'g',
      ],
    ]);
    const [responseName, args] = at(methodResponses, 1);
    return [responseName, args];
  };

  describe(`${name}: E. result references`, () => {
    suite.with('query')('case 105, 3.7: query, then get of its ids', async () => {
      await suite.clear(suite.A1);
      const ids = await suite.make(suite.A1, 'a', 'b', 'c');
      const { methodResponses } = await suite.client.api([
        [`${name}/query`, { accountId: suite.A1 }, 'q'],
        [
          `${name}/get`,
          {
            accountId: suite.A1,
            '#ids': { resultOf: 'q', name: `${name}/query`, path: '/ids' },
            properties: [profile.text],
          },
          'g',
        ],
      ]);
      expect(at(methodResponses, 1)).toEqual([
        `${name}/get`,
        {
          accountId: suite.A1,
          state: await suite.state(suite.A1),
          list: expect.arrayContaining(
            ids.map((id, index) => ({ id, [profile.text]: 'abc'.charAt(index) })),
          ),
          notFound: [],
        },
        'g',
      ]);
    });

    it('case 106, 3.7: `*` maps in order and keeps duplicates; /get answers each once', async () => {
      const id = await suite.one(suite.A1);
      const list = [{ ref: id }, { ref: id }];
      expect(await resolve({ list }, '/list/*/ref')).toEqual(['Core/echo', { x: [id, id] }]);
      const [, got] = await getReferred([id, id]);
      expect(got['list']).toEqual([expect.objectContaining({ id })]);
    });

    it('case 108, 3.7: `*` on an empty array is an empty array, not all records', async () => {
      expect(await resolve({ list: [] }, '/list/*/id')).toEqual(['Core/echo', { x: [] }]);
      await suite.one(suite.A1);
      const { methodResponses } = await suite.client.api([
        [`${name}/get`, { accountId: suite.A1, ids: [] }, 'e'],
        [
          `${name}/get`,
          {
            accountId: suite.A1,
            '#ids': { resultOf: 'e', name: `${name}/get`, path: '/list/*/id' },
          },
          'g',
        ],
      ]);
      expect(at(methodResponses, 1)[1]).toEqual({
        accountId: suite.A1,
        state: expect.any(String),
        list: [],
        notFound: [],
      });
    });

    it('cases 110 to 113, 3.7: nested stars, stars on objects, flattening', async () => {
      const list = [{ parts: [{ id: 1 }, { id: 2 }] }, { parts: [] }, { parts: [{ id: 3 }] }];
      expect(await resolve({ list }, '/list/*/parts/*/id')).toEqual([
        'Core/echo',
        { x: [1, 2, 3] },
      ]);
      expect(await resolve({ '*': 5 }, '/*')).toEqual(['Core/echo', { x: 5 }]);
      expect(await resolve({ o: { a: 1 } }, '/o/*')).toEqual(err('invalidResultReference'));
      expect(await resolve({ a: [1, 2] }, '/a/*')).toEqual(['Core/echo', { x: [1, 2] }]);
      expect(await resolve({ a: [[1], [2, [3]]] }, '/a/*')).toEqual([
        'Core/echo',
        { x: [1, 2, [3]] },
      ]);
      expect(await resolve({ a: [2, [4, 6]] }, '/a/*')).toEqual(['Core/echo', { x: [2, 4, 6] }]);
      expect(await resolve({ a: [{ b: 1 }, {}] }, '/a/*/b')).toEqual(err('invalidResultReference'));
      expect(await resolve({ a: [{ id: null }] }, '/a/*/id')).toEqual(['Core/echo', { x: [null] }]);
    });

    it('RFC 6901 4: array indexes are plain numbers without leading zeros; escapes', async () => {
      expect(await resolve({ a: ['x', 'y'] }, '/a/1')).toEqual(['Core/echo', { x: 'y' }]);
      for (const path of ['/a/01', '/a/2', '/a/-', '/a/-1', '/a/1e0', '/a/ 1', '/a/length']) {
        expect(await resolve({ a: ['x', 'y'] }, path)).toEqual(err('invalidResultReference'));
      }
      expect(await resolve({ 'a/b': { 'm~n': 1 } }, '/a~1b/m~0n')).toEqual(['Core/echo', { x: 1 }]);
      expect(await resolve({ '~1': 1 }, '/~01')).toEqual(['Core/echo', { x: 1 }]);
      expect(await resolve({ '': { '': 2 } }, '//')).toEqual(['Core/echo', { x: 2 }]);
      for (const path of ['/a~2', '/a~']) {
        expect(await resolve({ 'a~2': 1, 'a~': 1 }, path)).toEqual(err('invalidResultReference'));
      }
    });

    it('3.7: only own members are found', async () => {
      for (const path of ['/toString', '/__proto__', '/constructor/prototype', '/a/__proto__']) {
        expect(await resolve({ a: {} }, path)).toEqual(err('invalidResultReference'));
      }
    });

    it('case 115, 3.7: a path through a scalar does not resolve', async () => {
      const { methodResponses } = await suite.client.api([
        [`${name}/get`, { accountId: suite.A1, ids: [] }, 'g'],
        ['Core/echo', { '#x': { resultOf: 'g', name: `${name}/get`, path: '/state/x' } }, 'e'],
      ]);
      const [responseName, args] = at(methodResponses, 1);
      expect([responseName, args]).toEqual(err('invalidResultReference'));
      expect(await resolve({ a: 'text' }, '/a/0')).toEqual(err('invalidResultReference'));
      expect(await resolve({ a: 'text' }, '/a/length')).toEqual(err('invalidResultReference'));
      expect(await resolve({ a: null }, '/a/b')).toEqual(err('invalidResultReference'));
    });

    it('case 116, 3.7: the empty path is the whole arguments object', async () => {
      expect(await resolve({ a: 1, b: [2] }, '')).toEqual(['Core/echo', { x: { a: 1, b: [2] } }]);
    });

    it('case 118, 3.7: a path without a leading slash does not resolve', async () => {
      expect(await resolve({ ids: [] }, 'ids')).toEqual(err('invalidResultReference'));
    });

    it('case 120, 3.7: null resolves to null, which for ids means all records', async () => {
      expect(await resolve({ a: null }, '/a')).toEqual(['Core/echo', { x: null }]);
      await suite.clear(suite.A1);
      const ids = await suite.make(suite.A1, 'a', 'b');
      const [, got] = await getReferred(null);
      expect(got['list']).toEqual(
        expect.arrayContaining(ids.map((id) => expect.objectContaining({ id }))),
      );
      expect(got['list']).toHaveLength(2);
    });

    it('case 121, 3.7: an unknown call, a later call and the call itself do not resolve', async () => {
      for (const resultOf of ['nobody', 'later', 'self']) {
        const { methodResponses } = await suite.client.api([
          ['Core/echo', { '#x': { resultOf, name: 'Core/echo', path: '/x' } }, 'self'],
          ['Core/echo', { x: 1 }, 'later'],
        ]);
        const [responseName, args] = at(methodResponses, 0);
        expect([responseName, args]).toEqual(err('invalidResultReference'));
      }
    });

    it('case 123, 3.7: the response of a failed call is named error', async () => {
      const refer = async (responseName: string) => {
        const { methodResponses } = await suite.client.api([
          [`${name}/get`, { accountId: suite.A1, ids: 5 }, 'q'],
          ['Core/echo', { '#x': { resultOf: 'q', name: responseName, path: '/type' } }, 'e'],
        ]);
        const [answer, args] = at(methodResponses, 1);
        return [answer, args];
      };
      expect(await refer(`${name}/get`)).toEqual(err('invalidResultReference'));
      expect(await refer('error')).toEqual(['Core/echo', { x: 'invalidArguments' }]);
    });

    it('case 125, 3.7: of two calls with one id the first response is used', async () => {
      const { methodResponses } = await suite.client.api([
        ['Core/echo', { a: 1 }, 'same'],
        ['Core/echo', { a: 2 }, 'same'],
        ['Core/echo', { '#x': { resultOf: 'same', name: 'Core/echo', path: '/a' } }, 'e'],
      ]);
      expect(at(methodResponses, 2)).toEqual(['Core/echo', { x: 1 }, 'e']);
    });

    suite.with('copy')("case 126, 3.7: of /copy's two responses the first is found", async () => {
      const refer = async (from: string, callId: string) => {
        const id = await suite.one(suite.A1, 'to copy');
        return suite.client.api([
          [
            `${name}/copy`,
            {
              fromAccountId: suite.A1,
              accountId: suite.A2,
              create: { k: { id, ...suite.moved() } },
              onSuccessDestroyOriginal: callId === 'set',
            },
            'c',
          ],
          ['Core/echo', { '#x': { resultOf: 'c', name: from, path: '/accountId' } }, 'e'],
        ]);
      };
      const first = await refer(`${name}/copy`, 'copy');
      expect(at(first.methodResponses, -1)).toEqual(['Core/echo', { x: suite.A2 }, 'e']);
      const second = await refer(`${name}/set`, 'set');
      expect(second.methodResponses.map(([response]) => response)).toEqual([
        `${name}/copy`,
        `${name}/set`,
        'error',
      ]);
      expect(at(second.methodResponses, 2)[1]['type']).toBe('invalidResultReference');
    });

    it('cases 103 and 128, 3.7: what is no ResultReference does not resolve', async () => {
      const wrong: readonly Json[] = [
        null,
        'text',
        5,
        [],
        {},
        { resultOf: 'a', name: 'Core/echo' },
        { resultOf: 'a', path: '/x' },
        { name: 'Core/echo', path: '/x' },
        { resultOf: 'a', name: 'Core/echo', path: 1 },
        { resultOf: 'a', name: 1, path: '/x' },
        { resultOf: 1, name: 'Core/echo', path: '/x' },
      ];
      for (const reference of wrong) {
        const { methodResponses } = await suite.client.api([
          ['Core/echo', { x: 1 }, 'a'],
          ['Core/echo', { '#x': reference }, 'b'],
        ]);
        const [answer, args] = at(methodResponses, 1);
        expect([answer, args]).toEqual(err('invalidResultReference'));
      }
    });

    it('decision 18: further members of a ResultReference are ignored', async () => {
      const { methodResponses } = await suite.client.api([
        ['Core/echo', { x: 1 }, 'a'],
        ['Core/echo', { '#y': { resultOf: 'a', name: 'Core/echo', path: '/x', more: 1 } }, 'b'],
      ]);
      expect(at(methodResponses, 1)).toEqual(['Core/echo', { y: 1 }, 'b']);
    });

    it('3.7: an argument in both forms is invalidArguments', async () => {
      const { methodResponses } = await suite.client.api([
        ['Core/echo', { x: 1 }, 'a'],
        ['Core/echo', { x: 2, '#x': { resultOf: 'a', name: 'Core/echo', path: '/x' } }, 'b'],
      ]);
      const [answer, args] = at(methodResponses, 1);
      expect([answer, args]).toEqual(err('invalidArguments', 'x'));
    });

    it('case 130, 3.7: a value of the wrong type is invalidArguments; scalars are not wrapped', async () => {
      expect(await getReferred('x1')).toEqual(err('invalidArguments', 'ids'));
      expect(await getReferred({})).toEqual(err('invalidArguments', 'ids'));
    });

    suite.with('query')('case 131, 3.7: any top-level argument may be a reference', async () => {
      await suite.clear(suite.A1);
      const [id = ''] = await suite.make(suite.A1, 'alpha', 'beta');
      const state = await suite.state(suite.A1);
      const values: JsonMap = {
        accountId: suite.A1,
        state,
        properties: [profile.text],
        create: { k: suite.create('by reference') },
        destroy: [id],
        limit: 1,
        filter: null,
      };
      const reference = (path: string) => ({ resultOf: 'v', name: 'Core/echo', path });
      const { methodResponses } = await suite.client.api([
        ['Core/echo', values, 'v'],
        [
          `${name}/get`,
          {
            '#accountId': reference('/accountId'),
            '#ids': reference('/destroy'),
            '#properties': reference('/properties'),
          },
          'get',
        ],
        [
          `${name}/query`,
          {
            '#accountId': reference('/accountId'),
            '#filter': reference('/filter'),
            '#limit': reference('/limit'),
          },
          'query',
        ],
        [
          `${name}/set`,
          {
            '#accountId': reference('/accountId'),
            '#ifInState': reference('/state'),
            '#create': reference('/create'),
            '#destroy': reference('/destroy'),
          },
          'set',
        ],
        [
          `${name}/changes`,
          { '#accountId': reference('/accountId'), '#sinceState': reference('/state') },
          'changes',
        ],
      ]);
      expect(methodResponses.map(([answer]) => answer)).toEqual([
        'Core/echo',
        `${name}/get`,
        `${name}/query`,
        `${name}/set`,
        `${name}/changes`,
      ]);
      expect(at(methodResponses, 1)[1]['list']).toEqual([{ id, [profile.text]: 'alpha' }]);
      expect(at(methodResponses, 2)[1]['ids']).toEqual([id]);
      expect(at(methodResponses, 3)[1]['destroyed']).toEqual([id]);
      expect(at(methodResponses, 4)[1]['destroyed']).toEqual([id]);
    });

    it('case 133, 3.7: a `#` name inside an argument is no reference but an unknown property', async () => {
      const reference = { resultOf: 'v', name: 'Core/echo', path: '/t' };
      const hash = `#${profile.text}`;
      const filter = { [hash]: reference };
      const query = [`${name}/query`, { accountId: suite.A1, filter }, 'q'] as const;
      const { methodResponses } = await suite.client.api([
        ['Core/echo', { t: 'text' }, 'v'],
        [
          `${name}/set`,
          { accountId: suite.A1, create: { k: { ...suite.create('a'), [hash]: reference } } },
          's',
        ],
        ...(suite.has('query') ? [query] : []),
      ]);
      expect(at(methodResponses, 1)[1]['notCreated']).toEqual({
        k: {
          type: 'invalidProperties',
          description: expect.any(String),
          properties: [hash],
        },
      });
      if (suite.has('query')) expect(at(methodResponses, 2)[1]['type']).toBe('unsupportedFilter');
    });

    it('case 135, 3.7: limits count after resolving', async () => {
      const ids = Array.from({ length: 1001 }, (_, index) => `x${index}`);
      expect(await getReferred(ids)).toEqual(err('requestTooLarge'));
    });

    it('case 136, 3.7: the same result referred to twice gives the same value twice', async () => {
      const reference = { resultOf: 'v', name: 'Core/echo', path: '/create' };
      const object = suite.create('twice');
      const { methodResponses } = await suite.client.api([
        ['Core/echo', { create: { k: object } }, 'v'],
        [`${name}/set`, { accountId: suite.A1, '#create': reference }, 's1'],
        [`${name}/set`, { accountId: suite.A1, '#create': reference }, 's2'],
        ['Core/echo', { '#x': reference }, 'e'],
      ]);
      expect(at(methodResponses, 1)[1]['created']).toEqual({ k: expect.any(Object) });
      // What no two objects share can't be created twice.
      const second = at(methodResponses, 2)[1][profile.hasUnique ? 'notCreated' : 'created'];
      if (!profile.hasUnique || profile.given.length > 0)
        expect(second).toEqual({ k: expect.any(Object) });
      expect(at(methodResponses, 3)[1]).toEqual({ x: { k: object } });
    });
  });
}
