import { describe, expect, it } from 'vitest';
import {
  BLOB,
  Client,
  CORE,
  EXPLAIN,
  httpAnswer,
  NOTES,
  ONCE,
  REFERENCE,
  SYNC,
  TODOS,
} from '../support/client.js';
import {
  at,
  entry,
  err,
  expectProblem,
  expectProblemStatus,
  member,
  methodError,
  serverId,
  setError,
  utcDate,
} from '../support/expected.js';
import { makeToken, useFixtures } from '../support/fixtures.js';
import type { Json, JsonMap } from '../support/json.js';

// The service as its clients see it: envelopes, the session, states, methods, events and errors.
// (Reference records need a type that refers to blobs: gadget.test.ts.)

const { server, fixtures } = useFixtures({}, ['A2', 'AX', 'u2']);
const u1 = (): Client => fixtures().u1;
const A1 = (): string => fixtures().A1;

const makeTodo = async (todo: JsonMap, accountId = A1()): Promise<JsonMap & { id: string }> =>
  entry((await u1().set('Todo', { accountId, create: { k: todo } })).created, 'k');
const getTodo = async (id: string): Promise<JsonMap> =>
  at((await u1().get('Todo', { accountId: A1(), ids: [id] })).list, 0);
const todoState = async (): Promise<string> =>
  (await u1().get('Todo', { accountId: A1(), ids: [] })).state;
const refusedTodo = async (todo: Json): Promise<JsonMap> => {
  const { created, notCreated } = await u1().set('Todo', { accountId: A1(), create: { k: todo } });
  expect(created).toBeNull();
  return entry(notCreated, 'k');
};
const find = async (filter: JsonMap, accountId = A1()): Promise<string[]> =>
  (await u1().query('Todo', { accountId, filter })).ids;
const post = (body: unknown) => u1().post(JSON.stringify(body));

describe('the request envelope', () => {
  it('`using` is required: an array of strings, each an advertised capability', async () => {
    expectProblem(await post({ methodCalls: [] }), 'notRequest');
    expectProblem(await post({ using: 'x', methodCalls: [] }), 'notRequest');
    expectProblem(await post({ using: [5], methodCalls: [] }), 'notRequest');
    expectProblem(await post({ using: [CORE, 'urn:x:no'], methodCalls: [] }), 'unknownCapability');
    expect((await post({ using: [CORE, TODOS], methodCalls: [] })).status).toBe(200);
  });

  it('`methodCalls` has triples, which run in order and may refer to earlier results', async () => {
    expectProblem(await post({ using: [] }), 'notRequest');
    expectProblem(await post({ using: [], methodCalls: [['Core/echo', {}]] }), 'notRequest');
    const { methodResponses } = await u1().api([
      ['Todo/set', { accountId: A1(), create: { k: { text: 'in order' } } }, 'one'],
      ['Core/echo', { '#id': { resultOf: 'one', name: 'Todo/set', path: '/created/k/id' } }, 'two'],
    ]);
    const { id } = entry(at(methodResponses, 0)[1]['created'] as Record<string, JsonMap>, 'k');
    expect(at(methodResponses, 1)).toEqual(['Core/echo', { id }, 'two']);
  });

  it('names are camelCase; for the example type snake_case is accepted on input too', async () => {
    const answer = await u1().ok('Todo/changes', {
      account_id: A1(),
      since_state: '0',
      max_changes: 1,
    });
    expect(answer).toEqual(expect.objectContaining({ accountId: A1(), oldState: '0' }));
    expect(Object.keys(answer).some((name) => name.includes('_'))).toBe(false);
  });
});

describe('the response envelope', () => {
  it('`methodResponses` has triples with the call id; a failure is an error triple', async () => {
    const { methodResponses } = await u1().api([
      ['Core/echo', { a: 1 }, 'first'],
      ['Nobody/knows', {}, 'second'],
    ]);
    expect(methodResponses).toEqual([
      ['Core/echo', { a: 1 }, 'first'],
      ['error', methodError('unknownMethod'), 'second'],
    ]);
  });

  it('`sessionState` is present', async () => {
    const answer = await post({ using: [CORE], methodCalls: [] });
    expect(answer.json).toEqual({ methodResponses: [], sessionState: expect.any(String) });
  });
});

