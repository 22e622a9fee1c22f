import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import { RequestError } from '../../src/call/errors.js';
import type { ListSearch } from '../../src/store/list-state.js';
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

describe('a call that a server has made, and fails to answer', () => {
  it.each([5, 9, 30])(
    'is made once, by its key, though its values are others: %i',
    async (times) => {
      const { server, sync, create, outcomes } = await open();
      const send = server.send.bind(server);
      let left = times;
      server.send = async (request) => {
        // The server changes what it is given.
        const response = await send(
          JSON.parse(JSON.stringify(request).replace(/"(One|Two)"/g, (text) => text.toLowerCase())),
        );
        if (!JSON.stringify(request).includes('"create"') || left <= 0) return response;
        left -= 1;
        throw new RequestError(504, {});
      };
      create('Thing', 'One', 'Two');
      await sync.settle();
      expect(outcomes.map(({ isMade }) => isMade)).toEqual([true, true]);
      expect(server.objects.size).toBe(2);
    },
  );

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

it('requests that fail are never told as a success', async () => {
  const { server, sync, create, failures } = await open();
  failures.length = 0;
  failTimes(server, Number.POSITIVE_INFINITY, new RequestError(500, {}), () => true);
  create('Thing', 'one', 'two');
  await eventually(() => expect(server.requests.length).toBeGreaterThan(12));
  await sync.close();
  expect(failures).not.toContain(null);
});
