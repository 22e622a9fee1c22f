import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { PropertyDefinition } from '../../src/capability/definition.js';
import { SqliteDatabase } from '../../src/database/sqlite/index.js';
import { ExplainedCall } from '../../src/methods/explain.js';
import { UnavailableError } from '../../src/protocol/errors.js';
import { JsonReader } from '../../src/protocol/ijson.js';
import type {
  CallOptions,
  Snapshot,
  StateAndObjects,
  Store,
  StoredObject,
  Transaction,
} from '../../src/store/port.js';
import { tracedStore } from '../../src/store/traced.js';
import { besideOthers, OTHERS } from '../support/beside-others.js';
import { eventually } from '../support/poll.js';
import { slowClock } from '../support/slow-clock.js';
import { Gadget, gadget, gadgets, PROPERTIES } from './gadget.js';
import { openSqlite } from './open-sqlite.js';
import { A, B, HUGE } from './suite/bench.js';

const CALL = { name: 'Gadget/get', args: {}, callId: 'c' };

/** Reads of many octets on SQLite: how often rows are read, and who waits for whom meanwhile. */

const PLAIN = Object.values(PROPERTIES).filter(({ kind }) => kind !== 'json' && kind !== 'number');
const WHOLE = Gadget.properties;
const MODULE = new URL('./scan-thread.mjs', import.meta.url);
const LONG = 'x'.repeat(2_000_000);
/** Some 1.2 MB of JSON. */
const LIST = Array.from({ length: 90_000 }, (_, index) => `text ${index}`);

const soon = (): CallOptions => ({ deadline: performance.now() + 1e12 });

let engine: Awaited<ReturnType<typeof openSqlite>>;

beforeEach(async () => {
  engine = await openSqlite({ now: () => 1_000_000 });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await engine.close();
});

function insert(objects: readonly StoredObject[]): Promise<void> {
  return engine.store.write(A, soon(), (transaction) =>
    transaction.writeRows('insert', Gadget, objects),
  );
}

function write<T>(
  work: (transaction: Transaction) => Promise<T>,
  options: Partial<CallOptions> = {},
): Promise<T> {
  return engine.store.write(A, { ...soon(), ...options }, work);
}

function read<T>(
  work: (snapshot: Snapshot) => Promise<T>,
  options: Partial<CallOptions> = {},
): Promise<T> {
  return engine.store.read(A, { ...soon(), ...options }, work);
}

function readObjects(
  ids: readonly string[],
  properties: readonly PropertyDefinition[] = PLAIN,
  store: Store = engine.store,
): Promise<StateAndObjects> {
  const asked = { accountId: A, ...soon(), type: Gadget, ids, properties, maxOctets: HUGE };
  return store.readObjects(asked);
}

const idsOf = (objects: readonly StoredObject[]): readonly string[] => objects.map(({ id }) => id);
const getting = (ids: readonly string[]) => (snapshot: Snapshot) =>
  snapshot.get(Gadget, ids, WHOLE, HUGE);