describe('the session resource', () => {
  it('`capabilities` has an entry for each', async () => {
    const { capabilities } = await u1().session();
    expect(Object.keys(capabilities as JsonMap).sort()).toEqual(
      [
        ...[CORE, 'urn:ietf:params:jmap:websocket', BLOB, EXPLAIN, NOTES, ONCE, REFERENCE, TODOS],
        SYNC,
        'urn:jmapsmith:push',
      ].sort(),
    );
  });

  it('`accounts` has the accounts that the token can reach', async () => {
    const { AX, u2 } = fixtures();
    expect(Object.keys((await u2.session())['accounts'] as JsonMap)).toEqual([AX]);
    expect(Object.keys((await u1().session())['accounts'] as JsonMap)).toContain(A1());
  });

  it('`apiUrl` takes method calls', async () => {
    const { apiUrl } = await u1().session();
    expect(apiUrl).toBe(`${server().url}/jmap`);
    const answer = await u1().http(String(apiUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ using: [CORE], methodCalls: [] }),
    });
    expect(answer.status).toBe(200);
  });

  it('`uploadUrl` takes octets, and `downloadUrl` gives them', async () => {
    const session = await u1().session();
    const fill = (template: Json | undefined, values: Readonly<Record<string, string>>) =>
      String(template).replace(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(values[name] ?? ''),
      );
    const sent = await u1().http(fill(session['uploadUrl'], { accountId: A1() }), {
      method: 'POST',
      body: 'by template',
    });
    const { blobId } = sent.json as { blobId: string };
    const values = { accountId: A1(), blobId, name: 'a b.txt', type: 'text/plain' };
    const got = await u1().http(fill(session['downloadUrl'], values));
    expect(got.text).toBe('by template');
  });
});

describe('properties of every type', () => {
  it('the server assigns `id`', async () => {
    expect((await makeTodo({ text: 'a' })).id).toEqual(serverId);
    expect(await refusedTodo({ text: 'a', id: 'mine' })).toEqual(
      setError('invalidProperties', ['id']),
    );
  });

  it('every object belongs to one account', async () => {
    const { id } = await makeTodo({ text: 'a' });
    const elsewhere = await u1().get('Todo', { accountId: fixtures().A2, ids: [id] });
    expect(elsewhere.notFound).toEqual([id]);
    expect(await getTodo(id)).not.toHaveProperty('accountId');
  });

  it('the server sets `created`', async () => {
    const todo = await makeTodo({ text: 'a' });
    expect(todo['created']).toEqual(utcDate);
    expect((await getTodo(todo.id))['created']).toBe(todo['created']);
    const created = '2020-01-01T00:00:00Z';
    expect(await refusedTodo({ text: 'a', created })).toEqual(
      setError('invalidProperties', ['created']),
    );
  });

  it('the server sets `updated`', async () => {
    const todo = await makeTodo({ text: 'a' });
    expect(todo['updated']).toEqual(utcDate);
    const { updated } = await u1().set('Todo', {
      accountId: A1(),
      update: { [todo.id]: { text: 'b' } },
    });
    expect(updated).toEqual({ [todo.id]: { updated: utcDate } });
    expect((await getTodo(todo.id))['updated']).toBe(entry(updated, todo.id)?.['updated']);
  });
});

