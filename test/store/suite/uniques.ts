import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/protocol/json.js';
import { Gadget, gadget, UNIQUES } from '../gadget.js';
import { B, type Bench } from './bench.js';

type Keys = readonly (readonly JsonValue[])[];

export function uniqueCases(bench: Bench): void {
  const { read, insert } = bench;

  const holders = async (name: keyof typeof UNIQUES, ...keys: Keys) => {
    const found = await read((snapshot) => snapshot.holders(Gadget, UNIQUES[name], keys));
    return found.map(({ id, key }) => [id, ...key]).sort();
  };

  describe('holders of unique values', () => {
    beforeEach(async () => {
      await insert([
        gadget('r1', { code: 'a', rank: 1, score: 0.1 + 0.2, done: true, title: '1' }),
        gadget('r2', {
          code: 'A',
          rank: 9007199254740991,
          score: 1e300,
          due: '1969-12-31T23:59:59.5Z',
        }),
        gadget('r3', { code: '1', rank: 0, score: 5, due: '2026-01-01T00:00:00Z', title: 'x' }),
        gadget('r4', { code: `"'\\ é😀`, rank: 1, held: '2026-01-01T00:30:00+01:00' }),
        gadget('r5', { code: '', rank: -1 }),
        gadget('r6'),
      ]);
      await insert([gadget('s1', { code: 'b', rank: 1 })], B);
    });

    const cases: readonly [string, keyof typeof UNIQUES, Keys, readonly JsonValue[][]][] = [
      ['text, to the octet', 'code', [['a'], ['b'], ['e']], [['r1', 'a']]],
      ['text that looks like a number', 'code', [['1'], ['1.0'], ['01']], [['r3', '1']]],
      ['text with quotes and emoji', 'code', [[`"'\\ é😀`]], [['r4', `"'\\ é😀`]]],
      ['the empty text, which is not null', 'code', [['']], [['r5', '']]],
      [
        'integers',
        'rank',
        [[1], [2]],
        [
          ['r1', 1],
          ['r4', 1],
        ],
      ],
      [
        'the largest integer',
        'rank',
        [[9007199254740991], [9007199254740990]],
        [['r2', 9007199254740991]],
      ],
      ['zero, which is not null', 'rank', [[0]], [['r3', 0]]],
      [
        'doubles to the last bit',
        'score',
        [[0.1 + 0.2], [0.3], [1e300], [5]],
        [
          ['r1', 0.1 + 0.2],
          ['r2', 1e300],
          ['r3', 5],
        ],
      ],
      ['booleans', 'done', [[true]], [['r1', true]]],
      [
        'UTCDates',
        'due',
        [['1969-12-31T23:59:59.5Z'], ['2026-01-01T00:00:00.001Z']],
        [['r2', '1969-12-31T23:59:59.5Z']],
      ],
      [
        'Dates by their text',
        'held',
        [['2026-01-01T00:30:00+01:00'], ['2025-12-31T23:30:00Z']],
        [['r4', '2026-01-01T00:30:00+01:00']],
      ],
      [
        'several properties together',
        'codeRank',
        [
          ['a', 1],
          ['A', 1],
          ['1', 0],
        ],
        [
          ['r1', 'a', 1],
          ['r3', '1', 0],
        ],
      ],
      [
        'properties of every kind together',
        'all',
        [
          [false, '2026-01-01T00:00:00Z', 'x', 5],
          [true, '2026-01-01T00:00:00Z', 'x', 5],
        ],
        [['r3', false, '2026-01-01T00:00:00Z', 'x', 5]],
      ],
      ['nobody for no keys', 'code', [], []],
    ];

    for (const [what, name, keys, expected] of cases) {
      it(`finds ${what}`, async () => {
        expect(await holders(name, ...keys)).toEqual(expected);
      });
    }

    it('asks for 5,000 keys in one statement', async () => {
      const keys = Array.from({ length: 5000 }, (_, index) => [`k${index}`]);
      const ran = await bench.counted(async () => {
        expect(await holders('code', ...keys, ['a'])).toEqual([['r1', 'a']]);
      });
      expect(ran).toBe(1);
    });
  });
}
