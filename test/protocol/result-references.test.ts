import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MethodError } from '../../src/protocol/errors.js';
import type { JsonValue } from '../../src/protocol/json.js';
import { type EarlierResponse, resolveReference } from '../../src/protocol/result-references.js';

const json = (text: string): JsonValue => JSON.parse(text) as JsonValue;

function resolve(args: unknown, path: string): JsonValue {
  const earlier = [{ name: 'Todo/get', args, callId: 'c' }];
  return resolveReference({ resultOf: 'c', name: 'Todo/get', path }, earlier);
}

function failure(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof MethodError) return error.type;
    throw error;
  }
  throw new Error('It resolved.');
}

describe('RFC 8620 3.7: the path of a result reference', () => {
  it.each([
    ['a member', '{"ids":["a","b"]}', '/ids', '["a","b"]'],
    ['the whole arguments', '{"a":1}', '', '{"a":1}'],
    ['an item', '{"list":[{"id":1},{"id":2}]}', '/list/1/id', '2'],
    ['null', '{"ids":null}', '/ids', 'null'],
    ['false and 0', '{"a":[false,0]}', '/a', '[false,0]'],
    ['a member "*" of an object', '{"a":{"*":5}}', '/a/*', '5'],
    ['a member that looks like an index', '{"a":{"0":5}}', '/a/0', '5'],
    ['escapes', '{"a/b":{"m~n":1}}', '/a~1b/m~0n', '1'],
    ['an empty name', '{"":{"":1}}', '//', '1'],
    ['an own member __proto__', '{"__proto__":{"x":1}}', '/__proto__/x', '1'],
    ['* over objects, in order', '{"l":[{"p":2},{"p":1},{"p":2}]}', '/l/*/p', '[2,1,2]'],
    ['* over nothing', '{"l":[]}', '/l/*/p', '[]'],
    ['* as the last token', '{"l":[1,2]}', '/l/*', '[1,2]'],
    ['* over arrays: flat by one level', '{"l":[[1],[2,3],[]]}', '/l/*', '[1,2,3]'],
    ['* over both', '{"l":[2,[4,6]]}', '/l/*', '[2,4,6]'],
    ['* flattens one level, not two', '{"l":[[[1]],[2]]}', '/l/*', '[[1],2]'],
    ['* with arrays behind', '{"l":[{"p":[1,2]},{"p":[3]}]}', '/l/*/p', '[1,2,3]'],
    ['* twice', '{"l":[{"p":[{"i":1},{"i":[2,3]}]},{"p":[]}]}', '/l/*/p/*/i', '[1,2,3]'],
    ['* twice in a row', '{"l":[[1,[2,[3]]],[4]]}', '/l/*/*', '[1,2,[3],4]'],
    ['* and an index', '{"l":[[1,2],[3,4]]}', '/l/*/0', '[1,3]'],
    ['an index and *', '{"l":[[{"a":1}],[]]}', '/l/0/*/a', '[1]'],
    ['* keeps nulls', '{"l":[{"p":null},{"p":1}]}', '/l/*/p', '[null,1]'],
  ])('finds %s', (_, args, path, expected) => {
    expect(resolve(json(args), path)).toEqual(json(expected));
  });

  it.each([
    ['no leading slash', '{"ids":[]}', 'ids'],
    ['a wrong escape', '{"a":1}', '/a~2'],
    ['a member that is not there', '{"a":1}', '/b'],
    ['a trailing slash', '{"ids":[1]}', '/ids/'],
    ['through a string', '{"state":"abc"}', '/state/x'],
    ['the length of a string', '{"state":"abc"}', '/state/length'],
    ['the length of an array', '{"l":[1]}', '/l/length'],
    ['through null', '{"a":null}', '/a/b'],
    ['an index beyond the end', '{"l":[1]}', '/l/1'],
    ['the item after the last', '{"l":[1]}', '/l/-'],
    ['a leading zero', '{"l":[1,2]}', '/l/01'],
    ['a negative index', '{"l":[1]}', '/l/-1'],
    ['* on an object without it', '{"a":{"b":1}}', '/a/*'],
    ['* on a string', '{"a":"b"}', '/a/*'],
    ['one item without the member', '{"l":[{"p":1},{}]}', '/l/*/p'],
    ['a property of Object.prototype', '{"a":{}}', '/a/constructor'],
    ['__proto__ that is no member', '{"a":{}}', '/a/__proto__'],
    ['a method of arrays', '{"l":[]}', '/l/map'],
  ])('fails at %s', (_, args, path) => {
    expect(failure(() => resolve(json(args), path))).toBe('invalidResultReference');
  });

  it('counts a member without a value as absent', () => {
    expect(failure(() => resolve({ a: undefined }, '/a'))).toBe('invalidResultReference');
  });

  it('shares the found value with the response and changes nothing', () => {
    const args = Object.freeze({ l: Object.freeze([Object.freeze({ p: Object.freeze([1]) })]) });
    expect(resolve(args, '/l')).toBe(args.l);
    expect(resolve(args, '/l/*/p')).toEqual([1]);
  });

  it('agrees with a naive evaluation by RFC 8620 3.7', () => {
    const naive = (value: JsonValue, [token, ...rest]: readonly string[]): JsonValue => {
      if (token === undefined) return value;
      if (token !== '*' || !Array.isArray(value)) {
        return naive((value as Record<string, JsonValue>)[token] ?? null, rest);
      }
      return value.flatMap((item) => {
        const result = naive(item, rest);
        return Array.isArray(result) ? result : [result];
      });
    };
    const leaf = fc.oneof(fc.integer(), fc.array(fc.oneof(fc.integer(), fc.array(fc.integer()))));
    const tree = fc.array(fc.record({ a: fc.array(fc.record({ b: leaf })) }));
    fc.assert(
      fc.property(tree, (value) => {
        const args = { t: value as JsonValue };
        for (const path of ['/t/*', '/t/*/a', '/t/*/a/*', '/t/*/a/*/b']) {
          expect(resolve(args, path)).toEqual(naive(args, path.slice(1).split('/')));
        }
      }),
    );
  });
});