describe('Todo', () => {
  it('`text` is required', async () => {
    expect(await refusedTodo({ done: true })).toEqual(setError('invalidProperties', ['text']));
  });

  it('`text` is a string of at most 512 characters', async () => {
    await makeTodo({ text: 'é'.repeat(512) });
    expect(await refusedTodo({ text: 'é'.repeat(513) })).toEqual(
      setError('invalidProperties', ['text']),
    );
    expect(await refusedTodo({ text: 5 })).toEqual(setError('invalidProperties', ['text']));
  });

  it('`done` is a boolean, false by default', async () => {
    const plain = await makeTodo({ text: 'a' });
    expect((await getTodo(plain.id))['done']).toBe(false);
    const done = await makeTodo({ text: 'a', done: true });
    expect((await getTodo(done.id))['done']).toBe(true);
    expect(await refusedTodo({ text: 'a', done: 1 })).toEqual(
      setError('invalidProperties', ['done']),
    );
  });

  it('`id`, `created` and `updated` are server-set', async () => {
    const now = '2026-01-01T00:00:00Z';
    expect(await refusedTodo({ text: 'a', id: 'x', created: now, updated: now })).toEqual(
      setError('invalidProperties', ['id', 'created', 'updated']),
    );
  });

  it('a create object with other properties is rejected', async () => {
    expect(await refusedTodo({ text: 'a', due: null, Text: 'b' })).toEqual(
      setError('invalidProperties', ['due', 'Text']),
    );
  });
});

describe('the filter of Todo', () => {
  it('`text` is a substring in any case; absent, null and empty are no constraint', async () => {
    const { id } = await makeTodo({ text: 'Needle in a HAYSTACK' });
    expect(await find({ text: 'dle IN a hay' })).toEqual([id]);
    expect(await find({ text: 'needles' })).toEqual([]);
    const all = await find({});
    expect(await find({ text: null })).toEqual(all);
    expect(await find({ text: '' })).toEqual(all);
  });

  it('`done` is compared; null and absent are no constraint', async () => {
    const open = await makeTodo({ text: 'filter done' });
    const done = await makeTodo({ text: 'filter done', done: true });
    expect(await find({ text: 'filter done', done: true })).toEqual([done.id]);
    expect(await find({ text: 'filter done', done: false })).toEqual([open.id]);
    expect(await find({ text: 'filter done', done: null })).toEqual([open.id, done.id]);
  });

  it('takes no other properties', async () => {
    for (const filter of [{ id: 'x' }, { created: null }, { Text: 'a' }]) {
      expect(await u1().call('Todo/query', { accountId: A1(), filter })).toEqual(
        err('unsupportedFilter'),
      );
    }
  });

  it('results are of the requested account', async () => {
    const { id } = await makeTodo({ text: 'only in A2' }, fixtures().A2);
    expect(await find({ text: 'only in a2' })).toEqual([]);
    expect(await find({ text: 'only in a2' }, fixtures().A2)).toEqual([id]);
  });
});

describe('Note', () => {
  it('has a title and a body', async () => {
    const { created } = await u1().set('Note', {
      accountId: A1(),
      create: { k: { title: 'T', body: 'B' } },
    });
    const { id } = entry(created, 'k');
    const { list } = await u1().get('Note', { accountId: A1(), ids: [id] });
    expect(list).toEqual([{ id, title: 'T', body: 'B', created: utcDate, updated: utcDate }]);
  });
});

describe('a blob', () => {
  it('has blobId, type, size and accountId', async () => {
    const answer = await u1().upload(A1(), 'four', 'text/x-blob');
    expect(answer).toEqual({ blobId: serverId, type: 'text/x-blob', size: 4, accountId: A1() });
  });
});

describe('change records', () => {
  it('are one for each create, update and destroy', async () => {
    const before = await todoState();
    const { id } = await makeTodo({ text: 'a' });
    await u1().set('Todo', { accountId: A1(), update: { [id]: { text: 'b' } } });
    await u1().set('Todo', { accountId: A1(), destroy: [id] });
    expect(await todoState()).toBe(String(Number(before) + 3));
  });

  it('are read by <Type>/changes for its own type and account', async () => {
    const before = await todoState();
    await u1().set('Note', { accountId: A1(), create: { k: { title: 'T' } } });
    await makeTodo({ text: 'a' }, fixtures().A2);
    const changes = await u1().changes('Todo', { accountId: A1(), sinceState: before });
    expect([changes.created, changes.newState]).toEqual([[], before]);
  });

  it('are never written by clients', async () => {
    expect(await u1().call('Change/set', { accountId: A1() })).toEqual(err('unknownMethod'));
    expect(await u1().call('JmapChange/get', { accountId: A1() })).toEqual(err('unknownMethod'));
  });
});

