import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { UnavailableError } from '../../src/protocol/errors.js';
import type { StateChange } from '../../src/store/port.js';
import { Connection } from '../../src/store/sqlite/connection.js';
import { Gadget, gadget } from './gadget.js';
import { openSqlite } from './open-sqlite.js';
import { storeSuite } from './suite.js';

storeSuite('SQLite', openSqlite);

describe('store on SQLite alone', () => {
  const soon = () => ({ deadline: performance.now() + 20_000 });

  it('a full disk undoes a whole /set, even one that goes on after the error', async () => {
    const { store, writerDatabase, close } = await openSqlite({ now: Date.now });
    onTestFinished(close);
    const heard: StateChange[] = [];
    store.onCommit((change) => heard.push(change));
    writerDatabase.pragma(
      `max_page_count = ${writerDatabase.pragma('page_count', { simple: true })}`,
    );
    const created = { objectId: 'r1', kind: 'created' } as const;
    const stubborn = store.write('a', soon(), async (transaction) => {
      await transaction.record(Gadget, [created]);
      const large = gadget('r1', { title: 'x'.repeat(1_000_000) });
      await transaction.writeRows('insert', Gadget, [large]).catch(() => 'full');
      await transaction.writeRows('insert', Gadget, [gadget('r2')]).catch(() => 'rolled back');
      return 'done';
    });
    const beside = store.write('b', soon(), (transaction) => transaction.record(Gadget, [created]));
    await expect(stubborn).rejects.toBeInstanceOf(UnavailableError);
    writerDatabase.pragma('max_page_count = 1000000');
    await beside.catch((error: unknown) => expect(error).toBeInstanceOf(UnavailableError));
    const left = await store.read('a', soon(), async (snapshot) => [
      await snapshot.count(Gadget, { kind: 'all' }),
      await snapshot.stateNumber(Gadget),
    ]);
    expect(left).toEqual([0, 0]);
    expect(heard.filter((change) => change.accountId === 'a')).toEqual([]);
  });

  it('keeps prepared statements, except long ones that clients vary without end', async () => {
    const { writerDatabase, close } = await openSqlite({ now: Date.now });
    onTestFinished(close);
    const prepare = vi.spyOn(writerDatabase, 'prepare');
    const connection = new Connection(writerDatabase);
    const long = `SELECT ${'1 + '.repeat(900)}'${'x'.repeat(10_000)}'`;
    for (let round = 0; round < 3; round += 1) {
      expect(await connection.all('SELECT 1')).toEqual([[1]]);
      expect(await connection.all(long)).toHaveLength(1);
    }
    expect(prepare.mock.calls.filter(([text]) => text === 'SELECT 1')).toHaveLength(1);
    expect(prepare.mock.calls.filter(([text]) => text === long)).toHaveLength(3);
  });

  it('nothing runs on after the database has rolled back by itself', async () => {
    const { store, writerDatabase, close } = await openSqlite({ now: Date.now });
    onTestFinished(close);
    const work = store.write('a', soon(), async (transaction) => {
      writerDatabase.exec('ROLLBACK');
      await transaction.writeRows('insert', Gadget, [gadget('r1')]);
    });
    await expect(work).rejects.toBeInstanceOf(UnavailableError);
    const count = store.read('a', soon(), (snapshot) => snapshot.count(Gadget, { kind: 'all' }));
    expect(await count).toBe(0);
  });
});
