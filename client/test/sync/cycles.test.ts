import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.js';
import { eventually } from '../../../test/support/poll.js';
import { RequestError, TransportError } from '../../src/call/errors.js';
import type { Request } from '../../src/transport/transport.js';
import { makeTable, openAccount, ToyServer } from '../support/toy-server.js';

// Cycles of an account whose server, or whose network, does what ours doesn't.

const THING = makeTable('Thing');

describe('a copy whose history ends while an answer is on its way', () => {
  it('is read anew', async () => {
    const server = new ToyServer();
    const account = await openAccount(server, [THING]);
    await account.sync.settle();
    expect(account.store.replica.cursor('Thing')).toBe('1');
    const sweeps = server.count('Thing/query');
    server.before = () => {
      server.before = () => undefined;
      account.renew();
    };
    await account.sync.settle();
    expect(server.count('Thing/query')).toBeGreaterThan(sweeps);
    expect(account.store.replica.cursor('Thing')).toBe('1');
  });
});

describe('a type that the server refuses to tell of', () => {
  it('leaves the others in step', async () => {
    const server = new ToyServer();
    const account = await openAccount(server, [THING, makeTable('Secret')]);
    server.answer = ([name, , id]) =>
      name.startsWith('Secret/') ? [['error', { type: 'forbidden' }, id]] : undefined;
    await account.sync.settle();
    account.create('Thing', 'one');
    await account.sync.settle();
    expect(account.failures.filter((failure) => failure !== null)).toEqual([]);
    expect([...account.store.replica.rows('Thing')]).toMatchObject([{ text: 'one' }]);
    const asked = server.count('Secret/query');
    await account.sync.settle();
    expect(server.count('Secret/query')).toBe(asked);
  });

  it('leaves the others in step where the server fails at it again and again', async () => {
    const server = new ToyServer();
    const { sync, failures, ...account } = await openAccount(server, [THING, makeTable('Broken')]);
    server.answer = ([name, , id]) =>
      name.startsWith('Broken/') ? [['error', { type: 'serverFail' }, id]] : undefined;
    await sync.settle();
    expect(failures).toEqual([...Array(4).fill('serverFail'), null]);
    expect(sync.isRefused('Broken')).toBe(true);
    account.create('Thing', 'one');
    await sync.settle();
    expect(failures.slice(5)).toEqual([null]);
    server.answer = () => undefined;
    await sync.settle();
    expect([sync.isRefused('Broken'), account.store.replica.cursor('Broken')]).toEqual([
      false,
      '2',
    ]);
  });

  it('refuses writes that need its state', async () => {
    const server = new ToyServer();
    const account = await openAccount(server, [THING, makeTable('Secret')], { hasKeys: false });
    server.answer = ([name, , id]) =>
      name.startsWith('Secret/') ? [['error', { type: 'forbidden' }, id]] : undefined;
    await account.sync.settle();
    account.create('Secret', 'one');
    account.create('Thing', 'two');
    await account.sync.settle();
    expect(account.outcomes).toMatchObject([
      { isMade: false, write: { type: 'Secret' }, error: { type: 'forbidden' } },
      { isMade: true, write: { type: 'Thing' } },
    ]);
    expect(server.count('Secret/set')).toBe(0);
  });

  it('is asked for again in a new session', async () => {
    const server = new ToyServer();
    const account = await openAccount(server, [THING]);
    server.answer = ([, , id]) => [['error', { type: 'forbidden' }, id]];
    await account.sync.settle();
    server.answer = () => undefined;
    account.renew();
    await account.sync.settle();
    expect(account.store.replica.cursor('Thing')).toBe('1');
  });

  it('is asked for again where its account was not found: the answer may be old', async () => {
    const server = new ToyServer();
    const account = await openAccount(server, [THING]);
    let rest = 2;
    server.answer = ([, , id]) => {
      rest -= 1;
      return rest < 0 ? undefined : [['error', { type: 'accountNotFound' }, id]];
    };
    await account.sync.settle();
    await eventually(() => expect(account.store.replica.cursor('Thing')).toBe('1'));
  });
});

