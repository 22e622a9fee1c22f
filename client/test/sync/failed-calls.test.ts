import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import { RequestError, TransportError } from '../../src/call/errors.js';
import type { ListSearch } from '../../src/store/list-state.js';
import { makeKey, type PendingWrite } from '../../src/store/write.js';
import { ListSync } from '../../src/sync/list-sync.js';
import type { Request } from '../../src/transport/transport.js';
import { makeTable, openAccount, ToyServer } from '../support/toy-server.js';

// Requests that fail as a whole: what is to blame, and what isn't.

const THING = makeTable('Thing');

const hasWrites = ({ methodCalls }: Request): boolean =>
  methodCalls.some(([name]) => name === 'Thing/set');
const texts = (count: number) => Array.from({ length: count }, (_, n) => `t${n}`);

async function open(options: { readonly pause?: number; readonly hasKeys?: boolean } = {}) {
  const server = new ToyServer();
  const account = await openAccount(server, [THING], options);
  await account.sync.settle();
  const refused = () => account.outcomes.filter(({ isMade }) => !isMade);
  /** Resolves when all is done. Pauses are short. */
  const finish = async (): Promise<void> => {
    const timer = setInterval(() => account.sync.resume(), 3);
    await account.sync.settle();
    clearInterval(timer);
  };
  return { ...account, server, refused, finish };
}

/** The server fails at so many requests. */
function failTimes(server: ToyServer, times: number, error: RequestError, isHit = hasWrites): void {
  let left = times;
  server.before = (request) => {
    if (!isHit(request) || left <= 0) return;
    left -= 1;
    throw error;
  };
}

describe('writes that a server has failed at', () => {
  it.each([
    [502, true],
    [504, true],
    [500, true],
    [403, true],
    [502, false],
    [403, false],
  ])('are made once it is back, however long it was away: %i, keys %s', async (status, hasKeys) => {
    for (let times = 1; times <= 14; times += 1) {
      const { server, create, outcomes, refused, finish } = await open({ hasKeys });
      failTimes(server, times, new RequestError(status, {}), () => true);
      create('Thing', 'mine');
      await finish();
      expect([outcomes.length, refused(), server.objects.size]).toEqual([1, [], 1]);
    }
  });

  it.each([403, 500, 502])('are made once their way is open again: %i', async (status) => {
    const { server, create, outcomes, refused, finish } = await open();
    failTimes(server, 60, new RequestError(status, {}));
    create('Thing', ...texts(50));
    await finish();
    expect([outcomes.length, refused(), server.objects.size]).toEqual([50, [], 50]);
  });

  it.each([403, 500])('are sent with pauses while their way is closed: %i', async (status) => {
    const { server, sync, create, outcomes } = await open({ pause: 100 });
    server.requests.length = 0;
    failTimes(server, Number.POSITIVE_INFINITY, new RequestError(status, {}));
    create('Thing', ...texts(100));
    await new Promise((resolve) => setTimeout(resolve, 3000));
    await sync.close();
    // Those of one search for a write that may be to blame, and then one with each pause.
    expect(server.requests.length).toBeLessThan(25);
    expect(outcomes).toEqual([]);
  });

  it('go out together again once it is back', async () => {
    const { server, sync, create } = await open();
    failTimes(server, 5, new RequestError(500, {}));
    create('Thing', 'one', 'two');
    await sync.settle();
    server.requests.length = 0;
    create('Thing', ...texts(100));
    await sync.settle();
    expect(server.requests.filter(hasWrites).length).toBeLessThan(10);
    server.requests.length = 0;
    create('Thing', ...texts(100));
    await sync.settle();
    expect(server.requests.filter(hasWrites)).toHaveLength(1);
  });
});

describe('a call at which a server fails', () => {
  it.each([true, false])('refuses the write alone that is to blame: keys %s', async (hasKeys) => {
    const { server, create, outcomes, guesses, refused, finish } = await open({ hasKeys });
    server.answer = ([name, args, id]) =>
      name === 'Thing/set' && JSON.stringify(args).includes('poison')
        ? [['error', { type: 'serverFail' }, id]]
        : undefined;
    create('Thing', 'one', 'two', 'poison', 'three');
    await finish();
    expect(outcomes).toHaveLength(4);
    expect(refused()).toMatchObject([
      { write: { ids: ['poison'] }, error: { type: 'serverFail' } },
    ]);
    // Another tab may make it.
    expect(guesses).toEqual(refused());
    const made = Array.from(server.objects.values(), ({ text }) => text).sort();
    expect(made).toEqual(['one', 'three', 'two']);
  });
});

