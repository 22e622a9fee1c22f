import { describe, expect, it } from 'vitest';
import { RequestError } from '../../src/call/errors.js';
import type { Invocation } from '../../src/index.js';
import type { ListSearch } from '../../src/store/list-state.js';
import { ListSync } from '../../src/sync/list-sync.js';
import { LIMITS, makeTable, openAccount, ToyServer } from '../support/toy-server.js';

// A type whose writes fail for long. The number of requests counts: there are pauses between them.

const THING = makeTable('Thing');
const OTHER = makeTable('Other');

async function open(limits = LIMITS) {
  const server = new ToyServer();
  const account = await openAccount(server, [THING, OTHER], { limits });
  await account.sync.settle();
  const { store, sync } = account;
  /**
   * Goes on without pauses until all of this holds, for so many requests at most. Returns what
   * doesn't hold.
   */
  const goOn = async (most: number, wanted: Readonly<Record<string, () => boolean>>) => {
    const missing = () =>
      Object.entries(wanted).flatMap(([name, holds]) => (holds() ? [] : [name]));
    await account.goOn(most, () => missing().length === 0);
    return missing();
  };
  return {
    ...{ ...account, server, goOn },
    /** The server fails for so many requests, as long as there are writes. */
    fail: (requests: number) => goOn(requests, { end: () => store.replica.log.length === 0 }),
    isRead: (type: string, id: string) => store.replica.has(type, id),
    /** Another device makes an object. */
    makeElsewhere(type: string, id: string) {
      server.objects.set(id, { id, type, text: 'theirs' });
      server.change();
      sync.want();
    },
  };
}

const errorOf = (type: string, id: string): readonly Invocation[] => [['error', { type }, id]];

const NEVER = { never: () => false };

/** Opens a client with a write that the server has no time for. */
async function openBusy() {
  const opened = await open();
  opened.server.answer = ([name, , id]) =>
    name === 'Thing/set' ? errorOf('serverUnavailable', id) : undefined;
  opened.create('Thing', 'mine');
  await opened.fail(3);
  return opened;
}

/** Has so many requests fail. */
function failNext(server: ToyServer, times: number, status: number): void {
  let left = times;
  server.before = () => {
    left -= 1;
    if (left >= 0) throw new RequestError(status, {});
  };
}

describe('a type at whose calls the server fails', () => {
  it.each(['serverFail', 'serverUnavailable', 'rateLimit'])(
    'holds up no other with many calls of unknown outcomes: %s',
    async (type) => {
      const { server, sync, create, goOn, fail, isMade, isRead, makeElsewhere } = await open();
      server.answer = ([name, , id]) => (name === 'Thing/set' ? errorOf(type, id) : undefined);
      for (let n = 0; n < LIMITS.maxCallsInRequest; n += 1) {
        create('Thing', `t${n}`);
        await fail(3);
      }
      create('Other', 'one');
      makeElsewhere('Other', 'x');
      const wanted = { made: () => isMade('one'), read: () => isRead('Other', 'x') };
      expect(await goOn(60, wanted)).toEqual([]);
      await sync.close();
    },
  );

  it('is read, though its user goes on to write', async () => {
    const limits = { ...LIMITS, maxCallsInRequest: 64 };
    const { server, sync, create, goOn, fail, isRead, makeElsewhere } = await open(limits);
    server.answer = ([name, , id]) =>
      name === 'Thing/set' ? errorOf('serverUnavailable', id) : undefined;
    // One write in four requests: with the pauses, these are minutes.
    server.before = () => {
      const { length } = server.requests;
      if (length % 4 === 1) create('Thing', `t${length}`);
    };
    create('Thing', 'first');
    await fail(20);
    makeElsewhere('Thing', 'x');
    expect(await goOn(20, { read: () => isRead('Thing', 'x') })).toEqual([]);
    await sync.close();
  });
});

