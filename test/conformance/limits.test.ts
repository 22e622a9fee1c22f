import { readdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { uploadChecks } from '../../conform/src/checks/blobs.js';
import { bearer } from '../../conform/src/client/credentials.js';
import { Server } from '../../conform/src/subject/server.js';
import { SqliteDatabase } from '../../src/database/sqlite/index.js';
import { type Client, CORE, rawHttp } from '../support/client.js';
import { EventStream } from '../support/event-source.js';
import {
  at,
  entry,
  err,
  expectProblem,
  expectProblemStatus,
  methodError,
} from '../support/expected.js';
import { makeUser, useFixtures } from '../support/fixtures.js';
import { eventually, within } from '../support/poll.js';
import { startServer, useServer } from '../support/server.js';

const { server, fixtures } = useFixtures(
  {
    env: {
      MAX_SIZE_REQUEST: '20000',
      MAX_SIZE_UPLOAD: '3000',
      MAX_SIZE_RESPONSE: '200000',
      MAX_CONCURRENT_REQUESTS: '2',
      MAX_CONCURRENT_UPLOAD: '2',
      MAX_CALLS_IN_REQUEST: '3',
      MAX_OBJECTS_IN_GET: '4',
      MAX_OBJECTS_IN_SET: '5',
      QUERY_MAX_LIMIT: '3',
      QUERY_CHANGES_MAX: '6',
    },
  },
  ['A2', 'AX', 'u2'],
);

/** An event source of all types. */
const EVENTS = { types: '*', closeafter: 'no', ping: '0' };

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/**
 * A request of which everything but the last octet is sent. The server has taken it up by then: it
 * said that it wants the body.
 */
async function unfinished(
  client: Client,
  path: string,
  type: string,
  body: string,
): Promise<Socket> {
  const { hostname, port } = new URL(client.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.on('error', () => undefined);
  const wanted = new Promise<string>((resolve) => {
    socket.once('data', (chunk) => resolve(chunk.toString('latin1')));
  });
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${client.token}\r\n` +
      `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n` +
      'Connection: close\r\n\r\n',
  );
  expect(await within('The go-ahead', wanted)).toMatch(/^HTTP\/1\.1 100 /);
  socket.write(body.slice(0, -1));
  return socket;
}

/** Sends the last octet and resolves to the status. */
function finish(socket: Socket, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0)));
    socket.write(body.slice(-1));
  });
}

const echo = JSON.stringify({ using: [CORE], methodCalls: [['Core/echo', {}, 'c']] });

describe('limits, each enforced at the advertised number', () => {
  it('the session has the configured limits', async () => {
    const { capabilities } = await fixtures().u1.session();
    expect(capabilities).toEqual(
      expect.objectContaining({
        [CORE]: expect.objectContaining({
          maxSizeUpload: 3000,
          maxConcurrentUpload: 2,
          maxSizeRequest: 20_000,
          maxConcurrentRequests: 2,
          maxCallsInRequest: 3,
          maxObjectsInGet: 4,
          maxObjectsInSet: 5,
        }),
      }),
    );
  });

  it('RFC 8620 3.6.1: maxSizeRequest octets pass, one more is a limit error', async () => {
    const { u1 } = fixtures();
    const exact = (size: number) => `${echo}${' '.repeat(size - echo.length)}`;
    expect((await u1.post(exact(20_000))).status).toBe(200);
    expectProblem(await u1.post(exact(20_001)), 'limit', { limit: 'maxSizeRequest' });
    expectProblem(await u1.post(exact(2_000_000)), 'limit', { limit: 'maxSizeRequest' });
  });

  it('RFC 8620 3.6.1: a chunked body has the same limit', async () => {
    const { u1 } = fixtures();
    const chunked = async (size: number) => {
      const body = `${echo}${' '.repeat(size - echo.length)}`;
      const half = body.length >> 1;
      const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
      return rawHttp(
        u1.url,
        `POST /jmap HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${u1.token}\r\n` +
          'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n' +
          `\r\n${chunk(body.slice(0, half))}${chunk(body.slice(half))}0\r\n\r\n`,
      );
    };
    expect((await chunked(20_000)).status).toBe(200);
    const answer = await chunked(20_001);
    expect(answer.status).toBe(400);
    expect(answer.body).toContain('"maxSizeRequest"');
  });

  it('RFC 8620 3.6.1: maxCallsInRequest calls pass, one more is a limit error', async () => {
    const { u1 } = fixtures();
    const calls = (length: number) =>
      Array.from({ length }, (_, index) => ['Core/echo', {}, `c${index}`]);
    const body = (length: number) => JSON.stringify({ using: [CORE], methodCalls: calls(length) });
    expect((await u1.post(body(3))).status).toBe(200);
    expectProblem(await u1.post(body(4)), 'limit', { limit: 'maxCallsInRequest' });
  });

  it('RFC 8620 3.6.1: maxConcurrentRequests holds for one user, and slots are freed', async () => {
    const { u1, u2 } = fixtures();
    const held = await Promise.all(
      [0, 1].map(() => unfinished(u1, '/jmap', 'application/json', echo)),
    );
    expectProblem(await u1.post(echo), 'limit', { limit: 'maxConcurrentRequests' });
    expect((await u2.post(echo)).status).toBe(200);
    expect(await finish(at(held, 0), echo)).toBe(200);
    expect((await u1.post(echo)).status).toBe(200);
    at(held, 1).destroy();
    // Slots come back after aborts and after errors.
    for (let n = 0; n < 5; n += 1) expectProblem(await u1.post('x'), 'notJSON');
    await eventually(async () => {
      const both = await Promise.all([u1.post(echo), u1.post(echo)]);
      expect(both.map(({ status }) => status)).toEqual([200, 200]);
    });
  });

  it('RFC 8620 6.1: maxConcurrentUpload holds for one user', async () => {
    const { u1, u2, A1, AX } = fixtures();
    const path = `/jmap/upload/${A1}`;
    const held = await Promise.all([0, 1].map(() => unfinished(u1, path, 'text/plain', 'abc')));
    const upload = () => u1.http(path, { method: 'POST', body: 'abc' });
    expectProblem(await upload(), 'limit', { limit: 'maxConcurrentUpload' });
    expect((await u1.post(echo)).status).toBe(200);
    expect(
      (await u2.http(`/jmap/upload/${AX}`, { method: 'POST', body: 'abc' })).status,
    ).toBeLessThan(300);
    expect(await finish(at(held, 0), 'abc')).toBeLessThan(300);
    expect((await upload()).status).toBeLessThan(300);
    at(held, 1).destroy();
  });

  it('maxSizeUpload octets pass, one more is 413 with the limit', async () => {
    const { u1, A1 } = fixtures();
    const upload = (size: number) =>
      u1.http(`/jmap/upload/${A1}`, { method: 'POST', body: 'x'.repeat(size) });
    expect((await upload(3000)).json).toEqual(expect.objectContaining({ size: 3000 }));
    const tooMuch = await upload(3001);
    expectProblem(tooMuch, 'limit', { status: 413, limit: 'maxSizeUpload' });
    const data = [{ 'data:asText': 'x'.repeat(3001) }];
    const answer = await u1.ok('Blob/upload', { accountId: A1, create: { k: { data } } });
    expect(Object.keys(answer['notCreated'] as object)).toEqual(['k']);
  });

  it('RFC 8620 6.1: the check of maxSizeUpload passes', async () => {
    const { u1 } = fixtures();
    const conform = await Server.connect({ url: u1.url, authorization: bearer(u1.token) });
    await at(
      uploadChecks.filter(({ id }) => id === 'blob-upload-size'),
      0,
    ).run(conform);
    conform.close();
  });

  it('an upload of unknown length has the same limit', async () => {
    const { u1, A1 } = fixtures();
    const upload = (size: number) =>
      rawHttp(
        u1.url,
        `POST /jmap/upload/${A1} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ` +
          `${u1.token}\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\nConnection: ` +
          `close\r\n\r\n${size.toString(16)}\r\n${'x'.repeat(size)}\r\n0\r\n\r\n`,
      );
    const whole = await upload(3000);
    expect([whole.status, whole.body.includes('"size":3000')]).toEqual([200, true]);
    const tooMuch = await upload(3001);
    expect([tooMuch.status, tooMuch.body.includes('"maxSizeUpload"')]).toEqual([413, true]);
  });

  it('a /get of more than maxObjectsInGet ids is requestTooLarge', async () => {
    const { u1, A2 } = fixtures();
    const get = (ids: readonly string[] | null) => u1.call('Todo/get', { accountId: A2, ids });
    expect((await get(['a', 'b', 'c', 'd']))[0]).toBe('Todo/get');
    expect(await get(['a', 'a', 'a', 'a', 'a'])).toEqual(err('requestTooLarge'));
    const todo = { text: 'x' };
    const made = await u1.set('Todo', {
      accountId: A2,
      create: { a: todo, b: todo, c: todo, d: todo },
    });
    expect((await u1.get('Todo', { accountId: A2 })).list).toHaveLength(4);
    await u1.set('Todo', { accountId: A2, create: { e: todo } });
    expect(await get(null)).toEqual(err('requestTooLarge'));
    await u1.set('Todo', { accountId: A2, destroy: [entry(made.created, 'a').id] });
    expect((await u1.get('Todo', { accountId: A2 })).list).toHaveLength(4);
  });

  it('RFC 8620 5.3: maxObjectsInSet counts creates, updates and destroys', async () => {
    const { u1, A1, A2 } = fixtures();
    const todo = { text: 'x' };
    const args = { accountId: A1, create: { a: todo, b: todo }, update: { x: {}, y: {} } };
    expect(await u1.call('Todo/set', { ...args, destroy: ['p', 'q'] })).toEqual(
      err('requestTooLarge'),
    );
    const { created } = await u1.set('Todo', { ...args, destroy: ['p'] });
    expect(Object.keys(created ?? {})).toEqual(['a', 'b']);
    const create = Object.fromEntries('abcdef'.split('').map((key) => [key, { id: 'x' }]));
    expect(await u1.call('Todo/copy', { fromAccountId: A2, accountId: A1, create })).toEqual(
      err('requestTooLarge'),
    );
  });

  it('a /query answers at most QUERY_MAX_LIMIT ids', async () => {
    const { u1, A1 } = fixtures();
    await u1.set('Todo', {
      accountId: A1,
      create: { a: { text: '1' }, b: { text: '2' }, c: { text: '3' }, d: { text: '4' } },
    });
    const query = (more: object) => u1.query('Todo', { accountId: A1, ...more });
    for (const more of [{}, { limit: null }, { limit: 4 }]) {
      const answer = await query(more);
      expect([answer.ids.length, answer.limit]).toEqual([3, 3]);
    }
    expect(await query({ limit: 3 })).not.toHaveProperty('limit');
  });

  it('a /queryChanges over more than QUERY_CHANGES_MAX changes is refused', async () => {
    const { u1, A1 } = fixtures();
    const { queryState } = await u1.query('Todo', { accountId: A1 });
    const create = (keys: string) =>
      u1.set('Todo', {
        accountId: A1,
        create: Object.fromEntries([...keys].map((key) => [key, { text: key }])),
      });
    await create('abc');
    await create('def');
    const since = { accountId: A1, sinceQueryState: queryState };
    expect((await u1.queryChanges('Todo', since)).added).toHaveLength(6);
    await create('g');
    expect(await u1.call('Todo/queryChanges', since)).toEqual(err('cannotCalculateChanges'));
  });

  it('values put in by references count towards maxSizeRequest', async () => {
    const { u1 } = fixtures();
    const reference = { resultOf: 'a', name: 'Core/echo', path: '/x' };
    const run = async (size: number) => {
      const { methodResponses } = await u1.api([
        ['Core/echo', { x: 'y'.repeat(size) }, 'a'],
        ['Core/echo', { '#p': reference, '#q': reference }, 'b'],
        ['Core/echo', { '#p': { resultOf: 'b', name: 'Core/echo', path: '' } }, 'c'],
      ]);
      return methodResponses.map(([name, args]) => (name === 'error' ? args : name));
    };
    expect(await run(3000)).toEqual(['Core/echo', 'Core/echo', 'Core/echo']);
    expect(await run(6000)).toEqual(['Core/echo', 'Core/echo', methodError('requestTooLarge')]);
    expect(await run(12_000)).toEqual([
      'Core/echo',
      methodError('requestTooLarge'),
      methodError('invalidResultReference'),
    ]);
  });
});

describe('limits: the response, and how long is kept what nobody needs', () => {
  const tight = useServer({
    env: { MAX_SIZE_RESPONSE: '10000', BLOBS_KEEP: '1s', CHANGES_KEEP: '1s' },
  });

  it('a call that would exceed MAX_SIZE_RESPONSE is requestTooLarge, others run', async () => {
    const { accountId, client } = await makeUser(tight(), 'response');
    const text = 'x'.repeat(500);
    const create = Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`k${i}`, { text }]));
    const { created } = await client.set('Todo', { accountId, create });
    const ids = Object.values(created ?? {}).map(({ id }) => id);
    const { methodResponses } = await client.api([
      ['Todo/get', { accountId, ids, properties: ['text'] }, 'a'],
      ['Todo/get', { accountId, ids, properties: ['text'] }, 'b'],
      ['Core/echo', { small: true }, 'c'],
    ]);
    expect(methodResponses).toEqual([
      ['Todo/get', expect.any(Object), 'a'],
      ['error', methodError('requestTooLarge'), 'b'],
      ['Core/echo', { small: true }, 'c'],
    ]);
    // A write whose answer can't be given is not made, and no event tells of it.
    const before = await client.get('Todo', { accountId, ids: [] });
    const stream = await EventStream.open(client, EVENTS);
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [`k${i}`, { text: 'y' }]),
    );
    expect(await client.call('Todo/set', { accountId, create: many })).toEqual(
      err('requestTooLarge'),
    );
    expect((await client.get('Todo', { accountId, ids: [] })).state).toBe(before.state);
    const { newState } = await client.set('Todo', { accountId, create: { k: { text: 'z' } } });
    await stream.state(accountId, 'Todo', newState);
    expect(stream.events).toHaveLength(1);
    stream.close();
  });

  it('an unreferenced blob is removed after BLOBS_KEEP', async () => {
    const { accountId, client } = await makeUser(tight(), 'blobs');
    const upload = async () => {
      const init = { method: 'POST', body: 'x', headers: { 'idempotency-key': 'k' } };
      return (await client.http(`/jmap/upload/${accountId}`, init)).json as { blobId: string };
    };
    const { blobId } = await upload();
    await eventually(async () => {
      const answer = await client.http(`/jmap/download/${accountId}/${blobId}/x`);
      expect(answer.status).toBe(404);
    });
    // The row goes first, the file later.
    await eventually(async () => {
      const left = await readdir(join(tight().dataDir, 'blobs'), { recursive: true });
      expect(left.filter((file) => file.includes(blobId))).toEqual([]);
    });
    // A key leads to no blob that is gone.
    expect((await upload()).blobId).not.toBe(blobId);
  });

  it('a state older than CHANGES_KEEP is cannotCalculateChanges', async () => {
    const { accountId, client } = await makeUser(tight(), 'changes');
    const { queryState } = await client.query('Todo', { accountId });
    const stream = await EventStream.open(client, EVENTS);
    const { newState } = await client.set('Todo', { accountId, create: { k: { text: 'a' } } });
    const { id } = await stream.state(accountId, 'Todo', newState);
    stream.close();
    const later = await client.set('Todo', { accountId, create: { k: { text: 'b' } } });
    await eventually(async () => {
      expect(await client.call('Todo/changes', { accountId, sinceState: '0' })).toEqual(
        err('cannotCalculateChanges'),
      );
    });
    expect(
      await client.call('Todo/queryChanges', { accountId, sinceQueryState: queryState }),
    ).toEqual(err('cannotCalculateChanges'));
    // The current state is never too old: there is nothing that it lacks.
    expect((await client.changes('Todo', { accountId, sinceState: later.newState })).newState).toBe(
      later.newState,
    );
    // The id of an event needs no records of changes.
    await eventually(async () => {
      expect(await client.call('Todo/changes', { accountId, sinceState: newState })).toEqual(
        err('cannotCalculateChanges'),
      );
    });
    const again = await EventStream.open(client, EVENTS, { 'last-event-id': id ?? '' });
    await again.state(accountId, 'Todo', later.newState);
    again.close();
  });
});

describe('limits: a busy database', () => {
  it('RFC 8620 3.6.2: a write that can not be made in time is serverUnavailable', async () => {
    const busy = await startServer({ env: { REQUEST_TIMEOUT: '1s' } });
    try {
      const { accountId, client } = await makeUser(busy);
      const set = { accountId, create: { k: { text: 'a' } } };
      await client.set('Todo', set);
      const other = new SqliteDatabase(join(busy.dataDir, 'jmap.db'));
      try {
        other.exec('BEGIN IMMEDIATE');
        expect(await client.call('Todo/set', set)).toEqual(err('serverUnavailable'));
        // Reading goes on.
        expect((await client.get('Todo', { accountId })).list).toHaveLength(1);
        other.exec('ROLLBACK');
      } finally {
        other.close();
      }
      await client.set('Todo', set);
      expect((await client.get('Todo', { accountId })).state).toBe('2');
    } finally {
      await busy.remove();
    }
  });
});

describe('limits: configuration', () => {
  it('a wrong value stops the start, and the error names it', async () => {
    await expect(startServer({ env: { MAX_OBJECTS_IN_GET: 'many' } })).rejects.toThrow(
      /MAX_OBJECTS_IN_GET.*many/s,
    );
    expect(server().url).toMatch(/^http:/);
    expectProblemStatus(await fixtures().u1.http('/nope'), 404);
  });
});
