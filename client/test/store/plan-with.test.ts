import { describe, expect, it } from 'vitest';
import { memory } from '../../src/persist/memory.js';
import type { Change, OpenStore } from '../../src/persist/port.js';
import { AccountStore, type CommitNews } from '../../src/store/account-store.js';
import { StoreWriter } from '../../src/store/store-writer.js';
import type { PendingWrite } from '../../src/store/write.js';
import { makeTable } from '../support/toy-server.js';
import { overrideCalls } from '../support/wrap-store.js';

// A tab plans its writes in its turn, while other tabs tell of theirs.

const create = (key: string): PendingWrite => ({
  ...{ ids: [key], type: 'Thing', key, sentAs: null, unchanged: null },
  ...{ kind: 'create', values: { text: key } },
});

const nothing = async (): Promise<void> => undefined;

function openTab(open: OpenStore) {
  const news: CommitNews[] = [];
  const writer = new StoreWriter(open, null, () => undefined);
  const store = new AccountStore({
    ...{ accountId: 'A', tables: [makeTable('Thing')], versionOf: () => '1', writer },
    announce: (one) => news.push(one),
  });
  return { store, writer, news };
}

/** Opens a tab that has its turn, and another one that writes. */
async function openTabs(own: (open: OpenStore) => Partial<OpenStore> = () => ({})) {
  const shared = await memory().open('shared');
  const open = overrideCalls(shared, own(shared));
  const [planner, other] = [openTab(open), openTab(shared)];
  await other.store.read(shared);
  await planner.store.beginTurn({ epoch: await shared.fence(), isFenced: false }, open);
  const { store, news } = other;
  return {
    ...{ planner, other },
    keys: () => planner.store.replica.log.map(({ key }) => key),
    /** Makes an object in the other tab; returns what that tells. */
    async write(key: string): Promise<CommitNews> {
      await store.commit({ log: [...store.replica.log, create(key)] }, { isFree: true });
      const last = news.at(-1);
      if (last === undefined) throw new Error('Nothing is told.');
      return last;
    },
  };
}

describe('writes that other tabs tell of in a turn', () => {
  it('have the store read once at its begin, however fast they come', async () => {
    const shared = await memory().open('shared');
    const [planner, other] = [openTab(shared), openTab(shared)];
    for (const { store } of [planner, other]) await store.read(shared);
    let reads = 0;
    const open = overrideCalls(shared, {
      async load(table, prefix) {
        const rows = await shared.load(table, prefix);
        if (table !== 'log') return rows;
        reads += 1;
        const write = create(`~${reads}`);
        const log = [...other.store.replica.log, write];
        await other.store.commit({ log }, { isFree: true });
        for (const news of other.news.slice(-1)) planner.store.follow(news);
        return rows;
      },
    });
    await planner.store.beginTurn({ epoch: await shared.fence(), isFenced: false }, open);
    expect(reads).toBe(1);
    await planner.store.planWith(nothing, nothing);
    expect(reads).toBe(2);
    expect(planner.store.replica.log).toHaveLength(2);
  });

  it('come behind a plan that is being made', async () => {
    const { planner, keys, write } = await openTabs();
    planner.store.follow(await write('~early'));
    const late = await write('~late');
    const seen: (readonly string[])[] = [];
    await planner.store.planWith(
      async () => {
        planner.store.follow(await write('~unread'));
      },
      async () => {
        seen.push(keys());
        planner.store.follow(late);
        seen.push(keys());
      },
    );
    // The log was read when two of them were there.
    expect(seen).toEqual([
      ['~early', '~late'],
      ['~early', '~late'],
    ]);
    expect(keys()).toEqual(['~early', '~late', '~unread']);
  });

  it('have the log read once for each plan, however many they are', async () => {
    let reads = 0;
    const { planner, write } = await openTabs((open) => ({
      load(table, prefix) {
        if (table === 'log') reads += 1;
        return open.load(table, prefix);
      },
    }));
    reads = 0;
    const row: Change = { table: 'meta', key: 'upload A ~f', value: { size: 1 } };
    const told = { accountId: 'A', step: null, before: 0, isStored: true, outcomes: [] };
    planner.store.follow({ ...told, rows: [row] });
    await planner.store.planWith(nothing, nothing);
    expect(reads).toBe(0);
    for (const key of ['~a', '~b', '~c']) planner.store.follow(await write(key));
    const hearMore = async (): Promise<void> => {
      planner.store.follow(await write('~d'));
    };
    await planner.store.planWith(hearMore, nothing);
    expect(reads).toBe(1);
    await planner.store.planWith(nothing, nothing);
    expect(reads).toBe(2);
    await planner.store.planWith(nothing, nothing);
    expect(reads).toBe(2);
  });
});