describe('states', () => {
  it('a successful mutation increases the counter and writes a change record', async () => {
    const before = await todoState();
    expect(before).toMatch(/^\d+$/);
    const { id } = await makeTodo({ text: 'a' });
    expect(await todoState()).toBe(String(Number(before) + 1));
    const changes = await u1().changes('Todo', { accountId: A1(), sinceState: before });
    expect(changes.created).toEqual([id]);
  });

  it('an ifInState that equals the current state is applied', async () => {
    const state = await todoState();
    const answer = await u1().set('Todo', {
      accountId: A1(),
      ifInState: state,
      create: { k: { text: 'a' } },
    });
    expect([answer.oldState, answer.newState]).toEqual([state, String(Number(state) + 1)]);
  });

  it('an ifInState that differs is stateMismatch and changes nothing', async () => {
    const state = await todoState();
    expect(
      await u1().call('Todo/set', {
        accountId: A1(),
        ifInState: String(Number(state) + 1),
        create: { k: { text: 'a' } },
      }),
    ).toEqual(['error', { type: 'stateMismatch', description: expect.any(String) }]);
    expect(await todoState()).toBe(state);
  });

  it('<Type>/get returns the current state', async () => {
    const { newState } = await u1().set('Todo', { accountId: A1(), create: { k: { text: 'a' } } });
    expect((await u1().get('Todo', { accountId: A1(), ids: [] })).state).toBe(newState);
  });
});

describe('endpoints', () => {
  it('POST /jmap takes application/json', async () => {
    const body = JSON.stringify({ using: [CORE], methodCalls: [] });
    expect((await u1().post(body)).status).toBe(200);
    expectProblem(await u1().post(body, { 'content-type': 'text/plain' }), 'notJSON');
  });

  it('GET /.well-known/jmap gives the session', async () => {
    const answer = await u1().http('/.well-known/jmap');
    expect([answer.status, (answer.json as JsonMap)['username']]).toEqual([200, 'u1']);
  });

  it('POST /jmap/upload/{accountId} takes raw octets with their media type', async () => {
    const octets = Buffer.from([0, 1, 2, 255]);
    expect(await u1().upload(A1(), octets, 'application/x-raw')).toEqual({
      accountId: A1(),
      blobId: serverId,
      type: 'application/x-raw',
      size: 4,
    });
  });

  it('GET /jmap/download/… gives the octets and the name unchanged', async () => {
    const { blobId } = await u1().upload(A1(), 'octets', 'text/plain');
    const answer = await u1().http(`/jmap/download/${A1()}/${blobId}/My_Report-1.txt`);
    expect([answer.status, answer.text]).toEqual([200, 'octets']);
    expect(answer.headers.get('content-disposition')).toMatch(/filename="?My_Report-1\.txt"?/);
  });
});

