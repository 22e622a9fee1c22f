import { describe, expect, it } from 'vitest';
import { makeTable, openAccount, ToyServer } from '../support/toy-server.js';

// Types that are read for the first time, page by page.

const THING = makeTable('Thing');

/** A server of objects that it tells in pages of two. `onPage` is called before each page. */
function makePaged(ids: readonly string[], onPage: (server: ToyServer) => void): ToyServer {
  const server = new ToyServer();
  for (const id of ids) server.objects.set(id, { id, type: 'Thing', text: id });
  server.answer = ([name, { anchor, anchorOffset = 0, position = 0 }, callId]) => {
    if (name === 'Thing/changes') {
      const destroyed = ids.filter((id) => !server.objects.has(id));
      return [[name, { newState: '1', created: [], updated: [], destroyed }, callId]];
    }
    if (name !== 'Thing/query') return undefined;
    onPage(server);
    const all = [...server.objects.keys()];
    const at = typeof anchor === 'string' ? all.indexOf(anchor) : 0;
    if (at === -1) return [['error', { type: 'anchorNotFound' }, callId]];
    const start = at + Number(anchorOffset) + Number(position);
    const page = { ids: all.slice(start, start + 2), position: start, total: all.length };
    return [[name, page, callId]];
  };
  return server;
}

const placesOf = ({ requests }: ToyServer) =>
  requests.flatMap(({ methodCalls }) =>
    methodCalls.flatMap(([name, { anchor }]) => (name === 'Thing/query' ? [anchor] : [])),
  );

describe('a type that is read for the first time', () => {
  it('goes on behind the object before, where the last of a page has gone', async () => {
    let pages = 0;
    const server = makePaged(['t1', 't2', 't3', 't4', 't5'], ({ objects }) => {
      pages += 1;
      if (pages === 2) objects.delete('t2');
    });
    const { store, sync } = await openAccount(server, [THING]);
    await sync.settle();
    const texts = Array.from(store.replica.rows('Thing'), ({ text }) => text);
    expect(texts.sort()).toEqual(['t1', 't3', 't4', 't5']);
    expect(placesOf(server)).toEqual([undefined, 't2', 't1', 't4']);
  });

  it('is read anew where all objects of the page before have gone', async () => {
    let pages = 0;
    const server = makePaged(['t1', 't2', 't3', 't4'], ({ objects }) => {
      pages += 1;
      if (pages === 2) for (const id of ['t1', 't2']) objects.delete(id);
    });
    const { store, sync } = await openAccount(server, [THING]);
    await sync.settle();
    const texts = Array.from(store.replica.rows('Thing'), ({ text }) => text);
    expect(texts.sort()).toEqual(['t3', 't4']);
    expect(placesOf(server)).toEqual([undefined, 't2', 't1', undefined]);
  });

  it('tells how much of it is here', async () => {
    const told: (number | null)[] = [];
    const server = makePaged(['t1', 't2', 't3', 't4'], () => told.push(sync.progress));
    const { sync } = await openAccount(server, [THING]);
    await sync.settle();
    expect(told).toEqual([null, 0.5]);
    expect(sync.progress).toBeNull();
  });

  it('is read once while others write all the time', async () => {
    const ids = Array.from({ length: 10 }, (_, at) => `t${at}`);
    const server = makePaged(ids, () => undefined);
    const query = server.answer;
    server.before = () => server.change();
    server.answer = ([name, args, callId]) => {
      if (name !== 'Thing/changes') return query([name, args, callId]);
      const change = { created: [], updated: ['t0'], destroyed: [] };
      return [[name, { newState: server.state, hasMoreChanges: false, ...change }, callId]];
    };
    const { store, sync } = await openAccount(server, [THING]);
    sync.want();
    await expect.poll(() => store.replica.coverage('Thing')).toBe('all');
    await sync.close();
    // Five pages, and what has changed meanwhile.
    expect(server.requests.length).toBeLessThan(20);
  });

  it('loses an object made here that no page and no changes tell of', async () => {
    const server = new ToyServer();
    server.answer = ([name, , callId]) =>
      name === 'Thing/changes'
        ? [['error', { type: 'cannotCalculateChanges' }, callId]]
        : undefined;
    const { store, sync, create } = await openAccount(server, [THING]);
    await sync.settle();
    create('Thing', 'short-lived');
    server.before = () => {
      if (server.objects.size > 0) server.change();
      server.objects.clear();
    };
    await sync.settle();
    expect(server.count('Thing/set')).toBe(1);
    expect([...store.replica.rows('Thing')]).toEqual([]);
  });
});
