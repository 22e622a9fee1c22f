import { afterEach, describe, expect, it, vi } from 'vitest';
import { type CacheStore, connect, memory } from '../../src/index.js';
import { StoreLostError } from '../../src/persist/store-errors.js';
import { tracker } from '../support/schema.js';
import { fillStore, useTodos } from '../support/todos.js';
import { wrapStore } from '../support/wrap-store.js';

// Clients that end in all ways, and others that go on with what their store has.

const served = useTodos({}, ['AX', 'u2']);
afterEach(() => {
  vi.restoreAllMocks();
});

const textsOf = (rows: readonly { readonly text: string }[]) => rows.map(({ text }) => text).sort();

describe('a store', () => {
  it('has what was written by a client that ended without a word', async () => {
    const store = memory();
    const first = await served.connect({ store });
    await first.sync.settled();
    served.proxy().decide(() => 'drop');
    const write = first.account().Todo.create({ text: 'kept' });
    const other = first.account().Todo.create({ text: 'kept too' });
    first.account().Todo.update(other.object.id, { done: true });
    expect(await write.saved).toBe(true);
    expect(await other.saved).toBe(true);
    served.proxy().decide(() => 'pass');
    const second = await served.connect({ store });
    const rows = second.account().Todo.live().getSnapshot().rows;
    expect(textsOf(rows)).toEqual(expect.arrayContaining(['kept', 'kept too']));
    await second.sync.settled();
    const { list } = await second.account().Todo.get();
    expect(list.filter(({ text }) => text.startsWith('kept'))).toHaveLength(2);
    const { object } = other;
    expect(second.account().Todo.update(object.$key, { text: 'known' }).object).toMatchObject({
      $key: object.$key,
      done: true,
    });
    await second.sync.settled();
  });

  it('is of the last client that has opened it', async () => {
    const store = memory();
    const first = await served.connect({ store });
    await first.sync.settled();
    const second = await served.connect({ store });
    const write = first.account().Todo.create({ text: 'late' });
    expect(await write.saved).toBe(false);
    expect(first.sync.getSnapshot()).toMatchObject({ status: 'replaced', storage: 'lost' });
    expect(await first.account().Todo.create({ text: 'later' }).result).toMatchObject({
      ok: false,
    });
    await second.sync.settled();
    expect(second.sync.getSnapshot()).toMatchObject({ status: 'live', storage: 'kept' });
  });

  it('ends the client that another one replaces', async () => {
    const store = memory();
    const first = await served.connect({ store });
    await first.sync.settled();
    served.proxy().decide(() => 'drop');
    const write = first.account().Todo.create({ text: 'sent by the second' });
    expect(await write.saved).toBe(true);
    served.proxy().decide(() => 'pass');
    const second = await served.connect({ store });
    const late = first.account().Todo.create({ text: 'of nobody' });
    expect(await late.saved).toBe(false);
    const closed = { ok: false, error: { type: 'closed' } };
    expect(await late.result).toMatchObject(closed);
    expect(await write.result).toMatchObject(closed);
    await expect(first.account().Todo.get()).rejects.toThrow('closed');
    await expect(first.logout({ discard: true })).rejects.toThrow('Another client');
    await second.sync.settled();
    const texts = textsOf((await second.account().Todo.get()).list);
    expect(texts).toContain('sent by the second');
    expect(texts).not.toContain('of nobody');
  });

  it('opens without the server where the user is named', async () => {
    const store = memory();
    const first = await served.connect({ store });
    first.account().Todo.create({ text: 'before' });
    await first.sync.settled();
    await first.close();
    served.proxy().decide(() => 'drop');
    const second = await served.connect({ store, username: 'u1' });
    const snapshot = second.account().Todo.live().getSnapshot();
    expect(textsOf(snapshot.rows)).toContain('before');
    expect(snapshot).toMatchObject({ complete: true });
    second.account().Todo.create({ text: 'offline' });
    served.proxy().decide(() => 'pass');
    await second.sync.settled();
    const { list } = await second.account().Todo.get();
    expect(textsOf(list)).toContain('offline');
    await expect(served.connect({ store, username: 'u2' })).rejects.toThrow('another user');
  });

  it('has a session that the server is asked for anew', async () => {
    const store = memory();
    const first = await served.connect({ store });
    await first.sync.settled();
    const { session } = first;
    await first.close();
    const later = { ...session, state: 'later' };
    served
      .proxy()
      .decide(({ method }) => (method === 'POST' ? 'drop' : { status: 200, body: later }));
    const second = await served.connect({ store, username: 'u1' });
    const told: string[] = [];
    second.onSession(({ state }) => told.push(state));
    await expect.poll(() => told).toEqual(['later']);
    expect(second.session).toEqual(later);
  });

  it('of a user whose name the token has no more is closed', async () => {
    const store = memory();
    const first = await served.connect({ store });
    await first.sync.settled();
    const { session } = first;
    await first.close();
    const other = { ...session, username: 'another' };
    served
      .proxy()
      .decide(({ method }) => (method === 'POST' ? 'drop' : { status: 200, body: other }));
    const second = await served.connect({ store, username: 'u1' });
    await expect.poll(() => second.session.username).toBe('another');
    expect(await second.account().Todo.create({ text: 'x' }).result).toMatchObject({
      ok: false,
      error: { type: 'closed' },
    });
  });

  it('has data of each user apart', async () => {
    const store = memory();
    const first = await served.connect({ store });
    first.account().Todo.create({ text: 'mine' });
    await first.sync.settled();
    const second = await served.connect({ store, token: served.fixtures().u2.token });
    await second.sync.settled();
    expect(second.account().Todo.live().getSnapshot().rows).toEqual([]);
    expect(first.sync.getSnapshot().status).toBe('live');
  });

  it('has nothing of a user who logged out of a closed client', async () => {
    const store = memory();
    const first = await served.connect({ store });
    first.account().Todo.create({ text: 'to be removed' });
    await first.sync.settled();
    await first.close();
    await first.logout();
    served.proxy().decide(({ method }) => (method === 'POST' ? 'drop' : 'pass'));
    const second = await served.connect({ store });
    const list = second.account().Todo.live();
    expect(list.getSnapshot()).toMatchObject({ rows: [], complete: false });
    served.proxy().decide(() => 'pass');
    await second.sync.settled();
    await first.logout();
    second.account().Todo.create({ text: 'of the second' });
    await second.sync.settled();
    expect(second.sync.getSnapshot()).toMatchObject({ status: 'live', storage: 'kept' });
  });

  it('that could not be wiped is wiped by the next logout', async () => {
    const store = memory();
    const faults = [new StoreLostError('It is not to be reached.')];
    const broken = wrapStore(store, (open) => ({
      async wipe(rest) {
        const fault = faults.pop();
        if (fault !== undefined) throw fault;
        await open.wipe(rest);
      },
    }));
    const first = await served.connect({ store: broken });
    first.account().Todo.create({ text: 'to be removed' });
    await first.sync.settled();
    await expect(first.logout()).rejects.toBeInstanceOf(StoreLostError);
    await first.logout();
    served.proxy().decide(({ method }) => (method === 'POST' ? 'drop' : 'pass'));
    const second = await served.connect({ store });
    expect(second.account().Todo.live().getSnapshot()).toMatchObject({ rows: [], complete: false });
  });

  it('keeps writes of another program until they are discarded', async () => {
    const store = await fillStore(served);
    const { token } = served.fixtures().u1;
    const other = await connect(tracker, { url: served.proxy().url, token, store });
    expect(other.sync.getSnapshot().pending).toBe(0);
    await expect(other.logout()).rejects.toThrow('1 writes');
    await other.logout({ discard: true });
  });

  it('has nothing of a user who logged out', async () => {
    const store = memory();
    const first = await served.connect({ store });
    await first.sync.settled();
    served.proxy().decide(() => 'drop');
    first.account().Todo.create({ text: 'lost' });
    await expect(first.logout()).rejects.toThrow('1 writes');
    await first.logout({ discard: true });
    served.proxy().decide(() => 'pass');
    const second = await served.connect({ store });
    expect(second.account().Todo.live().getSnapshot()).toMatchObject({ rows: [], complete: false });
    await second.sync.settled();
    expect(textsOf((await second.account().Todo.get()).list)).not.toContain('lost');
  });
});