describe('writes that are too large for one request', () => {
  const texts = ['one', 'two', 'three', 'four', 'five'];
  const countCreates = ({ methodCalls }: Request): number =>
    methodCalls.reduce((sum, [, { create }]) => sum + Object.keys(create ?? {}).length, 0);

  it.each([
    new RequestError(413, {}),
    new RequestError(400, {
      ...{ type: 'urn:ietf:params:jmap:error:limit', limit: 'maxSizeRequest' },
    }),
  ])('are sent in smaller ones after $message', async (error) => {
    const server = new ToyServer();
    const account = await openAccount(server, [THING]);
    await account.sync.settle();
    server.before = (request) => {
      if (countCreates(request) > 1) throw error;
    };
    account.create('Thing', ...texts);
    await account.sync.settle();
    expect(server.objects.size).toBe(5);
    expect(account.outcomes.every(({ isMade }) => isMade)).toBe(true);
  });

  it('are sent in smaller calls where the server refuses the call', async () => {
    const server = new ToyServer();
    const account = await openAccount(server, [THING]);
    await account.sync.settle();
    server.answer = ([name, args, id]) =>
      name === 'Thing/set' && Object.keys(args['create'] ?? {}).length > 1
        ? [['error', { type: 'requestTooLarge' }, id]]
        : undefined;
    account.create('Thing', ...texts);
    await account.sync.settle();
    expect(server.objects.size).toBe(5);
    expect(account.outcomes.every(({ isMade }) => isMade)).toBe(true);
  });

  it.each([
    ['was lost', 'request'],
    ['had its answer lost', 'answer'],
  ])('are made once where the first request %s, and it is too large later', async (_, fault) => {
    const server = new ToyServer();
    const account = await openAccount(server, [THING]);
    await account.sync.settle();
    const send = server.send.bind(server);
    server.send = async (request) => {
      server.send = send;
      if (fault === 'answer') await send(request);
      server.before = (next) => {
        if (countCreates(next) > 1) throw new RequestError(413, {});
      };
      throw new TransportError('The network has gone.');
    };
    account.create('Thing', ...texts);
    await account.sync.settle();
    expect(Array.from(server.objects.values(), ({ text }) => text).sort()).toEqual(
      [...texts].sort(),
    );
    expect(account.outcomes.map(({ isMade }) => isMade)).toEqual(texts.map(() => true));
    const sets = server.requests.flatMap(({ methodCalls }) =>
      methodCalls.filter(([name, { create }]) => name === 'Thing/set' && create !== undefined),
    );
    const sent = new Map<unknown, string>();
    for (const [, { onceKey, ...args }] of sets) {
      const text = JSON.stringify(args);
      expect(sent.get(onceKey) ?? text).toBe(text);
      sent.set(onceKey, text);
    }
  });

  it("don't wait for one that no request can have", async () => {
    const server = new ToyServer();
    const account = await openAccount(server, [THING]);
    await account.sync.settle();
    server.before = (request) => {
      if (JSON.stringify(request).includes('"three"')) throw new RequestError(413, {});
    };
    account.create('Thing', ...texts);
    await account.sync.settle();
    expect(server.objects.size).toBe(4);
    const refused = account.outcomes.filter(({ isMade }) => !isMade);
    expect(refused).toMatchObject([
      { write: { values: { text: 'three' } }, error: { type: 'tooLarge' } },
    ]);
  });
});

