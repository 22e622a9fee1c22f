import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Match } from '../../src/query/filters.js';
import { LocalList } from '../../src/query/local-list.js';
import { overlayRows } from '../../src/query/overlay.js';
import type { Order } from '../../src/query/sorts.js';
import type { Row } from '../../src/store/replica.js';

const makeRow = (id: string, rank: number, $pending = false): Row => ({
  ...{ id, $key: id, $pending, rank },
});
const match: Match = (object) => Number(object['rank']) > 0;
const order: Order = [
  { keyOf: ({ rank }) => Number(rank), isAscending: true },
  { keyOf: ({ id }) => String(id), isAscending: true },
];

/** Returns the rows that a filter and a sort decide. */
function findRows(rows: Iterable<Row>): readonly Row[] {
  const list = new LocalList<Row>(match, order);
  list.fill(rows);
  return list.rows;
}

interface Scene {
  readonly base: ReadonlyMap<string, Row>;
  readonly view: ReadonlyMap<string, Row>;
  readonly written: Iterable<string>;
  readonly known?: number;
  readonly length?: number;
  readonly match?: Match | null;
  readonly order?: Order | null;
}

/** Shows the first rows of a server that has `base`, with writes that make `view` of it. */
function show({ base, view, written, known = 99, length = known, ...decided }: Scene) {
  const all = findRows(base.values()).map(({ id }) => id);
  const ids = all.slice(0, known);
  return overlayRows({
    ...{ ids, total: all.length, length: Math.min(length, all.length), match, order, written },
    ...{ keyOf: (id: string) => id, row: (key: string) => view.get(key) },
    base: (key) => base.get(key),
    ...decided,
  });
}

const mapOf = (...rows: readonly Row[]) => new Map(rows.map((row) => [row.id, row]));

const ids = fc.constantFrom(...'abcdefghij');
const objects = fc.dictionary(ids, fc.nat(4));

describe('a list with writes that are pending', () => {
  it('is the one that the server will find, as far as it is known', () => {
    const changes = fc.dictionary(ids, fc.option(fc.nat(4)));
    fc.assert(
      fc.property(objects, changes, fc.nat(10), (stored, changed, known) => {
        const base = mapOf(...Object.entries(stored).map(([id, rank]) => makeRow(id, rank)));
        const view = new Map(base);
        for (const [id, rank] of Object.entries(changed)) {
          if (rank === null) view.delete(id);
          else view.set(id, makeRow(id, rank, true));
        }
        const written = Object.keys(changed);
        const expected = findRows(view.values());
        const whole = show({ base, view, written });
        expect(whole).toEqual({ rows: expected, total: expected.length, isApproximate: false });
        const part = show({ base, view, written, known });
        expect(part.total).toBe(expected.length);
        // Nothing is known of what stands behind the last row that is there.
        if (
          findRows(base.values())
            .slice(0, known)
            .some(({ id }) => !written.includes(id))
        )
          expect(part.rows).toEqual(expected.slice(0, part.rows.length));
      }),
    );
  });

  const base = mapOf(makeRow('a', 1), makeRow('b', 2), makeRow('c', 3));

  it('keeps rows in their place where only the server can tell', () => {
    const view = mapOf(makeRow('a', 9, true), makeRow('b', 2), makeRow('c', 3), makeRow('d', 1));
    for (const decided of [{ match: null }, { match: null, order: null }]) {
      const { rows, total, isApproximate } = show({ base, view, written: ['a', 'd'], ...decided });
      expect([rows.map(({ id }) => id), total, isApproximate]).toEqual([['a', 'b', 'c'], 3, true]);
    }
  });

  it('shows new rows at its end where the filter alone can be told', () => {
    const view = mapOf(makeRow('a', 9), makeRow('b', 0), makeRow('c', 3), makeRow('d', 1));
    const { rows, total, isApproximate } = show({
      ...{ base, view, written: ['a', 'b', 'd'], order: null },
    });
    expect([rows.map(({ id }) => id), total, isApproximate]).toEqual([['a', 'c', 'd'], 3, true]);
  });

  it('takes destroyed rows out, which anybody can tell', () => {
    const view = mapOf(makeRow('a', 1), makeRow('c', 3));
    const { rows, total, isApproximate } = show({
      ...{ base, view, written: ['b'], order: null, match: null },
    });
    expect([rows.map(({ id }) => id), total, isApproximate]).toEqual([['a', 'c'], 2, false]);
  });

  it('shows a row behind the last one while further ids are to come', () => {
    const stored = mapOf(makeRow('a', 1), makeRow('b', 2), makeRow('c', 3));
    const view = new Map(stored).set('d', makeRow('d', 4));
    const scene = { base: stored, view, written: ['d'], known: 2 };
    expect(show(scene).rows.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(show({ ...scene, length: 3 }).rows.map(({ id }) => id)).toEqual(['a', 'b', 'd']);
  });

  it('leaves out ids whose objects are not there yet', () => {
    const { rows } = show({ base, view: mapOf(makeRow('a', 1)), written: [] });
    expect(rows.map(({ id }) => id)).toEqual(['a']);
  });

  it('finds a row by the key that it was made with', () => {
    const row = { ...makeRow('a', 1), $key: '~1' };
    const { rows, total } = overlayRows({
      ...{ ids: ['a'], total: 1, length: 1, match, order, written: ['~1'] },
      ...{ keyOf: () => '~1', row: () => row, base: () => row },
    });
    expect([rows, total]).toEqual([[row], 1]);
  });
});
