import { describe, expect, it } from 'vitest';
import { memory } from '../../src/persist/memory.js';
import type { OpenStore } from '../../src/persist/port.js';
import { AccountStore, type CommitNews } from '../../src/store/account-store.js';
import { StoreWriter } from '../../src/store/store-writer.js';
import { makeKey, type PendingWrite } from '../../src/store/write.js';
import { recover } from '../../src/sync/recovery.js';
import { makeTable } from '../support/toy-server.js';

const create = (key: string): PendingWrite => ({
  ...{ ids: [key], type: 'Thing', key, sentAs: null, unchanged: null },
  ...{ kind: 'create', values: { text: key } },
});

function openTab(open: OpenStore): AccountStore {
  return new AccountStore({
    ...{ accountId: 'A', tables: [makeTable('Thing')], versionOf: () => '1' },
    writer: new StoreWriter(open, null, () => undefined),
    announce: () => undefined,
  });
}

it('a turn that another tab takes over leaves the writes that were made in it', async () => {
  const open = await memory().open('shared');
  const store = openTab(open);
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
  const [first, second, third] = [openTab(), openTab(), openTab()];
  for (const { store } of [first, second, third]) await store.read(open);
  await first.store.commit({ log: [create('~late')] }, { isFree: true });
  await third.store.beginTurn({ epoch: await open.fence(), isFenced: false }, open);
  expect(third.store.replica.log).toHaveLength(1);
  await third.store.commit({ log: [] });
  third.store.endTurn();
  const turn = { epoch: await open.fence(), isFenced: false };
  await second.store.beginTurn(turn, open);
  await first.store.commit({ log: [...first.store.replica.log, create('~new')] }, { isFree: true });
  for (const one of first.news) second.store.follow(one);
  expect(second.store.replica.log).toHaveLength(2);
  await second.store.planWith(
    async () => undefined,
    async () => undefined,
  );
  expect(second.store.replica.log.map(({ key }) => key)).toEqual(['~new']);
});

describe('a create whose answer is lost with the turn of its tab', () => {
  const key = makeKey();
  const thing = (id: string) => ({ id, text: 'same' });
  const make = (id: string) => ({
    objects: new Map([['Thing', new Map([[id, thing(id)]])]]),
    aliases: new Map([[key, { type: 'Thing', id }]]),
    log: [],
  });

  /** The tab has heard that the server has made the object, and could not keep that. */
  async function lose() {
    const open = await memory().open('shared');
    const tab = openTab(open);
    const values = { text: 'same' };
    const sent = { ...create(key), values, sentAs: 'call', sentIn: '1' } as PendingWrite;
    await tab.beginTurn({ epoch: await open.fence(), isFenced: false }, open);
    expect(await tab.commit({ log: [sent] })).toBe(true);
    const epoch = await open.fence();
    expect(await tab.commit(make('t1'))).toBe(false);
    expect(tab.endTurn()).toBe(false);
    return { open, tab, sent, epoch };
  }

  it('is found again by its tab', async () => {
    const { open, tab, sent } = await lose();
    await tab.read(open);
    expect(tab.replica.log).toEqual([sent]);
    const lost = { sentAs: 'call', type: 'Thing', created: ['t1'], state: '2', hasMore: false };
    const objects = new Map([['t1', thing('t1')]]);
    // The tab may have the object already, under the key that it was given in vain.
    for (const pulled of [objects, undefined]) {
      const { outcomes } = recover(lost, tab.replica, { objects: pulled, isWhole: true });
      expect(outcomes).toEqual([{ isMade: true, write: sent, id: 't1' }]);
      tab.replica.apply({ objects: new Map([['Thing', objects]]) });
    }
  });

  it('gives its key to the object that another tab has made', async () => {
    const { open, tab, epoch } = await lose();
    const other = openTab(open);
    await other.beginTurn({ epoch, isFenced: false }, open);
    const { objects, ...made } = make('t2');
    objects.get('Thing')?.set('t1', thing('t1'));
    expect(await other.commit({ objects, ...made })).toBe(true);
    await tab.read(open);
    for (const { replica } of [tab, other]) {
      const rows = [...replica.rows('Thing')].map(({ id, $key }) => ({ id, $key }));
      expect(rows).toHaveLength(2);
      expect(rows).toEqual(
        expect.arrayContaining([
          { id: 't1', $key: 't1' },
          { id: 't2', $key: key },
        ]),
      );
    }
  });
});
