import { connect, createServer, type Server, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openPool, type Pool } from '../../src/database/postgresql/index.js';
import type { Acquired } from '../../src/database/postgresql/pool.js';
import { MethodError, UnavailableError, UnknownOutcomeError } from '../../src/protocol/errors.js';
import type {
  BlobReference,
  ReferenceRecord,
  StateChange,
  Store,
  Transaction,
} from '../../src/store/port.js';
import { createPostgresqlStore } from '../../src/store/postgresql/index.js';
import { conductor } from '../support/conductor.js';
import { usePostgresql } from '../support/postgresql.js';
import { ALL, Gadget, gadget, plan, queryIds, TYPES } from './gadget.js';
import { openGadgets } from './postgresql-gadgets.js';
import { A, B, HUGE } from './suite/bench.js';

/**
 * ms that an answer is on its way. Without it an answer may overtake the rest of what the store
 * sends at once, on a busy machine, and the rest look like another question.
 */
const LATENCY = 5;

/** Stands between the store and the database, and counts how often an answer was waited for. */
class Wire {
  trips = 0;
  #asking = false;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(port: number) {
    this.#server = createServer((near) => {
      const far = connect({ port, host: '127.0.0.1', noDelay: true });
      for (const socket of [near, far]) {
        this.#sockets.add(socket.on('error', () => undefined));
      }
      near.on('data', (data) => {
        if (!this.#asking) this.trips += 1;
        this.#asking = true;
        far.write(data);
      });
      far.on('data', (data) => {
        setTimeout(() => {
          this.#asking = false;
          near.write(data);
        }, LATENCY);
      });
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroy());
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

const postgresql = usePostgresql();

describe('writes of an account that wait together', () => {
  let url: string;
  let operator: Pool;
  let wire: Wire;
  let store: Store;
  /** The statements of the store, transaction control apart. */
  const statements: string[] = [];
  const heard: StateChange[] = [];
  const onStatement = (sql: string): void => void statements.push(sql);
  const soon = () => ({ deadline: performance.now() + 20_000 });

  beforeAll(async () => {
    url = await postgresql().createDatabase('groups');
    operator = await openGadgets(url);
  });
  afterAll(() => operator.end());

  beforeEach(async () => {
    await operator.query('TRUNCATE "Gadget", "JmapState", "JmapChange"');
    const { port } = new URL(url);
    wire = new Wire(Number(port));
    const near = url.replace(`:${port}/`, `:${await wire.listen()}/`);
    store = open(near, 1);
    await store.ping();
    // Prepared, as after a server's first minute.
    await add('warm');
    await update('warm', 0);
    await store.read(A, soon(), (snapshot) => look(snapshot, 'warm'));
    await store.read(A, soon(), (snapshot) => snapshot.changes(Gadget, 0, 10));
    heard.length = 0;
    store.onCommit((change) => heard.push(change));
    onTestFinished(async () => {
      await store.close();
      wire.close();
    });
  });

  const open = (to: string, size: number): Store =>
    createPostgresqlStore({
      conductor,
      pool: openPool({ url: to, size, pipeline: true }),
      types: TYPES,
      groupTime: 10_000,
      onStatement,
    });

  /** Does what Foo/set does with one create. */
  const create = async (transaction: Transaction, id: string, title = id): Promise<number> => {
    const before = await transaction.stateNumber(Gadget);
    await transaction.writeRows('insert', Gadget, [gadget(id, { title })]);
    await transaction.record(Gadget, [{ objectId: id, kind: 'created' }]);
    return before + 1;
  };
  const add = (id: string, account = A): Promise<number> =>
    store.write(account, soon(), (transaction) => create(transaction, id));
  const update = (id: string, rank: number): Promise<void> =>
    store.write(A, soon(), async (transaction) => {
      await transaction.stateNumber(Gadget);
      const [found] = await transaction.get(Gadget, [id], Gadget.properties, HUGE);
      if (found === undefined) throw new Error(`no ${id}`);
      await transaction.writeRows('update', Gadget, [{ ...found, rank }]);
      await transaction.record(Gadget, [{ objectId: id, kind: 'updated' }]);
    });
  const look = (snapshot: Pick<Transaction, 'stateNumber' | 'get'>, id: string) =>
    Promise.all([
      snapshot.stateNumber(Gadget),
      snapshot.get(Gadget, [id], Gadget.properties, HUGE),
    ]);
  /** Round trips and statements of a work. */
  const cost = async (work: () => Promise<unknown>): Promise<[number, number]> => {
    await store.ping();
    await new Promise((resolve) => setTimeout(resolve, 20));
    statements.length = 0;
    const { trips } = wire;
    await work();
    return [wire.trips - trips, statements.length];
  };
  const rows = async (): Promise<unknown> => {
    const { rows: found } = await operator.query(
      `SELECT "number", "objectId" FROM "JmapChange" WHERE "accountId" = '${A}' ORDER BY "number"`,
    );
    return found.slice(2).map((row) => [Number(row.number), row.objectId]);
  };
  const ids = async (): Promise<readonly string[]> => {
    const all = await store.read(A, soon(), (s) => queryIds(s, Gadget, plan(ALL), 0, 100));
    return all.filter((id) => id !== 'warm');
  };

  it('cost as many round trips as they have reads, and one', async () => {
    expect(await cost(() => add('r1'))).toEqual([2, 3]);
    expect(await cost(() => update('r1', 7))).toEqual([3, 4]);
    expect(await cost(() => store.read(A, soon(), (s) => look(s, 'r1')))).toEqual([1, 2]);
  });

  it('hold up no first grants of other accounts until they commit', async () => {
    const near = open(url, 4);
    onTestFinished(() => near.close());
    const grant = (account: string) =>
      near.write(account, soon(), (transaction) =>
        transaction.changeGrants([], [{ principalId: 'u1', scope: 'L:1/mayRead' }]),
      );
    let isGranted = false;
    const waits: boolean[] = [];
    await Promise.all([
      grant(A),
      // In the same transaction: it waits for the grant in the other account.
      near.write(A, soon(), async (transaction) => {
        await create(transaction, 'behind');
        const end = performance.now() + 5000;
        const granting = grant(B).then(() => {
          isGranted = true;
        });
        while (!isGranted && performance.now() < end)
          await new Promise((resolve) => setTimeout(resolve, 10));
        waits.push(!isGranted);
        void granting;
      }),
    ]);
    expect(waits).toEqual([false]);
  });

  it('objects, changes and pages by an index take one round trip', async () => {
    const selection = { properties: Gadget.properties, maxOctets: HUGE };
    const asked = () => ({ accountId: A, ...soon(), type: Gadget });
    const objects = () => store.readObjects({ ...asked(), ids: ['warm'], ...selection });
    expect(await cost(objects)).toEqual([1, 2]);
    expect(await objects()).toMatchObject({ number: 2, objects: [{ id: 'warm' }] });
    const changes = () => store.readChanges({ ...asked(), since: 0, limit: 10 });
    expect(await cost(changes)).toEqual([1, 2]);
    const window = { position: 0, limit: 10 };
    for (const sort of ['title', '-created']) {
      const page = () => store.readPage({ ...asked(), plan: plan(ALL, sort), window, selection });
      expect(await cost(page)).toEqual([1, 2]);
      expect(await page()).toMatchObject({ ids: ['warm'], found: { objects: [{ id: 'warm' }] } });
    }
  });

  it.each([
    ['large', 1_100_000],
    ['small', 10],
  ])('a %s write that outlives its work is refused', async (_, length) => {
    let outliving: Promise<unknown> = Promise.resolve();
    const failing = store.write(A, soon(), (transaction) => {
      outliving = transaction.writeRows('insert', Gadget, [
        gadget('r1', { title: 'x'.repeat(length) }),
      ]);
      outliving.catch(() => undefined);
      return Promise.reject(new Error('failed'));
    });
    const next = store.write(A, soon(), async (transaction) => {
      await create(transaction, 'r2');
      for (let turn = 0; turn < 5; turn += 1) await conductor.awaitTurn();
    });
    await expect(failing).rejects.toThrow('failed');
    await next;
    expect(await ids()).toEqual(['r2']);
    await expect(outliving).rejects.toThrow('after its work had ended');
  });

  it('undoes a write of several statements as a whole where its work fails', async () => {
    const record = (fromId: string): ReferenceRecord => ({
      ...{ toType: 'Gadget', toId: 'warm', fromType: 'Gadget', fromId, reference: 'parentId' },
    });
    const blob = (blobId: string): BlobReference => ({
      ...{ blobId, dataType: 'Gadget', objectId: 'r4' },
    });
    const first = add('r1');
    const failing = store.write(A, soon(), (transaction) => {
      // The failure is heard while the statements are asked for.
      return new Promise((_, reject) => {
        queueMicrotask(() => {
          reject(new Error('failed'));
          transaction.changeReferences([record('r1')], [record('r2')]).catch(() => undefined);
          transaction.changeBlobReferences([blob('b1')], [blob('b2')]).catch(() => undefined);
        });
      });
    });
    const next = add('r3');
    await expect(failing).rejects.toThrow('failed');
    await Promise.all([first, next]);
    const { rows: found } = await operator.query(
      'SELECT "fromId" FROM "JmapReference" UNION SELECT "objectId" FROM "JmapBlobReference"',
    );
    expect(found).toEqual([]);
  });

  it('reads that are asked at once are of one snapshot', async () => {
    const connection = new pg.Client({ connectionString: url });
    await connection.connect();
    onTestFinished(() => connection.end());
    const state = async (): Promise<number> => {
      const found = await store.readObjects({
        ...{ accountId: A, ...soon(), type: Gadget, ids: [] },
        ...{ properties: Gadget.properties, maxOctets: HUGE },
      });
      return found.number;
    };
    const sum = async (): Promise<number> => {
      const both = await Promise.all(Array.from({ length: 16 }, state));
      return new Set(both).size;
    };
    const sizes: number[] = [];
    for (let round = 0; round < 40; round += 1) {
      const writing = connection.query('UPDATE "JmapState" SET "number" = "number" + 1');
      sizes.push(await sum());
      await writing;
    }
    expect(new Set(sizes)).toEqual(new Set([1]));
  });

  it('share BEGIN, the lock, the state and the commit', async () => {
    const all = Array.from({ length: 16 }, (_, index) => `r${index}`);
    const [trips, ran] = await cost(() => Promise.all(all.map((id) => add(id))));
    // One waits for the state; then all are sent, in as many packets as the network likes.
    expect(trips).toBeLessThanOrEqual(6);
    expect(ran).toBe(1 + 2 * 16);
    expect(await rows()).toEqual(all.map((id, index) => [index + 3, id]));
    expect(heard.map(({ changed }) => changed['Gadget'])).toEqual(
      all.map((_, index) => String(index + 3)),
    );
  });

  it('read expected rows together, and see the writes of works before them', async () => {
    for (const id of ['a', 'b', 'c', 'd']) await add(id);
    const expecting = (id: string, work: (t: Transaction) => Promise<unknown>) =>
      store.write(A, { ...soon(), expects: { type: Gadget, ids: [id] } }, work);
    const look = async (t: Transaction, id: string) => {
      const [found] = await t.get(Gadget, [id], Gadget.properties, HUGE);
      return found;
    };
    const seen: unknown[] = [];
    const step = (id: string, fails = false) =>
      expecting(id, async (t) => {
        await t.stateNumber(Gadget);
        const found = await look(t, id);
        if (found === undefined) throw new Error(`no ${id}`);
        seen.push([id, found['rank']]);
        await t.writeRows('update', Gadget, [{ ...found, rank: Number(found['rank'] ?? 0) + 1 }]);
        if (fails) seen.push([id, (await look(t, id))?.['rank']]);
        // Reads ahead what is undone then.
        if (fails) await look(t, 'warm');
        if (fails) throw new Error('undone');
        await t.record(Gadget, [{ objectId: id, kind: 'updated' }]);
      });
    const gone = (id: string) =>
      expecting(id, async (t) => {
        await t.destroy(Gadget, [id]);
        await t.record(Gadget, [{ objectId: id, kind: 'destroyed' }]);
      });
    const [trips, ran] = await cost(() => Promise.all(['a', 'b', 'c', 'd'].map((id) => step(id))));
    // The state, one read of all four; then two statements each.
    expect([trips, ran]).toEqual([expect.any(Number), 2 + 8]);
    expect(trips).toBeLessThanOrEqual(6);
    seen.length = 0;
    const outcomes = await Promise.allSettled([
      ...[step('a'), step('a'), step('b', true), step('b'), step('b', true), step('a')],
      ...[gone('c'), step('c'), step('d'), gone('d'), step('d')],
    ]);
    expect(outcomes.map(({ status }) => status === 'fulfilled').map(Number)).toEqual([
      1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 0,
    ]);
    // A work runs once more by itself if its transaction is undone for another work.
    const [first, second] = [
      [
        ['a', 1],
        ['a', 2],
        ['b', 1],
        ['b', 2],
      ],
      [
        ['b', 1],
        ['b', 2],
        ['b', 3],
      ],
    ];
    expect(seen).toEqual([
      ...[...first, ...first, ...second, ...second],
      ...[
        ['a', 3],
        ['d', 1],
      ],
    ]);
    const after = await store.read(A, soon(), (s) =>
      s.get(Gadget, { first: 10 }, Gadget.properties, HUGE),
    );
    const ranks = after.filter(({ id }) => id !== 'warm').map(({ id, rank }) => [id, rank]);
    expect(ranks).toEqual([
      ['a', 4],
      ['b', 2],
    ]);
  });

  it('fail each by itself, by what they throw and by what the database refuses', async () => {
    await add('taken');
    const states: number[] = [];
    const outcomes = await Promise.allSettled(
      ['a', 'throws', 'b', 'taken', 'caught', 'c', 'mismatch', 'd'].map((id) =>
        store.write(A, soon(), async (transaction) => {
          if (id === 'mismatch') throw new MethodError('stateMismatch', 'no');
          const made = create(transaction, id === 'caught' ? 'taken' : id);
          if (id === 'caught') await made.catch(() => 'caught');
          const state = await made;
          if (id === 'throws') throw new Error('on its own');
          states.push(state);
          return state;
        }),
      ),
    );
    expect(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : null)),
    ).toEqual([4, null, 5, null, null, 6, null, 7]);
    expect(outcomes[1]).toMatchObject({ reason: { message: 'on its own' } });
    expect(outcomes[3]).toMatchObject({ reason: { code: '23505' } });
    expect(outcomes[4]).toMatchObject({ reason: { code: '23505' } });
    expect(outcomes[6]).toMatchObject({ reason: { type: 'stateMismatch' } });
    expect(await rows()).toEqual([
      [3, 'taken'],
      [4, 'a'],
      [5, 'b'],
      [6, 'c'],
      [7, 'd'],
    ]);
    expect(await ids()).toEqual(['a', 'b', 'c', 'd', 'taken']);
    expect(heard.map(({ changed }) => changed['Gadget'])).toEqual(['3', '4', '5', '6', '7']);
  });