describe('a row', () => {
  const statementsOf = async (
    ids: readonly string[],
    properties: readonly PropertyDefinition[] = PLAIN,
  ) => {
    await new Promise(setImmediate);
    engine.statements.length = 0;
    const answer = await readObjects(ids, properties);
    return { answer, count: engine.statements.length };
  };

  it('that is large and alone is read once', async () => {
    await insert([gadget('r1', { title: LONG }), gadget('r2', { list: LIST })]);
    const long = await statementsOf(['r1']);
    expect(long).toMatchObject({ answer: { number: 0, objects: [{ title: LONG }] }, count: 1 });
    const list = await statementsOf(['r2'], WHOLE);
    expect(list).toMatchObject({ answer: { number: 0, objects: [{ list: LIST }] }, count: 1 });
  });

  it('of several that are large together is read once', async () => {
    const objects = gadgets(90, (index) => ({ title: `${index}`.padEnd(12_000) }));
    await insert(objects);
    const { answer, count } = await statementsOf(idsOf(objects));
    // The text of the short ones, which are none; the state; the rows.
    expect(count).toBe(3);
    expect(answer.objects.map(({ title }) => title)).toEqual(objects.map(({ title }) => title));
  });

  it('of several that are not large together is read row by row', async () => {
    const objects = gadgets(40, (index) => ({ title: `${index}`.padEnd(12_000) }));
    await insert(objects);
    const { answer, count } = await statementsOf(idsOf(objects));
    expect([answer.objects.length, count]).toEqual([40, 3]);
    engine.statements.length = 0;
    expect(await read(getting(idsOf(objects)))).toHaveLength(40);
    expect(engine.statements).toHaveLength(1);
  });

  it('is read twice at the most if its size was unknown', async () => {
    const objects = gadgets(4, () => ({ list: LIST }));
    await insert(objects);
    engine.statements.length = 0;
    expect(await read(getting(idsOf(objects)))).toHaveLength(4);
    expect(engine.statements).toHaveLength(2);
    expect(await read((snapshot) => snapshot.get(Gadget, { first: 9 }, WHOLE, HUGE))).toHaveLength(
      4,
    );
    expect(engine.statements).toHaveLength(4);
    expect(await read(getting(idsOf(objects)), { mayScan: true })).toHaveLength(4);
    expect(engine.statements).toHaveLength(6);
  });

  it('is reported with each statement that reads it', async () => {
    const objects = gadgets(90, () => ({ title: 'x'.repeat(12_000) }));
    await insert(objects);
    const trace = new ExplainedCall(CALL);
    const found = await readObjects(idsOf(objects), PLAIN, tracedStore(engine.store, trace));
    expect(found.objects).toHaveLength(90);
    expect(trace.statements.map(({ rows, failed }) => ({ rows, failed }))).toEqual([
      { rows: 1, failed: 0 },
      { rows: 0, failed: 0 },
      { rows: 90, failed: 0 },
    ]);
    const again = new ExplainedCall(CALL);
    await tracedStore(engine.store, again).read(A, soon(), getting(idsOf(objects)));
    expect(again.statements).toMatchObject([{ count: 2, failed: 1, rows: 90 }]);
  });
});

describe('a large object that is read by itself', () => {
  it('is decoded beside few others, however many calls ask for one', async () => {
    await insert([gadget('r1', { list: Array.from({ length: 5 }, () => LIST).flat() })]);
    const read = vi.spyOn(JsonReader.prototype, 'read');
    const begun = (): number => read.mock.calls.length;
    const reads: Promise<unknown>[] = [];
    for (let count = 0; count < 8; count += 1) {
      reads.push(readObjects(['r1'], WHOLE));
      await new Promise(setImmediate);
    }
    await Promise.race(reads);
    expect(begun()).toBeLessThan(5);
    await Promise.all(reads);
    expect(begun()).toBe(8);
  });
});

describe('the connection that reads share', () => {
  it('has nobody wait for the slices of a large row', async () => {
    await insert([gadget('r1', { list: LIST }), gadget('r2')]);
    slowClock(9);
    let large: Promise<unknown> = Promise.resolve();
    const turns = await besideOthers(() => {
      large = read(getting(['r1']));
      return read(getting(['r2']));
    });
    expect(turns).toBeLessThan(OTHERS / 2);
    expect(await large).toMatchObject([{ list: LIST }]);
  });

  it('ends its transaction in the turn in which it began', async () => {
    await insert([gadget('r1', { list: LIST })]);
    slowClock(9);
    const large = read(async (snapshot) => {
      const found = await snapshot.get(Gadget, ['r1'], WHOLE, HUGE);
      return [found.length, await snapshot.existing(Gadget, ['r2'])];
    });
    await new Promise(setImmediate);
    await insert([gadget('r2')]);
    const seen = await readObjects(['r2']);
    expect(seen).toMatchObject({ objects: [{ id: 'r2' }] });
    expect(await large).toEqual([1, new Set()]);
  });

  it('has what may scan go on in a thread, where there is one', async () => {
    const { store, close } = await openSqlite({ now: Date.now, scans: { module: MODULE } });
    onTestFinished(close);
    await store.write(A, soon(), (transaction) =>
      transaction.writeRows('insert', Gadget, [gadget('r1', { list: LIST })]),
    );
    const trace = new ExplainedCall(CALL);
    const options = { deadline: performance.now() + 20_000, mayScan: true };
    const found = await tracedStore(store, trace).read(A, options, getting(['r1']));
    expect(found).toMatchObject([{ list: LIST }]);
    expect(trace.statements.map(({ inThread, count }) => ({ inThread, count }))).toEqual([
      { inThread: true, count: 1 },
    ]);
  });

  it('has large reads go on beside hooks that hold all connections of theirs', async () => {
    await insert([gadget('r1', { list: LIST })]);
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const holding = [A, A, A, B, B, B].map((account) =>
      engine.store.read(account, { ...soon(), exclusive: true }, async (snapshot) => {
        await snapshot.stateNumber(Gadget);
        await ended;
      }),
    );
    expect(await read(getting(['r1']))).toHaveLength(1);
    end();
    await Promise.all(holding);
  });
});

