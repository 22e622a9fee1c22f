import { beforeEach, describe, expect, it } from 'vitest';
import { MethodError } from '../../../src/protocol/errors.js';
import type { JsonValue } from '../../../src/protocol/json.js';
import type { FilterNode } from '../../../src/store/port.js';
import { condition, Gadget, gadget, operator } from '../gadget.js';
import type { Bench } from './bench.js';

export function filterCases(bench: Bench): void {
  const { read, insert, found } = bench;

  describe('filters', () => {
    beforeEach(() =>
      insert([
        gadget('r1', {
          title: 'Åland',
          code: 'A',
          done: true,
          rank: 1,
          due: '2026-01-01T00:00:00Z',
        }),
        gadget('r2', { title: 'Straße 100%', code: 'a', rank: 2, score: 0.1 }),
        gadget('r3', { title: 'e\u0301tude_x', rank: -3, due: '2026-01-01T00:00:00.001Z' }),
        gadget('r4', { title: '', code: '', score: 0.30000000000000004 }),
      ]),
    );

    const cases: readonly [string, FilterNode, readonly string[]][] = [
      ['contains folds', condition('title', 'ÅLAND'), ['r1']],
      ['contains takes a decomposed needle', condition('title', 'a\u030A'), ['r1']],
      ['contains folds fully', condition('title', 'STRASSE'), ['r2']],
      ['contains knows no wildcards', condition('title', '_'), ['r3']],
      ['contains takes a percent sign as it is', condition('title', '0%'), ['r2']],
      ['startsWith folds', condition('titleStart', 'éT'), ['r3']],
      ['startsWith is at the start', condition('titleStart', 'land'), []],
      ['equals is exact', condition('titleIs', 'åland'), []],
      ['equals finds the same octets', condition('titleIs', 'Åland'), ['r1']],
      ['equals keeps normal forms apart', condition('titleIs', 'étude_x'), []],
      ['equals takes case into account', condition('code', 'a'), ['r2']],
      ['equals finds the empty string', condition('code', ''), ['r4']],
      ['equals with null finds null', condition('code', null), ['r3']],
      ['NOT of equals finds null too', operator('NOT', condition('code', 'a')), ['r1', 'r3', 'r4']],
      ['NOT of equals null', operator('NOT', condition('code', null)), ['r1', 'r2', 'r4']],
      ['NOT of contains finds null', operator('NOT', condition('codeText', 'a')), ['r3', 'r4']],
      ['NOT of atLeast finds null', operator('NOT', condition('minRank', 2)), ['r1', 'r3', 'r4']],
      [
        'NOT of before finds null',
        operator('NOT', condition('before', '2027-01-01T00:00:00Z')),
        ['r2', 'r4'],
      ],
      ['in', condition('codeIn', ['a', 'A', 'b']), ['r1', 'r2']],
      ['in of nothing', condition('codeIn', []), []],
      ['NOT in finds null', operator('NOT', condition('codeIn', ['a', 'A'])), ['r3', 'r4']],
      [
        'NOT in of nothing is all',
        operator('NOT', condition('codeIn', [])),
        ['r1', 'r2', 'r3', 'r4'],
      ],
      ['in with null', condition('codeIn', ['a', null]), ['r2', 'r3']],
      ['in with null alone', condition('codeIn', [null]), ['r3']],
      ['in of booleans', condition('doneIn', [true]), ['r1']],
      ['in of integers', condition('rankIn', [1, -3]), ['r1', 'r3']],
      ['in of doubles', condition('scoreIn', [0.1 + 0.2]), ['r4']],
      ['equals a double', condition('score', 0.1 + 0.2), ['r4']],
      ['equals a boolean', condition('done', false), ['r2', 'r3', 'r4']],
      ['isNull', condition('noCode', true), ['r3']],
      ['isNull false', condition('noCode', false), ['r1', 'r2', 'r4']],
      ['atLeast includes', condition('minRank', 1), ['r1', 'r2']],
      ['atMost includes', condition('maxRank', 1), ['r1', 'r3']],
      ['before excludes', condition('before', '2026-01-01T00:00:00.001Z'), ['r1']],
      ['after includes', condition('after', '2026-01-01T00:00:00.001Z'), ['r3']],
      ['equals a date', condition('due', '2026-01-01T00:00:00Z'), ['r1']],
      ['AND of nothing is all', operator('AND'), ['r1', 'r2', 'r3', 'r4']],
      ['OR of nothing is none', operator('OR'), []],
      ['NOT of nothing is all', operator('NOT'), ['r1', 'r2', 'r3', 'r4']],
      ['NOT NOT of nothing is none', operator('NOT', operator('NOT')), []],
      [
        'NOT is none of them',
        operator('NOT', condition('rank', 1), condition('rank', 2)),
        ['r3', 'r4'],
      ],
      [
        'nested operators',
        operator(
          'OR',
          operator('AND', condition('done', true), condition('rank', 1)),
          operator('NOT', operator('OR', condition('minRank', -5), condition('noCode', true))),
        ),
        ['r1', 'r4'],
      ],
      ['SQL in a value is text', condition('titleIs', `' OR 1=1 --`), []],
    ];

    for (const [what, filter, expected] of cases) {
      it(`RFC 8620 5.5: ${what}`, async () => {
        expect(await found(filter)).toEqual(expected);
        expect(await read((snapshot) => snapshot.count(Gadget, filter))).toBe(expected.length);
      });
    }

    it('RFC 8620 1.4: a Date is the moment that it names, whatever its offset', async () => {
      await insert([
        gadget('s1', { held: '2026-01-01T00:30:00+01:00' }),
        gadget('s2', { held: '2025-12-31T23:30:00Z' }),
        gadget('s3', { held: '2025-12-31T23:30:00.001Z' }),
      ]);
      expect(await found(condition('held', '2025-12-31T18:30:00-05:00'))).toEqual(['s1', 's2']);
      expect(await found(condition('heldIn', ['2026-01-01T13:30:00+14:00']))).toEqual(['s1', 's2']);
      expect(await found(condition('heldBefore', '2025-12-31T23:30:00.001Z'))).toEqual([
        's1',
        's2',
      ]);
      expect(await found(condition('heldAfter', '2026-01-01T00:30:00.001+01:00'))).toEqual(['s3']);
      const nulls = await found(condition('held', null));
      expect(nulls).toEqual(['r1', 'r2', 'r3', 'r4']);
    });

    it('hasItem tells numbers, texts and Booleans apart; hasKey takes any name', async () => {
      const set = JSON.parse('{"__proto__":true,"a\\"b":true,"":true}') as JsonValue;
      await insert([
        gadget('s1', { list: [1, 'true', '{"a":1}'], tags: set }),
        gadget('s2', { list: [true, '1', { a: 1 }], tags: { a: true } }),
        gadget('s3', { list: [0.1, 0, ''], tags: {} }),
      ]);
      const items: readonly [JsonValue, readonly string[]][] = [
        [1, ['s1']],
        ['1', ['s2']],
        [true, ['s2']],
        ['true', ['s1']],
        [false, []],
        [0, ['s3']],
        ['', ['s3']],
        [0.1, ['s3']],
        ['{"a":1}', ['s1']],
      ];
      for (const [item, ids] of items) {
        expect(await found(condition('hasItem', item)), JSON.stringify(item)).toEqual(ids);
      }
      expect(await found(condition('hasTag', '__proto__'))).toEqual(['s1']);
      expect(await found(condition('hasTag', 'a"b'))).toEqual(['s1']);
      expect(await found(condition('hasTag', ''))).toEqual(['s1']);
      expect(await found(condition('hasTag', 'constructor'))).toEqual([]);
      const rest = await found(operator('NOT', condition('hasTag', 'a')));
      expect(rest).toEqual(['r1', 'r2', 'r3', 'r4', 's1', 's3']);
    });

    it('take 2,000 conditions in one list', async () => {
      const many = Array.from({ length: 2000 }, (_, index) => condition('rank', index));
      expect(await found(operator('OR', ...many))).toEqual(['r1', 'r2']);
    });

    it('take 400 levels of alternating operators', async () => {
      let filter = condition('rank', 1);
      for (let level = 0; level < 400; level += 1) {
        filter = operator(
          level % 2 === 0 ? 'OR' : 'AND',
          filter,
          condition('done', level % 2 !== 0),
        );
      }
      expect(await found(filter)).toEqual(['r1']);
    });

    it('take 2,000 levels of NOT', async () => {
      let filter = condition('rank', 1);
      for (let level = 0; level < 2000; level += 1) filter = operator('NOT', filter);
      expect(await found(filter)).toEqual(['r1']);
    });

    it('refuse what no database can parse as unsupportedFilter', async () => {
      const many = Array.from({ length: 100_000 }, (_, index) => condition('rank', index));
      const error = await found(operator('OR', ...many)).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(MethodError);
      expect(error).toMatchObject({ type: 'unsupportedFilter' });
    });
  });
}