describe('a write with which each request fails', () => {
  const texts = ['one', 'two', 'three', 'four'];
  const countTried = ({ methodCalls }: Request): number =>
    methodCalls.filter(([name]) => name === 'Thing/set').length;

  it.each([
    [403, true],
    [500, true],
    [502, false],
  ])('is refused alone: status %i, keys %s', async (status, hasKeys) => {
    const server = new ToyServer();
    const account = await openAccount(server, [THING], { hasKeys });
    await account.sync.settle();
    server.before = (request) => {
      if (JSON.stringify(request).includes('"three"')) throw new RequestError(status, {});
    };
    account.create('Thing', ...texts);
    await account.sync.settle();
    const refused = account.outcomes.filter(({ isMade }) => !isMade);
    expect(refused).toMatchObject([
      { write: { values: { text: 'three' } }, error: { type: 'http', status } },
    ]);
    const made = Array.from(server.objects.values(), ({ text }) => text).sort();
    expect(made).toEqual(['four', 'one', 'two']);
    expect(server.requests.length).toBeLessThan(40);
  });

  it('is made once where the server fails behind it', async () => {
    const server = new ToyServer();
    const account = await openAccount(server, [THING]);
    await account.sync.settle();
    const send = server.send.bind(server);
    server.send = async (request) => {
      // The server makes calls of a key once.
      const isMade = [...server.objects.values()].some(({ text }) => text === 'three');
      const isOwn = JSON.stringify(request).includes('"three"');
      if (isOwn && isMade) throw new RequestError(500, {});
      const response = await send(request);
      if (isOwn) throw new RequestError(500, {});
      return response;
    };
    account.create('Thing', ...texts);
    await account.sync.settle();
    expect(account.outcomes.map(({ isMade }) => isMade)).toEqual(texts.map(() => true));
    expect(server.objects.size).toBe(4);
  });

  it.each([401, 403, 500, 503])('waits while all requests fail: status %i', async (status) => {
    const server = new ToyServer();
    const account = await openAccount(server, [THING]);
    await account.sync.settle();
    server.before = () => {
      throw new RequestError(status, {});
    };
    account.create('Thing', ...texts);
    await eventually(() => expect(server.requests.length).toBeGreaterThan(10), 10_000);
    server.before = () => undefined;
    await account.sync.settle();
    expect(account.outcomes.map(({ isMade }) => isMade)).toEqual(texts.map(() => true));
    expect(server.objects.size).toBe(4);
    const before = server.requests.length;
    account.create('Thing', ...texts);
    await account.sync.settle();
    expect(server.requests.slice(before).filter(countTried)).toHaveLength(1);
  });

  it.each([401, 503])('waits for a server that has no time: status %i', async (status) => {
    const server = new ToyServer();
    const account = await openAccount(server, [THING]);
    await account.sync.settle();
    server.before = (request) => {
      if (countTried(request) > 0) throw new RequestError(status, {});
    };
    account.create('Thing', ...texts);
    await eventually(() => expect(server.requests.length).toBeGreaterThan(10), 10_000);
    server.before = () => undefined;
    await account.sync.settle();
    expect(account.outcomes.map(({ isMade }) => isMade)).toEqual(texts.map(() => true));
  });
});

describe('a call whose outcome the response leaves open', () => {
  it.each([
    ['no answer', () => []],
    ['serverPartialFail', (id: string) => [['error', { type: 'serverPartialFail' }, id] as const]],
  ])('is sent again under its key: %s', async (_, answer) => {
    const server = new ToyServer();
    const account = await openAccount(server, [THING]);
    await account.sync.settle();
    server.answer = ([name, , id]) => {
      if (name !== 'Thing/set') return undefined;
      server.answer = () => undefined;
      return answer(id);
    };
    account.create('Thing', 'one');
    await account.sync.settle();
    const calls = server.requests.flatMap(({ methodCalls }) => methodCalls);
    const keys = calls.flatMap(([name, { onceKey }]) => (name === 'Thing/set' ? [onceKey] : []));
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(account.outcomes).toMatchObject([{ isMade: true }]);
    expect(account.failures).toContainEqual(expect.stringMatching(/^server/));
  });
});

describe('changes that are told while a request is on its way', () => {
  it('are asked for by a later one, of all types', async () => {
    const server = new ToyServer();
    const account = await openAccount(server, [THING, makeTable('Other')]);
    await account.sync.settle();
    const asked = server.count('Other/changes');
    server.before = () => {
      server.before = () => undefined;
      account.sync.note();
      expect(account.sync.isDue).toBe(true);
    };
    await account.sync.settle();
    expect(account.sync.isDue).toBe(false);
    expect(server.count('Other/changes')).toBe(asked + 2);
  });
});

