import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LocalList, type RowChange } from '../../src/query/local-list.js';
import type { Order } from '../../src/query/sorts.js';
import { byCodePoint } from '../../src/query/values.js';

interface Row {
  readonly [name: string]: string | number;
  readonly $key: string;
  readonly rank: number;
}

const row = fc.record({ $key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), rank: fc.nat(4) });
const change = fc.tuple(row, fc.boolean());
const order: Order = {
  keysOf: (object) => [Number(object['rank']), String(object['$key'])],
  compare: ([rank, key], [otherRank, otherKey]) =>
    Number(rank) - Number(otherRank) || byCodePoint(String(key), String(otherKey)),
};
const match = (object: object): boolean => (object as Row).rank > 0;

describe('a local list', () => {
  it('is after any changes as if it had begun with them', () => {
    fc.assert(
      fc.property(fc.array(row), fc.array(fc.array(change, { maxLength: 4 })), (first, steps) => {
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
