import { describe, expect, it } from 'vitest';
import { MethodError } from '../../../src/protocol/errors.js';
import { parseIJson } from '../../../src/protocol/ijson.js';
import type { JsonValue } from '../../../src/protocol/json.js';
import type { FilterNode } from '../../../src/store/port.js';
import { condition, Gadget, gadget, operator, plan } from '../gadget.js';
import type { Bench } from './bench.js';

/**
 * Requests that a client may send and that no honest one does: each is answered alike on every
 * database.
 */
export function extremeCases(bench: Bench): void {
  const { found, insert, read } = bench;

  /** The ids, or the type of the method error. */
  const answer = (filter: FilterNode): Promise<unknown> =>
    found(filter).catch((error: unknown) => {
      if (error instanceof MethodError) return error.type;
      throw error;
    });

  const parsed = (text: string): JsonValue => parseIJson(Buffer.from(text));

  describe('extremes', () => {
    it('a filter of more values than a statement takes is refused', async () => {
      await insert([gadget('r1', { title: 'w1 w2' })]);
      const words = (count: number) =>
        Array.from({ length: count }, (_, index) => `w${index}`).join(' ');
      const texts = (count: number, name: 'text' | 'foundText') =>
        Array.from({ length: count }, () => condition(name, words(50)));
      for (const name of ['text', 'foundText'] as const) {
        expect(await answer(operator('OR', ...texts(1000, name)))).toBe('unsupportedFilter');
        expect(await answer(operator('OR', ...texts(40, name)))).toEqual([]);
        const some = operator('OR', ...texts(40, name), condition('title', 'w1'));
        const rank = read((snapshot) => snapshot.rank(Gadget, plan(some, '-title'), 'r1'));
        expect(await rank).toBe(0);
      }
    });

    it('a blob id with U+0000 names no blob', async () => {
      expect(await read((snapshot) => snapshot.blobs(['\0', 'b\0', '\\u0000']))).toEqual([]);
      expect(await read((snapshot) => snapshot.blobs(['\0'], 'u1'))).toEqual([]);
      const named = read((snapshot) => snapshot.blobReferences(['\0'], [Gadget.name]));
      expect(await named).toEqual([]);
    });

    it('a filter as deep as may be, whatever stands at its bottom', async () => {
      await insert([gadget('r1', { title: 'w1 w2' })]);
      const bottom = condition('text', Array.from({ length: 50 }, (_, n) => `w${n}`).join(' '));
      const deep = (height: number): FilterNode => {
        let node: FilterNode = bottom;
        for (let level = 0; level < height; level += 1)
          node = operator(level % 2 === 0 ? 'AND' : 'OR', node, condition('minRank', level));
        return node;
      };
      expect(await answer(deep(700))).toEqual([]);
      for (const height of [800, 840, 880, 890, 900, 1200])
        expect([[], 'unsupportedFilter']).toContainEqual(await answer(deep(height)));
    });

    it('numbers that no double holds equal nothing', async () => {
      await insert([
        gadget('r1', { list: [null, 1, 9007199254740992], score: 1e308, tags: { n: true } }),
      ]);
      expect(await answer(condition('hasItem', parsed('1e400')))).toEqual([]);
      expect(await answer(condition('hasItem', parsed('-1e400')))).toEqual([]);
      expect(await answer(condition('hasItem', parsed('1.0')))).toEqual(['r1']);
      expect(await answer(condition('hasItem', parsed('-0')))).toEqual([]);
      expect(await answer(condition('score', parsed('1e400')))).toEqual([]);
      expect(await answer(condition('scoreIn', parsed('[1e400]')))).toEqual([]);
      expect(await answer(condition('scoreIn', parsed('[1e400, 1e308]')))).toEqual(['r1']);
      expect(await answer(operator('NOT', condition('scoreIn', parsed('[1e400]'))))).toEqual([
        'r1',
      ]);
      expect(await answer(condition('maxRank', 9007199254740991))).toEqual([]);
    });

    it('U+0000 is in no stored text, so nothing has it', async () => {
      await insert([gadget('r1', { title: 'a\\u0000', code: 'x', tags: { '\\u0000': true } })]);
      for (const text of ['\0', 'a\0', '\0a', 'x\0y']) {
        for (const name of ['title', 'titleStart', 'titleIs', 'code', 'hasTag', 'hasItem'] as const)
          expect(await answer(condition(name, text)), name).toEqual([]);
        for (const name of ['found', 'text', 'foundText'] as const)
          expect(await answer(condition(name, text)), name).toEqual([]);
        expect(await answer(condition('codeIn', [text, 'x']))).toEqual(['r1']);
        expect(await answer(operator('NOT', condition('codeText', text)))).toEqual(['r1']);
      }
      expect(await answer(condition('titleIs', 'a\\u0000'))).toEqual(['r1']);
      expect(await answer(condition('hasTag', '\\u0000'))).toEqual(['r1']);
    });

    it('takes keys and items of any letters to the letter', async () => {
      const texts = ['a"b', 'a\\b', "a'b", '\\', '\u0001', '\u2028', '', ' ', '$', '%', '_', '[0]'];
      await insert([
        gadget('r1', { tags: Object.fromEntries(texts.map((text) => [text, true])), list: texts }),
        gadget('r2', { tags: {}, list: [] }),
      ]);
      for (const text of texts) {
        expect(await answer(condition('hasTag', text)), JSON.stringify(text)).toEqual(['r1']);
        expect(await answer(condition('hasItem', text)), JSON.stringify(text)).toEqual(['r1']);
      }
    });
  });
}
