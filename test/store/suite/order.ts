import { beforeEach, describe, expect, it } from 'vitest';
import { ALL, condition, Gadget, gadget, plan } from '../gadget.js';
import type { Bench } from './bench.js';

export function orderCases(bench: Bench): void {
  const { read, insert, ids } = bench;

  describe('order', () => {
    // As an id does, which embeds it: the first three are of one millisecond, the others of the
    // next.
    const later = { created: '2026-01-01T00:00:00.001Z' };
    beforeEach(() =>
      insert([
        gadget('r1', { title: 'b', code: '10' }),
        gadget('r2', { title: 'A', code: null }),
        gadget('r3', { title: 'B', code: '9' }),
        gadget('r4', { ...later, title: 'é', code: 'x' }),
        gadget('r5', { ...later, title: 'f', code: null }),
      ]),
    );

    const cases: readonly [readonly string[], readonly string[]][] = [
      [[], ['r1', 'r2', 'r3', 'r4', 'r5']],
      [['-created'], ['r5', 'r4', 'r3', 'r2', 'r1']],
      [
        ['created', '-title'],
        ['r3', 'r1', 'r2', 'r5', 'r4'],
      ],
      [
        ['-created', 'title'],
        ['r4', 'r5', 'r2', 'r1', 'r3'],
      ],
      [
        ['created', '-id'],
        ['r3', 'r2', 'r1', 'r5', 'r4'],
      ],
      [
        ['-created', '-id', 'title'],
        ['r5', 'r4', 'r3', 'r2', 'r1'],
      ],
      [
        ['done', '-created', 'code i;octet'],
        ['r5', 'r4', 'r2', 'r1', 'r3'],
      ],
      [['title'], ['r2', 'r1', 'r3', 'r4', 'r5']],
      [['-title'], ['r5', 'r4', 'r3', 'r1', 'r2']],
      [
        ['title', '-id'],
        ['r2', 'r3', 'r1', 'r4', 'r5'],
      ],
      [['title i;octet'], ['r2', 'r3', 'r1', 'r5', 'r4']],
      [['title i;ascii-casemap'], ['r2', 'r1', 'r3', 'r5', 'r4']],
      [['code i;octet'], ['r2', 'r5', 'r1', 'r3', 'r4']],
      [['-code i;octet'], ['r4', 'r3', 'r1', 'r5', 'r2']],
      [['code i;ascii-numeric'], ['r2', 'r5', 'r3', 'r1', 'r4']],
      [['-code i;ascii-numeric'], ['r4', 'r1', 'r3', 'r5', 'r2']],
      [
        ['done', '-code i;octet'],
        ['r4', 'r3', 'r1', 'r5', 'r2'],
      ],
    ];

    for (const [sort, expected] of cases) {
      it(`RFC 8620 5.5: by ${sort.length === 0 ? 'nothing' : sort.join(', ')}`, async () => {
        expect(await ids(plan(ALL, ...sort))).toEqual(expected);
      });
    }

    it('RFC 8620 5.5: pages one after the other are the whole', async () => {
      const query = plan(ALL, '-code');
      const whole = await ids(query);
      const pages: string[] = [];
      for (let position = 0; position < 6; position += 2) {
        pages.push(...(await ids(query, position, 2)));
      }
      expect(pages).toEqual(whole);
      expect(await ids(query, 5, 10)).toEqual([]);
      expect(await ids(query, 0, 0)).toEqual([]);
    });

    it('RFC 8620 5.5: rank is null for what the filter leaves out', async () => {
      const rank = (id: string) =>
        read((snapshot) => snapshot.rank(Gadget, plan(condition('noCode', true)), id));
      expect([await rank('r1'), await rank('r2'), await rank('r5'), await rank('r9')]).toEqual([
        null,
        0,
        1,
        null,
      ]);
    });
  });
}
