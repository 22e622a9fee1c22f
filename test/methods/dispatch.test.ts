import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MethodError, UnavailableError } from '../../src/protocol/errors.js';
import { conductor } from '../support/conductor.js';
import { CORE, type Json, NOTES, Rig, TODOS, U2, WIDGETS } from './rig.js';
import { widgetCapability } from './widget.js';

let rig: Rig;
const rigs: Rig[] = [];

function open(...limits: ConstructorParameters<typeof Rig>): Rig {
  const opened = new Rig(...limits);
  rigs.push(opened);
  return opened;
}

beforeEach(() => {
  rig = open();
});
afterEach(async () => {
  for (const opened of rigs.splice(0)) await opened.close();
});

describe('RFC 8620 3.3: which methods a request has', () => {
  it('a method whose capability is not in `using` is unknown', async () => {
    const get = ['Todo/get', { accountId: 'a1', ids: [] }] as const;
    expect(await rig.calls([get], { using: [CORE, NOTES] })).toMatchObject([
      ['error', { type: 'unknownMethod' }],
    ]);
    expect(await rig.calls([get], { using: [TODOS] })).toMatchObject([['Todo/get', {}]]);
  });

  it('every method is unknown if `using` is empty, Core/echo too', async () => {
    const answers = await rig.calls([['Core/echo', {}]], { using: [] });
    expect(answers).toMatchObject([['error', { type: 'unknownMethod' }]]);
  });

  it('Blob/copy needs core alone, the other blob methods need the blob capability', async () => {
    const args = { accountId: 'a2', fromAccountId: 'a1', blobIds: [], ids: [], create: {} };
    const names = ['Blob/upload', 'Blob/get', 'Blob/lookup', 'Blob/copy'];
    const answers = await rig.calls(
      names.map((name) => [name, args]),
      { using: [CORE] },
    );
    expect(answers.map((answer) => answer[1].type)).toEqual([
      'unknownMethod',
      'unknownMethod',
      'unknownMethod',
      'invalidArguments',
    ]);
  });

  it.each(['todo/get', 'Todo/Get', 'Todo/get ', '__proto__', ''])(
    'the method name %j is unknown',
    async (name) => {
      expect((await rig.call(name)).error).toBe('unknownMethod');
    },
  );
});

describe('RFC 8620 3.4: responses', () => {
  it('come in order and carry the call ids unchanged', async () => {
    const ids = ['', 'x'.repeat(10_000), 'a"b\\😀', 'a"b\\😀'];
    const { methodResponses } = await rig.request(ids.map((id, n) => ['Core/echo', { n }, id]));
    expect(methodResponses).toEqual(ids.map((id, n) => ['Core/echo', { n }, id]));
  });

  it('an error in one call leaves the others alone', async () => {
    const answers = await rig.calls([
      ['Core/echo', { n: 1 }],
      ['Nope/get', {}],
      ['Core/echo', { n: 3 }],
    ]);
    expect(answers.map((answer) => answer[0])).toEqual(['Core/echo', 'error', 'Core/echo']);
  });

  it('Core/echo answers its arguments', async () => {
    const args = {
      accountId: 7,
      n: [1, { x: null }, 2 ** 53 - 1, -(2 ** 53 - 1)],
      '': { '': { a: { b: { c: '\u0000é😀' } } } },
    };
    expect(await rig.calls([['Core/echo', args]])).toEqual([['Core/echo', args]]);
  });

  it('Core/echo answers members that are named as those of a prototype', async () => {
    const call = '["Core/echo",{"__proto__":{"a":1},"constructor":2},"c"]';
    expect(await rig.text(`{"using":["${CORE}"],"methodCalls":[${call}]}`)).toContain(call);
  });
});

describe('RFC 8620 3.6.2: accounts', () => {
  const calls: readonly (readonly [string, object])[] = [
    ['Todo/get', { ids: [] }],
    ['Todo/changes', { sinceState: '0' }],
    ['Todo/set', {}],
    ['Todo/query', {}],
    ['Todo/queryChanges', { sinceQueryState: '0.x' }],
    ['Todo/copy', { fromAccountId: 'a2', create: {} }],
    ['Blob/get', { ids: [] }],
    ['Blob/upload', { create: {} }],
    ['Blob/lookup', { ids: [], typeNames: [] }],
    ['Blob/copy', { fromAccountId: 'a2', blobIds: [] }],
  ];

  it.each(calls)('%s refuses an unknown account as one out of reach', async (name, args) => {
    const unknown = await rig.call(name, { ...args, accountId: 'zz' });
    const unreachable = await rig.call(name, { ...args, accountId: 'ax' });
    expect(unknown.error).toBe('accountNotFound');
    expect(unreachable).toEqual(unknown);
  });

  it.each(calls)('%s needs an accountId', async (name, args) => {
    const [[, response]] = (await rig.calls([[name, args]])) as [[string, Json]];
    expect(response).toMatchObject({ type: 'invalidArguments' });
    expect(response.description).toContain('"accountId"');
  });

  it.each(calls.filter(([name]) => !name.startsWith('Blob/')))(
    '%s refuses an account without the type',
    async (name, args) => {
      const response = await rig.call(name, { ...args, accountId: 'an' });
      expect(response.error).toBe('accountNotSupportedByMethod');
    },
  );

  it('a writing method refuses a read-only account, with nothing to do, too', async () => {
    const writing = ['Todo/set', 'Todo/copy', 'Blob/upload', 'Blob/copy'];
    for (const [name, args] of calls) {
      const { error } = await rig.call(name, { ...args, accountId: 'ar' });
      if (writing.includes(name)) expect(error).toBe('accountReadOnly');
      else expect(error).not.toBe('accountReadOnly');
    }
  });
});

