import { expect, it } from 'vitest';
import { makeTable, openAccount, ToyServer } from '../support/toy-server.js';

const TABLES = Array.from({ length: 12 }, (_, at) => makeTable(`Type${at}`));

it('all types are asked in one request where nothing has changed', async () => {
  const server = new ToyServer();
  const { sync } = await openAccount(server, TABLES);
  await sync.settle();
  server.requests.length = 0;
  await sync.settle();
  expect(server.requests.map(({ methodCalls }) => methodCalls.length)).toEqual([TABLES.length]);
});

it('changes of many types come with the next request', async () => {
  const server = new ToyServer();
  const { store, sync } = await openAccount(server, TABLES);
  await sync.settle();
  server.requests.length = 0;
  for (const { name } of TABLES)
    server.objects.set(`${name}-1`, { id: `${name}-1`, type: name, text: 'new' });
  await sync.settle();
  for (const { name } of TABLES)
    expect([...store.replica.rows(name)]).toMatchObject([{ text: 'new' }]);
  expect(server.requests.length).toBe(2);
});

it('types of which somebody looks at a list are read before the others', async () => {
  const server = new ToyServer();
  const isShown = (type: string) => type === 'Type11';
  const { sync } = await openAccount(server, TABLES, { isShown });
  await sync.settle();
  const [first] = server.requests;
  expect(first?.methodCalls.map(([name]) => name)[0]).toBe('Type11/get');
  server.requests.length = 0;
  await sync.settle();
  expect(server.requests[0]?.methodCalls[0]?.[0]).toBe('Type11/changes');
});
