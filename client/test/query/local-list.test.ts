import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finish } from '../../../src/runtime/paused-work.js';
import { LocalList, type RowChange } from '../../src/query/local-list.js';
import type { Order } from '../../src/query/sorts.js';
import { byCodePoint } from '../../src/query/values.js';

interface Row {
  readonly [name: string]: string | number;
  readonly $key: string;
  readonly rank: number;
}

const $key = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz');
const row = fc.record({ $key, rank: fc.nat(4) });
const change = fc.tuple(row, fc.boolean());
const order: Order = [
  { keyOf: ({ rank }) => Number(rank), isAscending: true },
  { keyOf: ({ $key }) => String($key), isAscending: true },
];
const match = (object: object): boolean => (object as Row).rank > 0;

describe('a local list', () => {
  it('is after any changes as if it had begun with them', () => {
    fc.assert(
      fc.property(fc.array(row), fc.array(fc.array(change, { maxLength: 20 })), (first, steps) => {
        const rows = new Map<string, Row>(first.map((one) => [one.$key, one]));
        const list = new LocalList<Row>(match, order);
        list.fill(rows.values());
        for (const step of steps) {
          const changes = new Map<string, RowChange<Row>>();
          for (const [one, isGone] of step) {
            const { before } = changes.get(one.$key) ?? { before: rows.get(one.$key) };
            if (isGone) rows.delete(one.$key);
            else rows.set(one.$key, one);
            changes.set(one.$key, { before, after: isGone ? undefined : one });
          }
          const before = list.rows;
          const isOther = list.update([...changes.values()]);
          const anew = new LocalList<Row>(match, order);
          anew.fill(rows.values());
          expect(list.rows).toEqual(anew.rows);
          expect(isOther).toBe(before !== list.rows);
        }
      }),
    );
  });
});

describe('a local list that is filled with pauses', () => {
  it('has what has changed meanwhile, and nothing of an earlier fill', () => {
    const rows = [3, 1, 2].map((rank) => ({ $key: `k${rank}`, rank }));
    const list = new LocalList<Row>(match, order);
    const earlier = list.fillSteps(rows);
    earlier.next();
    const steps = list.fillSteps(rows);
    steps.next();
    expect(list.isFilled).toBe(false);
    const [first, second, third] = rows as [Row, Row, Row];
    const after = { ...first, rank: 4 };
    expect(list.update([{ before: first, after }])).toBe(false);
    finish(earlier);
    expect(list.isFilled).toBe(false);
    expect(list.update([{ before: after, after: undefined }])).toBe(false);
    finish(steps);
    expect(list.isFilled).toBe(true);
    expect(list.rows).toEqual([second, third]);
  });

  it('is as it is without pauses', () => {
    const rows = Array.from({ length: 5000 }, (_, n) => ({
      $key: `${n}`,
      rank: (n * 7919) % 1000,
    }));
    const list = new LocalList<Row>(match, order);
    let pauses = 0;
    for (const _ of list.fillSteps(rows)) pauses += 1;
    expect(pauses).toBeGreaterThan(5);
    const expected = rows
      .filter(match)
      .sort((a, b) => a.rank - b.rank || (a.$key < b.$key ? -1 : 1));
    expect(list.rows).toEqual(expected);
  });
});

describe('byCodePoint', () => {
  it('orders texts as their UTF-8 octets are', () => {
    const unit = fc.constantFrom('a', 'é', '\ue000', '\uffff', '😀', '𐀀', 'z');
    const text = fc.string({ unit });
    fc.assert(
      fc.property(text, text, (one, other) => {
        const expected = Buffer.compare(Buffer.from(one), Buffer.from(other));
        expect(Math.sign(byCodePoint(one, other))).toBe(expected);
      }),
    );
  });
});