describe('an account', () => {
  it('is read once, however fast others write, and shows no write that is gone', async () => {
    const shared = await memory().open('shared');
    const [tab, other] = [openTab(shared), openTab(shared)];
    for (const { store } of [tab, other]) await store.read(shared);
    const add = async (key: string): Promise<void> => {
      const log = [...other.store.replica.log, create(key)];
      await other.store.commit({ log }, { isFree: true });
    };
    await add('~gone');
    await other.store.commit({ log: [] }, { isFree: true });
    const [late] = other.news.splice(0);
    const shown: (readonly string[])[] = [];
    tab.store.listen(() => shown.push(tab.store.replica.log.map(({ key }) => key)));
    let reads = 0;
    const open = overrideCalls(shared, {
      async load(table, prefix) {
        const rows = await shared.load(table, prefix);
        if (table !== 'log') return rows;
        reads += 1;
        await add('~new');
        for (const news of [late, ...other.news]) if (news !== undefined) tab.store.follow(news);
        return rows;
      },
    });
    await tab.store.read(open);
    expect(reads).toBe(1);
    expect(new Set(shown.flat())).toEqual(new Set(['~new']));
    expect(tab.store.replica.log).toHaveLength(1);
  });

  it('is taken over though other tabs write while new writes are looked for', async () => {
    const shared = await memory().open('shared');
    const [tab, other] = [openTab(shared), openTab(shared)];
    for (const { store } of [tab, other]) await store.read(shared);
    let checks = 0;
    const add = async (key: string): Promise<void> => {
      const log = [...other.store.replica.log, create(key)];
      await other.store.commit({ log }, { isFree: true });
      for (const news of other.news.slice(-1)) tab.store.follow(news);
    };
    const open = overrideCalls(shared, {
      async load(table, prefix) {
        if (table === 'log') await add('~0');
        return shared.load(table, prefix);
      },
      async read(table, keys) {
        if (table !== 'log') return shared.read(table, keys);
        checks += 1;
        await add(`~${checks}`);
        return shared.read(table, keys);
      },
    });
    await tab.store.beginTurn({ epoch: await shared.fence(), isFenced: false }, open);
    expect(checks).toBe(1);
    expect(tab.store.replica.log.map(({ key }) => key)).toEqual(['~0', '~1']);
  });

  it('has no room in the store either where a tab without room went on', async () => {
    const shared = await memory().open('shared');
    const [tab, full] = [openTab(shared), openTab(shared)];
    for (const { store } of [tab, full]) await store.read(shared);
    full.writer.noteFull();
    await full.store.beginTurn({ epoch: await shared.fence(), isFenced: false }, shared);
    await full.store.commit({ cursors: new Map([['Thing', '1']]) });
    for (const news of full.news) expect(tab.store.follow(news)).toBe(true);
    expect(tab.writer.isFull).toBe(true);
    // A store that is lost and back gets what it has room for, and the tab goes on from here.
    expect(tab.store.isAhead(0)).toBe(true);
  });

  it('keeps the end of a write that its tab tells late, until the lost store is back', async () => {
    const { planner, write } = await openTabs();
    const late = await write('~late');
    planner.store.follow(await write('~other'));
    await planner.store.planWith(nothing, nothing);
    planner.writer.lose('lost');
    await planner.store.commit({ log: [] });
    const ended = planner.writer.unsaved.filter(({ table }) => table === 'log');
    expect(ended).toHaveLength(2);
    planner.store.follow(late);
    expect(planner.writer.unsaved.filter(({ table }) => table === 'log')).toEqual(ended);
  });
});

describe('a plan', () => {
  it('has what it has ended for good, also where that is told behind it', async () => {
    const { planner, keys, write } = await openTabs();
    planner.store.follow(await write('~early'));
    const late = await write('~late');
    await planner.store.planWith(
      async () => void planner.store.follow(late),
      async () => {
        expect(keys()).toEqual(['~early', '~late']);
        await planner.store.commit({ log: [] });
      },
    );
    expect(keys()).toEqual([]);
  });

  it('is made, and the store is lost, where that does not tell what a write needs', async () => {
    const { planner } = await openTabs();
    let plans = 0;
    await planner.store.planWith(
      () => Promise.reject(new Error('It is gone.')),
      async () => {
        plans += 1;
      },
    );
    expect([planner.writer.loss, plans]).toEqual(['lost', 1]);
  });

  it('is made, and the store is lost, where new writes can not be looked for', async () => {
    const { planner, write, keys } = await openTabs((open) => ({
      read: (table, rows) =>
        table === 'log' ? Promise.reject(new Error('It is gone.')) : open.read(table, rows),
    }));
    let plans = 0;
    await planner.store.planWith(nothing, async () => {
      plans += 1;
      planner.store.follow(await write('~a'));
    });
    expect([planner.writer.loss, plans, keys()]).toEqual(['lost', 1, ['~a']]);
  });

  it('is made, and the store is lost, where the log can not be read', async () => {
    let isGone = false;
    const { planner, write, keys } = await openTabs((open) => ({
      load: (table, prefix) =>
        isGone ? Promise.reject(new Error('It is gone.')) : open.load(table, prefix),
    }));
    planner.store.follow(await write('~a'));
    isGone = true;
    const seen: (readonly string[])[] = [];
    await planner.store.planWith(nothing, async () => {
      seen.push(keys());
    });
    expect([planner.writer.loss, seen]).toEqual(['lost', [['~a']]]);
  });

  it('is not made where the account is closed while the log is read', async () => {
    let stop: () => void = () => undefined;
    const { planner, write, keys } = await openTabs((open) => ({
      load(table, prefix) {
        stop();
        return open.load(table, prefix);
      },
    }));
    planner.store.follow(await write('~a'));
    await write('~b');
    stop = () => planner.store.stop();
    let plans = 0;
    await planner.store.planWith(nothing, async () => {
      plans += 1;
    });
    expect([plans, keys()]).toEqual([0, ['~a']]);
  });

  it('takes what is told meanwhile, also where it fails', async () => {
    const { planner, keys, write } = await openTabs();
    const plan = async (): Promise<void> => {
      planner.store.follow(await write('~a'));
      throw new Error('no plan');
    };
    await expect(planner.store.planWith(nothing, plan)).rejects.toThrow('no plan');
    expect(keys()).toEqual(['~a']);
  });
});
