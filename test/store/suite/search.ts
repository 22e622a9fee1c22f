import { beforeEach, describe, expect, it } from 'vitest';
import { Random } from '../../support/random.js';
import { condition, Gadget, gadget, operator } from '../gadget.js';
import { B, type Bench, idOf } from './bench.js';

export function searchCases(bench: Bench): void {
  const { write, insert, found } = bench;

  describe('the search index', () => {
    const texts: Readonly<Record<string, readonly [string, string | null]>> = {
      r1: ['Hello World', null],
      r2: ['Война и мир', 'ВОЙНА'],
      r3: ['東京都に住む', '北京'],
      r4: ['👩‍👩‍👧‍👦 family 😀😃😄', null],
      r5: [`say "hello" AND (go) it's NOT NEAR(a b)`, '"'],
      r6: ['tab\there\u0001\u0002\u0003', 'a*b^c:d-{e}'],
      r7: ['Straße', 'aaaaaa'],
      r8: ['', ''],
    };

    beforeEach(async () => {
      await insert(Object.entries(texts).map(([id, [title, code]]) => gadget(id, { title, code })));
      await insert(
        [gadget('r1', { title: 'World of theirs' }), gadget('s1', { title: 'World' })],
        B,
      );
    });

    const cases: readonly [string, readonly string[]][] = [
      ['world', ['r1']],
      ['o W', ['r1']],
      ['theirs', []],
      ['ВОЙ', ['r2']],
      ['ойна и', ['r2']],
      ['й', ['r2']],
      ['東京都', ['r3']],
      ['京都', ['r3']],
      ['都に住む', ['r3']],
      ['京北', []],
      ['👩‍👩', ['r4']],
      ['😀😃😄', ['r4']],
      ['😃', ['r4']],
      ['"hello"', ['r5']],
      ['""', []],
      ['"', ['r5']],
      ['hello" AND', ['r5']],
      ["it's", ['r5']],
      ['AND', ['r5']],
      ['OR', ['r1']],
      ['NOT', ['r5']],
      ['NEAR(a b)', ['r5']],
      ['(go)', ['r5']],
      ['b\there', ['r6']],
      ['\u0001\u0002\u0003', ['r6']],
      ['strasse', ['r7']],
      ['title_folded : x', []],
      ['a'.repeat(10_000), []],
      ['', Object.keys(texts)],
    ];

    for (const [needle, ids] of cases) {
      const shown = JSON.stringify(needle.length > 20 ? `${needle.slice(0, 20)}...` : needle);
      it(`RFC 8620 5.5: finds what a scan finds for ${shown}`, async () => {
        expect(await found(condition('title', needle))).toEqual(ids);
        expect(await found(condition('found', needle))).toEqual(ids);
        const rest = Object.keys(texts).filter((id) => !ids.includes(id));
        expect(await found(operator('NOT', condition('found', needle)))).toEqual(rest);
      });
    }

    it('takes what the query language gives a meaning as text', async () => {
      for (const needle of ['a*b', 'b^c', 'c:d-{e}', '*b^', '{e}']) {
        expect(await found(condition('foundCode', needle)), needle).toEqual(['r6']);
      }
    });

    it('takes words in any of the columns, in any order', async () => {
      expect(await found(condition('foundText', ' мир ВОЙНА\u3000и '))).toEqual(['r2']);
      expect(await found(condition('foundText', '北京 東京都'))).toEqual(['r3']);
      expect(await found(condition('foundText', 'world hello nothing'))).toEqual([]);
      expect(await found(condition('foundText', 'o hello'))).toEqual(['r1', 'r5']);
      expect(await found(condition('foundText', ' \t\n '))).toEqual(Object.keys(texts));
      expect(await found(operator('NOT', condition('foundText', ' ')))).toEqual([]);
    });

    it('takes 50 long words, and 30 conditions', async () => {
      const words = Array.from({ length: 50 }, (_, index) => `${index}abcdefgh`.repeat(5));
      await insert([gadget('s1', { title: words.join(' ') })]);
      expect(await found(condition('foundText', words.join(' ')))).toEqual(['s1']);
      expect(await found(condition('foundText', `${words.slice(1).join(' ')} other`))).toEqual([]);
      const each = words.slice(0, 30).map((word) => condition('found', word));
      expect(await found(operator('AND', ...each))).toEqual(['s1']);
      expect(await found(operator('OR', ...each, condition('found', 'world')))).toEqual([
        'r1',
        's1',
      ]);
    });

    it('stands under any operator', async () => {
      const world = condition('found', 'world');
      expect(await found(operator('OR', world, condition('foundCode', 'войн')))).toEqual([
        'r1',
        'r2',
      ]);
      expect(await found(operator('AND', world, condition('foundCode', 'войн')))).toEqual([]);
      expect(await found(operator('NOT', operator('NOT', world)))).toEqual(['r1']);
    });

    it('follows random creations, updates, destructions and undone works', async () => {
      const random = Random.fromEnvironment();
      const parts = ['abc', 'bcd', 'ab', 'Ш', 'шшш', '東京', '都内', '😀', '"x"', ' '];
      const text = () =>
        Array.from({ length: random.integer(0, 4) }, () => random.pick(parts)).join('');
      const made = () => ({ title: text(), code: random.chance(0.3) ? null : text() });
      const live = new Set(Object.keys(texts));
      for (let round = 0; round < 60; round += 1) {
        const before = new Set(live);
        await write(async (transaction) => {
          const fresh = Array.from({ length: random.integer(0, 3) }, (_, n) => `n${round}x${n}`);
          await transaction.writeRows(
            'insert',
            Gadget,
            fresh.map((id) => gadget(id, made())),
          );
          for (const id of fresh) live.add(id);
          const changed = [...live].filter(() => random.chance(0.2));
          await transaction.writeRows(
            'update',
            Gadget,
            changed.map((id) => gadget(id, made())),
          );
          const gone = [...live].filter(() => random.chance(0.1));
          await transaction.destroy(Gadget, gone);
          for (const id of gone) live.delete(id);
          if (random.chance(0.2)) throw new Error('undone');
        }).catch(() => {
          live.clear();
          for (const id of before) live.add(id);
        });
        const needle = random.pick(parts) + random.pick(parts);
        const said = `seed ${random.seed}, round ${round}, ${JSON.stringify(needle)}`;
        expect(await found(condition('found', needle)), said).toEqual(
          await found(condition('title', needle)),
        );
        expect(await found(condition('foundText', needle)), said).toEqual(
          await found(condition('text', needle)),
        );
      }
      expect((await bench.all()).map(idOf)).toEqual([...live].sort());
    });
  });
}
