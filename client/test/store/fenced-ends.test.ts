import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { AccountWrites } from '../../src/cache/account-writes.js';
import { Problems } from '../../src/cache/problems.js';
import { writeCreate, writeDestroy, writeUpdate } from '../../src/cache/write-forms.js';
import { memory } from '../../src/persist/memory.js';
import type { Change as RowChange } from '../../src/persist/port.js';
import { AccountStore } from '../../src/store/account-store.js';
import { StoreWriter } from '../../src/store/store-writer.js';
import { LIMITS, makeTable } from '../support/toy-server.js';

const ERROR = { type: 'notFound' };

/** Opens an account in a tab that has its turn, with a write whose end nobody has asked for. */
async function openInTurn() {
  const open = await memory().open('shared');
  /** The rows that other tabs are told of. */
  const told: RowChange[] = [];
  const writer = new StoreWriter(open, null, () => undefined);
  const store = new AccountStore({
    ...{ accountId: 'A', tables: [makeTable('Thing')], versionOf: () => '1', writer },
    announce: ({ rows }) => told.push(...rows),
  });
  const removed: (readonly RowChange[])[] = [];
  const problems = new Problems(
    (rows) => removed.push(rows),
    { settle: async () => undefined, lacks: () => false },
    () => false,
  );
  const writes = new AccountWrites({
    ...{ accountId: 'A', store, problems, peers: { isShared: true } },
    ...{ limits: () => LIMITS, findRefusal: () => null, onWrite: () => undefined },
    ...{ types: () => [], isOutdated: () => false },
    uploads: { mark: (write: unknown) => write, note: () => undefined },
  } as never);
  const turn = { epoch: await open.fence(), isFenced: false };
  await store.beginTurn(turn, open);
  const shown = writeUpdate(writes, ['Thing', 'x'], { name: 'a' });
  await shown.saved;
  const [write] = store.replica.log;
  if (write === undefined) throw new Error('There is no write.');
  const end = (areAnswers: boolean) =>
    writes.commit({ log: [] }, [{ isMade: false, write, error: ERROR }], areAnswers);
  const findTold = () => problems.list.getSnapshot();
  return { turn, open, told, removed, writer, store, problems, writes, shown, end, findTold };
}

describe('an end that no answer has given', () => {
  it('is told once it is durable, and is forgotten by nobody meanwhile', async () => {
    const { open, writes, end, findTold } = await openInTurn();
    const durable = end(false);
    expect(findTold()).toEqual([]);
    await writes.endForgotten(open);
    expect(await durable).toBe(true);
    expect(findTold()).toMatchObject([{ error: ERROR }]);
  });

  it('is told where another tab takes the turn behind its commit', async () => {
    const { turn, end, findTold } = await openInTurn();
    const durable = end(false);
    turn.isFenced = true;
    expect(await durable).toBe(true);
    expect(findTold()).toHaveLength(1);
  });

  it('is not told where another tab has the turn: the write is in the log again', async () => {
    const { open, store, end, findTold } = await openInTurn();
    await open.fence();
    expect(await end(false)).toBe(false);
    store.endTurn();
    await store.read(open);
    expect(findTold()).toEqual([]);
    expect(store.replica.log).toHaveLength(1);
  });

  it('is stored by no tab that has lost its turn, where somebody has asked', async () => {
    const { open, removed, shown, end } = await openInTurn();
    void shown.result;
    await open.fence();
    expect(await end(false)).toBe(false);
    await setTimeout(10);
    expect(await open.load('meta', 'problem ')).toEqual([]);
    expect(removed).toEqual([]);
  });

  it('is a problem in the store until it is told to who has asked', async () => {
    const { open, told, removed, shown, end, findTold } = await openInTurn();
    const { result } = shown;
    const durable = end(false);
    expect(removed).toEqual([]);
    expect(await durable).toBe(true);
    expect(await result).toEqual({ ok: false, error: ERROR });
    // The tab may have ended before it could tell.
    const [row] = await open.load('meta', 'problem ');
    expect(removed).toEqual([[{ table: 'meta', key: row?.[0] }]]);
    expect(told.map(({ key }) => key)).not.toContain(row?.[0]);
    expect(findTold()).toEqual([]);
  });

  it('is no success where another tab has the turn, before the log is read again', async () => {
    const { open, store, writes, shown, end } = await openInTurn();
    await open.fence();
    expect(await end(false)).toBe(false);
    await writes.endForgotten(open);
    store.endTurn();
    await store.read(open);
    expect(store.replica.log).toHaveLength(1);
    await setTimeout(10);
    const told = await Promise.race([shown.result, Promise.resolve('nothing')]);
    expect(told).toBe('nothing');
  });

  it('is told where another tab has the turn of a tab that has lost its store', async () => {
    const { turn, writer, end, findTold } = await openInTurn();
    turn.isFenced = true;
    writer.lose('lost');
    expect(await end(false)).toBe(false);
    expect(findTold()).toHaveLength(1);
  });

  it('is told by nobody where two writes end each other in a turn that is lost', async () => {
    const { open, store, writes } = await openInTurn();
    const made = writeCreate(writes, makeTable('Thing'), { name: 'b' });
    await made.saved;
    const key = store.replica.log.find(({ kind }) => kind === 'create')?.key ?? '';
    const gone = writeDestroy(writes, 'Thing', key);
    await gone.saved;
    const ends = [made.result, gone.result].map((result) => result.then(() => 'told'));
    await open.fence();
    writes.tidy();
    expect(store.replica.log).toHaveLength(1);
    await setTimeout(10);
    expect(await Promise.race([...ends, Promise.resolve('nothing')])).toBe('nothing');
  });
});

it('an end that is an answer is told at once, whoever has the turn', async () => {
  const { open, end, findTold } = await openInTurn();
  await open.fence();
  const durable = end(true);
  expect(findTold()).toMatchObject([{ error: ERROR }]);
  expect(await durable).toBe(false);
});