describe('the key of an object that was made here', () => {
  const DAY = 24 * 60 * 60_000;
  const keysIn = async (store: CacheStore) => {
    const open = await store.open([new URL(served.proxy().url).href, 'u1', 1].join(' '));
    const rows = await open.load('aliases');
    await open.close();
    return rows.map(([key]) => key.split(' ')[1]);
  };
  const openAfter = async (store: CacheStore, days: number) => {
    const now = Date.now();
    vi.spyOn(Date, 'now').mockImplementation(() => now + days * DAY);
    return served.connect({ store });
  };

  it('finds it for some weeks, and then its id does', async () => {
    const store = memory();
    const first = await served.connect({ store });
    const { object } = first.account().Todo.create({ text: 'linked' });
    await first.sync.settled();
    await first.close();
    const second = await openAfter(store, 29);
    const [row] = second
      .account()
      .Todo.live()
      .getSnapshot()
      .rows.filter(({ text }) => text === 'linked');
    expect(row?.$key).toBe(object.$key);
    await second.close();
    expect(await keysIn(store)).toEqual([object.$key]);
    const third = await openAfter(store, 31);
    const rows = third.account().Todo.live().getSnapshot().rows;
    expect(rows.find(({ text }) => text === 'linked')?.$key).toBe(row?.id);
    expect(third.account().Todo.update(object.$key, { done: true }).object).toBeUndefined();
    await third.close();
    expect(await keysIn(store)).toEqual([]);
  });

  it('stays where a write or a problem names it', async () => {
    const store = memory();
    const first = await served.connect({ store });
    const { Todo } = first.account();
    const [named, refused] = [Todo.create({ text: 'named' }), Todo.create({ text: 'refused' })];
    await first.sync.settled();
    Todo.update(refused.object.$key, { text: 'x'.repeat(600) });
    await first.sync.settled();
    expect(first.problems.getSnapshot()).toHaveLength(1);
    served.proxy().decide(() => 'drop');
    expect(await Todo.update(named.object.$key, { done: true }).saved).toBe(true);
    await first.close();
    served.proxy().decide(() => 'pass');
    const second = await openAfter(store, 31);
    expect((await keysIn(store)).sort()).toEqual([named.object.$key, refused.object.$key].sort());
    await second.sync.settled();
    const { list } = await second.account().Todo.get();
    expect(list.find(({ text }) => text === 'named')).toMatchObject({ done: true });
  });
});