describe('a type whose writes the server fails at', () => {
  const OTHER = makeTable('Other');

  it('holds up no other', async () => {
    const server = new ToyServer();
    const { sync, create, outcomes, store } = await openAccount(server, [THING, OTHER]);
    await sync.settle();
    server.answer = ([name, , id]) =>
      name === 'Thing/set' ? [['error', { type: 'serverFail' }, id]] : undefined;
    create('Thing', 'mine');
    const timer = setInterval(() => sync.resume(), 3);
    await eventually(() => expect(server.count('Thing/set')).toBeGreaterThan(8));
    create('Other', 'one', 'two');
    await eventually(() => expect(outcomes).toHaveLength(2));
    clearInterval(timer);
    await sync.close();
    expect(outcomes.every(({ isMade, write }) => isMade && write.type === 'Other')).toBe(true);
    expect(store.replica.log).toMatchObject([{ ids: ['mine'] }]);
  });

  it.each(['serverUnavailable', 'rateLimit'])('is read all the same: %s', async (type) => {
    const { server, sync, create, store } = await open();
    server.answer = ([name, , id]) =>
      name === 'Thing/set' ? [['error', { type }, id]] : undefined;
    create('Thing', 'mine');
    const timer = setInterval(() => sync.resume(), 3);
    server.objects.set('x', { id: 'x', type: 'Thing', text: 'theirs' });
    server.change();
    sync.want();
    await eventually(() => expect(store.replica.has('Thing', 'x')).toBe(true));
    clearInterval(timer);
    await sync.close();
  });
});

describe('two calls of one object', () => {
  it.each([1, 5, 6])('are made in their order behind an outage: %i', async (times) => {
    const { server, sync, store, finish } = await open();
    server.objects.set('x', { id: 'x', type: 'Thing', text: 'old' });
    const made: unknown[] = [];
    server.answer = ([name, args, id]) => {
      if (args['update'] === undefined) return undefined;
      made.push(args['update']);
      return [[name, { updated: { x: null } }, id]];
    };
    let left = times;
    server.before = (request) => {
      const isProbe = request.methodCalls.some(([, , id]) => id === 'probe');
      if (!hasWrites(request) || isProbe || left <= 0) return;
      left -= 1;
      throw new RequestError(502, {});
    };
    const update = (text: string) => {
      const write = { ids: [text], type: 'Thing', key: 'x', sentAs: null, kind: 'update' } as const;
      const log = [...store.replica.log, { ...write, patch: { text }, unchanged: null }];
      void store.commit({ log });
    };
    update('first');
    sync.want();
    await eventually(() => expect(left).toBeLessThan(times));
    update('second');
    await finish();
    expect(made).toEqual([{ x: { text: 'first' } }, { x: { text: 'second' } }]);
  });
});

describe('two calls whose keys are used', () => {
  it('end, though an older program has named their objects in another way', async () => {
    const { server, sync, store, outcomes } = await open({ pause: 50 });
    const keys = [makeKey(), makeKey()];
    const calls = ['T1', 'T2'].map((id, n) => ({ id, key: keys[n] ?? '', onceKey: `k${n}` }));
    await store.commit({
      aliases: new Map(calls.map(({ id, key }) => [key, { type: 'Thing', id }])),
      objects: new Map([['Thing', new Map(calls.map(({ id }) => [id, { id, text: 'x' }]))]]),
    });
    for (const { id, onceKey } of calls) {
      const args = { accountId: 'A', onceKey, update: { [id]: { text: 'x' } } };
      await server.send({ using: [], methodCalls: [['Thing/set', args, 's']] });
    }
    server.requests.length = 0;
    const common = {
      kind: 'update',
      type: 'Thing',
      patch: { text: 'x' },
      unchanged: null,
    } as const;
    const sentIn = server.state;
    void store.commit({
      log: calls.map(({ id, key, onceKey }) => ({
        ...{ ...common, ids: [id], key, sentAs: onceKey, sentIn },
      })),
    });
    await sync.settle();
    expect(outcomes.map(({ isMade }) => isMade)).toEqual([true, true]);
    expect(server.requests.length).toBeLessThan(50);
  });
});

