import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import type { PendingWrite } from '../../src/store/write.js';
import { ListSync } from '../../src/sync/list-sync.js';
import { LIMITS, makeTable, openAccount, ToyServer } from '../support/toy-server.js';

// Types of which a client keeps the objects that it has been asked for.

const THING = makeTable('Thing');

/** A server that says that it has very many objects. */
function makeLarge(): ToyServer {
  const server = new ToyServer();
  server.answer = ([name, , id]) =>
    name === 'Thing/query' ? [[name, { ids: [], total: 20_000, position: 0 }, id]] : undefined;
  return server;
}

const idsOf = ({ requests }: ToyServer, method: string) =>
  requests.flatMap(({ methodCalls }) =>
    methodCalls.flatMap(([name, { ids }]) => (name === method && ids !== undefined ? [ids] : [])),
  );

describe('a type with too many objects to keep all of them', () => {
  it('has the objects that are asked for, and those made here', async () => {
    const server = makeLarge();
    const { store, sync, create } = await openAccount(server, [THING]);
    await sync.settle();
    const { replica } = store;
    expect([replica.coverage('Thing'), replica.cursor('Thing')]).toEqual(['known', '1']);
    server.objects.set('t1', { id: 't1', type: 'Thing', text: 'one' });
    server.objects.set('t2', { id: 't2', type: 'Thing', text: 'two' });
    sync.fetch('Thing', ['t1']);
    create('Thing', 'mine');
    await sync.settle();
    expect(Array.from(replica.rows('Thing'), ({ text }) => text).sort()).toEqual(['mine', 'one']);
    expect(server.count('Thing/query')).toBe(1);
  });

  it('keeps what is made, and what is fetched, while it is read for the first time', async () => {
    const server = makeLarge();
    server.objects.set('t1', { id: 't1', type: 'Thing', text: 'one' });
    const { store, sync, create } = await openAccount(server, [THING]);
    create('Thing', 'mine');
    sync.fetch('Thing', ['t1']);
    await sync.settle();
    expect(Array.from(store.replica.rows('Thing'), ({ text }) => text).sort()).toEqual([
      'mine',
      'one',
    ]);
  });

  it('asks for an object again that the server has failed to give', async () => {
    const server = makeLarge();
    const { store, sync, failures } = await openAccount(server, [THING]);
    await sync.settle();
    server.objects.set('t1', { id: 't1', type: 'Thing', text: 'one' });
    let isBusy = true;
    server.answer = ([name, { ids }, id]) => {
      if (name !== 'Thing/get' || ids === undefined || !isBusy) return undefined;
      isBusy = false;
      return [['error', { type: 'serverUnavailable' }, id]];
    };
    sync.fetch('Thing', ['t1']);
    await sync.settle();
    expect(failures).toContain('serverUnavailable');
    expect([...store.replica.rows('Thing')]).toMatchObject([{ text: 'one' }]);
  });

  it('notices that an object has gone that the server had made since its last state', async () => {
    const server = makeLarge();
    const { store, sync } = await openAccount(server, [THING]);
    await sync.settle();
    server.objects.set('t1', { id: 't1', type: 'Thing', text: 'short-lived' });
    server.change();
    sync.fetch('Thing', ['t1']);
    await expect.poll(() => [...store.replica.rows('Thing')].length).toBe(1);
    server.objects.delete('t1');
    server.change();
    await sync.settle();
    expect([...store.replica.rows('Thing')]).toEqual([]);
  });

  it('notices that, too, where the server could not tell its changes for a while', async () => {
    const server = makeLarge();
    const limits = { ...LIMITS, maxObjectsInGet: 1 };
    const { store, sync } = await openAccount(server, [THING], { limits });
    const put = (id: string) => server.objects.set(id, { id, type: 'Thing', text: id });
    put('a');
    put('b');
    sync.fetch('Thing', ['a', 'b']);
    await sync.settle();
    const has = (id: string) => store.replica.has('Thing', id);
    const steps: string[] = [];
    server.answer = ([name, { ids }, id]) => {
      steps.push(id);
      // Behind the first page, another device makes an object, which is asked for.
      if (id === 'Thing.page' && String(ids) === 'a') sync.fetch('Thing', ['late']);
      if (id === 'Thing.wanted') {
        put('late');
        server.change();
      }
      if (name !== 'Thing/changes') return undefined;
      if (!steps.includes('Thing.stale'))
        return [['error', { type: 'cannotCalculateChanges' }, id]];
      expect(has('late')).toBe(true);
      server.objects.delete('late');
      server.answer = () => undefined;
      server.change();
      const changes = { newState: server.state, created: [], updated: [], destroyed: [] };
      return [[name, { ...changes, hasMoreChanges: false }, id]];
    };
    await sync.settle();
    expect([has('a'), has('b'), has('late')]).toEqual([true, true, false]);
  });

  it('has what others have made of an object since the create whose answer came late', async () => {
    const server = makeLarge();
    const { store, sync, create } = await openAccount(server, [THING]);
    await sync.settle();
    server.answer = ([name, { create: made }, id]) => {
      if (name !== 'Thing/set') return undefined;
      server.objects.set('t1', { id: 't1', type: 'Thing', text: 'changed' });
      return [[name, { created: { [Object.keys(made ?? {})[0] ?? '']: { id: 't1' } } }, id]];
    };
    create('Thing', 'mine');
    await sync.settle();
    expect([...store.replica.rows('Thing')]).toMatchObject([{ id: 't1', text: 'changed' }]);
  });

  it('sends a pointer into an object that it does not have as it is', async () => {
    const server = makeLarge();
    const { store, sync } = await openAccount(server, [THING]);
    await sync.settle();
    const write: PendingWrite = {
      ...{ ids: ['w'], type: 'Thing', key: 't9', sentAs: null, unchanged: null },
      ...{ kind: 'update', patch: { 'tags/green': true } },
    };
    void store.commit({ log: [write] });
    await sync.settle();
    const calls = server.requests.flatMap(({ methodCalls }) => methodCalls);
    const sent = calls.filter(([name]) => name === 'Thing/set').map(([, { update }]) => update);
    expect(sent[0]).toEqual({ t9: { 'tags/green': true } });
  });

  it.each([['notFound'], ['forbidden']])(
    'asks few times for objects that may come of a lost call: %s',
    async (answer) => {
      const server = makeLarge();
      const query = server.answer;
      const limits = { ...LIMITS, maxObjectsInGet: 1 };
      const options = { hasKeys: false, limits, pause: 500 };
      const { sync, create, outcomes } = await openAccount(server, [THING], options);
      await sync.settle();
      server.before = ({ methodCalls }) => {
        if (methodCalls.some(([name]) => name === 'Thing/set')) throw new Error('It was lost.');
      };
      create('Thing', 'mine');
      await eventually(() => expect(server.count('Thing/set')).toBe(1), 5000);
      // Others have made two objects meanwhile, which are gone.
      server.change();
      server.before = () => undefined;
      const created = ['a', 'b'];
      server.answer = (call) => {
        const [name, { sinceState, ids }, id] = call;
        if (name === 'Thing/get' && ids !== undefined && answer !== 'notFound')
          return [['error', { type: answer }, id]];
        if (name !== 'Thing/changes') return query(call);
        const some = sinceState === '1' ? created : [];
        const changes = { created: some, updated: [], destroyed: [] };
        return [[name, { newState: server.state, hasMoreChanges: false, ...changes }, id]];
      };
      server.requests.length = 0;
      sync.resume();
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(server.requests.length).toBeLessThan(9);
      if (answer === 'notFound') expect(outcomes).toMatchObject([{ isMade: true }]);
      await sync.close();
    },
  );

  it('shows an object made here in a list that was opened while its create was sent', async () => {
    const server = makeLarge();
    let settle = (): Promise<void> => Promise.resolve();
    const account = await openAccount(server, [THING], { settleLists: () => settle() });
    const { store, sync, create } = account;
    await sync.settle();
    const list = { name: 'l', type: 'Thing', search: {}, position: 0, length: 9 };
    settle = () => Promise.resolve(sync.wantList('l', new ListSync(store.replica, () => [list])));
    server.answer = ([name, , id]) => {
      if (name !== 'Thing/query') return undefined;
      return [['error', { type: 'serverUnavailable' }, id]];
    };
    create('Thing', 'mine');
    await eventually(() => expect(store.replica.log).toEqual([]));
    expect(store.replica.list('l')?.answered).toHaveLength(1);
    await sync.close();
  });

  it('never gets older where a list has an object and it is read anew behind that', async () => {
    const server = makeLarge();
    const text = (value: string) =>
      server.objects.set('t', { id: 't', type: 'Thing', text: value });
    text('old');
    const { store, sync, renew } = await openAccount(server, [THING]);
    await sync.settle();
    const search = { name: 'l', type: 'Thing', search: {}, position: 0, length: 9 };
    server.answer = ([name, { sinceState }, id]) => {
      const page = {
        ids: ['t'],
        total: 1,
        position: 0,
        queryState: 'q',
        canCalculateChanges: false,
      };
      if (name === 'Thing/query') return [[name, page, id]];
      if (id === 'Thing.page') {
        // Another device writes while the request runs, behind the calls of the list.
        text('new');
        server.change();
      }
      if (name !== 'Thing/changes' || sinceState !== server.state) return undefined;
      const none = { created: [], updated: [], destroyed: [], hasMoreChanges: false };
      return [[name, { newState: server.state, ...none }, id]];
    };
    sync.wantList('l', new ListSync(store.replica, () => [search]));
    await sync.settle();
    expect(store.replica.row('Thing', 't')).toMatchObject({ text: 'old' });
    renew();
    await sync.settle();
    expect(server.count('Thing/get')).toBeGreaterThan(0);
    expect(store.replica.row('Thing', 't')).toMatchObject({ text: 'new' });
  });

  it('is read anew by the ids that it has, and loses those that are gone', async () => {
    const server = makeLarge();
    const { store, sync, renew } = await openAccount(server, [THING]);
    await sync.settle();
    for (const id of ['t1', 't2', 't3'])
      server.objects.set(id, { id, type: 'Thing', text: `old ${id}` });
    sync.fetch('Thing', ['t1', 't2']);
    await sync.settle();
    server.objects.delete('t1');
    server.objects.set('t2', { id: 't2', type: 'Thing', text: 'new' });
    server.requests.length = 0;
    renew();
    await sync.settle();
    expect(Array.from(store.replica.rows('Thing'), ({ text }) => text)).toEqual(['new']);
    expect(idsOf(server, 'Thing/get').flat()).not.toContain('t3');
    expect(server.count('Thing/query')).toBe(0);
  });
});
