import { beforeAll, expect, it } from 'vitest';
import { useFixtures } from '../support/fixtures.js';

const RECORDS = 100_000;
const BATCH = 1000;

const { fixtures } = useFixtures({}, []);

/** Every thousandth is rare; texts sort as their numbers do. */
function textOf(n: number): string {
  return `${String(n).padStart(6, '0')} ${n % 1000 === 7 ? 'Überraschung' : 'thing'}`;
}

beforeAll(async () => {
  const { u1, A1 } = fixtures();
  for (let first = 0; first < RECORDS; first += BATCH) {
    const create = Object.fromEntries(
      Array.from({ length: BATCH }, (_, k) => [
        `k${k}`,
        { text: textOf(first + k), done: (first + k) % 2 === 0 },
      ]),
    );
    const { notCreated } = await u1.set('Todo', { accountId: A1, create });
    expect(notCreated).toBeNull();
  }
});

it('RFC 8620 5.5: a filter without index answers correctly at 100,000 records', async () => {
  const { u1, A1 } = fixtures();
  const rare = await u1.query('Todo', {
    accountId: A1,
    filter: { text: 'üBERRASCHUNG' },
    sort: [{ property: 'text', isAscending: false }],
    calculateTotal: true,
    limit: 3,
  });
  expect(rare.total).toBe(RECORDS / 1000);
  const { list } = await u1.get('Todo', { accountId: A1, ids: rare.ids });
  expect(list.map(({ text }) => text)).toEqual([99_007, 98_007, 97_007].map(textOf));
});

it('RFC 8620 5.5: totals, deep positions and anchors are right at 100,000 records', async () => {
  const { u1, A1 } = fixtures();
  const query = {
    accountId: A1,
    filter: { operator: 'NOT', conditions: [{ done: true }] },
    sort: [{ property: 'text' }],
    limit: 2,
  };
  const deep = await u1.query('Todo', { ...query, position: -2, calculateTotal: true });
  expect([deep.total, deep.position]).toEqual([RECORDS / 2, RECORDS / 2 - 2]);
  const { list } = await u1.get('Todo', { accountId: A1, ids: deep.ids });
  expect(list.map(({ text }) => text)).toEqual([99_997, 99_999].map(textOf));
  const anchored = await u1.query('Todo', { ...query, anchor: deep.ids[1], anchorOffset: -1 });
  expect([anchored.position, anchored.ids]).toEqual([deep.position, deep.ids]);
});

it('RFC 8620 5.6: /queryChanges gives the index of a changed object among them', async () => {
  const { u1, A1 } = fixtures();
  const query = { accountId: A1, filter: { done: false }, sort: [{ property: 'text' }] };
  const { queryState, ids } = await u1.query('Todo', { ...query, position: 40_000, limit: 1 });
  const [id = ''] = ids;
  await u1.set('Todo', { accountId: A1, update: { [id]: { text: `${textOf(0)} first` } } });
  const changes = await u1.queryChanges('Todo', { ...query, sinceQueryState: queryState });
  expect([changes.removed, changes.added]).toEqual([[id], [{ id, index: 0 }]]);
});
