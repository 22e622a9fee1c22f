import { describe, expect, it } from 'vitest';
import type { Invocation } from '../../src/index.js';
import { makeKey, type PendingCreate } from '../../src/store/write.js';
import { divideGroup } from '../../src/sync/flush.js';
import { LIMITS, makeTable, openAccount, ToyServer } from '../support/toy-server.js';

// Writes that name new objects in texts, where the server puts no ids.

const TABLES = [makeTable('Thing'), makeTable('Other'), makeTable('Third')];
const errorOf = (type: string, id: string): readonly Invocation[] => [['error', { type }, id]];

async function open() {
  const server = new ToyServer();
  const account = await openAccount(server, TABLES, { limits: LIMITS });
  await account.sync.settle();
  const { sync, store } = account;
  const add = (...writes: PendingCreate[]) => {
    void store.commit({ log: [...store.replica.log, ...divideGroup(writes, store.replica)] });
    sync.want();
  };
  return { ...account, server, add };
}

const make = (type: string, id: string, values: object, group?: string): PendingCreate => ({
  ...{ ids: [id], type, key: makeKey(), kind: 'create', sentAs: null },
  ...(group !== undefined && { group }),
  values: values as never,
});

describe('a text that names a new object', () => {
  it('holds up no other write while that type has no time', async () => {
    const { server, add, goOn, isMade, sync } = await open();
    server.answer = ([name, , id]) =>
      name === 'Thing/set' ? errorOf('serverUnavailable', id) : undefined;
    const named = make('Thing', 'named', { text: 'x' });
    add(named, make('Other', 'names', { text: named.key }), make('Third', 'free', { text: 'y' }));
    expect(await goOn(60, () => isMade('free'))).toBe(true);
    await sync.close();
  });

  it('is sent with its group while another type has no time', async () => {
    const { server, add, goOn, isMade, sync } = await open();
    server.answer = ([name, , id]) =>
      name === 'Thing/set' ? errorOf('serverUnavailable', id) : undefined;
    add(make('Thing', 'busy', { text: 'x' }));
    await goOn(5);
    const named = make('Other', 'named', { text: 'x' }, 'g');
    add(
      named,
      make('Other', 'names', { text: named.key }, 'g'),
      make('Third', 'free', { text: 'y' }),
    );
    const all = ['named', 'names', 'free'];
    await goOn(60, () => all.every(isMade));
    expect(all.filter((one) => !isMade(one))).toEqual([]);
    await sync.close();
  });

  it('needs few requests for many pairs', async () => {
    const { server, add, sync, store } = await open();
    const before = server.requests.length;
    const writes = Array.from({ length: 200 }, (_, n) => {
      const named = make('Other', `a${n}`, { text: 'x' });
      return [named, make('Other', `b${n}`, { text: named.key })];
    });
    add(...writes.flat());
    await sync.settle();
    expect(store.replica.log).toHaveLength(0);
    expect(server.requests.length - before).toBeLessThan(20);
    await sync.close();
  });
});
