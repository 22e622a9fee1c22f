import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPool, type Pool } from '../../src/database/postgresql/index.js';
import type { QueryPage, Snapshot, Store } from '../../src/store/port.js';
import { createPostgresqlStore } from '../../src/store/postgresql/index.js';
import { Quickness } from '../../src/store/postgresql/quickness.js';
import { conductor } from '../support/conductor.js';
import { usePostgresql } from '../support/postgresql.js';
import { ALL, Gadget, gadget, plan, TYPES } from './gadget.js';
import { openGadgets } from './postgresql-gadgets.js';
import { A, B } from './suite/bench.js';

const postgresql = usePostgresql();

describe('pages that come together', () => {
  let url: string;
  let operator: Pool;
  const soon = () => ({ deadline: performance.now() + 20_000, once: true, mayScan: true });

  beforeAll(async () => {
    url = await postgresql().createDatabase('pages');
    operator = await openGadgets(url);
    const { store, pool } = open();
    for (const account of [A, B])
      await store.write(account, soon(), async (transaction) => {
        const ids = ['g0', 'g1', 'g2'];
        await transaction.insert(
          Gadget,
          ids.map((id) => gadget(id, { title: `${account} ${id}` })),
        );
        const created = ids.map((objectId) => ({ objectId, kind: 'created' as const }));
        await transaction.record(Gadget, created);
      });
    await store.close();
    expect(pool.ended).toBe(true);
  }, 60_000);
  afterAll(() => operator.end());

  function open(patience = 20_000): { readonly store: Store; readonly pool: Pool } {
    const pool = openPool({ url, size: 16, pipeline: true });
    // Whatever else the machine does.
    const options = { quick: 20_000, patience };
    return { pool, store: createPostgresqlStore({ conductor, pool, types: TYPES, ...options }) };
  }

  /** A store that has given the account some pages, on one connection. */
  async function practised(accounts: readonly string[], patience?: number) {
    const opened = open(patience);
    onTestFinished(() => opened.store.close());
    for (const account of accounts)
      for (let count = 0; count < 4; count += 1) await page(opened.store, account);
    return opened;
  }

  const page = (store: Store, account: string, sort = '-created'): Promise<QueryPage> =>
    store.read(account, soon(), (snapshot: Snapshot) =>
      snapshot.page(Gadget, plan(ALL, sort), { position: 0, limit: 2 }, null),
    );
  const together = (store: Store, accounts: readonly string[], sort?: string) =>
    Promise.all(accounts.map((account) => page(store, account, sort)));

  it('share a connection once pages of the account have been quick, and are right', async () => {
    const { store, pool } = await practised([A]);
    expect(pool.totalCount).toBe(1);
    const pages = await together(
      store,
      Array.from({ length: 8 }, () => A),
    );
    expect(pages.map(({ number, ids }) => [number, ids])).toEqual(
      Array.from({ length: 8 }, () => [3, ['g2', 'g1']]),
    );
    expect(pool.totalCount).toBe(1);
  });

  it('take a connection each before that, and each account its own', async () => {
    const { store, pool } = open();
    onTestFinished(() => store.close());
    await together(store, [A, A, A]);
    expect(pool.totalCount).toBe(3);
    const other = await practised([A, B]);
    await together(other.store, [A, B, A, B]);
    expect(other.pool.totalCount).toBe(2);
  });

  it('that go over all rows are asked for by themselves, and so are those that follow', async () => {
    const { store, pool } = await practised([A]);
    const pages = await together(store, [A, A, A], 'title');
    expect(pages.map(({ ids }) => ids)).toEqual(Array.from({ length: 3 }, () => ['g0', 'g1']));
    // The one that they were to share is among them.
    expect(pool.totalCount).toBeGreaterThanOrEqual(3);
    const before = pool.totalCount;
    await together(
      store,
      Array.from({ length: before + 1 }, () => A),
    );
    expect(pool.totalCount).toBe(Math.min(8, before + 1));
  });

  it('do not wait for one of them that waits for a locked table', async () => {
    const { store, pool } = await practised([A], 50);
    const client = await operator.connect();
    const mine = { ...Gadget, table: 'GadgetLocked' };
    await client.query('CREATE TABLE "GadgetLocked" (LIKE "Gadget" INCLUDING ALL)');
    await client.query('BEGIN; LOCK TABLE "GadgetLocked"');
    const locked = store.read(A, soon(), (snapshot) =>
      snapshot.page(mine, plan(ALL, '-created'), { position: 0, limit: 2 }, null),
    );
    const [first] = await Promise.all([page(store, A), page(store, A)]);
    expect(first.ids).toEqual(['g2', 'g1']);
    // Nor do those that come next, as long as it takes.
    const before = pool.totalCount;
    await together(
      store,
      Array.from({ length: before + 1 }, () => A),
    );
    expect(pool.totalCount).toBeGreaterThan(before);
    await client.query('COMMIT');
    expect((await locked).ids).toEqual([]);
    await client.query('DROP TABLE "GadgetLocked"');
    client.release();
  });
});

describe('Quickness', () => {
  const knowing = (...times: readonly number[]): Quickness => {
    const quickness = new Quickness();
    for (const time of times) quickness.took('a', time, false);
    return quickness;
  };

  it('knows an account by four reads in a row', () => {
    expect(knowing(1, 1, 1).isQuick('a')).toBe(false);
    expect(knowing(1, 1, 1, 1).isQuick('a')).toBe(true);
    expect(knowing(1, 1, 1, 1).isQuick('b')).toBe(false);
  });

  it('gives it up for one that took long or went over all rows', () => {
    expect(knowing(1, 1, 1, 1, 21).isQuick('a')).toBe(false);
    expect(knowing(1, 1, 1, 1, 21, 1, 1, 1).isQuick('a')).toBe(false);
    const scanned = knowing(1, 1, 1, 1);
    scanned.took('a', 1, true);
    expect(scanned.isQuick('a')).toBe(false);
  });

  it('forgets accounts rather than grow', () => {
    const quickness = knowing(1, 1, 1, 1);
    for (let n = 0; n < 1000; n += 1) quickness.took(`b${n}`, 1, false);
    expect(quickness.isQuick('a')).toBe(false);
  });
});
