import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.js';
import { finish } from '../../../src/runtime/paused-work.js';
import { LocalList, type RowChange } from '../../src/query/local-list.js';
import type { Order } from '../../src/query/sorts.js';
import { UNICODE_RULES } from '../../src/query/unicode.js';

interface Row {
  readonly [name: string]: string | number;
  readonly $key: string;
  readonly rank: number;
}

const $key = fc.nat(300).map(String);
const row = fc.record({ $key, rank: fc.nat(4) });
const change = fc.tuple(row, fc.boolean());
const start = fc.array(row, { maxLength: 300, size: 'max' });
/** Changes of a commit; true: somebody has the rows by then. */
const step = fc.tuple(fc.array(change, { size: '+1' }), fc.boolean());
const order: Order = [
  { keyOf: ({ rank }) => Number(rank), isAscending: true },
  { keyOf: ({ $key }) => String($key), isAscending: true },
];
const match = (object: object): boolean => (object as Row).rank > 0;

describe('a local list', () => {
  it('is after any changes as if it had begun with them', () => {
    fc.assert(
      fc.property(start, fc.array(step), (first, steps) => {
        const rows = new Map<string, Row>(first.map((one) => [one.$key, one]));
        const list = new LocalList<Row>(match, order);
        list.fill(rows.values());
        for (const [edits, isRead] of steps) {
          const changes = new Map<string, RowChange<Row>>();
          for (const [one, isGone] of edits) {
            const { before } = changes.get(one.$key) ?? { before: rows.get(one.$key) };
            if (isGone) rows.delete(one.$key);
            else rows.set(one.$key, one);
            changes.set(one.$key, { before, after: isGone ? undefined : one });
          }
          const anew = new LocalList<Row>(match, order);
          anew.fill(rows.values());
          const before = isRead ? list.rows : null;
          const copy = before?.slice();
          const isOther = list.update([...changes.values()]);
          expect(list.slice(0, list.length)).toEqual(anew.rows);
          if (before !== null) expect(isOther).toBe(before !== list.rows);
          expect(before?.slice()).toEqual(copy);
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
    const rows = Array.from({ length: 50_000 }, (_, n) => ({
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

describe('a local list of many rows', () => {
  const MANY = 20_000;
  const makeRows = (): Row[] =>
    Array.from({ length: MANY }, (_, n) => ({ $key: `${n}`, rank: 1 + ((n * 7919) % 1000) }));

  /** Returns a list of rows, and how many of their values it has read by now. */
  function open(rows: readonly Row[]): {
    readonly list: LocalList<Row>;
    readonly count: () => number;
  } {
    let count = 0;
    const counted = order.map(({ keyOf, isAscending }) => ({
      isAscending,
      keyOf: (object: JsonObject) => {
        count += 1;
        return keyOf(object);
      },
    }));
    const list = new LocalList<Row>(match, counted);
    list.fill(rows);
    return {
      list,
      count: () => {
        const all = count;
        count = 0;
        return all;
      },
    };
  }

  const change = (before: Row): RowChange<Row> => ({
    before,
    after: { ...before, rank: 1 + ((before.rank * 31) % 1000) },
  });

  it('reads the values of a row once to sort them', () => {
    expect(open(makeRows()).count()).toBe(MANY * order.length);
  });

  it('reads values of few rows for one that changes', () => {
    const rows = makeRows();
    const { list, count } = open(rows);
    count();
    list.update([change(rows[777] as Row)]);
    // Each of both searches halves the rows: 15 times.
    expect(count()).toBeLessThanOrEqual(2 * 16 * order.length);
  });

  it('reads values of no row near one that goes', () => {
    const rows = makeRows();
    const { list, count } = open(rows);
    count();
    const gone = rows.filter((_, n) => n % 20 === 0);
    list.update(gone.map((before) => ({ before, after: undefined })));
    expect(list.length).toBe(MANY - gone.length);
    // Its own, and those of every 32nd row at most.
    expect(count()).toBeLessThanOrEqual((gone.length + MANY / 32) * order.length);
  });

  it('is copied for a change only where somebody has all of its rows', () => {
    const rows = makeRows();
    const { list } = open(rows);
    const splice = vi.spyOn(Array.prototype, 'splice');
    onTestFinished(() => splice.mockRestore());
    /** Returns how many arrays of so many rows were changed by now. */
    const countArrays = (): number =>
      new Set(splice.mock.contexts.filter((one) => (one as unknown[]).length > MANY / 2)).size;
    list.update([change(rows[1] as Row)]);
    expect(list.slice(0, 50).length).toBe(50);
    list.update([change(rows[2] as Row)]);
    expect(countArrays()).toBe(1);
    const shown = list.rows;
    const before = shown.slice();
    list.update([change(rows[3] as Row)]);
    list.update([change(rows[4] as Row)]);
    expect(countArrays()).toBe(2);
    expect(shown).toEqual(before);
    expect(list.rows).not.toEqual(before);
  });
});

describe('the key of a collation', () => {
  it('orders texts as their UTF-8 octets are', () => {
    const keyOf = UNICODE_RULES.collate('i;octet') as (text: string) => string;
    const unit = fc.constantFrom('a', 'é', '\ud7ff', '\ue000', '\uffff', '😀', '𐀀', 'z');
    const text = fc.string({ unit });
    fc.assert(
      fc.property(text, text, (one, other) => {
        const [a, b] = [keyOf(one), keyOf(other)];
        const expected = Buffer.compare(Buffer.from(one), Buffer.from(other));
        expect(a < b ? -1 : Number(a > b)).toBe(expected);
      }),
    );
  });
});