describe('RFC 8620 3.6.2: invalidArguments', () => {
  it('names every unknown argument and the known ones', async () => {
    const { error, description } = await rig.call('Todo/get', { foo: 1, bar: 2 });
    expect(error).toBe('invalidArguments');
    expect(description).toContain('"foo"');
    expect(description).toContain('"bar"');
    expect(description).toContain('properties');
  });

  it.each([
    ['Todo/get', { ids: 'x' }],
    ['Todo/get', { ids: {} }],
    ['Todo/get', { ids: [1] }],
    ['Todo/get', { ids: [null] }],
    ['Todo/get', { properties: 'text' }],
    ['Todo/query', { limit: '5' }],
    ['Todo/query', { limit: -1 }],
    ['Todo/query', { position: 1.5 }],
    ['Todo/query', { position: '0' }],
    ['Todo/query', { position: null }],
    ['Todo/query', { calculateTotal: 'yes' }],
    ['Todo/query', { sort: {} }],
    ['Todo/query', { filter: [] }],
    ['Todo/changes', { sinceState: '0', maxChanges: '3' }],
    ['Todo/changes', { sinceState: '0', maxChanges: 0 }],
    ['Todo/changes', { sinceState: '0', maxChanges: -1 }],
    ['Todo/changes', { sinceState: 3 }],
    ['Todo/changes', { sinceState: null }],
    ['Todo/changes', {}],
    ['Todo/set', { create: [] }],
    ['Todo/set', { create: { 'not an id': {} } }],
    ['Todo/set', { destroy: {} }],
    ['Todo/set', { ifInState: 1 }],
    ['Todo/queryChanges', {}],
    ['Todo/queryChanges', { sinceQueryState: null }],
    ['Todo/copy', { fromAccountId: 'a2', create: null }],
    ['Blob/copy', { fromAccountId: 'a2', blobIds: null }],
  ])('%s refuses %j', async (name, args) => {
    expect((await rig.call(name, args)).error).toBe('invalidArguments');
  });

  it.each(['1e400', '9007199254740993', '4.99999999999999999999'])(
    'refuses %s as an Int, and never rounds it',
    async (number) => {
      const args = `{"accountId":"a1","position":${number}}`;
      const body = `{"using":["${TODOS}"],"methodCalls":[["Todo/query",${args},"c"]]}`;
      expect(await rig.text(body)).toContain('"type":"invalidArguments"');
    },
  );

  it.each(['1e400', '9007199254740993', '4.99999999999999999999'])(
    'Core/echo answers %s as it came, by a reference too',
    async (number) => {
      const echo = `["Core/echo",{"n":[${number}]},"c"]`;
      const again = '["Core/echo",{"#n":{"resultOf":"c","name":"Core/echo","path":"/n"}},"d"]';
      const answer = await rig.text(`{"using":["${CORE}"],"methodCalls":[${echo},${again}]}`);
      expect(answer).toContain(`[${echo},["Core/echo",{"n":[${number}]},"d"]]`);
    },
  );

  it('types that opt in take snake_case, one spelling at a time', async () => {
    const args = { account_id: 'a1', since_state: '0', max_changes: 3 };
    expect(await rig.calls([['Todo/changes', args]])).toMatchObject([
      ['Todo/changes', { newState: '0' }],
    ]);
    expect(await rig.calls([['Note/changes', args]])).toMatchObject([
      ['error', { type: 'invalidArguments' }],
    ]);
    const both = await rig.call('Todo/changes', { since_state: '0', sinceState: '0' });
    expect(both.error).toBe('invalidArguments');
  });
});

describe('the calls of one request', () => {
  it('let other requests have a turn between two of them', async () => {
    const seen: string[] = [];
    rig.trick.run = async () => {
      const end = performance.now() + 15;
      while (performance.now() < end);
      seen.push('call');
      return {};
    };
    // Turns are the process's: what an earlier test has begun must not end within this one.
    while (conductor.isActive) await new Promise(setImmediate);
    setImmediate(() => seen.push('another'));
    await rig.calls([
      ['Widget/trick', {}],
      ['Widget/trick', {}],
      ['Widget/trick', {}],
    ]);
    expect(seen).toEqual(['call', 'another', 'call', 'call']);
  });
});

