import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPool, type Pool } from '../../src/database/postgresql/index.js';
import { UnavailableError } from '../../src/protocol/errors.js';
import type { Store } from '../../src/store/port.js';
import { createPostgresqlStore } from '../../src/store/postgresql/index.js';
import { besideOthers, OTHERS } from '../support/beside-others.js';
import { conductor } from '../support/conductor.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { FILTERS, Gadget, gadget, plan, queryIds, TYPES } from './gadget.js';
import { makeGadgets, openGadgets } from './postgresql-gadgets.js';
import { A, B, HUGE } from './suite/bench.js';

const postgresql = usePostgresql();
const CELL = new Int32Array(new SharedArrayBuffer(4));

describe('reads of objects that come together', () => {
  let url: string;
  let operator: Pool;
  const soon = () => ({ deadline: performance.now() + 20_000 });

  beforeAll(async () => {
    url = await postgresql().createDatabase('together');
    operator = await openGadgets(url);
    const store = open(url);
    for (const account of [A, B]) await add(store, account, 'g0', 'g1', 'g2');
    await store.close();
  });
  afterAll(() => operator.end());

  const open = (to: string, size = 8): Store =>
    createPostgresqlStore({
      conductor,
      pool: openPool({ url: to, size, pipeline: true }),
      types: TYPES,
    });

  /** A store of its own, how many connections it has opened, and what it asked of objects. */
  const fresh = ({ size = 8, patience }: { size?: number; patience?: number } = {}) => {
    const pool = openPool({ url, size, pipeline: true });
    const statements: string[] = [];
    const onStatement = (sql: string): void => {
      if (sql.includes('FROM "Gadget"')) statements.push(sql);
    };
    const how = patience === undefined ? {} : { patience };
    const store = createPostgresqlStore({ conductor, pool, types: TYPES, onStatement, ...how });
    onTestFinished(() => store.close());
    return { store, pool, statements };
  };

  const add = (store: Store, account: string, ...ids: readonly string[]): Promise<void> =>
    store.write(account, soon(), async (transaction) => {
      await transaction.writeRows(
        'insert',
        Gadget,
        ids.map((id) => gadget(id, { title: `${account} ${id}` })),
      );
      await transaction.record(
        Gadget,
        ids.map((objectId) => ({ objectId, kind: 'created' as const })),
      );
    });

  const read = (store: Store, accountId: string, ids: readonly string[], changed: object = {}) =>
    store.readObjects({
      ...{ accountId, ...soon(), type: Gadget, ids },
      ...{ properties: Gadget.properties, maxOctets: HUGE, ...changed },
    });
  const look = async (store: Store, accountId: string, id: string): Promise<unknown> => {
    const { number, objects } = await read(store, accountId, [id]);
    return [number, objects[0]?.['title']];
  };
  const state = async (store: Store, accountId: string): Promise<number> =>
    (await read(store, accountId, [])).number;

  it('share one connection, whatever their accounts, and get what is theirs', async () => {
    const { store, pool } = fresh();
    const asked = [A, B, A, B, A].map((account, index) => look(store, account, `g${index % 3}`));
    expect(await Promise.all(asked)).toEqual(
      [A, B, A, B, A].map((account, index) => [3, `${account} g${index % 3}`]),
    );
    expect(pool.totalCount).toBe(1);
  });

  it('take a further connection where there are more than 16 of them', async () => {
    const { store, pool } = fresh();
    const asked = Array.from({ length: 40 }, () => look(store, A, 'g1'));
    expect(new Set((await Promise.all(asked)).map(String))).toEqual(new Set([`3,${A} g1`]));
    expect(pool.totalCount).toBe(3);
  });

  it('fail each by itself: for their size, and by what the database refuses', async () => {
    const { store } = fresh();
    const mine = { ...Gadget, table: 'Nowhere' };
    const outcomes = await Promise.allSettled([
      look(store, A, 'g0'),
      read(store, A, ['g0'], { type: mine }),
      read(store, A, ['g0'], { maxOctets: 3 }),
      look(store, B, 'g2'),
    ]);
    expect(outcomes).toMatchObject([
      { value: [3, `${A} g0`] },
      { reason: { code: '42P01' } },
      { reason: { type: 'requestTooLarge' } },
      { value: [3, `${B} g2`] },
    ]);
  });

  it('see what was committed before they came', async () => {
    const { store } = fresh();
    await Promise.all([0, 1].map(() => look(store, B, 'g0')));
    for (let round = 0; round < 30; round += 1) {
      await operator.query(
        `UPDATE "JmapState" SET "number" = 100 + ${round} WHERE "accountId" = '${B}'`,
      );
      const asked = [0, 1, 2].map(() => state(store, B));
      expect(await Promise.all(asked)).toEqual([100 + round, 100 + round, 100 + round]);
    }
    await operator.query(`UPDATE "JmapState" SET "number" = 3 WHERE "accountId" = '${B}'`);
  });

  it('keep to their deadlines: one that is nearly over does not wait with the others', async () => {
    const { store } = fresh();
    await store.ping();
    const locked = await operator.connect();
    await locked.query('BEGIN; LOCK TABLE "Gadget"');
    const late = read(store, A, ['g0'], { deadline: performance.now() + 200 });
    const others = [0, 1].map(() => look(store, A, 'g1'));
    await expect(late).rejects.toBeInstanceOf(UnavailableError);
    await locked.query('ROLLBACK');
    locked.release();
    expect(await Promise.all(others)).toEqual([
      [3, `${A} g1`],
      [3, `${A} g1`],
    ]);
  });

  /** Locks the table of gadgets; resolves to what releases it. */
  const lock = async (): Promise<() => Promise<void>> => {
    const holder = await operator.connect();
    await holder.query('BEGIN; LOCK TABLE "Gadget"');
    let held = true;
    const unlock = async (): Promise<void> => {
      if (held) await holder.query('ROLLBACK');
      if (held) holder.release();
      held = false;
    };
    // Before the store is closed, which waits for what waits.
    onTestFinished(unlock);
    return unlock;
  };

  it('do not wait for one of them that waits for a locked table', async () => {
    const { store, pool, statements } = fresh({ patience: 50 });
    await store.ping();
    const unlock = await lock();
    let answered = false;
    const stuck = look(store, A, 'g1');
    void stuck.then(() => {
      answered = true;
    });
    const others = [A, B, A, B, B].map((account) => state(store, account));
    expect(await Promise.all(others)).toEqual([3, 3, 3, 3, 3]);
    expect(answered).toBe(false);
    // Together, and once more.
    expect(statements).toHaveLength(2);
    await unlock();
    expect(await stuck).toEqual([3, `${A} g1`]);
    // Both of its connections have come back.
    for (let time = 0; time < 100 && pool.idleCount < pool.totalCount; time += 1)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(pool.idleCount).toBe(pool.totalCount);
  });

  /** Adds objects, each with some 1.2 MB of JSON. */
  const addLarge = async (store: Store, ids: readonly string[]): Promise<void> => {
    const list = Array.from({ length: 90_000 }, (_, index) => `text ${index}`);
    const large = ids.map((id) => gadget(id, { list }));
    await store.write(A, soon(), (transaction) => transaction.writeRows('insert', Gadget, large));
    onTestFinished(() => store.write(A, soon(), (transaction) => transaction.destroy(Gadget, ids)));
  };

  it('are asked for once where their objects wait for turns of the event loop', async () => {
    const patience = 500;
    const { store, statements } = fresh({ patience });
    const ids = ['h0', 'h1'];
    await addLarge(store, ids);
    statements.length = 0;
    const large = read(store, A, ids);
    // Asked behind the objects: when it is answered, they are there.
    expect(await state(store, A)).toBe(3);
    // Longer than a statement may take.
    const others: Promise<void>[] = [];
    for (let time = 0; time < 2 * patience; time += 20)
      others.push(
        conductor
          .awaitTurn()
          .then(() => Atomics.wait(CELL, 0, 0, 20))
          .then(() => undefined),
      );
    expect((await large).objects).toHaveLength(2);
    expect(statements).toHaveLength(1);
    await Promise.all(others);
  });

  it('leave every second turn to a transaction that writes', async () => {
    const { store } = fresh();
    const ids = ['h0', 'h1', 'h2'];
    await addLarge(store, ids);
    let turns = 0;
    await besideOthers((had) =>
      store.write(A, soon(), async (transaction) => {
        const get = transaction.get(Gadget, ids, Gadget.properties, HUGE);
        // Asked behind the objects: when it is answered, they are there.
        await transaction.stateNumber(Gadget);
        const before = had();
        await get;
        turns = had() - before;
      }),
    );
    expect(turns).toBeGreaterThan(0);
    expect(turns).toBeLessThan(OTHERS);
  });

  it('leave connections to others where they wait for a locked table', async () => {
    const { store, pool, statements } = fresh({ size: 4, patience: 20 });
    await store.ping();
    const unlock = await lock();
    const stuck = [A, B, A, B, A, B].map((account) => look(store, account, 'g1'));
    // Together, and those of two once more.
    await eventually(() => expect(statements.length).toBeGreaterThanOrEqual(6 + 2));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(statements).toHaveLength(6 + 2);
    expect(pool.totalCount).toBeLessThanOrEqual(3);
    expect(await store.read(B, soon(), (snapshot) => snapshot.stateNumber(Gadget))).toBe(3);
    await unlock();
    expect(new Set((await Promise.all(stuck)).map(String))).toEqual(
      new Set([`3,${A} g1`, `3,${B} g1`]),
    );
  });

  it('are answered after their connection has broken', async () => {
    const { store } = fresh();
    const both = () => [0, 1].map(() => look(store, A, 'g0'));
    await Promise.all(both());
    await operator.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`);
    const outcomes = await Promise.allSettled(both());
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(UnavailableError);
    expect(await Promise.all(both())).toEqual([
      [3, `${A} g0`],
      [3, `${A} g0`],
    ]);
  });
});

describe('a composed statement', () => {
  const prepared = async (pool: Pool): Promise<readonly string[]> => {
    const { rows } = await pool.query<{ statement: string }>(
      `SELECT statement FROM pg_prepared_statements WHERE name LIKE 'jmapsmith_passing%'`,
    );
    return rows.map(({ statement }) => statement);
  };

  it('is prepared when it is asked for again, and only the last 64 of them are kept', async () => {
    const url = await postgresql().createDatabase('recurring');
    const pool = openPool({ url, size: 1, pipeline: true });
    await makeGadgets(pool);
    const store = createPostgresqlStore({ conductor, pool, types: TYPES });
    onTestFinished(() => store.close());
    const ask = (count: number): Promise<unknown> =>
      store.read(A, { deadline: performance.now() + 20_000 }, (snapshot) => {
        const named = { kind: 'condition', filter: FILTERS.titleIs, value: 'one' } as const;
        const conditions = Array.from({ length: count }, () => named);
        const filter = { kind: 'operator', operator: 'AND', conditions } as const;
        // In the order of an index: one that scans is planned each time.
        return queryIds(snapshot, Gadget, plan(filter, '-created'), 0, 10);
      });
    await ask(1);
    expect(await prepared(pool)).toEqual([]);
    for (let time = 0; time < 8; time += 1) await ask(1);
    const first = await prepared(pool);
    expect(first).toHaveLength(1);
    for (let count = 2; count < 70; count += 1) for (const _ of [1, 2]) await ask(count);
    const later = await prepared(pool);
    expect(later).toHaveLength(64);
    expect(later).not.toContain(first[0]);
    // A forgotten statement is prepared anew.
    expect(await ask(1)).toEqual([]);
    expect(await prepared(pool)).toContain(first[0]);
  });
});
