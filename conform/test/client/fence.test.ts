import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Recorder } from '../../src/client/exchange.js';
import { Fence } from '../../src/client/fence.js';
import { FencedError } from '../../src/client/fenced-ids.js';
import { Http } from '../../src/client/http.js';
import type { Json } from '../../src/client/json.js';
import { WIRE } from '../../src/client/watching.js';

// The runner sends only some requests where an account has objects that it did not make.

let fence: Fence;

const heard = (name: string, args: Json): void =>
  fence.hear({ methodResponses: [[name, args, 'c']] });

beforeEach(() => {
  fence = new Fence();
  fence.noteFound('Todo', 'A', [{ id: 'theirs' }]);
  fence.noteFound('Todo', 'B', [{ id: 'mine' }]);
  heard('Todo/set', { accountId: 'A', created: { k: { id: 'mine' }, l: { id: 'gone' } } });
  heard('Todo/set', { accountId: 'A', destroyed: ['gone'] });
});

const request = (...methodCalls: readonly unknown[]): string => JSON.stringify({ methodCalls });
const call = (name: string, args: object): string =>
  request([name, { accountId: 'A', ...args }, 'c']);
const set = (args: object): string => call('Todo/set', args);
const copy = (args: object): string =>
  call('Todo/copy', {
    fromAccountId: 'A',
    accountId: 'B',
    create: { k: { id: 'theirs' } },
    ...args,
  });
const echoed = (value: object, args: object, path = '/ids'): string =>
  request(
    ['Core/echo', value, 'v'],
    [
      'Todo/set',
      {
        accountId: 'A',
        ...Object.fromEntries(
          Object.entries(args).map(([name]) => [name, { resultOf: 'v', name: 'Core/echo', path }]),
        ),
      },
      'c',
    ],
  );

describe('passes', () => {
  it.each<[string, () => string]>([
    ['reads', () => call('Todo/get', { ids: ['theirs'] })],
    ['creates', () => set({ create: { k: { text: 'theirs' } } })],
    [
      'a write to its own object',
      () => set({ update: { mine: { text: 'a' } }, destroy: ['mine', 'gone'] }),
    ],
    ['ids of nothing', () => set({ update: { x1: { text: 'a' } }, destroy: ['x2', '#k'] })],
    ['a patch of nothing', () => set({ update: { theirs: {} } })],
    ['a copy that leaves the original', () => copy({})],
    [
      'a copy of an object that it made',
      () => copy({ create: { k: { id: 'mine' } }, onSuccessDestroyOriginal: true }),
    ],
    ['a reference to an echo', () => echoed({ ids: ['mine'] }, { '#destroy': 0 })],
    ['a reference to no echo', () => echoed({ ids: ['mine'] }, { '#destroy': 0 }, '/nope')],
    ['broken JSON that writes nothing', () => '{"methodCalls":[["Todo/set",{"create":{}}'],
  ])('%s', (_, text) => {
    expect(() => fence.pass(text())).not.toThrow();
  });

  it('a singleton whose values are put back, and none of another account', () => {
    fence.noteFound('Single', 'A', [{ id: 'singleton' }]);
    fence.noteFound('Single', 'B', [{ id: 'singleton' }]);
    const update = (accountId: string) =>
      call('Single/set', { accountId, update: { singleton: { theme: 'dark' } } });
    expect(() => fence.pass(update('A'))).toThrow(FencedError);
    fence.allowUpdates('Single', 'A');
    fence.pass(update('A'));
    expect(() => fence.pass(update('B'))).toThrow(FencedError);
  });
});

