import * as fake from 'fake-indexeddb';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { indexedDb } from '../../src/persist/indexeddb.js';
import type { Change, OpenStore, Store } from '../../src/persist/port.js';
import { QuotaError, StoreLostError } from '../../src/persist/store-errors.js';
import { describeStore } from './contract.js';

/** The interfaces that a browser gives to all scripts. */
const GLOBALS = Object.fromEntries(
  Object.entries(fake).filter(([name]) => /^IDB[A-Z]/.test(name) && name !== 'IDBRecord'),
);

beforeAll(() => {
  for (const [name, value] of Object.entries(GLOBALS)) vi.stubGlobal(name, value);
});
beforeEach(() => vi.stubGlobal('indexedDB', new fake.IDBFactory()));
afterAll(() => {
  vi.unstubAllGlobals();
});

/** Opens again at once what was lost. */
function makeStore(): Store {
  return indexedDb({ reopenAfter: 1 });
}

function put(key: string, value: Change['value'] = 1): Change {
  return { table: 'objects', key, ...(value !== undefined && { value }) };
}

/** Lets the next transactions of all databases fail, each with an error of this name. */
function failTransactions(name: string, times: number): { readonly mock: { calls: unknown[] } } {
  const spy = vi.spyOn(fake.IDBDatabase.prototype, 'transaction');
  for (let time = 0; time < times; time += 1)
    spy.mockImplementationOnce(() => {
      throw new DOMException('The database has failed.', name);
    });
  return spy;
}

/** Gathers the databases that are opened from now on. */
function watchDatabases(): IDBDatabase[] {
  const databases: IDBDatabase[] = [];
  const open = indexedDB.open.bind(indexedDB);
  vi.spyOn(indexedDB, 'open').mockImplementation((name, version) => {
    const request = open(name, version);
    request.addEventListener('success', () => databases.push(request.result));
    return request;
  });
  return databases;
}

/** Closes a database as a browser does that clears its files. */
function forceClose(database: IDBDatabase | undefined): void {
  fake.forceCloseDatabase(database as never);
}

function end(request: IDBRequest): Promise<unknown> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error));
  });
}

describeStore('the store in IndexedDB', { makeStore });

describe('a database that was lost', () => {
  it('is opened again after the browser has closed it', async () => {
    const databases = watchDatabases();
    const store = await makeStore().open('n');
    await store.commit([put('a')], {});
    forceClose(databases[0]);
    await store.commit([put('b')], {});
    expect(await store.load('objects')).toHaveLength(2);
    expect(databases).toHaveLength(2);
  });

  it('is opened again when the browser closes it amid a commit', async () => {
    const databases = watchDatabases();
    const store = await makeStore().open('n');
    const commit = store.commit([put('a')], { durable: true });
    const next = store.commit([put('a', 2)], {});
    await Promise.resolve();
    forceClose(databases[0]);
    await Promise.all([commit, next]);
    expect(await store.load('objects')).toEqual([['a', 2]]);
  });

  it.each(['UnknownError', 'InvalidStateError', 'AbortError', 'TransactionInactiveError'])(
    'is opened again after three failures by %s',
    async (name) => {
      const databases = watchDatabases();
      const store = await makeStore().open('n');
      const spy = failTransactions(name, 3);
      await store.commit([put('a')], {});
      expect(spy.mock.calls).toHaveLength(4);
      expect(await store.load('objects')).toEqual([['a', 1]]);
      expect(databases).toHaveLength(4);
    },
  );

  it('is given up after four failures, and tried anew by the next call', async () => {
    const store = await makeStore().open('n');
    failTransactions('UnknownError', 4);
    await expect(store.commit([put('a')], {})).rejects.toBeInstanceOf(StoreLostError);
    await store.commit([put('b')], {});
    expect(await store.load('objects')).toEqual([['b', 1]]);
  });

  it('gets a commit before later ones, however often it was lost', async () => {
    const store = await makeStore().open('n');
    failTransactions('UnknownError', 3);
    const commits = [store.commit([put('a', 'first')], {}), store.commit([put('a', 'last')], {})];
    await Promise.all(commits);
    expect(await store.load('objects')).toEqual([['a', 'last']]);
  });

  it('may fail at its opening', async () => {
    const open = vi.spyOn(indexedDB, 'open');
    for (let time = 0; time < 3; time += 1)
      open.mockImplementationOnce(() => {
        throw new DOMException('Internal error.', 'UnknownError');
      });
    const store = await makeStore().open('n');
    await store.commit([put('a')], {});
    open.mockImplementation(() => {
      throw new DOMException('Internal error.', 'UnknownError');
    });
    await expect(makeStore().open('n')).rejects.toBeInstanceOf(StoreLostError);
  });

  it('is lost where there is no IndexedDB', async () => {
    vi.stubGlobal('indexedDB', undefined);
    await expect(makeStore().open('n')).rejects.toBeInstanceOf(StoreLostError);
  });

  it('of a later version is left as it is', async () => {
    const request = indexedDB.open('n', 2);
    ((await end(request)) as IDBDatabase).close();
    await expect(makeStore().open('n')).rejects.toBeInstanceOf(StoreLostError);
    expect(await indexedDB.databases()).toEqual([{ name: 'n', version: 2 }]);
  });
});