describe('methods', () => {
  it('Core/echo answers the same object, unchanged', async () => {
    const args = { any: ['object', { at: null }], accountId: 5 };
    expect(await u1().call('Core/echo', args)).toEqual(['Core/echo', args]);
  });

  it('Blob/upload takes data:asText parts; created entries have a blobId', async () => {
    const answer = await u1().ok('Blob/upload', {
      accountId: A1(),
      create: { k: { data: [{ 'data:asText': 'a' }, { 'data:asText': 'b' }], type: 'text/plain' } },
    });
    const { blobId } = member(answer['created'], 'k');
    expect(blobId).toEqual(serverId);
    expect((await u1().http(`/jmap/download/${A1()}/${blobId}/x`)).text).toBe('ab');
  });

  it('Blob/upload requires accountId', async () => {
    expect(await u1().call('Blob/upload', { create: {} })).toEqual(
      err('invalidArguments', 'accountId'),
    );
  });

  it('Blob/lookup lists the objects that refer to a blob', async () => {
    const { blobId } = await u1().upload(A1(), 'nobody refers to it', 'text/plain');
    const answer = await u1().ok('Blob/lookup', { accountId: A1(), typeNames: [], ids: [blobId] });
    expect(answer['list']).toEqual([{ id: blobId, matchedIds: {} }]);
  });

  it('Note/set: created maps creation ids to ids', async () => {
    const answer = await u1().api([
      ['Note/set', { accountId: A1(), create: { a: { title: 'x' }, b: { body: 'y' } } }, 'n'],
    ]);
    const created = at(answer.methodResponses, 0)[1]['created'];
    expect(created).toEqual({
      a: expect.objectContaining({ id: serverId }),
      b: expect.objectContaining({ id: serverId }),
    });
    expect(answer.sessionState).toBe((await u1().session())['state']);
  });

  it('Todo/get takes accountId and answers the state', async () => {
    expect(await u1().ok('Todo/get', { accountId: A1() })).toEqual(
      expect.objectContaining({ accountId: A1(), state: expect.stringMatching(/^\d+$/) }),
    );
  });

  it('Todo/set requires accountId', async () => {
    expect(await u1().call('Todo/set', {})).toEqual(err('invalidArguments', 'accountId'));
  });

  it('Todo/set: create maps creation ids to ids', async () => {
    const { created } = await u1().set('Todo', {
      accountId: A1(),
      create: { a: { text: '1' }, b: { text: '2' } },
    });
    expect([entry(created, 'a').id, entry(created, 'b').id]).toEqual([serverId, serverId]);
  });

  it('Todo/set: update takes the changed properties', async () => {
    const { id } = await makeTodo({ text: 'kept' });
    await u1().set('Todo', { accountId: A1(), update: { [id]: { done: true } } });
    expect(await getTodo(id)).toEqual(expect.objectContaining({ text: 'kept', done: true }));
  });

  it('Todo/changes requires accountId and sinceState', async () => {
    expect(await u1().call('Todo/changes', { sinceState: '0' })).toEqual(
      err('invalidArguments', 'accountId'),
    );
    expect(await u1().call('Todo/changes', { accountId: A1() })).toEqual(
      err('invalidArguments', 'sinceState'),
    );
  });

  it('Todo/changes: the response has the members of the RFC, and updatedProperties', async () => {
    const [changed, gone] = [await makeTodo({ text: 'a' }), await makeTodo({ text: 'b' })];
    const sinceState = await todoState();
    const made = await makeTodo({ text: 'c' });
    await u1().set('Todo', { accountId: A1(), update: { [changed.id]: { done: true } } });
    await u1().set('Todo', { accountId: A1(), destroy: [gone.id] });
    expect(await u1().changes('Todo', { accountId: A1(), sinceState })).toEqual({
      accountId: A1(),
      oldState: sinceState,
      newState: await todoState(),
      hasMoreChanges: false,
      created: [made.id],
      updated: [changed.id],
      destroyed: [gone.id],
      updatedProperties: ['updated', 'done'],
    });
  });

  it('Todo/changes: with hasMoreChanges newState is the next sinceState', async () => {
    const sinceState = await todoState();
    const [first, second] = [await makeTodo({ text: 'a' }), await makeTodo({ text: 'b' })];
    const page = await u1().changes('Todo', { accountId: A1(), sinceState, maxChanges: 1 });
    expect([page.created, page.hasMoreChanges]).toEqual([[first.id], true]);
    const next = await u1().changes('Todo', {
      accountId: A1(),
      sinceState: page.newState,
      maxChanges: 1,
    });
    expect([next.created, next.hasMoreChanges]).toEqual([[second.id], false]);
  });

  it('Todo/query takes accountId and the filter', async () => {
    const { id } = await makeTodo({ text: 'queried thing' });
    expect(await find({ text: 'QUERIED' })).toEqual([id]);
  });

  it('Todo/copy and Todo/queryChanges exist, for Note too', async () => {
    for (const type of ['Todo', 'Note']) {
      const { queryState } = await u1().query(type, { accountId: A1() });
      await u1().queryChanges(type, { accountId: A1(), sinceQueryState: queryState });
      await u1().copy(type, { fromAccountId: A1(), accountId: fixtures().A2, create: {} });
    }
  });
});

