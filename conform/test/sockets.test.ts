import { expect, it } from 'vitest';
import { CHECKS } from '../src/checks/index.js';
import { bearer } from '../src/client/credentials.js';
import { WIRE, type Wire } from '../src/client/watching.js';
import { writeText } from '../src/report/text.js';
import { run } from '../src/run.js';
import { LostError } from '../src/runner.js';
import { readWorld } from '../src/subject/described.js';
import { Server, type ServerOptions } from '../src/subject/server.js';
import {
  type SocketMisbehaviour,
  startInFront,
  startSocket,
  withSocketUrl,
} from './misbehaving.js';
import { OtherServer, THINGS } from './other-server.js';

// WebSockets that hang, limit, close or can't be opened: beside a run over HTTP, and as the one
// connection of a run.

const IDLE = { planned: () => undefined, started: () => undefined, ended: () => undefined };

/** Runs checks against a server, the type Thing among them. */
async function ran(
  url: string,
  isMeant: (id: string) => boolean,
  more: Partial<ServerOptions> = {},
) {
  const server = await Server.connect({ url, authorization: bearer('a-token'), ...more });
  const checks = CHECKS.filter(({ id }) => isMeant(id));
  try {
    const world = readWorld([THINGS]);
    return await run({ server, world, selection: {}, checks, warn: () => undefined }, IDLE);
  } finally {
    server.close();
  }
}

/** Starts a server with a WebSocket, and returns its URL. */
async function startBoth(other: OtherServer, socket: SocketMisbehaviour): Promise<string> {
  const socketUrl = await startSocket(other, socket);
  return await startInFront(other, { session: (one) => withSocketUrl(one, socketUrl) });
}

const QUICK: Wire = { ...WIRE, patience: 400 };

it.each<[string, (other: OtherServer) => Promise<string>, RegExp]>([
  ['can’t be reached', async () => 'ws://127.0.0.1:1/', /takes no connections/],
  ['has a URL with a fragment', async () => 'ws://127.0.0.1:1/#a', /fragment/],
  ['tells no subprotocol', (other) => startSocket(other, { isJmap: false }), /no subprotocol/],
  [
    'refuses the handshake',
    (other) => startSocket(other, { refuse: () => '404 Not Found' }),
    /refused with 404/,
  ],
  [
    'closes over each request',
    (other) => startSocket(other, { message: () => null }),
    /closed the WebSocket/,
  ],
])('RFC 8887: a WebSocket that %s fails its own checks alone', async (_, start, words) => {
  const other = await OtherServer.start();
  const socketUrl = await start(other);
  const url = await startInFront(other, { session: (one) => withSocketUrl(one, socketUrl) });
  const isMeant = (id: string) => id.startsWith('ws-') || id === 'get-not-found';
  const outcomes = await ran(url, isMeant, { wire: QUICK });
  expect(outcomes.filter(({ status }) => status === 'defect')).toEqual([]);
  const find = (id: string) => outcomes.find(({ check }) => check.id === id);
  expect(find('get-not-found')?.status).toBe('passed');
  const request = find('ws-request');
  expect([request?.status, request?.failure?.message]).toEqual([
    'failed',
    expect.stringMatching(words),
  ]);
});

it('a WebSocket with a fragment in its URL is no defect of the runner', async () => {
  const other = await OtherServer.start();
  const url = await startInFront(other, { session: (one) => withSocketUrl(one, 'ws://a/#b') });
  await expect(ran(url, () => true, { transport: 'websocket' })).rejects.toMatchObject({
    name: 'NoAnswerError',
    message: expect.stringContaining('fragment'),
  });
});

it('RFC 6585 4: a handshake that is limited is sent again, and so is a request', async () => {
  const other = await OtherServer.start();
  const counts = { refused: 0, limited: 0 };
  const url = await startBoth(other, {
    refuse: () => {
      counts.refused += 1;
      return counts.refused < 3 ? '429 Too Many Requests\r\nretry-after: 0' : null;
    },
    message: ({ id }) => {
      counts.limited += 1;
      if (counts.limited !== 2) return undefined;
      return { '@type': 'RequestError', requestId: id as string, type: 'about:blank', status: 429 };
    },
  });
  const outcomes = await ran(url, (id) => id === 'echo' || id === 'get-not-found', {
    transport: 'websocket',
  });
  expect(outcomes.map(({ status }) => status)).toEqual(['passed', 'passed']);
  expect(counts).toMatchObject({ refused: 3 });
  expect(counts.limited).toBeGreaterThan(2);
});

