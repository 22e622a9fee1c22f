import { expect, it, onTestFinished } from 'vitest';
import { ExplainedCall } from '../../src/methods/explain.js';
import type { Snapshot, Store } from '../../src/store/port.js';
import { tracedStore } from '../../src/store/traced.js';
import { ALL, Gadget, gadgets } from './gadget.js';
import { openSqlite } from './open-sqlite.js';
import { A } from './suite/bench.js';

const CALL = { name: 'Gadget/get', args: {}, callId: 'c' };

const MODULE = new URL('./scan-thread.mjs', import.meta.url);

async function open(options: Partial<Parameters<typeof openSqlite>[0]> = {}): Promise<Store> {
  const { store, close } = await openSqlite({ now: Date.now, ...options });
  onTestFinished(close);
  return store;
}

const soon = () => ({ deadline: performance.now() + 20_000 });
const counted = (snapshot: Snapshot): Promise<number> => snapshot.count(Gadget, ALL);

it('the trace says that a read goes on in a thread', async () => {
  const { store } = await openSqlite({
    now: Date.now,
    scans: { module: MODULE },
  });
  const trace = new ExplainedCall(CALL);
  const traced = tracedStore(store, trace);
  await store.write(A, soon(), (transaction) =>
    transaction.writeRows('insert', Gadget, gadgets(3)),
  );
  expect(await traced.read(A, { ...soon(), mayScan: true }, counted)).toBe(3);
  expect(trace.statements).toMatchObject([{ count: 1, failed: 0, rows: 1, inThread: true }]);
  // From the one thread to the other.
  expect(trace.times.waiting).toBeGreaterThan(0);
  const asked = trace.statements.flatMap(({ first }) => first ?? []);
  const plans = await store.plans(A, soon().deadline, asked);
  expect(plans).toEqual([
    {
      steps: expect.arrayContaining([expect.stringContaining('Gadget')]),
      indexes: expect.arrayContaining([expect.any(String)]),
    },
  ]);
});

it('the trace of a work that throws has its statements, and of a refused one none', async () => {
  const store = await open();
  const trace = new ExplainedCall(CALL);
  const traced = tracedStore(store, trace);
  const failing = traced.write(A, soon(), async (transaction) => {
    await transaction.stateNumber(Gadget);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(trace.statements).toMatchObject([{ count: 1, rows: 1 }]);
  expect(trace.times.committing).toBe(0);
  const late = traced.read(A, { deadline: performance.now() - 1 }, counted);
  await expect(late).rejects.toThrow('REQUEST_TIMEOUT');
  expect(trace.statements).toHaveLength(1);
});

it('the trace of a work with its own snapshot has its statements and its commit', async () => {
  const store = await open();
  const trace = new ExplainedCall(CALL);
  const traced = tracedStore(store, trace);
  expect(await traced.read(A, { ...soon(), exclusive: true }, counted)).toBe(0);
  const written = traced.write(A, { ...soon(), exclusive: true }, async (transaction) => {
    await transaction.writeRows('insert', Gadget, gadgets(2));
  });
  await written;
  expect(trace.statements.map(({ rows, sql }) => [rows, sql.slice(0, 6)])).toEqual([
    [1, 'SELECT'],
    [2, 'INSERT'],
  ]);
  expect(trace.times.committing).toBeGreaterThan(0);
});

it('an exclusive work that settles after its deadline leaves the next one alone', async () => {
  const store = await open();
  let settle = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const abandoned = { deadline: performance.now() + 50, exclusive: true };
  await expect(store.write(A, abandoned, () => gate)).rejects.toThrow('REQUEST_TIMEOUT');
  const trace = new ExplainedCall(CALL);
  await tracedStore(store, trace).write(A, { ...soon(), exclusive: true }, async (transaction) => {
    settle();
    // All that the abandoned work does when it settles is done by then.
    await new Promise((resolve) => setImmediate(resolve));
    await transaction.writeRows('insert', Gadget, gadgets(2));
  });
  expect(trace.statements.map(({ rows, sql }) => [rows, sql.slice(0, 6)])).toEqual([[2, 'INSERT']]);
});