  it('fail alone where what the database refused is known before the next one begins', async () => {
    const refused = (): Promise<number> =>
      store.write(A, soon(), async (transaction) => {
        await create(transaction, 'warm');
        return transaction.count(Gadget, ALL);
      });
    const works = [add('a'), refused(), add('b'), add('c')];
    const outcomes = await Promise.allSettled(works);
    expect(outcomes[1]).toMatchObject({ reason: { code: '23505' } });
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, true]);
    expect(await ids()).toEqual(['a', 'b', 'c']);
  });

  it('are all unavailable where their connection dies, and nothing of them stays', async () => {
    const works = Array.from({ length: 5 }, (_, index) =>
      store.write(A, soon(), async (transaction) => {
        await create(transaction, `r${index}`);
        if (index < 4) return;
        await operator.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()`);
        await transaction.count(Gadget, ALL);
      }),
    );
    for (const outcome of await Promise.allSettled(works)) {
      expect(outcome).toMatchObject({ reason: expect.any(UnavailableError) });
    }
    expect(await ids()).toEqual([]);
    expect(await add('next')).toBe(3);
  });

  it('never run again where nobody knows whether they are committed', async () => {
    const pool = openPool({ url, size: 1, pipeline: true });
    pool.on('connect', (client) => {
      const { socket } = client as Acquired;
      const { write } = socket;
      socket.write = (data: string | Uint8Array, ...rest: never[]): boolean => {
        if (Buffer.from(data).includes('\0COMMIT\0')) {
          // The server commits. The answer is spoiled on the way.
          socket.pause();
          setTimeout(() => socket.destroy(Object.assign(new Error(), { code: 'EPROTO' })), 1000);
        }
        return write.call(socket, data, ...rest);
      };
    });
    const own = createPostgresqlStore({ conductor, pool, types: TYPES, groupTime: 10_000 });
    onTestFinished(() => own.close());
    const runs: string[] = [];
    const works = ['a', 'b'].map((id) =>
      own.write(A, soon(), (transaction) => {
        runs.push(id);
        return create(transaction, id);
      }),
    );
    for (const outcome of await Promise.allSettled(works))
      expect(outcome).toMatchObject({ reason: expect.any(UnknownOutcomeError) });
    expect(runs).toEqual(['a', 'b']);
    expect(await ids()).toEqual(['a', 'b']);
  });

  it('run again in order after a deadlock, each once', async () => {
    await operator.query(`CREATE SEQUENCE deadlocks`);
    await operator.query(`CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW."title" = 'loses' AND nextval('deadlocks') < 3 THEN
        RAISE EXCEPTION 'lost' USING ERRCODE = 'deadlock_detected'; END IF; RETURN NEW; END $$`);
    await operator.query(
      'CREATE TRIGGER lose BEFORE INSERT ON "Gadget" FOR EACH ROW EXECUTE FUNCTION lose()',
    );
    onTestFinished(async () => {
      await operator.query('DROP FUNCTION lose CASCADE');
      await operator.query('DROP SEQUENCE deadlocks');
    });
    const works = ['a', 'b', 'c'].map((id) =>
      store.write(A, soon(), (t) => create(t, id, id === 'b' ? 'loses' : id)),
    );
    expect(await Promise.all(works)).toEqual([3, 4, 5]);
    expect(await rows()).toEqual([
      [3, 'a'],
      [4, 'b'],
      [5, 'c'],
    ]);
    // An exclusive work may have done things elsewhere, unless it says that it hasn't.
    const alone = (id: string, how: object) =>
      store.write(A, { ...soon(), exclusive: true, ...how }, (t) => create(t, id, 'loses'));
    const loseOnce = () => operator.query(`SELECT setval('deadlocks', 1)`);
    await loseOnce();
    await expect(alone('d', {})).rejects.toBeInstanceOf(UnavailableError);
    await loseOnce();
    expect(await alone('e', { mayRepeat: true })).toBe(6);
  });

  it('never tell a state that another has moved meanwhile', async () => {
    let once = 0;
    const state = await store.write(A, soon(), async (transaction) => {
      const before = await transaction.stateNumber(Gadget);
      once += 1;
      // As `account -- reset-states` does, which takes no account's lock.
      if (once === 1) await operator.query('UPDATE "JmapState" SET "number" = "number" + 100');
      await transaction.writeRows('insert', Gadget, [gadget('r1')]);
      await transaction.record(Gadget, [{ objectId: 'r1', kind: 'created' }]);
      return before + 1;
    });
    expect([once, state]).toEqual([2, 103]);
    expect(await rows()).toEqual([[103, 'r1']]);
  });

  it('keep to their own deadlines: one that is late stops none of the others', async () => {
    const late = store.write(A, { deadline: performance.now() + 150 }, async (transaction) => {
      await create(transaction, 'late');
      const query = plan({ kind: 'all' }, '-title');
      for (;;) await queryIds(transaction, Gadget, query, 0, 10);
    });
    const others = ['a', 'b'].map((id) => add(id));
    await expect(late).rejects.toBeInstanceOf(UnavailableError);
    expect(await Promise.all(others)).toEqual([3, 4]);
    expect(await ids()).toEqual(['a', 'b']);
  });

  it.each([
    ['first', 0],
    ['second', 1],
  ])('are not left out where their time ends as they are sent: the %s', async (_, at) => {
    const deadline = performance.now() + 300;
    const slow = Object.defineProperty({ ...gadget('late') }, 'title', {
      get: () => {
        while (performance.now() <= deadline);
        return 'late';
      },
    });
    const late = () =>
      store.write(A, { deadline }, (transaction) =>
        transaction.writeRows('insert', Gadget, [slow]),
      );
    const works: (() => Promise<unknown>)[] = [() => add('a'), () => add('b')];
    const outcomes = await Promise.allSettled(works.toSpliced(at, 0, late).map((work) => work()));
    expect(outcomes[at]).toMatchObject({ reason: expect.any(UnavailableError) });
    expect(await ids()).toEqual(['a', 'b']);
  });

  it('leave the others their turn: one account’s flood delays another by one work', async () => {
    const order: string[] = [];
    const note = (name: string) => (): void => void order.push(name);
    // One connection; the account's works that wait would fill three groups.
    const flood = Array.from({ length: 150 }, (_, index) => add(`f${index}`).then(note('flood')));
    const other = add('other', B).then(note('other'));
    await Promise.all([...flood, other]);
    expect(order.indexOf('other')).toBeLessThanOrEqual(64);

    order.length = 0;
    const reads = Array.from({ length: 50 }, () =>
      store.read(A, soon(), (s) => look(s, 'warm')).then(note('flood')),
    );
    const one = store.read(B, soon(), (s) => look(s, 'other')).then(note('other'));
    await Promise.all([...reads, one]);
    expect(order.indexOf('other')).toBeLessThanOrEqual(2);
  });
});
