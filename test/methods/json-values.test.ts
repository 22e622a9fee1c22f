import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type InexactPlace,
  inspectJson,
  ownInexact,
  takeNearest,
} from '../../src/methods/set/json-values.js';
import { InexactNumber } from '../../src/protocol/json.js';
import { finish } from '../../src/runtime/paused-work.js';
import type { Json } from './rig.js';

const INEXACT = new InexactNumber('9007199254740993');
const find = (value: Json) => finish(inspectJson(value));

/** A list in a list, so many levels. */
function nested(levels: number, innermost: Json = []): Json {
  let value = innermost;
  for (let level = 1; level < levels; level += 1) value = [value];
  return value;
}

function manyMembers(): Json {
  return Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`m${n}`, n]));
}

describe('a value that no column holds', () => {
  it.each<[string, Json, string]>([
    ['U+0000 in a text', 'a\0', 'U+0000'],
    ['U+0000 in a text of a list', { a: [{ b: '\0' }] }, 'U+0000'],
    ['U+0000 in a name', { a: [{ '\0': 1 }] }, 'U+0000'],
    ['a number beyond doubles', [[new InexactNumber('-1e400')]], 'beyond the range of doubles'],
    ['65 levels', nested(65), '64 levels'],
  ])('is found: %s', (_, value, words) => {
    expect(find(value).problem).toContain(words);
  });

  it('is not found in any other value', () => {
    for (const value of ['a', [], {}, nested(64), { a: [null, true, -1.5, 'x', { b: {} }] }]) {
      expect(find(value)).toMatchObject({ problem: null, hasInexact: false });
    }
    expect(find(nested(64, [INEXACT]))).toMatchObject({ problem: null, hasInexact: true });
  });

  it('is looked for with pauses, wherever the values are', () => {
    const count = (value: Json): number => [...inspectJson(value)].length;
    const many = <T>(value: T): T[] => Array.from({ length: 100 }, () => value);
    expect(count(many('x'))).toBe(0);
    expect(count(many({ list: many(1) }))).toBe(2);
    expect(count(many({ a: { b: { c: many(many({})) } } }))).toBeGreaterThan(100);
    expect(count(Array.from({ length: 100_000 }, () => ({})))).toBeGreaterThan(8);
    expect(count({ list: Array(100_000).fill(1) })).toBeGreaterThan(8);
    expect(count({ map: manyMembers() })).toBeGreaterThan(8);
  });
});

describe('numbers that no double holds exactly', () => {
  const json = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<Json>(1, 'x', null, INEXACT),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('value'), {
        noNullPrototype: true,
      }),
    ),
  })).value;

  it('become the nearest doubles in a copy, which shares all else', () => {
    fc.assert(
      fc.property(json, (value) => {
        const before = JSON.stringify(value);
        const places: InexactPlace[] = [];
        const own = finish(ownInexact(value, places));
        takeNearest(places);
        expect(JSON.stringify(value)).toBe(before);
        if (value instanceof InexactNumber) return;
        const text = before.replaceAll(JSON.stringify(INEXACT), '9007199254740992');
        expect(JSON.stringify(own)).toBe(text);
        expect(own === value).toBe(text === before);
      }),
    );
  });

  it('are copied with pauses, however many values are beside them', () => {
    const count = (value: Json): number => [...ownInexact(value, [])].length;
    expect(count({ list: [...Array(100_000).fill(1), INEXACT] })).toBeGreaterThan(8);
    // Once to find them, and once to copy them.
    expect(count({ map: { ...manyMembers(), last: INEXACT } })).toBeGreaterThan(16);
  });

  it('stay what a validator made of them', () => {
    const places: InexactPlace[] = [];
    const own = finish(ownInexact([INEXACT, INEXACT] as Json, places)) as Json;
    own[0] = 5;
    takeNearest(places);
    expect(own).toEqual([5, 9007199254740992]);
  });
});
