import { expect, it } from 'vitest';
import { memory } from '../../src/persist/memory.js';
import { AccountStore, type CommitNews } from '../../src/store/account-store.js';
import { StoreWriter } from '../../src/store/store-writer.js';
import type { PendingWrite } from '../../src/store/write.js';
import { makeTable } from '../support/toy-server.js';

const create: PendingWrite = {
  ...{ ids: ['one'], type: 'Thing', key: '~one', sentAs: null, unchanged: null },
  ...{ kind: 'create', values: { text: 'one' } },
};

it('a tab that is further hears of the ends of writes by a tab whose store is full', async () => {
  const open = await memory().open('shared');
  const openTab = async () => {
    const news: CommitNews[] = [];
    const writer = new StoreWriter(open, null, () => undefined);
    const store = new AccountStore({
      ...{ accountId: 'A', tables: [makeTable('Thing')], versionOf: () => '1', writer },
      announce: (one) => news.push(one),
    });
    await store.read(open);
    return { store, writer, news };
  };
  const [full, other] = [await openTab(), await openTab()];
  full.writer.noteFull();
  await other.store.beginTurn({ epoch: await open.fence(), isFenced: false }, open);
  for (const state of ['1', '2', '3'])
    await other.store.commit({ cursors: new Map([['Thing', state]]) });
  other.store.endTurn();
  await full.store.commit({ log: [create] }, { isFree: true });
  for (const news of full.news.splice(0)) other.store.follow(news);
  await full.store.beginTurn({ epoch: await open.fence(), isFenced: false }, open);
  const aliases = new Map([['~one', { type: 'Thing', id: 'one' }]]);
  expect(await full.store.commit({ log: [], aliases })).toBe(true);
  full.store.endTurn();
  // It builds on what the other one doesn't have: that one reads the log of the store.
  expect(full.news.map((news) => other.store.follow(news))).toEqual([false]);
  await other.store.read(open);
  expect(other.store.replica.log).toEqual([]);
  // The object keeps its key, and the next write finds it.
  expect(other.store.replica.aliasOf('~one')?.id).toBe('one');
});
