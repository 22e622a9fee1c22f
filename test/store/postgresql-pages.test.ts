import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPool, type Pool } from '../../src/database/postgresql/index.js';
import type { QueryPage, Store } from '../../src/store/port.js';
import { createPostgresqlStore } from '../../src/store/postgresql/index.js';
import { conductor } from '../support/conductor.js';
import { usePostgresql } from '../support/postgresql.js';
import { ALL, Gadget, gadget, plan, TYPES } from './gadget.js';
import { openGadgets } from './postgresql-gadgets.js';
import { A, B } from './suite/bench.js';

const postgresql = usePostgresql();

describe('pages that come together', () => {
  let url: string;
  let operator: Pool;
  const soon = () => ({ deadline: performance.now() + 20_000 });

  beforeAll(async () => {
    url = await postgresql().createDatabase('pages');
    operator = await openGadgets(url);
    const { store, pool } = open();
    for (const account of [A, B])
      await store.write(account, soon(), async (transaction) => {
        const ids = ['g0', 'g1', 'g2'];
        await transaction.writeRows(
          'insert',
          Gadget,
          ids.map((id) => gadget(id, { title: `${account} ${id}` })),
        );
        const created = ids.map((objectId) => ({ objectId, kind: 'created' as const }));
        await transaction.record(Gadget, created);
      });
    await store.close();
    expect(pool.ended).toBe(true);
  });
  afterAll(() => operator.end());

  /** Opens a store. The patience is long enough for a busy machine, unless a test gives another. */
  function open(patience = 20_000): { readonly store: Store; readonly pool: Pool } {
    const pool = openPool({ url, size: 16, pipeline: true });
    return { pool, store: createPostgresqlStore({ conductor, pool, types: TYPES, patience }) };
  }

  const page = (store: Store, accountId: string, sort = '-created', type = Gadget) => {
    const window = { position: 0, limit: 2 };
    const query = { plan: plan(ALL, sort), window, selection: null };
    return store.readPage({ accountId, ...soon(), type, ...query });
  };
  const together = (
    store: Store,
    accounts: readonly string[],
    sort?: string,
  ): Promise<readonly QueryPage[]> =>
    Promise.all(accounts.map((account) => page(store, account, sort)));

  it('share a connection, each account its own, and are right', async () => {
    const { store, pool } = open();
    onTestFinished(() => store.close());
    const pages = await together(store, [A, A, A, A]);
    expect(pages.map(({ number, ids }) => [number, ids])).toEqual(
      Array.from({ length: 4 }, () => [3, ['g2', 'g1']]),
    );
    expect(pool.totalCount).toBe(1);
    await together(store, [A, B, A, B]);
    expect(pool.totalCount).toBe(2);
  });

  it('take a further connection where they are more than four', async () => {
    const { store, pool } = open();
    onTestFinished(() => store.close());
    const pages = await together(
      store,
      Array.from({ length: 9 }, () => A),
    );
    expect(pages.map(({ number, ids }) => [number, ids])).toEqual(
      Array.from({ length: 9 }, () => [3, ['g2', 'g1']]),
    );
    expect(pool.totalCount).toBe(3);
  });

  it('take a connection each where they go over all rows', async () => {
    const { store, pool } = open();
    onTestFinished(() => store.close());
    const pages = await together(store, [A, A, A], 'title');
    expect(pages.map(({ ids }) => ids)).toEqual(Array.from({ length: 3 }, () => ['g0', 'g1']));
    expect(pool.totalCount).toBe(3);
  });

  it('leave connections to others, however many come and however long they take', async () => {
    const { store } = open();
    onTestFinished(() => store.close());
    const client = await operator.connect();
    const mine = { ...Gadget, table: 'GadgetFlooded' };
    await client.query('CREATE TABLE "GadgetFlooded" (LIKE "Gadget" INCLUDING ALL)');
    await client.query('BEGIN; LOCK TABLE "GadgetFlooded"');
    let answered = 0;
    const flood = [A, B].flatMap((account) =>
      Array.from({ length: 64 }, () =>
        page(store, account, '-created', mine).finally(() => (answered += 1)),
      ),
    );
    // Until all connections that the pages may have are taken.
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (const account of [A, B, 'C'])
      await store.read(account, soon(), (snapshot) => snapshot.stateNumber(Gadget));
    expect(answered).toBe(0);
    await client.query('COMMIT');
    for (const { ids } of await Promise.all(flood)) expect(ids).toEqual([]);
    await client.query('DROP TABLE "GadgetFlooded"');
    client.release();
  });

  it('do not wait for one of them that waits for a locked table', async () => {
    const { store } = open(50);
    onTestFinished(() => store.close());
    const client = await operator.connect();
    const mine = { ...Gadget, table: 'GadgetLocked' };
    await client.query('CREATE TABLE "GadgetLocked" (LIKE "Gadget" INCLUDING ALL)');
    await client.query('BEGIN; LOCK TABLE "GadgetLocked"');
    const locked = page(store, A, '-created', mine);
    const [first] = await Promise.all([page(store, A), page(store, A)]);
    expect(first.ids).toEqual(['g2', 'g1']);
    // Nor do those that come next, as long as it takes.
    for (const { ids } of await together(store, [A, A])) expect(ids).toEqual(['g2', 'g1']);
    await client.query('COMMIT');
    expect((await locked).ids).toEqual([]);
    await client.query('DROP TABLE "GadgetLocked"');
    client.release();
  });
});
