import { describe, expect, it } from 'vitest';
import { type CacheStore, memory } from '../../src/index.js';
import type { Table } from '../../src/persist/port.js';
import { StoreLostError } from '../../src/persist/store-errors.js';
import { fillStore, useTodos } from '../support/todos.js';
import { wrapStore } from '../support/wrap-store.js';

// Clients whose store can be opened and not be read, and a user with nothing to read.

const served = useTodos();

/** Returns a store before another one: reading a table ends with its error. Notes its closes. */
function failReading(store: CacheStore, errors: Partial<Record<Table, Error>>, closes: string[]) {
  const check = (table: Table): void => {
    const error = errors[table];
    if (error !== undefined) throw error;
  };
  return wrapStore(store, (open, name) => ({
    async load(table, prefix) {
      check(table);
      return open.load(table, prefix);
    },
    async loadPage(table, prefix, after) {
      check(table);
      return open.loadPage(table, prefix, after);
    },
    async read(table, keys) {
      check(table);
      return open.read(table, keys);
    },
    close() {
      closes.push(name);
      return open.close();
    },
  }));
}

describe('connect', () => {
  it.each([
    ['its session', 'meta'],
    ['its writes', 'log'],
    ['its objects', 'objects'],
  ] as const)('goes on in memory where the store is lost at %s', async (_, table) => {
    const store = await fillStore(served);
    const closes: string[] = [];
    const lost = { [table]: new StoreLostError('The store is lost.') };
    const broken = failReading(store, lost, closes);
    const jmap = await served.connect({ store: broken, username: 'u1' });
    expect(jmap.sync.getSnapshot()).toMatchObject({ storage: 'lost' });
    expect(closes).not.toEqual([]);
    const write = jmap.account().Todo.create({ text: 'in memory' });
    expect(await write.saved).toBe(false);
    expect(await write.result).toMatchObject({ ok: true });
    await jmap.close();
    const again = await served.connect({ store, username: 'u1' });
    await again.sync.settled();
    const { list } = await again.account().Todo.get();
    expect(list.map(({ text }) => text)).toContain('unsent');
  });

  it('rejects where the store has a fault of its own, and closes it', async () => {
    const closes: string[] = [];
    const store = failReading(memory(), { log: new TypeError('A fault.') }, closes);
    await expect(served.connect({ store })).rejects.toThrow('A fault.');
    expect(closes).toHaveLength(1);
  });

  it('is made for a user without accounts', async () => {
    const { session } = await served.connect();
    const body = { ...session, accounts: {}, primaryAccounts: {} };
    served
      .proxy()
      .decide(({ path }) => (path === '/.well-known/jmap' ? { status: 200, body } : 'pass'));
    const jmap = await served.connect({ store: memory() });
    await jmap.sync.settled();
    expect(jmap.sync.getSnapshot()).toMatchObject({ pending: 0, storage: 'kept' });
    expect(() => jmap.account()).toThrow('no account');
  });
});