/** The server changes some texts, and a gateway gives up so many of its answers to creates. */
function loseAnswers(server: ToyServer, changed: RegExp, times: number): void {
  const send = server.send.bind(server);
  let left = times;
  server.send = async (request) => {
    const text = JSON.stringify(request);
    const response = await send(JSON.parse(text.replace(changed, (each) => each.toLowerCase())));
    if (!text.includes('"create"') || left <= 0) return response;
    left -= 1;
    throw new RequestError(504, {});
  };
}

describe('a call that a server has made, and fails to answer', () => {
  it.each([
    [5, /"(One|Two)"/g],
    [9, /"(One|Two)"/g],
    [9, /"Two"/g],
  ])('is made once, by its key, though its values are others: %i, %s', async (times, changed) => {
    const { server, sync, create, outcomes } = await open();
    loseAnswers(server, changed, times);
    create('Thing', 'One', 'Two');
    await sync.settle();
    expect(outcomes.map(({ isMade }) => isMade)).toEqual([true, true]);
    expect(server.objects.size).toBe(2);
  });

  it('ends without its answer at last, and holds up no other', async () => {
    const { server, create, outcomes, refused, finish } = await open();
    loseAnswers(server, /"Two"/g, 30);
    create('Thing', 'One', 'Two');
    await finish();
    expect(outcomes.map(({ isMade }) => isMade)).toEqual([true, false]);
    expect(refused()).toMatchObject([{ write: { ids: ['Two'] }, error: { type: 'serverFail' } }]);
    expect(server.objects.size).toBe(2);
  });

  it('is no other where it names what an earlier call has made', async () => {
    const { server, store, sync, outcomes } = await open();
    const send = server.send.bind(server);
    server.send = async (request) => {
      const response = await send(request);
      // A gateway gives up while requests are large.
      if (request.methodCalls.filter(([name]) => name === 'Thing/set').length < 2) return response;
      throw new RequestError(504, {});
    };
    const key = makeKey();
    const common = { kind: 'create', type: 'Thing', sentAs: null } as const;
    const group = { group: 'g' };
    void store.commit({
      log: [
        { ...common, ids: ['one'], key, values: { text: 'one' } },
        { ...common, ...group, ids: ['two'], key: makeKey(), values: { text: key } },
      ],
    });
    sync.want();
    await sync.settle();
    expect(outcomes.map(({ isMade }) => isMade)).toEqual([true, true]);
  });
});

describe('a call whose key an empty one has used up', () => {
  it('is made by another key, after a restart', async () => {
    const first = await open();
    const { server } = first;
    const send = server.send.bind(server);
    let isDown = true;
    server.send = async (request) => {
      const isProbe = request.methodCalls.some(([, , id]) => id === 'probe');
      if (isDown && hasWrites(request) && !isProbe) throw new RequestError(502, {});
      const response = await send(request);
      if (!isDown || !isProbe) return response;
      isDown = false;
      void first.sync.close();
      throw new TransportError('The answer was lost.');
    };
    first.create('Thing', 'mine');
    await eventually(() => expect(isDown).toBe(false));
    await first.sync.close();
    const second = await openAccount(server, [THING]);
    await second.store.commit({ log: first.store.replica.log });
    second.sync.want();
    await second.sync.settle();
    expect([first.outcomes, second.outcomes]).toMatchObject([[], [{ isMade: true }]]);
    expect(server.objects.size).toBe(1);
  });
});

