import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Call, rawHttp } from '../support/client.js';
import { expectProblem } from '../support/expected.js';
import { type Fixtures, makeFixtures } from '../support/fixtures.js';
import { type RunningServer, startServer } from '../support/server.js';

/**
 * A client that means harm, against a server with its default limits. The largest answers and the
 * slowest requests are in hostile.long.test.ts. After each attack another user is served, and
 * in the end the process is the one that was started and its peak memory is bounded.
 */

/**
 * Peak resident memory of the whole file, MB: a dozen requests of the greatest size, one after the
 * other.
 */
const MOST_MEMORY = 900;

let server: RunningServer;
let fixtures: Fixtures;
const sockets: Socket[] = [];

beforeAll(async () => {
  server = await startServer();
  fixtures = await makeFixtures(server);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  const { AX, u2 } = fixtures;
  const { list } = await u2.get('Todo', { accountId: AX, ids: null });
  expect(list, 'another user is served').toEqual([]);
});
afterAll(async () => {
  await server.remove();
});

describe('JSON', () => {
  it('RFC 8620 8.4: survives broken and truncated JSON, and JavaScript’s names', async () => {
    const { u1, A1 } = fixtures;
    const using = JSON.stringify(u1.using);
    for (const body of [
      '',
      '{',
      `{"using":${using},"methodCalls":[["Core/echo",{"a":"`,
      `{"using":${using},"methodCalls":[["Core/echo",{"a":1,"a":2},"c"]]}`,
      `{"using":${using},"methodCalls":[["Core/echo",{"__proto__":1,"__proto__":2},"c"]]}`,
      `{"using":${using},"methodCalls":[["Core/echo",{"a":"\\ud800"},"c"]]}`,
    ]) {
      expectProblem(await u1.post(body), 'notJSON');
    }
    const proto = `{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}`;
    const echoed = await u1.post(
      `{"using":${using},"methodCalls":[["Core/echo",${proto},"c"]],"__proto__":{"x":1}}`,
    );
    expect(echoed.text).toContain(`["Core/echo",${proto},"c"]`);
    const one = '{"text":"a","__proto__":{"done":true},"toString":1}';
    const create = `{"__proto__":{"text":"a"},"k":${one}}`;
    const args = `{"accountId":"${A1}","create":${create}}`;
    const set = await u1.post(`{"using":${using},"methodCalls":[["Todo/set",${args},"c"]]}`);
    expect(set.json).toMatchObject({
      methodResponses: [
        [
          'Todo/set',
          {
            notCreated: {
              k: { type: 'invalidProperties', properties: ['__proto__', 'toString'] },
            },
          },
          'c',
        ],
      ],
    });
  });

  it('RFC 8620 8.5: survives nesting as deep as a body allows', async () => {
    const { u1 } = fixtures;
    const depth = 4_000_000;
    const nested = '['.repeat(depth) + ']'.repeat(depth);
    const body = `{"using":[],"methodCalls":[["Core/echo",{"a":${nested}},"c"]]}`;
    expectProblem(await u1.post(body), 'limit', { limit: 'maxDepthInRequest' });
  });

  it('RFC 8620 8.5: survives 100,000 calls and 100,000 capabilities', async () => {
    const { u1 } = fixtures;
    const calls = Array.from({ length: 100_000 }, (_, n) => ['Core/echo', {}, `c${n}`]);
    const many = JSON.stringify({ using: u1.using, methodCalls: calls });
    expectProblem(await u1.post(many), 'limit', { limit: 'maxCallsInRequest' });
    const urns = Array.from({ length: 100_000 }, (_, n) => `urn:x:${n}`);
    const unknown = JSON.stringify({ using: urns, methodCalls: [] });
    expectProblem(await u1.post(unknown), 'unknownCapability');
  });

  it('RFC 8620 3.6.1: refuses a body over the limit, with its length and without', async () => {
    const { u1 } = fixtures;
    expectProblem(await u1.post(' '.repeat(10_000_001)), 'limit', { limit: 'maxSizeRequest' });
    const chunk = ' '.repeat(1_000_000);
    const raw = await rawHttp(
      server.url,
      `POST /jmap HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${u1.token}\r\nContent-Type: ` +
        'application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n' +
        `${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(11),
    );
    expect(raw.status).toBe(400);
    expect(JSON.parse(raw.body)).toMatchObject({ limit: 'maxSizeRequest' });
  });
});

describe('expansion', () => {
  it('refuses references that double a value 32 times', async () => {
    const { u1 } = fixtures;
    const calls: Call[] = [['Core/echo', { a: 'x'.repeat(1000), b: 'y'.repeat(1000) }, 'c0']];
    for (let n = 1; n < 32; n += 1) {
      const whole = { resultOf: `c${n - 1}`, name: 'Core/echo', path: '' };
      calls.push(['Core/echo', { '#a': whole, '#b': whole }, `c${n}`]);
    }
    const answer = await u1.post(JSON.stringify({ using: u1.using, methodCalls: calls }));
    expect(answer.status).toBe(200);
    expect(answer.text.length).toBeLessThan(30_000_000);
    const { methodResponses } = answer.json as { methodResponses: [string, object, string][] };
    expect(methodResponses).toHaveLength(32);
    const first = methodResponses.findIndex(([name]) => name === 'error');
    expect(first).toBeGreaterThan(5);
    expect(methodResponses[first]?.[1]).toMatchObject({ type: 'requestTooLarge' });
    for (const [, response] of methodResponses.slice(first + 1)) {
      expect(response).toMatchObject({ type: 'invalidResultReference' });
    }
  });

  it('RFC 8620 8.5: refuses filters of 10,000 nodes and of 1,000 levels', async () => {
    const { u1, A1 } = fixtures;
    const wide = { operator: 'OR', conditions: Array(10_000).fill({ text: 'a' }) };
    let deep: object = { text: 'a' };
    for (let level = 0; level < 1000; level += 1) deep = { operator: 'NOT', conditions: [deep] };
    for (const filter of [wide, deep]) {
      const [name, response] = await u1.call('Todo/query', { accountId: A1, filter });
      expect([name, response['type']]).toEqual(['error', 'unsupportedFilter']);
    }
  });
});

describe('access', () => {
  it("RFC 8620 8.2: another user's account and blobs are as unknown as missing ones", async () => {
    const { u1, u2, A1, AX } = fixtures;
    const { blobId } = await u2.upload(AX, 'secret', 'text/plain');
    const errors = [];
    for (const accountId of [AX, fixtures.unknownAccount]) {
      for (const [method, args] of [
        ['Todo/get', { ids: null }],
        ['Todo/set', { create: { k: { text: 'a' } } }],
        ['Todo/query', {}],
        ['Todo/changes', { sinceState: '0' }],
        ['Blob/get', { ids: [blobId] }],
      ] as const) {
        errors.push(await u1.call(method, { accountId, ...args }));
      }
    }
    for (const error of errors) expect(error).toEqual(errors[0]);
    expect(errors[0]).toEqual(['error', expect.objectContaining({ type: 'accountNotFound' })]);

    const mine = await u1.upload(A1, 'mine', 'text/plain');
    const answers = await Promise.all(
      [
        `/jmap/download/${AX}/${blobId}/x`,
        `/jmap/download/${A1}/${blobId}/x`,
        `/jmap/download/${AX}/${mine.blobId}/x`,
        `/jmap/download/${fixtures.unknownAccount}/${blobId}/x`,
      ].map((path) => u1.http(path)),
    );
    for (const { status, text } of answers) {
      expect([status, text]).toEqual([404, answers[0]?.text]);
    }
    const copied = await u1.call('Blob/copy', {
      fromAccountId: AX,
      accountId: A1,
      blobIds: [blobId],
    });
    expect(copied[1]).toMatchObject({ type: 'fromAccountNotFound' });
  });

  it('RFC 8620 6.2: refuses header injection and paths in file names', async () => {
    const { u1, A1, u2 } = fixtures;
    const { blobId } = await u1.upload(A1, '<script>', 'text/html');
    for (const name of [
      'a%0d%0aSet-Cookie:%20x=1',
      'a%0aX-Evil:%201',
      '%22;%20filename=%22evil',
      '..%2f..%2fetc%2fpasswd',
      '%e2%80%ae',
      '%00',
      'x'.repeat(3000),
    ]) {
      const answer = await u1.http(`/jmap/download/${A1}/${blobId}/${name}?type=text/html`);
      expect([200, 400, 404]).toContain(answer.status);
      expect(answer.headers.get('set-cookie')).toBeNull();
      expect(answer.headers.get('x-evil')).toBeNull();
      if (answer.status !== 200) continue;
      expect(answer.headers.get('content-disposition')).toMatch(/^attachment/);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    }
    for (const path of [
      `/jmap/download/${A1}/..%2f..%2f..%2fetc%2fpasswd/x`,
      `/jmap/download/..%2f..%2f/${blobId}/x`,
      '/../../etc/passwd',
      '/jmap/upload/..%2f..%2ftmp',
    ]) {
      const raw = await rawHttp(
        server.url,
        `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${u2.token}\r\nConnection: ` +
          'close\r\n\r\n',
      );
      expect([400, 404, 405], path).toContain(raw.status);
      expect(raw.body).not.toContain('root:');
    }
    const type = await u1.http(
      `/jmap/download/${A1}/${blobId}/x?type=${encodeURIComponent('text/plain\r\nX-Evil: 1')}`,
    );
    expect(type.headers.get('x-evil')).toBeNull();
  });
});

describe('slowness', () => {
  it('hanging requests on all connections of a user keep no other user waiting', async () => {
    const { u1, u2, AX } = fixtures;
    const { hostname, port } = new URL(server.url);
    for (let n = 0; n < 200; n += 1) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      sockets.push(socket);
      socket.write(
        `POST /jmap HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${u1.token}\r\n` +
          'Content-Type: application/json\r\nContent-Length: 9000000\r\n\r\n{',
      );
    }
    const { newState, oldState } = await u2.set('Todo', {
      accountId: AX,
      create: { k: { text: 'served' } },
    });
    expect(Number(newState)).toBe(Number(oldState) + 1);
    const { list } = await u2.get('Todo', { accountId: AX, ids: null });
    await u2.set('Todo', { accountId: AX, destroy: list.map(({ id }) => id) });
  });
});

it.runIf(process.platform === 'linux')(
  'RFC 8620 8.5: the process stays up, and its memory bounded',
  () => {
    const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
    const peak = Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1]) / 1024;
    process.stderr.write(`peak RSS under attack: ${Math.round(peak)} MB\n`);
    expect(peak).toBeGreaterThan(0);
    expect(peak).toBeLessThan(MOST_MEMORY);
    expect(server.stderr(), 'nothing unexpected was logged').not.toContain('"msg":"defect"');
  },
);