describe('a read on a connection of its own', () => {
  const prepare = async (): Promise<readonly string[]> => {
    const objects = gadgets(6, () => ({ title: 'x'.repeat(200_000) }));
    await insert(objects);
    slowClock(9);
    return idsOf(objects);
  };

  it.each([
    ['its rows', 200_000, {}],
    ['its JSON', 0, { list: LIST }],
  ])('is refused if it outlives its work while it reads %s', async (_, length, more) => {
    await insert(gadgets(6, () => ({ title: 'x'.repeat(length), ...more })));
    slowClock(9);
    let outliving: Promise<unknown> = Promise.resolve();
    await read(
      async (snapshot) => {
        outliving = getting(idsOf(gadgets(6)))(snapshot);
        outliving.catch(() => undefined);
      },
      { exclusive: true },
    );
    await expect(outliving).rejects.toThrow('after its work had ended');
    expect(await read(getting(idsOf(gadgets(6))))).toHaveLength(6);
  });

  it('gives the connection back if its time is over half-way', async () => {
    const ids = await prepare();
    for (let time = 0; time < 9; time += 1) {
      const { deadline } = { deadline: performance.now() + 250 };
      await expect(read(getting(ids), { deadline })).rejects.toBeInstanceOf(UnavailableError);
    }
    expect(await read(getting(ids))).toHaveLength(6);
  });

  it('a running one ends when the store closes; waiting ones are refused', async () => {
    const ids = await prepare();
    let begun = 0;
    let goOn = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const reads = Array.from({ length: 5 }, () =>
      read(async (snapshot) => {
        const found = await getting(ids)(snapshot);
        begun += 1;
        await gate;
        return found;
      }),
    );
    for (const each of reads) each.catch(() => undefined);
    await eventually(() => expect(begun).toBe(3));
    const closed = engine.store.close();
    const [first, second, third, ...late] = reads;
    for (const each of late) await expect(each).rejects.toBeInstanceOf(UnavailableError);
    goOn();
    await closed;
    for (const each of [first, second, third]) expect(await each).toHaveLength(6);
    engine = await openSqlite({ now: () => 1_000_000 });
  });
});

