import type { Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openPool, type Pool } from '../../src/database/postgresql/index.js';
import { UnavailableError } from '../../src/protocol/errors.js';
import type { Snapshot, Store, Transaction } from '../../src/store/port.js';
import type { Connection } from '../../src/store/postgresql/connection.js';
import { createPostgresqlStore } from '../../src/store/postgresql/index.js';
import { conductor } from '../support/conductor.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { ALL, Gadget, gadget, plan, queryIds, TYPES } from './gadget.js';
import { openGadgets } from './postgresql-gadgets.js';
import { A, B, HUGE } from './suite/bench.js';

const postgresql = usePostgresql();

/** A type whose table is not there: reading it fails in the database. */
const Nowhere = { ...Gadget, table: 'Nowhere' };

describe('a work that fails beside others', () => {
  let url: string;
  let operator: Pool;
  let store: Store;
  let pool: Pool;
  let closed = false;
  let sockets: Socket[] = [];
  const soon = () => ({ deadline: performance.now() + 20_000 });

  beforeAll(async () => {
    url = await postgresql().createDatabase('neighbours');
    operator = await openGadgets(url);
  });
  afterAll(() => operator.end());

  const open = (size: number): Store => {
    pool = openPool({ url, size, pipeline: true });
    pool.on('connect', (client) => {
      sockets.push((client as unknown as { connection: { stream: Socket } }).connection.stream);
    });
    return createPostgresqlStore({ conductor, pool, types: TYPES, groupTime: 10_000 });
  };
  beforeEach(async () => {
    await operator.query('TRUNCATE "Gadget", "JmapState", "JmapChange"');
    sockets = [];
    store = open(1);
    await store.ping();
    closed = false;
    onTestFinished(async () => {
      if (!closed) await store.close();
    });
  });

  const create = async (transaction: Transaction, id: string): Promise<number> => {
    const before = await transaction.stateNumber(Gadget);
    await transaction.writeRows('insert', Gadget, [gadget(id)]);
    await transaction.record(Gadget, [{ objectId: id, kind: 'created' }]);
    return before + 1;
  };
  const add = (id: string): Promise<number> => store.write(A, soon(), (t) => create(t, id));
  const missing = (first: (t: Transaction) => Promise<unknown> = async () => 0) =>
    store.write(A, soon(), async (t) => {
      await first(t);
      return t.get(Nowhere, ['x'], Gadget.properties, HUGE);
    });
  const nothing = () => store.write(A, soon(), async () => 0);
  const state = () => store.write(A, soon(), (t) => t.stateNumber(Gadget));
  const outcome = (all: readonly PromiseSettledResult<unknown>[]): readonly unknown[] =>
    all.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.code));
  const ids = () => store.read(A, soon(), (s) => queryIds(s, Gadget, plan(ALL), 0, 100));

  it('a refused read of one work doesn’t affect works that only read', async () => {
    const all = await Promise.allSettled([missing(), state(), missing(), state()]);
    expect(outcome(all)).toEqual(['42P01', 0, '42P01', 0]);
  });

  it('a refused read of one work doesn’t affect works that write', async () => {
    const all = await Promise.allSettled([
      ...[add('a'), missing(), add('b'), missing((t) => create(t, 'no')), state(), add('c')],
      ...[missing((t) => t.stateNumber(Gadget)), add('d')],
    ]);
    expect(outcome(all)).toEqual([1, '42P01', 2, '42P01', 2, 3, '42P01', 4]);
    expect(await ids()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('a work that catches a refusal of the database has failed nevertheless', async () => {
    const caught = (first: (t: Transaction) => Promise<unknown>) =>
      store.write(A, soon(), async (t) => {
        await first(t);
        await t.get(Nowhere, ['x'], Gadget.properties, HUGE).catch(() => 'caught');
        return 'fine';
      });
    const all = await Promise.allSettled([
      ...[caught(async () => 0), add('a'), caught(async () => 0), add('b')],
      caught((t) => create(t, 'no')),
    ]);
    expect(outcome(all)).toEqual(['42P01', 1, '42P01', 2, '42P01']);
    expect(await ids()).toEqual(['a', 'b']);
  });

  it('an error of a work in the words of a lost connection is its own', async () => {
    const throwing = () =>
      store.write(A, soon(), async (t) => {
        await create(t, 'no');
        throw Object.assign(new Error('Client has left'), { code: 'ECONNRESET' });
      });
    const all = await Promise.allSettled([throwing(), add('a'), add('b')]);
    expect(outcome(all)).toEqual(['ECONNRESET', 1, 2]);
    const behind = [add('c'), throwing(), add('d')];
    expect(outcome(await Promise.allSettled(behind))).toEqual([3, 'ECONNRESET', 4]);
  });

  it('a statement that the operator cancels ends one work alone', async () => {
    let cancelled = 0;
    const holder = await operator.connect();
    await holder.query('BEGIN; LOCK TABLE "Gadget"');
    const reading = store
      .write(A, soon(), (t) => t.get(Gadget, ['x'], Gadget.properties, HUGE))
      .catch((error: unknown) => error);
    const others = [add('a'), state(), add('b')];
    for (; cancelled === 0; await new Promise((resolve) => setTimeout(resolve, 20))) {
      const { rowCount } = await holder.query(
        `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'
         AND datname = current_database()`,
      );
      cancelled += rowCount ?? 0;
    }
    await holder.query('ROLLBACK');
    holder.release();
    expect(await reading).toBeInstanceOf(UnavailableError);
    expect(await Promise.all(others)).toEqual([1, 1, 2]);
  });

  it('an answer that comes after its work was undone isn’t given to the next one', async () => {
    const late: Promise<unknown>[] = [];
    const first = nothing();
    const undone = store.write(A, soon(), async (t) => {
      await t.writeRows('insert', Gadget, [gadget('no')]);
      await t.record(Gadget, [{ objectId: 'no', kind: 'created' }]);
      late.push(t.stateNumber(Gadget));
      throw new Error('undone');
    });
    const next = store.write(A, soon(), async (t) => {
      await t.get(Gadget, ['x'], Gadget.properties, HUGE);
      return t.stateNumber(Gadget);
    });
    const all = await Promise.allSettled([first, undone, next]);
    // The two share a transaction; undone, they run once more by themselves.
    expect(await Promise.all(late)).toEqual([1, 1]);
    expect(all.map((each) => (each.status === 'fulfilled' ? each.value : 'no'))).toEqual([
      ...[0, 'no', 0],
    ]);
  });

  it('a time-out that is undone with a work is set again for the next one', async () => {
    const seen: unknown[] = [];
    const setting = async (t: Transaction): Promise<void> => {
      const { connection } = (t as unknown as { scope: { connection: Connection } }).scope;
      const [row] = await connection.all(`SELECT current_setting('statement_timeout')`);
      seen.push(row?.[0]);
    };
    const long = () => ({ deadline: performance.now() + 60_000 });
    await Promise.allSettled([
      store.write(A, soon(), async (t) => {
        await t.writeRows('insert', Gadget, [gadget('a')]);
      }),
      store.write(A, long(), async (t) => {
        await t.writeRows('insert', Gadget, [gadget('b')]);
        throw new Error('undone');
      }),
      store.write(A, long(), setting),
    ]);
    expect(seen).toEqual([expect.stringMatching(/^(1min|59\d\d\dms|59s)$/)]);
  });

  it('waiting updates read each object at most once more, however large', async () => {
    const ids = Array.from({ length: 32 }, (_, index) => `r${index}`);
    const title = 'x'.repeat(20_000);
    await store.write(A, soon(), async (t) => {
      await t.writeRows(
        'insert',
        Gadget,
        ids.map((id) => gadget(id, { title })),
      );
    });
    const update = (id: string) =>
      store.write(A, { ...soon(), expects: { type: Gadget, ids: [id] } }, async (t) => {
        const [found] = await t.get(Gadget, [id], Gadget.properties, HUGE);
        return found?.id;
      });
    const received = () => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    // At first nothing is known of the size of rows.
    for (const most of [2, 1.2]) {
      const before = received();
      expect(await Promise.all(ids.map(update))).toEqual(ids);
      expect((received() - before) / (ids.length * title.length)).toBeLessThan(most);
    }
  });

  it('an account whose queries and reads take long leaves connections to another', async () => {
    await store.close();
    store = open(16);
    await add('a');
    const holder = await operator.connect();
    await holder.query('BEGIN; LOCK TABLE "Gadget"');
    const within5Seconds = () => ({ deadline: performance.now() + 5000 });
    const flood = Array.from({ length: 40 }, (_, index) => {
      const how = { ...soon(), mayScan: index % 2 === 0 };
      return store.read(A, how, (s) => queryIds(s, Gadget, plan(ALL), 0, 10));
    });
    const state = (s: Snapshot) => s.stateNumber(Gadget);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await store.read(B, { ...within5Seconds(), mayScan: true }, state)).toBe(0);
    expect(await store.read(B, { ...within5Seconds(), exclusive: true }, state)).toBe(0);
    const both = [B, B].map((account) => store.read(account, within5Seconds(), state));
    expect(await Promise.all(both)).toEqual([0, 0]);
    expect(await store.write(B, within5Seconds(), (t) => t.stateNumber(Gadget))).toBe(0);
    await holder.query('ROLLBACK');
    holder.release();
    for (const ids of await Promise.all(flood)) expect(ids).toEqual(['a']);
  });

  it('an account whose queries take long leaves connections to its own short reads', async () => {
    await store.close();
    store = open(16);
    const holder = await operator.connect();
    await holder.query('BEGIN; LOCK TABLE "Gadget"');
    const flood = Array.from({ length: 40 }, () =>
      store.read(A, { ...soon(), mayScan: true }, (s) => queryIds(s, Gadget, plan(ALL), 0, 10)),
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    const brief = { deadline: performance.now() + 5000 };
    expect(await store.read(A, brief, (s) => s.stateNumber(Gadget))).toBe(0);
    expect(await store.write(A, brief, (t) => t.stateNumber(Gadget))).toBe(0);
    await holder.query('ROLLBACK');
    holder.release();
    for (const ids of await Promise.all(flood)) expect(ids).toEqual([]);
  });

  const asked = (sql: string) => ({ sql, parameters: [], inThread: false });
  const PLANNED = [{ steps: [expect.any(String)] }];

  it('plans of an account’s statements wait behind its own long works alone', async () => {
    await store.close();
    store = open(8);
    let release: (value: number) => void = () => undefined;
    const released = new Promise<number>((resolve) => {
      release = resolve;
    });
    onTestFinished(() => release(0));
    // All that one account may have of connections for such works.
    const busy = [0, 1, 2].map(() =>
      store.read(A, { ...soon(), exclusive: true }, async () => released),
    );
    const statement = asked('SELECT "id" FROM "Gadget"');
    const plans = (account: string) => store.plans(account, soon().deadline, [statement]);
    let isTold = false;
    const waiting = plans(A)?.finally(() => {
      isTold = true;
    });
    expect(await plans(B)).toMatchObject(PLANNED);
    expect(await plans(B)).toMatchObject(PLANNED);
    const late = performance.now() + 50;
    expect(await store.plans(A, late, [statement, statement])).toEqual([null, null]);
    expect(isTold).toBe(false);
    release(0);
    expect(await waiting).toMatchObject(PLANNED);
    await Promise.all(busy);
  });

  it('plans have one deadline: behind it no further one is asked for', async () => {
    const statements: string[] = [];
    const waits = createPostgresqlStore({
      conductor,
      pool: openPool({ url, size: 1, pipeline: true }),
      types: TYPES,
      onStatement: (sql) => statements.push(sql),
    });
    onTestFinished(() => waits.close());
    const holder = await operator.connect();
    await holder.query('BEGIN; LOCK TABLE "Gadget"');
    const [locked, free] = ['SELECT "id" FROM "Gadget"', 'SELECT "id" FROM "JmapAccount"'];
    const plans = (...all: readonly string[]) =>
      waits.plans(A, performance.now() + 300, all.map(asked));
    expect(await plans(free, locked, free, free)).toMatchObject([...PLANNED, null, null, null]);
    await holder.query('ROLLBACK');
    holder.release();
    expect(statements.filter((sql) => sql.startsWith('EXPLAIN'))).toHaveLength(2);
  });

  it('statements that a migration outdates are prepared again; others fail', async () => {
    await add('a');
    const look = (t: Snapshot) => t.get(Gadget, ['a'], Gadget.properties, HUGE);
    const objects = () => ({
      ...{ ...soon(), accountId: A, type: Gadget, ids: ['a'] },
      ...{ properties: Gadget.properties, maxOctets: HUGE },
    });
    const retype = (to: string) =>
      operator.query(`ALTER TABLE "Gadget" ALTER COLUMN "code" TYPE ${to}`);
    onTestFinished(async () => void (await retype('TEXT COLLATE "C"')));
    const all: ReadonlyArray<() => Promise<unknown>> = [
      () => store.read(A, soon(), look),
      () => store.readObjects(objects()),
      () => Promise.all([0, 1].map(() => store.readObjects(objects()))),
      () => store.write(A, soon(), look),
    ];
    const waits = [store.read.bind(store), store.write.bind(store)].map(
      (run) => () => run(A, { ...soon(), exclusive: true }, look),
    );
    for (const [index, run] of [...all, ...waits].entries()) {
      await run();
      await retype(`VARCHAR(${index + 100}) COLLATE "C"`);
      if (index < all.length) await run();
      else await expect(run()).rejects.toBeInstanceOf(UnavailableError);
      await run();
    }
  });

  it('a read that runs again keeps its turn', async () => {
    const look = () => store.read(A, soon(), (s) => s.get(Gadget, ['a'], Gadget.properties, HUGE));
    await look();
    await operator.query('ALTER TABLE "Gadget" ALTER COLUMN "code" TYPE VARCHAR(90) COLLATE "C"');
    onTestFinished(async () => {
      await operator.query('ALTER TABLE "Gadget" ALTER COLUMN "code" TYPE TEXT COLLATE "C"');
    });
    // The statement that the first one has prepared is out of date; there is one connection.
    const order: string[] = [];
    const noted = (name: string) => look().then(() => order.push(name));
    await Promise.all([noted('first'), noted('second')]);
    expect(order).toEqual(['first', 'second']);
  });

  it('a work that waits for a connection when the store closes is unavailable', async () => {
    const holder = await operator.connect();
    await holder.query('BEGIN; LOCK TABLE "Gadget"');
    const look = (account: string) =>
      store.read(account, soon(), (s) => s.get(Gadget, ['x'], Gadget.properties, HUGE));
    const first = look(A);
    const waiting = [look(A), look(B)].map((each) => each.catch((error: unknown) => error));
    // The first one has the connection.
    const waits = `SELECT 1 FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    await eventually(async () => expect((await holder.query(waits)).rowCount).not.toBe(0));
    const closing = store.close();
    closed = true;
    await holder.query('ROLLBACK');
    holder.release();
    expect(await first).toEqual([]);
    for (const error of await Promise.all(waiting)) expect(error).toBeInstanceOf(UnavailableError);
    await closing;
    await expect(look(A)).rejects.toBeInstanceOf(UnavailableError);
    await expect(add('a')).rejects.toBeInstanceOf(UnavailableError);
  });
});