describe('a database that someone removes', () => {
  /** Opens a store with a row, and removes its database. */
  async function openAndRemove(): Promise<OpenStore> {
    const store = await makeStore().open('n');
    await store.commit([put('a')], {});
    await end(indexedDB.deleteDatabase('n'));
    return store;
  }

  it('is closed, so that nobody waits for it', async () => {
    await openAndRemove();
    expect(await indexedDB.databases()).toEqual([]);
  });

  it('is not filled by the handle that had it open', async () => {
    const store = await openAndRemove();
    await expect(store.commit([put('b')], {})).rejects.toBeInstanceOf(StoreLostError);
    await expect(store.load('objects')).rejects.toBeInstanceOf(StoreLostError);
    await expect(store.fence()).rejects.toBeInstanceOf(StoreLostError);
    expect(await (await makeStore().open('n')).load('objects')).toEqual([]);
  });

  it('can be wiped, and then be filled', async () => {
    const store = await openAndRemove();
    await store.wipe();
    await store.commit([put('b')], {});
    expect(await store.load('objects')).toEqual([['b', 1]]);
  });
});

describe('a commit', () => {
  it('without room rejects with QuotaError, leaves nothing and is made once', async () => {
    const store = await makeStore().open('n');
    const spy = vi.spyOn(fake.IDBObjectStore.prototype, 'put');
    spy.mockImplementationOnce(() => {
      throw new DOMException('There is no room.', 'QuotaExceededError');
    });
    const commit = store.commit([{ ...put('a') }, put('b')], {});
    await expect(commit).rejects.toBeInstanceOf(QuotaError);
    expect(spy.mock.calls).toHaveLength(1);
    expect(await store.load('objects')).toEqual([]);
  });

  it('of what is no JSON rejects with the error of the browser, and is made once', async () => {
    const store = await makeStore().open('n');
    const spy = vi.spyOn(fake.IDBObjectStore.prototype, 'put');
    const changes = [put('a'), put('b', { f: () => undefined } as never)];
    await expect(store.commit(changes, {})).rejects.toMatchObject({ name: 'DataCloneError' });
    expect(spy.mock.calls).toHaveLength(2);
    expect(await store.load('objects')).toEqual([]);
  });

  it('waits for the disk only where it is durable', async () => {
    const store = await makeStore().open('n');
    const spy = vi.spyOn(fake.IDBDatabase.prototype, 'transaction');
    await store.commit([put('a')], {});
    await store.commit([put('a')], { durable: true });
    expect(spy.mock.calls.map(([, mode, options]) => [mode, options])).toEqual([
      ['readwrite', { durability: 'relaxed' }],
      ['readwrite', { durability: 'strict' }],
    ]);
  });
});
