import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPool, type Pool } from '../../src/database/postgresql/index.js';
import { MethodError, UnavailableError } from '../../src/protocol/errors.js';
import type { Snapshot, Store } from '../../src/store/port.js';
import { createPostgresqlStore } from '../../src/store/postgresql/index.js';
import { besideOthers, OTHERS } from '../support/beside-others.js';
import { conductor } from '../support/conductor.js';
import { usePostgresql } from '../support/postgresql.js';
import { FILTERS, Gadget, gadget, plan, TYPES } from './gadget.js';
import { makeGadgets, openGadgets } from './postgresql-gadgets.js';
import { A, B, HUGE } from './suite/bench.js';

const postgresql = usePostgresql();
const CELL = new Int32Array(new SharedArrayBuffer(4));

describe('reads that come together and ask once', () => {
  let url: string;
  let operator: Pool;
  const soon = () => ({ deadline: performance.now() + 20_000, once: true });

  beforeAll(async () => {
    url = await postgresql().createDatabase('together');
    operator = await openGadgets(url);
    const store = open(url);
    for (const account of [A, B]) await add(store, account, 'g0', 'g1', 'g2');
    await store.close();
  }, 90_000);
  afterAll(() => operator.end());

  const open = (to: string, size = 8): Store =>
    createPostgresqlStore({
      conductor,
      pool: openPool({ url: to, size, pipeline: true }),
      types: TYPES,
    });

  /** A store of its own, and how many connections it has opened. */
  const fresh = (size = 8) => {
    const pool = openPool({ url, size, pipeline: true });
    const store = createPostgresqlStore({ conductor, pool, types: TYPES });
    onTestFinished(() => store.close());
    return { store, pool };
  };

  const add = (store: Store, account: string, ...ids: readonly string[]): Promise<void> =>
    store.write(account, soon(), async (transaction) => {
      await transaction.insert(
        Gadget,
        ids.map((id) => gadget(id, { title: `${account} ${id}` })),
      );
      await transaction.record(
        Gadget,
        ids.map((objectId) => ({ objectId, kind: 'created' as const })),
      );
    });

  const look = async (snapshot: Snapshot, id: string): Promise<unknown> => {
    const [state, [found]] = await Promise.all([
      snapshot.stateNumber(Gadget),
      snapshot.get(Gadget, [id], Gadget.properties, HUGE),
    ]);
    return [state, found?.['title']];
  };

  it('share one connection, whatever their accounts, and get what is theirs', async () => {
    const { store, pool } = fresh();
    const asked = [A, B, A, B, A].map((account, index) =>
      store.read(account, soon(), (snapshot) => look(snapshot, `g${index % 3}`)),
    );
    expect(await Promise.all(asked)).toEqual(
      [A, B, A, B, A].map((account, index) => [3, `${account} g${index % 3}`]),
    );
    expect(pool.totalCount).toBe(1);
  });

  it('take a further connection where there are more than 16 of them', async () => {
    const { store, pool } = fresh();
    const asked = Array.from({ length: 40 }, () =>
      store.read(A, soon(), (snapshot) => look(snapshot, 'g1')),
    );
    expect(new Set((await Promise.all(asked)).map(String))).toEqual(new Set([`3,${A} g1`]));
    expect(pool.totalCount).toBe(3);
  });

  it('fail each by itself: by what they throw, and by what the database refuses', async () => {
    const { store } = fresh();
    const mine = { ...Gadget, table: 'Nowhere' };
    const outcomes = await Promise.allSettled([
      store.read(A, soon(), (snapshot) => look(snapshot, 'g0')),
      store.read(A, soon(), async () => Promise.reject(new MethodError('anchorNotFound', 'no'))),
      store.read(A, soon(), (snapshot) => snapshot.get(mine, ['g0'], Gadget.properties, HUGE)),
      store.read(A, soon(), (snapshot) => snapshot.get(Gadget, ['g0'], Gadget.properties, 3)),
      store.read(B, soon(), (snapshot) => look(snapshot, 'g2')),
    ]);
    expect(outcomes).toMatchObject([
      { value: [3, `${A} g0`] },
      { reason: { type: 'anchorNotFound' } },
      { reason: { code: '42P01' } },
      { reason: { type: 'requestTooLarge' } },
      { value: [3, `${B} g2`] },
    ]);
  });

  it('run again in a transaction where they ask again after all, and only they', async () => {
    const { store } = fresh();
    const runs = { again: 0, once: 0 };
    const again = store.read(A, soon(), async (snapshot) => {
      runs.again += 1;
      const first = await look(snapshot, 'g0');
      return [first, await look(snapshot, 'g1')];
    });
    const once = store.read(A, soon(), (snapshot) => {
      runs.once += 1;
      return look(snapshot, 'g2');
    });
    expect(await Promise.all([again, once])).toEqual([
      [
        [3, `${A} g0`],
        [3, `${A} g1`],
      ],
      [3, `${A} g2`],
    ]);
    // Together, by itself, in a transaction.
    expect(runs).toEqual({ again: 3, once: 1 });
  });

  it('see what was committed before they came', async () => {
    const { store } = fresh();
    await Promise.all([0, 1].map(() => store.read(B, soon(), (s) => look(s, 'g0'))));
    for (let round = 0; round < 30; round += 1) {
      await operator.query(
        `UPDATE "JmapState" SET "number" = 100 + ${round} WHERE "accountId" = '${B}'`,
      );
      const asked = [0, 1, 2].map(() => store.read(B, soon(), (s) => s.stateNumber(Gadget)));
      expect(await Promise.all(asked)).toEqual([100 + round, 100 + round, 100 + round]);
    }
    await operator.query(`UPDATE "JmapState" SET "number" = 3 WHERE "accountId" = '${B}'`);
  });

  it('keep to their deadlines: one that is nearly over does not wait with the others', async () => {
    const { store } = fresh();
    await store.ping();
    const locked = await operator.connect();
    await locked.query('BEGIN; LOCK TABLE "Gadget"');
    const late = store.read(A, { deadline: performance.now() + 200, once: true }, (snapshot) =>
      look(snapshot, 'g0'),
    );
    const others = [0, 1].map(() => store.read(A, soon(), (snapshot) => look(snapshot, 'g1')));
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
    const pool = openPool({ url, size: 8, pipeline: true });
    const store = createPostgresqlStore({ conductor, pool, types: TYPES, patience: 50 });
    onTestFinished(() => store.close());
    await store.ping();
    const unlock = await lock();
    let answered = false;
    let runs = 0;
    const stuck = store.read(A, soon(), (snapshot) => look(snapshot, 'g1'));
    void stuck.then(() => {
      answered = true;
    });
    const others = [A, B, A, B, B].map((account) =>
      store.read(account, soon(), (snapshot) => {
        runs += 1;
        return snapshot.stateNumber(Gadget);
      }),
    );
    const failing = store.read(A, soon(), async (snapshot) => {
      await snapshot.stateNumber(Gadget);
      throw new MethodError('anchorNotFound', 'no');
    });
    await expect(failing).rejects.toMatchObject({ type: 'anchorNotFound' });
    expect(await Promise.all(others)).toEqual([3, 3, 3, 3, 3]);
    expect(answered).toBe(false);
    // Together, and once more.
    expect(runs).toBe(10);
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
    await store.write(A, soon(), (transaction) => transaction.insert(Gadget, large));
    onTestFinished(() => store.write(A, soon(), (transaction) => transaction.destroy(Gadget, ids)));
  };

  it('are asked for once where their objects wait for turns of the event loop', async () => {
    const pool = openPool({ url, size: 8, pipeline: true });
    const patience = 500;
    const store = createPostgresqlStore({ conductor, pool, types: TYPES, patience });
    onTestFinished(() => store.close());
    const ids = ['h0', 'h1'];
    await addLarge(store, ids);
    // Longer than a read is waited for, in turns before its second one.
    const others: Promise<void>[] = [];
    const takeTurns = (): void => {
      for (let time = 0; time < 2 * patience; time += 20)
        others.push(
          conductor
            .awaitTurn()
            .then(() => Atomics.wait(CELL, 0, 0, 20))
            .then(() => undefined),
        );
    };
    let isAnswered = false;
    let runsBehindAnswer = 0;
    const large = store.read(A, soon(), async (snapshot) => {
      if (isAnswered) runsBehindAnswer += 1;
      const get = snapshot.get(Gadget, ids, Gadget.properties, HUGE);
      // Asked behind the objects: when it is answered, they are there.
      await snapshot.stateNumber(Gadget);
      isAnswered = true;
      takeTurns();
      return get;
    });
    const beside = store.read(A, soon(), (snapshot) => snapshot.stateNumber(Gadget));
    expect(await beside).toBe(3);
    expect(await large).toHaveLength(2);
    expect(others.length).toBeGreaterThan(0);
    expect(runsBehindAnswer).toBe(0);
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

  it('are asked for once more only as long as there are connections for what takes long', async () => {
    const pool = openPool({ url, size: 4, pipeline: true });
    const store = createPostgresqlStore({ conductor, pool, types: TYPES, patience: 20 });
    onTestFinished(() => store.close());
    await store.ping();
    const unlock = await lock();
    let runs = 0;
    const stuck = [A, B, A, B, A, B].map((account) =>
      store.read(account, soon(), (snapshot) => {
        runs += 1;
        return look(snapshot, 'g1');
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    // Together, and those of two once more.
    expect(runs).toBe(6 + 2);
    expect(pool.totalCount).toBe(3);
    expect(await store.read(B, { ...soon(), once: false }, (s) => s.stateNumber(Gadget))).toBe(3);
    await unlock();
    expect(new Set((await Promise.all(stuck)).map(String))).toEqual(
      new Set([`3,${A} g1`, `3,${B} g1`]),
    );
  });

  it('are answered after their connection has broken', async () => {
    const { store } = fresh();
    const both = () => [0, 1].map(() => store.read(A, soon(), (s) => look(s, 'g0')));
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
        return snapshot.queryIds(Gadget, plan(filter, '-created'), 0, 10);
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
    // What was forgotten is prepared anew.
    expect(await ask(1)).toEqual([]);
    expect(await prepared(pool)).toContain(first[0]);
  }, 20_000);
});