describe('a type at whose requests a gateway gives up', () => {
  it.each([
    ['each /set', () => true],
    ['each /set that writes, an empty one fails', (args: object) => 'create' in args],
  ])('lets changes of others be read, and all is made once it passes: %s', async (_, isHit) => {
    const { server, sync, create, goOn, fail, isMade, isRead, makeElsewhere } = await open();
    server.before = ({ methodCalls }) => {
      if (methodCalls.some(([name, args]) => name === 'Thing/set' && isHit(args)))
        throw new RequestError(502, {});
    };
    server.answer = ([name, , id]) =>
      name === 'Thing/set' ? errorOf('serverFail', id) : undefined;
    create('Thing', 'mine');
    await fail(40);
    create('Other', 'one');
    makeElsewhere('Other', 'x');
    expect(await goOn(20, { read: () => isRead('Other', 'x') })).toEqual([]);
    server.before = () => undefined;
    server.answer = () => undefined;
    const rest = { mine: () => isMade('mine'), one: () => isMade('one') };
    expect(await goOn(30, rest)).toEqual([]);
    await sync.close();
  });
});

describe('a type whose call was made, and whose changes the server fails to tell', () => {
  it.each(['serverFail', 'serverUnavailable'])('holds up no other: %s', async (type) => {
    const { server, sync, create, goOn, fail, isMade, isRead, makeElsewhere } = await open();
    const made = new Set<unknown>();
    server.answer = ([name, args, id]) => {
      if (name === 'Thing/changes') return errorOf(type, id);
      if (name !== 'Thing/set') return undefined;
      if (args['create'] === undefined)
        return made.has(args['onceKey']) ? errorOf('invalidArguments', id) : undefined;
      made.add(args['onceKey']);
      return errorOf('serverFail', id);
    };
    create('Thing', 'mine');
    await fail(10);
    create('Other', 'one');
    makeElsewhere('Other', 'x');
    const wanted = { made: () => isMade('one'), read: () => isRead('Other', 'x') };
    expect(await goOn(60, wanted)).toEqual([]);
    await sync.close();
  });
});

describe('a type that has no time for its writes', () => {
  it.each([
    { times: 1, status: 403 },
    { times: 1, status: 413 },
    { times: 2, status: 403 },
    { times: 6, status: 502 },
  ])('holds up no other behind $times requests with $status', async ({ times, status }) => {
    const { server, sync, goOn, create, isMade, isRead, makeElsewhere } = await openBusy();
    failNext(server, times, status);
    await goOn(10, NEVER);
    create('Other', 'one');
    makeElsewhere('Other', 'x');
    const wanted = { made: () => isMade('one'), read: () => isRead('Other', 'x') };
    expect(await goOn(60, wanted)).toEqual([]);
    await sync.close();
  });

  it.each([0, 1])('lets lists be read behind %i requests with 403', async (times) => {
    const { server, sync, store, goOn } = await openBusy();
    failNext(server, times, 403);
    await goOn(10, NEVER);
    const search: ListSearch = {
      ...{ name: 'list', type: 'Other', position: 0, length: 10 },
      search: { filter: { text: 'x' } },
    };
    sync.wantList('list', new ListSync(store.replica, () => [search]));
    expect(await goOn(60, { list: () => store.replica.list('list') !== undefined })).toEqual([]);
    await sync.close();
  });
});

describe('a type that can not be read, and at whose requests a gateway gives up', () => {
  it('is written once the gateway passes', async () => {
    const { server, sync, create, goOn, fail, isMade } = await open();
    let isDown = true;
    server.before = ({ methodCalls }) => {
      if (isDown && methodCalls.some(([name]) => name === 'Thing/set'))
        throw new RequestError(502, {});
    };
    server.answer = ([name, , id]) =>
      name.startsWith('Thing/') && name !== 'Thing/set' ? errorOf('forbidden', id) : undefined;
    sync.want();
    await goOn(5, NEVER);
    create('Thing', 'mine');
    await fail(40);
    isDown = false;
    expect(await goOn(30, { made: () => isMade('mine') })).toEqual([]);
    await sync.close();
  });
});
