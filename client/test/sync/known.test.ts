import { describe, expect, it } from 'vitest';
import { makeTable, openAccount, ToyServer } from '../support/toy-server.js';

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
    expect(idsOf(server, 'Thing/get')).toEqual([['t1', 't2']]);
    expect(server.count('Thing/query')).toBe(0);
  });
});