describe('a call that a copy shows as made', () => {
  it.each([
    ['update', true],
    ['destroy', true],
    ['update', false],
    ['destroy', false],
  ] as const)('is told as made where the copy shows it: %s, keys %s', async (kind, hasKeys) => {
    const { server, sync, store, outcomes } = await open({ hasKeys });
    server.objects.set('x', { id: 'x', type: 'Thing', text: 'old' });
    sync.want();
    await sync.settle();
    const keys = new Set<unknown>();
    server.answer = ([name, args, id]) => {
      if (name === 'Thing/set' && keys.has(args['onceKey']))
        return [['error', { type: 'invalidArguments' }, id]];
      if (name !== 'Thing/changes' || args['sinceState'] === server.state) return undefined;
      const [updated, destroyed] = kind === 'update' ? [['x'], []] : [[], ['x']];
      const told = { newState: server.state, hasMoreChanges: false, created: [] };
      return [[name, { ...told, updated, destroyed }, id]];
    };
    server.before = ({ methodCalls }) => {
      const set = methodCalls.find(([, args]) => args['update'] ?? args['destroy']);
      if (set === undefined) return;
      // The server has made it, and the gateway gives up each time.
      if (kind === 'update') server.objects.set('x', { id: 'x', type: 'Thing', text: 'new' });
      else server.objects.delete('x');
      server.change();
      keys.add(set[1]['onceKey']);
      throw new RequestError(504, {});
    };
    const common = { ids: ['w'], type: 'Thing', key: 'x', sentAs: null };
    const patch = { patch: { text: 'new' }, unchanged: null };
    void store.commit({
      log: [kind === 'update' ? { ...common, kind, ...patch } : { ...common, kind }],
    });
    sync.want();
    await eventually(() => expect(outcomes).toMatchObject([{ isMade: true }]));
    await sync.close();
  });
});

describe('a write beside a list that the server refuses', () => {
  it.each([413, 403])('is made: %i', async (status) => {
    const { server, sync, store, create, outcomes } = await open();
    const filter = { text: 'huge' };
    const search: ListSearch = {
      ...{ name: 'huge', type: 'Thing', position: 0, length: 10 },
      search: { filter },
    };
    const isHit = (request: Request) => JSON.stringify(request).includes('"huge"');
    failTimes(server, Number.POSITIVE_INFINITY, new RequestError(status, {}), isHit);
    sync.wantList('huge', new ListSync(store.replica, () => [search]));
    create('Thing', 'innocent');
    await eventually(() => expect(outcomes).toMatchObject([{ isMade: true }]));
    await sync.close();
  });
});

describe('updates of two types that ask for no change', () => {
  it('are sent, however little a proxy lets pass', async () => {
    const server = new ToyServer();
    const tables = [THING, makeTable('Other')];
    for (const type of ['Thing', 'Other'])
      server.objects.set(type, { id: type, type, text: 'before' });
    const { sync, store, outcomes, create } = await openAccount(server, tables);
    await sync.settle();
    server.before = (request) => {
      if (JSON.stringify(request).length > 12_000) throw new RequestError(413, {});
    };
    create('Other', ...Array.from({ length: 20 }, (_, n) => `${n}`.padEnd(2000, 'x')));
    await sync.settle();
    expect(outcomes.splice(0)).toHaveLength(20);
    server.answer = ([name, args, id]) => {
      if (!name.endsWith('/set')) return undefined;
      return args['ifInState'] === server.state
        ? [[name, { updated: { Thing: null, Other: null } }, id]]
        : [['error', { type: 'stateMismatch' }, id]];
    };
    // Somebody changes another object.
    server.change();
    const update = (type: string): PendingWrite => ({
      ...{ ids: [type], type, key: type, kind: 'update', sentAs: null },
      ...{ patch: { text: 'after' }, unchanged: { text: 'before' } },
    });
    void store.commit({ log: [update('Thing'), update('Other')] });
    const end = server.requests.length + 20;
    while (outcomes.length < 2 && server.requests.length < end) {
      sync.wake();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await sync.close();
    expect(outcomes).toMatchObject([{ isMade: true }, { isMade: true }]);
  });
});

it('requests that fail are never told as a success', async () => {
  const { server, sync, create, failures } = await open();
  failures.length = 0;
  failTimes(server, Number.POSITIVE_INFINITY, new RequestError(500, {}), () => true);
  create('Thing', 'one', 'two');
  await eventually(() => expect(server.requests.length).toBeGreaterThan(12));
  await sync.close();
  expect(failures).not.toContain(null);
});