describe('failures', () => {
  const trick = ['Widget/trick', {}] as const;

  it('an unexpected one is serverFail with a reference that the log has', async () => {
    const cause = new Error('SELECT secret FROM table');
    rig.trick.run = () => Promise.reject(cause);
    const [[name, response]] = (await rig.calls([trick])) as [[string, Json]];
    expect([name, response.type]).toEqual(['error', 'serverFail']);
    expect(JSON.stringify(response)).not.toContain('secret');
    expect(rig.failures).toHaveLength(1);
    expect(rig.failures[0]?.error).toBe(cause);
    expect(response.description).toContain(rig.failures[0]?.reference);
  });

  it('a busy database is serverUnavailable and not logged as a defect', async () => {
    rig.trick.run = () => Promise.reject(new UnavailableError('SQLITE_BUSY'));
    const answers = await rig.calls([trick, ['Core/echo', {}]]);
    expect(answers).toMatchObject([
      ['error', { type: 'serverUnavailable' }],
      ['Core/echo', {}],
    ]);
    expect(JSON.stringify(answers)).not.toContain('SQLITE');
    expect(rig.failures).toEqual([]);
  });

  it('a MethodError is its own response', async () => {
    rig.trick.run = () => Promise.reject(new MethodError('forbidden', 'Not you.'));
    expect(await rig.calls([trick])).toEqual([
      ['error', { type: 'forbidden', description: 'Not you.' }],
    ]);
  });

  it('a method that no hook file implements is a serverFail', async () => {
    const name = 'Widget/nothing';
    const [method] = widgetCapability().methods.filter((one) => one.name === 'Widget/trick');
    if (method === undefined) throw new Error('Widgets have a trick.');
    const lacking = new Rig({}, { methods: [{ ...method, name }] });
    expect(await lacking.calls([[name, {}]])).toMatchObject([['error', { type: 'serverFail' }]]);
    await lacking.close();
  });

  it('a call after REQUEST_TIMEOUT is serverUnavailable and changes nothing', async () => {
    const late = open({ requestTimeout: -1 });
    const create = { k: { text: 'a' } };
    expect((await late.call('Todo/set', { create })).error).toBe('serverUnavailable');
    expect((await late.call('Todo/get', { ids: null })).error).toBe('serverUnavailable');
    const using = [WIDGETS];
    late.trick.run = async () => ({ ran: true });
    expect(await late.calls([trick], { using })).toMatchObject([['Widget/trick', { ran: true }]]);
  });
});

describe('MAX_SIZE_RESPONSE', () => {
  it('a call whose answer would exceed it is requestTooLarge, smaller ones run', async () => {
    const small = open({ maxSizeResponse: 5000 });
    const answers = await small.calls([
      ['Core/echo', { a: 'x'.repeat(2000) }],
      ['Core/echo', { a: 'x'.repeat(3000) }],
      ['Core/echo', { a: 'x'.repeat(100) }],
    ]);
    expect(answers.map(([name, args]) => args.type ?? name)).toEqual([
      'Core/echo',
      'requestTooLarge',
      'Core/echo',
    ]);
  });

  it('never sends more octets, whatever the calls', async () => {
    const small = open({ maxSizeResponse: 6000 });
    const calls = Array.from({ length: 16 }, () => ['Core/echo', { a: 'é'.repeat(700) }, 'ü']);
    const createdIds = Object.fromEntries([...'abcdef'].map((id) => [id, `r${id}`]));
    const body = JSON.stringify({ using: [CORE], methodCalls: calls, createdIds });
    const text = await small.text(body);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(6000);
    const { methodResponses } = JSON.parse(text);
    expect(methodResponses).toHaveLength(16);
    expect(methodResponses[0][0]).toBe('Core/echo');
    expect(methodResponses[15][1]).toMatchObject({ type: 'requestTooLarge' });
  });

  it('RFC 8620 3.6.2: a /set whose answer has no room is undone', async () => {
    const small = open({ maxSizeResponse: 3000 });
    const create = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`k${index}`, { text: 'a' }]),
    );
    expect((await small.call('Todo/set', { create })).error).toBe('requestTooLarge');
    expect(await small.call('Todo/get', { ids: null })).toMatchObject({ state: '0', list: [] });
    const request = await small.request([['Todo/set', { accountId: 'a1', create }]], {
      createdIds: {},
    });
    expect(request.createdIds).toEqual({});
  });

  it('stops a /get that would exceed it', async () => {
    const small = open({ maxSizeResponse: 3000 });
    for (let index = 0; index < 10; index += 1) {
      await small.create('Todo', [{ text: 'x'.repeat(400) }]);
    }
    expect((await small.call('Todo/get', { ids: null })).error).toBe('requestTooLarge');
    expect((await small.call('Todo/get', { ids: null, properties: [] })).list).toHaveLength(10);
  });
});

it('RFC 8620 6.1: two users of one account see one state of it', async () => {
  const [id] = await rig.create('Todo', [{ text: 'shared' }]);
  const { list } = await rig.call('Todo/get', { ids: [id] }, { user: U2 });
  expect(list).toHaveLength(1);
});