describe('RFC 8620 3.7: the response that is referred to', () => {
  const earlier: readonly EarlierResponse[] = [
    { name: 'error', args: { type: 'serverFail' }, callId: 'a' },
    { name: 'Todo/copy', args: { x: 1 }, callId: 'b' },
    { name: 'Todo/set', args: { x: 2 }, callId: 'b' },
    { name: 'Todo/copy', args: { x: 3 }, callId: 'b' },
  ];
  const at = (resultOf: string, name: string) => () =>
    resolveReference({ resultOf, name, path: '/x' }, earlier);

  it('is the first with the call id', () => {
    expect(at('b', 'Todo/copy')()).toBe(1);
  });

  it('must have the name: a later one with the call id does not count', () => {
    expect(failure(at('b', 'Todo/set'))).toBe('invalidResultReference');
    expect(failure(at('b', 'todo/copy'))).toBe('invalidResultReference');
  });

  it('is none if the call failed or there is no such call', () => {
    expect(failure(at('a', 'Todo/query'))).toBe('invalidResultReference');
    expect(failure(at('z', 'Todo/get'))).toBe('invalidResultReference');
    const reference = { resultOf: 'b', name: 'Todo/get', path: '' };
    expect(failure(() => resolveReference(reference, []))).toBe('invalidResultReference');
  });
});

describe('RFC 8620 3.7: a value that is no ResultReference', () => {
  const earlier = [{ name: 'A/get', args: { x: 1 }, callId: 'c' }];

  it.each([
    'null',
    '"text"',
    '5',
    '[]',
    '{}',
    '{"resultOf":"c","name":"A/get"}',
    '{"resultOf":"c","path":"/x"}',
    '{"name":"A/get","path":"/x"}',
    '{"resultOf":"c","name":"A/get","path":5}',
    '{"resultOf":"c","name":"A/get","path":null}',
    '{"resultOf":5,"name":"A/get","path":"/x"}',
    '{"resultOf":"c","name":null,"path":"/x"}',
    '{"__proto__":{"resultOf":"c","name":"A/get","path":"/x"}}',
  ])('%s', (text) => {
    expect(failure(() => resolveReference(json(text), earlier))).toBe('invalidResultReference');
  });

  it('further members are ignored', () => {
    const reference = { resultOf: 'c', name: 'A/get', path: '/x', more: true };
    expect(resolveReference(reference, earlier)).toBe(1);
  });
});

describe('a hostile reference', () => {
  it('takes time linear in the response: stars in nested arrays copy no copies', () => {
    let value: JsonValue = Array.from({ length: 100_000 }, () => 1);
    for (let level = 0; level < 2000; level += 1) value = [value];
    const found = resolve({ value }, `/value${'/*'.repeat(2001)}`);
    expect(found).toHaveLength(100_000);
  });

  it('is stopped by the budget that a request has, also where it finds nothing', () => {
    const earlier = [{ name: 'A/get', args: { l: Array(1000).fill({ e: [] }) }, callId: 'c' }];
    const budget = { remaining: 10_000 };
    const reference = { resultOf: 'c', name: 'A/get', path: '/l/*/e' };
    const run = () => resolveReference(reference, earlier, budget);
    expect(run()).toEqual([]);
    expect(failure(() => Array.from({ length: 10 }, run))).toBe('requestTooLarge');
  });

  it('does not send a long path back whole', () => {
    expect(() => resolve({}, `/${'x'.repeat(100_000)}`)).toThrow(/^.{0,400}$/);
  });
});