describe('refuses', () => {
  const theirs = { text: 'changed' };
  it.each<[string, () => string]>([
    ['an update', () => set({ update: { mine: theirs, theirs } })],
    ['a destroy', () => set({ destroy: ['mine', 'theirs'] })],
    ['an id that is no list', () => set({ destroy: 'theirs' })],
    ['a destroy in another spelling', () => call('todo/SET', { Destroy: ['theirs'] })],
    [
      'its own id in an account where it is another’s',
      () => set({ accountId: 'B', destroy: ['mine'] }),
    ],
    ['a missing account', () => request(['Todo/set', { destroy: ['theirs'] }, 'c'])],
    ['a wrong account', () => set({ accountId: 5, destroy: ['theirs'] })],
    ['an account where nobody looked', () => set({ accountId: 'C', destroy: ['x1'] })],
    ['a type that nobody looked at', () => call('Note/set', { destroy: ['x1'] })],
    [
      'a creation id that stands for it',
      () =>
        JSON.stringify({
          methodCalls: [['Todo/set', { accountId: 'A', destroy: ['#k'] }, 'c']],
          createdIds: { k: 'theirs' },
        }),
    ],
    ['a copy that destroys the original', () => copy({ onSuccessDestroyOriginal: true })],
    ['such a copy in another spelling', () => copy({ on_success_destroy_original: true })],
    ['a reference to an echo of it', () => echoed({ ids: ['theirs'] }, { '#destroy': 0 })],
    [
      'a reference into such an echo',
      () => echoed({ ids: [['theirs']] }, { '#destroy': 0 }, '/ids/0'),
    ],
    ['a reference to an update of it', () => echoed({ ids: { theirs } }, { '#update': 0 })],
    [
      'a reference to the ids of a query',
      () =>
        request(
          ['Todo/query', { accountId: 'A' }, 'v'],
          [
            'Todo/set',
            { accountId: 'A', '#destroy': { resultOf: 'v', name: 'Todo/query', path: '/ids' } },
            'c',
          ],
        ),
    ],
    [
      'a name that is escaped',
      () => set({ destroy: ['theirs'] }).replace('Todo/set', 'Todo\\u002fset'),
    ],
    ['broken JSON that may destroy something', () => `${set({ destroy: ['mine'] })}x`],
  ])('%s', (_, text) => {
    expect(() => fence.pass(text())).toThrow(FencedError);
  });

  it('an object that another made meanwhile, once it was seen', () => {
    heard('Todo/get', { accountId: 'A', list: [{ id: 'late' }, { id: 'mine' }] });
    expect(() => fence.pass(set({ destroy: ['late'] }))).toThrow(FencedError);
    fence.pass(set({ destroy: ['mine'] }));
  });

  it('an object that was there before, though a server says that it was created', () => {
    heard('Todo/set', { accountId: 'A', created: { k: { id: 'theirs' } } });
    expect(fence.listMade('Todo', 'A')).toEqual(['mine']);
    expect(() => fence.pass(set({ destroy: ['theirs'] }))).toThrow(FencedError);
  });
});

it('a response without accountId is of the account that the request named', () => {
  fence.pass(set({ create: { n: { text: 'new' } } }));
  heard('Todo/set', { created: { n: { id: 'new' } } });
  expect(fence.listMade('Todo', 'A')).toEqual(['mine', 'new']);
  expect(fence.listMade('Todo', 'B')).toEqual([]);
  fence.pass(set({ destroy: ['new'] }));
  heard('Todo/set', { destroyed: ['new'] });
  expect(fence.listMade('Todo', 'A')).toEqual(['mine']);
  fence.pass(set({ create: { n: { text: 'bad' } } }));
  heard('Todo/set', { notCreated: { n: { type: 'forbidden' } } });
  expect(fence.refusals).toMatchObject([{ accountId: 'A', key: 'n' }]);
});

it('an object of a request that looks later than another is its own', () => {
  heard('Todo/get', { accountId: 'A', list: [{ id: 'parallel' }] });
  heard('Todo/set', { accountId: 'A', created: { k: { id: 'parallel' } } });
  fence.pass(set({ destroy: ['parallel'] }));
  fence.noteFound('Todo', 'A', [{ id: 'theirs' }, { id: 'parallel' }]);
  expect([...fence.listForeign('Todo', 'A').keys()]).toEqual(['theirs']);
});

it('a refused request does not reach the wire', async () => {
  let count = 0;
  const server = createServer((_, res) => {
    count += 1;
    res.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = new Http('Bearer t', {
    recorder: new Recorder(),
    fence,
    wire: WIRE,
    standIns: new Map(),
    strict: true,
  });
  const send = (body: string | Uint8Array) => http.send(url, { method: 'POST', body });
  await expect(send(set({ destroy: ['theirs'] }))).rejects.toThrow(FencedError);
  await expect(send(Buffer.from(set({ destroy: ['theirs'] })))).rejects.toThrow(FencedError);
  await send(set({ destroy: ['mine'] }));
  expect(count).toBe(1);
});

it('a create that was not answered is recognised whatever the order of members', () => {
  fence.pass(set({ create: { k: { place: { x: 1, y: [{ a: 1, b: 2 }] } } } }));
  fence.adopt('Todo', 'A', [
    { id: 'other', place: { y: [{ b: 2, a: 2 }], x: 1 } },
    { id: 'lost', place: { y: [{ b: 2, a: 1 }], x: 1 } },
  ]);
  expect(fence.listMade('Todo', 'A')).toEqual(['mine', 'lost']);
});

it('holds an object that others refer to, until it is released', () => {
  expect(fence.listRemovable('Todo', 'A')).toEqual(['mine']);
  fence.hold('Todo', 'A', 'mine');
  expect(fence.listRemovable('Todo', 'A')).toEqual([]);
  expect(fence.listMade('Todo', 'A')).toEqual(['mine']);
  fence.release('Todo', 'A', 'mine');
  expect(fence.listRemovable('Todo', 'A')).toEqual(['mine']);
});