it('a handshake whose pause is longer than --timeout refuses the run', async () => {
  const other = await OtherServer.start();
  const url = await startBoth(other, { refuse: () => '429 Too Many\r\nretry-after: 3600' });
  await expect(ran(url, () => true, { transport: 'websocket', wire: QUICK })).rejects.toThrow(
    /takes no more requests: GET ws:.* answers 429 with Retry-After 3600/,
  );
});

it('credentials that expire end a run over WebSocket as one over HTTP', async () => {
  const other = await OtherServer.start();
  let isExpired = false;
  const socketUrl = await startSocket(other, {
    refuse: () => (isExpired ? '401 Unauthorized' : null),
    message: ({ methodCalls }) => {
      isExpired ||= JSON.stringify(methodCalls).includes('Core/echo');
      return isExpired ? null : undefined;
    },
  });
  const url = await startInFront(other, {
    handle: (_req, res) => {
      if (isExpired) res.writeHead(401).end();
      return isExpired;
    },
    session: (one) => withSocketUrl(one, socketUrl),
  });
  const error = await ran(url, (id) => id.startsWith('echo'), { transport: 'websocket' }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(LostError);
  expect((error as LostError).message).toMatch(/^The credentials are refused since echo: GET /);
  expect((error as LostError).outcomes).toEqual([]);
});

it('a WebSocket that can’t be opened again ends the run', async () => {
  const other = await OtherServer.start();
  let isOpen = true;
  const url = await startBoth(other, {
    refuse: () => (isOpen ? null : '500 Oops'),
    message: () => {
      isOpen = false;
      return null;
    },
  });
  const ids = ['echo', 'request-unknown-capability', 'limits-calls', 'request-created-ids'];
  await expect(ran(url, (id) => ids.includes(id), { transport: 'websocket' })).rejects.toThrow(
    /3 checks in a row got no answer: ws:.* refuses the handshake with 500\.$/,
  );
});

it('the report of a failure over WebSocket shows the request with its answer', async () => {
  const other = await OtherServer.start();
  const url = await startBoth(other, {
    message: ({ id }) => ({
      ...{ '@type': 'Response', requestId: id as string, sessionState: 's' },
      methodResponses: [['Core/echo', { other: 1 }, 'b3ff']],
    }),
  });
  const outcomes = await ran(url, (id) => id === 'echo', { transport: 'websocket' });
  const [exchange, ...others] = outcomes[0]?.failure?.exchanges ?? [];
  expect(others).toEqual([]);
  expect(exchange?.request.body).toContain('"methodCalls":[["Core/echo"');
  expect(exchange?.answer?.body).toContain('"other":1');
  const text = writeText({ url, transport: 'websocket', seed: 1, outcomes });
  expect(text).toMatch(/Request: WebSocket\n +\{.*methodCalls.*\n +Answer:\n +\{.*"other":1/);
});

it('RFC 8887 4.3: an answer of neither type is reported as what it is', async () => {
  const other = await OtherServer.start();
  const url = await startBoth(other, { message: ({ id }) => ({ requestId: id as string }) });
  const [outcome] = await ran(url, (id) => id === 'echo', { transport: 'websocket' });
  expect(outcome?.failure?.message).toMatch(/^The @type of an answer is Response or RequestError/);
});

it('a WebSocket that ends with a code of its own over a long message is a failure', async () => {
  const other = await OtherServer.start({
    session: { capabilities: { 'urn:ietf:params:jmap:core': { maxSizeRequest: 1000 } } },
  });
  const url = await startBoth(other, {
    message: (request) =>
      JSON.stringify(request).length > 90 && 'id' in request ? null : undefined,
  });
  const [outcome] = await ran(url, (id) => id === 'limits-size', { transport: 'websocket' });
  expect([outcome?.status, outcome?.failure?.message]).toEqual([
    'failed',
    'The server closed the WebSocket with the code 1011.',
  ]);
});
