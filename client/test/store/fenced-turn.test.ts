import { expect, it } from 'vitest';
import { memory } from '../../src/persist/memory.js';
import { AccountStore, type CommitNews } from '../../src/store/account-store.js';
import { StoreWriter } from '../../src/store/store-writer.js';
import type { PendingWrite } from '../../src/store/write.js';
import { makeTable } from '../support/toy-server.js';

const create = (key: string): PendingWrite => ({
  ...{ ids: [key], type: 'Thing', key, sentAs: null, unchanged: null },
  ...{ kind: 'create', values: { text: key } },
});

it('a turn that another tab takes over leaves the writes that were made in it', async () => {
  const open = await memory().open('shared');
  const store = new AccountStore({
    ...{ accountId: 'A', tables: [makeTable('Thing')], versionOf: () => '1' },
    writer: new StoreWriter(open, null, () => undefined),
    announce: () => undefined,
  });
  const turn = { epoch: await open.fence(), isFenced: false };
  await store.beginTurn(turn, open);
  await open.fence();
  const planned = store.commit({ log: [create('~planned')] });
  const write = store.commit({ log: [...store.replica.log, create('~mine')] }, { isFree: true });
  expect(await planned).toBe(false);
  expect(turn.isFenced).toBe(true);
  void store.commit({ log: [...store.replica.log, create('~late')] }, { isFree: true });
  expect(store.endTurn()).toBe(false);
  expect(store.replica.log.map(({ key }) => key)).toEqual(['~mine', '~late']);
  expect(await write).toBe(true);
});

it('a write that is told of late is not taken in a turn that finds it ended', async () => {
  const open = await memory().open('shared');
  const openTab = () => {
    const news: CommitNews[] = [];
    const writer = new StoreWriter(open, null, () => undefined);
    const store = new AccountStore({
      ...{ accountId: 'A', tables: [makeTable('Thing')], versionOf: () => '1', writer },
      announce: (one) => news.push(one),
    });
    return { store, news };
  };
  const [first, second] = [openTab(), openTab()];
  for (const { store } of [first, second]) await store.read(open);
  await first.store.commit({ log: [create('~late')] }, { isFree: true });
  const turn = { epoch: await open.fence(), isFenced: false };
  await second.store.beginTurn(turn, open);
  expect(second.store.replica.log).toHaveLength(1);
  await second.store.commit({ log: [] });
  await first.store.commit({ log: [...first.store.replica.log, create('~new')] }, { isFree: true });
  for (const one of first.news) second.store.follow(one);
  await second.store.checkTold();
  expect(second.store.replica.log.map(({ key }) => key)).toEqual(['~new']);
});
