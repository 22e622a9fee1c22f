import { describe, expect, it } from 'vitest';
import {
  refuse,
  type ShownWrite,
  type WriteTarget,
  writeCreate,
  writeUpdate,
} from '../../src/cache/write-forms.js';
import type { TypeTable } from '../../src/schema/tables.js';
import type { PendingWrite } from '../../src/store/write.js';
import { makeTable, openAccount, ToyServer } from '../support/toy-server.js';

// Rows of writes that the server has not answered, beside those that it will have.

const THING: TypeTable = {
  ...makeTable('Thing'),
  properties: {
    text: { kind: 'string', default: '' },
    pin: { kind: 'string', access: 'secret', isNullable: true, default: null },
    made: { kind: 'date', access: 'serverSet' },
    seen: { kind: 'date', isNow: true },
    today: { kind: 'string', format: 'local-date', isNow: true },
    local: { kind: 'string', format: 'local-date-time', isNow: true },
    given: { kind: 'date' },
  },
};

async function openThings() {
  const server = new ToyServer();
  const { store, sync } = await openAccount(server, [THING]);
  await sync.settle();
  const { replica } = store;
  const take = (write: PendingWrite): ShownWrite => {
    const saved = store.commit({ log: [...replica.log, write] });
    sync.want();
    const result = Promise.reject(new Error('Nobody waits for it.'));
    result.catch(() => undefined);
    return { object: replica.row(write.type, write.key), saved, result };
  };
  const find = (type: string, id: string) => {
    const key = replica.keyOf(type, id);
    return { key, row: replica.row(type, key) };
  };
  const target: WriteTarget = {
    ...{ find, take, refusal: null, isLoading: false },
    defer: (make) => make(target),
    refuse: (_, error) => ({ object: undefined, ...refuse(error) }),
  };
  return { server, sync, store, replica, target };
}

describe('the row of a create', () => {
  it('has the present time where the server sets it', async () => {
    const { target } = await openThings();
    const before = new Date().toISOString();
    const { object } = writeCreate(target, THING, { text: 'one', seen: '2026-01-01T00:00:00Z' });
    const { made, seen, today, local } = object as Record<string, unknown>;
    expect(seen).toBe('2026-01-01T00:00:00Z');
    expect(String(made) >= before).toBe(true);
    expect(today).toBe(String(made).slice(0, 10));
    expect(local).toBe(String(made).slice(0, 19));
    expect(object).not.toHaveProperty('given');
    expect(writeCreate(target, THING, {}).object).toHaveProperty('seen');
  });
});

describe('a secret', () => {
  it('is sent, and stands in no row, before the answer and behind it', async () => {
    const { server, sync, store, replica, target } = await openThings();
    const shown: { readonly $pending: boolean }[] = [];
    store.listen(() => shown.push(...replica.rows('Thing'), ...replica.baseRows('Thing')));
    let isBusy = false;
    server.answer = ([name, args, id]) => {
      // For a while the client knows the object by what it has sent alone.
      isBusy = name === 'Thing/set' || (isBusy && name !== 'Thing/get');
      if (isBusy && name === 'Thing/changes') return [['error', { type: 'serverUnavailable' }, id]];
      const keys = Object.keys((args['create'] ?? {}) as object);
      const created = Object.fromEntries(keys.map((key) => [key, { id: 't1' }]));
      return name === 'Thing/set' ? [[name, { created, updated: { t1: null } }, id]] : undefined;
    };
    for (const text of ['one', 'two']) {
      server.objects.set('t1', { id: 't1', type: 'Thing', text });
      if (text === 'one') writeCreate(target, THING, { text, pin: '1234' });
      else writeUpdate(target, ['Thing', 't1'], { text, pin: '5678' });
      await sync.settle();
    }
    const states = new Set(shown.map(({ $pending }) => $pending));
    expect([...states].sort()).toEqual([false, true]);
    for (const row of shown) expect(row).not.toHaveProperty('pin');
    const sent = JSON.stringify(server.requests);
    expect([sent.includes('1234'), sent.includes('5678')]).toEqual([true, true]);
  });
});