describe('an object that changes between its /changes and its /get', () => {
  it('never gets older, and the next cycle asks from where /changes ended', async () => {
    const server = new ToyServer();
    server.objects.set('t', { id: 't', type: 'Thing', text: 'old' });
    const { store, sync } = await openAccount(server, [THING]);
    await sync.settle();
    const since: unknown[] = [];
    server.answer = ([method, args, id]) => {
      if (method === 'Thing/get')
        return [[method, { state: '3', list: [{ id: 't', text: 'newer' }], notFound: [] }, id]];
      if (method !== 'Thing/changes') return undefined;
      since.push(args['sinceState']);
      const newState = args['sinceState'] === '1' ? '2' : '3';
      const updated = args['sinceState'] === '3' ? [] : ['t'];
      return [
        [method, { newState, hasMoreChanges: false, created: [], updated, destroyed: [] }, id],
      ];
    };
    const texts = new Set<unknown>();
    store.listen(() => texts.add(store.replica.row('Thing', 't')?.['text']));
    await sync.settle();
    expect([...texts]).toEqual(['newer']);
    expect(since.slice(0, 2)).toEqual(['1', '2']);
    expect(store.replica.cursor('Thing')).toBe('3');
  });
});

it('an answer that makes no sense is no absence of the server', async () => {
  const server = new ToyServer();
  const { sync, failures } = await openAccount(server, [THING], { pause: 500 });
  const nothing = null as unknown as JsonObject;
  server.answer = ([name, , id]) => [[name, nothing, id]];
  sync.want();
  await eventually(() => expect(failures).toEqual(['fault']), 5000);
  server.before = () => {
    throw new TransportError('The network has gone.');
  };
  sync.resume();
  await eventually(() => expect(failures).toEqual(['fault', 'transport']), 5000);
  await sync.close();
});

describe('a server that never comes to an end', () => {
  it('is asked more and more rarely', async () => {
    const server = new ToyServer();
    const account = await openAccount(server, [THING], { pause: 1000 });
    // The objects are of other states than their changes.
    const args = { newState: '0', created: [], updated: [], destroyed: [] };
    server.answer = ([method, , id]) =>
      method === 'Thing/changes' ? [[method, args, id]] : undefined;
    account.sync.want();
    await eventually(() => expect(server.count('Thing/changes')).toBeGreaterThan(0), 5000);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(server.requests.length).toBeLessThan(6);
    await account.sync.close();
  });
});

describe('a write whose state no request can ask for', () => {
  it('waits with pauses', async () => {
    const server = new ToyServer();
    let asked = 0;
    const limits = {
      ...{ maxObjectsInGet: 100, maxObjectsInSet: 100, maxSizeRequest: 100_000 },
      // A page of a type takes three calls.
      get maxCallsInRequest() {
        asked += 1;
        if (asked > 500) throw new Error('The client goes round and round.');
        return 2;
      },
    };
    const account = await openAccount(server, [THING], { hasKeys: false, limits, pause: 1000 });
    account.create('Thing', 'one');
    account.sync.want();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked).toBeLessThan(50);
    expect(account.outcomes).toEqual([]);
    await account.sync.close();
  });
});

describe('a server that is busy', () => {
  it('is asked again as late as it says, and behind that as soon as ever', async () => {
    const server = new ToyServer();
    const { sync, failures } = await openAccount(server, [THING]);
    const waits = vi.spyOn(globalThis, 'setTimeout');
    const fail = (error: Error) => {
      server.before = () => {
        throw error;
      };
    };
    fail(new RequestError(503, {}, 600));
    sync.want();
    const times = () => waits.mock.calls.map(([, time = 0]) => time);
    await eventually(() => expect(times()).toContain(600_000), 5000);
    expect(server.requests).toHaveLength(1);
    waits.mockClear();
    fail(new RequestError(500, {}));
    sync.resume();
    await eventually(() => expect(failures.length).toBeGreaterThan(3), 5000);
    expect(Math.max(...times())).toBeLessThan(600_000);
    await sync.close();
  });
});

describe('a server that can calculate no changes', () => {
  it('is read anew each time, with what was made meanwhile', async () => {
    const server = new ToyServer();
    const { store, sync, create } = await openAccount(server, [THING]);
    server.answer = ([method, , id]) =>
      method === 'Thing/changes' ? [['error', { type: 'cannotCalculateChanges' }, id]] : undefined;
    server.objects.set('old', { id: 'old', type: 'Thing', text: 'old' });
    create('Thing', 'mine');
    await sync.settle();
    const texts = () => Array.from(store.replica.rows('Thing'), ({ text }) => text).sort();
    expect([texts(), store.replica.coverage('Thing')]).toEqual([['mine', 'old'], 'all']);
    server.objects.delete('old');
    await sync.settle();
    await sync.settle();
    expect(texts()).toEqual(['mine']);
  });
});