describe('result references', () => {
  it('are replaced by their values before the arguments are validated', async () => {
    const { methodResponses } = await u1().api([
      ['Todo/query', { accountId: A1(), limit: 2 }, 'q'],
      [
        'Todo/get',
        { accountId: A1(), '#ids': { resultOf: 'q', name: 'Todo/query', path: '/ids' } },
        'g',
      ],
    ]);
    expect(at(methodResponses, 1)[1]['list']).toHaveLength(2);
  });

  it('may name a blob id of Blob/upload in the same request', async () => {
    const { methodResponses } = await u1().api([
      ['Blob/upload', { accountId: A1(), create: { k: { data: [{ 'data:asText': 'x' }] } } }, 'up'],
      [
        'Core/echo',
        { '#blobId': { resultOf: 'up', name: 'Blob/upload', path: '/created/k/blobId' } },
        'use',
      ],
    ]);
    expect(at(methodResponses, 1)[1]).toEqual({ blobId: serverId });
  });

  it('are invalidResultReference if they do not resolve', async () => {
    const { methodResponses } = await u1().api([
      ['Core/echo', { '#x': { resultOf: 'nobody', name: 'Core/echo', path: '/x' } }, 'c'],
    ]);
    expect(at(methodResponses, 0)).toEqual(['error', methodError('invalidResultReference'), 'c']);
  });
});

describe('authentication', () => {
  it('each endpoint needs the header', async () => {
    for (const [method, path] of [
      ['POST', '/jmap'],
      ['GET', '/.well-known/jmap'],
      ['POST', `/jmap/upload/${A1()}`],
      ['GET', `/jmap/download/${A1()}/b/x`],
    ] as const) {
      expectProblemStatus(await httpAnswer(server().url + path, { method }), 401);
    }
  });

  it('the token determines the accounts', async () => {
    const { A2 } = fixtures();
    const token = await makeToken(server(), ['--user', 'u1', '--account', A2]);
    const narrowed = new Client(server().url, token);
    expect(Object.keys((await narrowed.session())['accounts'] as JsonMap)).toEqual([A2]);
    expect(await narrowed.call('Todo/get', { accountId: A1() })).toEqual(err('accountNotFound'));
  });
});

describe('events', () => {
  it('changes are read with <Type>/changes, of every data type', async () => {
    for (const [type, object] of [
      ['Todo', { text: 'x' }],
      ['Note', { title: 'x' }],
    ] as const) {
      const { state } = await u1().get(type, { accountId: A1(), ids: [] });
      const { created } = await u1().set(type, { accountId: A1(), create: { k: object } });
      const changes = await u1().changes(type, { accountId: A1(), sinceState: state });
      expect(changes.created).toEqual([entry(created, 'k').id]);
    }
  });
});

describe('errors', () => {
  it('after a stateMismatch the client fetches, applies and tries again', async () => {
    const { id } = await makeTodo({ text: 'mine' });
    const stale = await todoState();
    await u1().set('Todo', { accountId: A1(), update: { [id]: { done: true } } });
    const update = { [id]: { text: 'changed' } };
    expect(await u1().call('Todo/set', { accountId: A1(), ifInState: stale, update })).toEqual(
      err('stateMismatch'),
    );
    const fresh = await u1().get('Todo', { accountId: A1(), ids: [id] });
    await u1().set('Todo', { accountId: A1(), ifInState: fresh.state, update });
    expect(await getTodo(id)).toEqual(expect.objectContaining({ text: 'changed', done: true }));
  });

  it('a capability that is not advertised rejects the request', async () => {
    expectProblem(
      await post({ using: ['urn:ietf:params:jmap:mail'], methodCalls: [] }),
      'unknownCapability',
      { named: 'urn:ietf:params:jmap:mail' },
    );
  });

  it('a Todo create with unknown properties is rejected', async () => {
    expect(await refusedTodo({ text: 'a', priority: 1 })).toEqual(
      setError('invalidProperties', ['priority']),
    );
  });
});

describe('versions', () => {
  it('envelopes are those of RFC 8620, sessionState is in every response', async () => {
    const { state } = await u1().session();
    const answer = await post({ using: [CORE], methodCalls: [['Nope/get', {}, 'c']] });
    expect(answer.json).toEqual({
      methodResponses: [['error', methodError('unknownMethod'), 'c']],
      sessionState: state,
    });
  });
});