describe('a transaction that reads large rows', () => {
  it('has every second turn, however many others wait', async () => {
    await insert(gadgets(4, () => ({ list: LIST })));
    slowClock(9);
    for (const options of [{}, { exclusive: true }]) {
      const turns = await besideOthers(() => write(getting(['r000000']), options));
      expect(turns).toBeGreaterThan(1);
      expect(turns).toBeLessThan(OTHERS);
    }
  });

  const prepare = async (): Promise<readonly string[]> => {
    const objects = gadgets(6, (index) => ({ title: `${index}`.padEnd(200_000) }));
    await insert(objects);
    slowClock(9);
    return idsOf(objects);
  };

  it.each([
    ['alone', true],
    ['with others', false],
  ])(
    '%s is undone where its work fails meanwhile, and the writer goes on',
    async (_, exclusive) => {
      const ids = await prepare();
      const failing = write(
        async (transaction) => {
          await transaction.writeRows('insert', Gadget, [gadget('r7')]);
          await Promise.all([getting(ids)(transaction), Promise.reject(new Error('failed'))]);
        },
        { exclusive },
      );
      const next = write((transaction) => transaction.writeRows('insert', Gadget, [gadget('r8')]));
      await expect(failing).rejects.toThrow('failed');
      await next;
      expect(await read((snapshot) => snapshot.existing(Gadget, ['r7', 'r8']))).toEqual(
        new Set(['r8']),
      );
    },
  );

  it('is undone if its time is over half-way, and the writer goes on', async () => {
    const ids = await prepare();
    for (const exclusive of [true, false]) {
      const { deadline } = { deadline: performance.now() + 250 };
      const late = write(
        async (transaction) => {
          await transaction.writeRows('insert', Gadget, [gadget('r7')]);
          await getting(ids)(transaction);
          await getting(ids)(transaction);
          await getting(ids)(transaction);
        },
        { deadline, exclusive },
      );
      await expect(late).rejects.toBeInstanceOf(UnavailableError);
    }
    await write((transaction) => transaction.writeRows('insert', Gadget, [gadget('r8')]));
    expect(await read((snapshot) => snapshot.existing(Gadget, ['r7', 'r8']))).toEqual(
      new Set(['r8']),
    );
  });

  it.each([
    ['alone', true],
    ['with others', false],
  ])('%s commits where its work has not waited for it', async (_, exclusive) => {
    const ids = await prepare();
    let outliving: Promise<unknown> = Promise.resolve();
    await write(
      async (transaction) => {
        await transaction.writeRows('insert', Gadget, [gadget('r7')]);
        outliving = getting(ids)(transaction);
        outliving.catch(() => undefined);
      },
      { exclusive },
    );
    await expect(outliving).rejects.toThrow('after its work had ended');
    expect(await read((snapshot) => snapshot.existing(Gadget, ['r7']))).toEqual(new Set(['r7']));
  });

  it('writes meanwhile, and reads what was there before', async () => {
    const ids = await prepare();
    const found = await write(async (transaction) => {
      const [before] = await Promise.all([
        getting(ids)(transaction),
        transaction.destroy(Gadget, ids.slice(3)),
        transaction.writeRows('insert', Gadget, [gadget('r7')]),
      ]);
      return [before.map(({ title }) => String(title).trim()), await getting(ids)(transaction)];
    });
    expect(found[0]).toEqual(['0', '1', '2', '3', '4', '5']);
    expect(found[1]).toHaveLength(3);
  });

  it('reads by the same statement meanwhile', async () => {
    const ids = await prepare();
    const found = await write((transaction) =>
      Promise.all([
        transaction.get(Gadget, ids, [PROPERTIES.id], HUGE),
        transaction.existing(Gadget, ids),
        transaction.get(Gadget, ids, [PROPERTIES.id], HUGE),
      ]),
    );
    const objects = ids.map((id) => ({ id }));
    expect(found).toEqual([objects, new Set(ids), objects]);
  });

  it('is refused objects of too many octets, and reads no more, even if it writes', async () => {
    const ids = await prepare();
    const { writerDatabase } = engine;
    let rows = 0;
    const prepareStatement = writerDatabase.prepare.bind(writerDatabase);
    vi.spyOn(writerDatabase, 'prepare').mockImplementation((sql: string) => {
      const statement = prepareStatement(sql);
      const iterate = statement.iterate.bind(statement);
      statement.iterate = function* (...parameters) {
        for (const row of iterate(...parameters)) {
          rows += 1;
          yield row;
        }
      };
      return statement;
    });
    await write(async (transaction) => {
      const reading = transaction.get(Gadget, ids, WHOLE, 300_000);
      await Promise.all([
        expect(reading).rejects.toThrow('larger than one call may handle'),
        transaction.destroy(Gadget, ids.slice(3)),
      ]);
    });
    expect(rows).toBe(2);
    expect(await read((snapshot) => snapshot.existing(Gadget, ids))).toEqual(
      new Set(ids.slice(0, 3)),
    );
  });

  it.each([
    ['alone', true],
    ['with others', false],
  ])(
    '%s writes nothing once the database has rolled it back in such a read',
    async (_, exclusive) => {
      const ids = await prepare();
      const { writerDatabase } = engine;
      const prepareStatement = writerDatabase.prepare.bind(writerDatabase);
      vi.spyOn(writerDatabase, 'prepare').mockImplementation((sql: string) => {
        const statement = prepareStatement(sql);
        const iterate = statement.iterate.bind(statement);
        // SQLite rolls back where the disk fails, whatever the statement.
        statement.iterate = function* (...parameters) {
          const [row] = [...iterate(...parameters)];
          yield row;
          writerDatabase.exec('ROLLBACK');
          throw new SqliteDatabase.SqliteError('disk I/O error', 'SQLITE_IOERR_READ');
        };
        return statement;
      });
      const failing = write(
        (transaction) =>
          Promise.all([
            getting(ids)(transaction),
            transaction.writeRows('insert', Gadget, [gadget('r7')]),
          ]),
        { exclusive },
      );
      await expect(failing).rejects.toBeInstanceOf(UnavailableError);
      expect(await read((snapshot) => snapshot.existing(Gadget, ['r7']))).toEqual(new Set());
    },
  );
});
