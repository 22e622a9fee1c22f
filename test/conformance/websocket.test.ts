import { afterEach, describe, expect, it } from 'vitest';
import { Client, CORE, rawHttp, TODOS } from '../support/client.js';
import { makeToken, makeUser, useFixtures } from '../support/fixtures.js';
import type { JsonMap } from '../support/json.js';
import { eventually, within } from '../support/poll.js';
import { startServer } from '../support/server.js';
import { type Handshake, JmapSocket } from '../support/socket.js';

const { server, fixtures } = useFixtures({ env: { MAX_SIZE_REQUEST: '20000' } }, []);

const sockets: JmapSocket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});
const open = async (options: Handshake = {}, client?: Client): Promise<JmapSocket> => {
  const socket = await JmapSocket.open(client ?? fixtures().u1, options);
  sockets.push(socket);
  return socket;
};
const ECHO = ['Core/echo', { hello: true }, 'c0'];
const requestError = (type: string, requestId: string | null, more: JsonMap = {}) => ({
  '@type': 'RequestError',
  requestId,
  type: `urn:ietf:params:jmap:error:${type}`,
  status: 400,
  detail: expect.any(String),
  ...more,
});

describe('U. WebSocket (RFC 8887)', () => {
  it('case 548, 4.2: without the subprotocol jmap it is refused', async () => {
    await expect(open({ protocols: [] })).rejects.toThrow(/HTTP 4\d\d/);
    await expect(open({ protocols: ['chat'] })).rejects.toThrow(/HTTP 4\d\d/);
    const socket = await open({ protocols: ['chat', 'jmap'] });
    expect(socket.raw.protocol).toBe('jmap');
  });

  it('4.2: a plain GET is told to upgrade, and the connection ends where the client asks', async () => {
    const answer = await rawHttp(
      server().url,
      'GET /jmap/ws HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n' +
        `Authorization: Bearer ${fixtures().u1.token}\r\n\r\n`,
    );
    expect(answer.status).toBe(426);
    expect(new Map(answer.headers).get('upgrade')).toBe('websocket');
    expect(new Map(answer.headers).get('connection')).toMatch(/\bupgrade\b/i);
  });

  it('4.1: the handshake is authenticated as any request', async () => {
    const wrong = new Client(server().url, 'wrong');
    await expect(open({}, wrong)).rejects.toThrow('HTTP 401');
  });

  it('case 551, 4.3.2: a request is answered', async () => {
    const socket = await open();
    expect(await socket.request('r1', [CORE], [ECHO])).toEqual({
      '@type': 'Response',
      requestId: 'r1',
      methodResponses: [ECHO],
      sessionState: (await fixtures().u1.session())['state'],
    });
    const { A1 } = fixtures();
    const answer = await socket.request(
      'r2',
      [CORE, TODOS],
      [
        ['Todo/set', { accountId: A1, create: { k: { text: 'over a socket' } } }, 's'],
        ['Todo/get', { accountId: A1, ids: ['#k'], properties: ['text'] }, 'g'],
      ],
    );
    expect((answer['methodResponses'] as [string, JsonMap][])[1]?.[1]['list']).toEqual([
      { id: expect.any(String), text: 'over a socket' },
    ]);
    expect(answer).not.toHaveProperty('createdIds');
  });

  it('4.3.3: a request without an id has a response without requestId', async () => {
    const socket = await open();
    socket.send({ '@type': 'Request', using: [CORE], methodCalls: [ECHO], createdIds: { a: 'b' } });
    const answer = await socket.find((message) => message['@type'] === 'Response');
    expect(answer).toEqual({
      '@type': 'Response',
      methodResponses: [ECHO],
      createdIds: { a: 'b' },
      sessionState: expect.any(String),
    });
  });

  it('notes 4.3.2: requests without ids are answered in order', async () => {
    const socket = await open();
    for (let n = 0; n < 6; n += 1) {
      const calls = [['Core/echo', { n, pad: 'x'.repeat((6 - n) * 1000) }, 'c']];
      socket.send({ '@type': 'Request', using: [CORE], methodCalls: calls });
    }
    await eventually(() => expect(socket.messages).toHaveLength(6));
    const order = socket.messages.map((message) => {
      const [[, args] = ['', {} as JsonMap]] = message['methodResponses'] as [string, JsonMap][];
      return args['n'];
    });
    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('case 553, 4.3.2: labelled requests are each answered whole', async () => {
    const socket = await open();
    const ids = ['a', 'b', 'c', 'd'];
    const answers = await Promise.all(
      ids.map((id) => socket.request(id, [CORE], [['Core/echo', { id }, 'c']])),
    );
    expect(answers.map((answer) => answer['methodResponses'])).toEqual(
      ids.map((id) => [['Core/echo', { id }, 'c']]),
    );
  });

  it('case 555, 4.3.1: what is no JSON is a RequestError, the socket stays usable', async () => {
    const socket = await open();
    for (const text of ['', 'x', '{"a":1,"a":2}', '{"@type":"Request"', '\ufeff{}', '"\\ud800"']) {
      socket.messages.length = 0;
      socket.send(text);
      const answer = await socket.find(() => true);
      expect(answer).toEqual(requestError('notJSON', null));
    }
    expect((await socket.request('r', [CORE], [ECHO]))['@type']).toBe('Response');
  });

  it('case 556, 4.3.1: what is no message is notRequest, its id is echoed', async () => {
    const socket = await open();
    const wrong: readonly (readonly [unknown, string | null])[] = [
      [[], null],
      [42, null],
      [null, null],
      [{}, null],
      [{ id: 'x1', using: [CORE], methodCalls: [] }, 'x1'],
      [{ '@type': 'Foo', id: 'x2' }, 'x2'],
      [{ '@type': 'Request', id: 'x3', using: [CORE] }, 'x3'],
      [{ '@type': 'Request', id: 'x4', using: [CORE], methodCalls: [['a', {}, 1]] }, 'x4'],
      [{ '@type': 'Request', id: 5, using: [CORE], methodCalls: [] }, null],
    ];
    for (const [message, id] of wrong) {
      socket.messages.length = 0;
      socket.send(JSON.stringify(message));
      const answer = await socket.find(() => true);
      expect({ message, answer }).toEqual({ message, answer: requestError('notRequest', id) });
    }
  });

  it('case 558, 4.3.4: request-level errors name the request and the limit', async () => {
    const socket = await open();
    expect(await socket.request('r1', ['urn:x:unknown'], [])).toEqual(
      requestError('unknownCapability', 'r1'),
    );
    const calls = Array.from({ length: 33 }, () => ECHO);
    expect(await socket.request('r2', [CORE], calls)).toEqual(
      requestError('limit', 'r2', { limit: 'maxCallsInRequest' }),
    );
    expect((await socket.request('r3', [CORE], [ECHO]))['@type']).toBe('Response');
  });

  it('case 558: a message over maxSizeRequest is a limit error or closes the socket', async () => {
    const socket = await open();
    socket.send({
      '@type': 'Request',
      id: 'big',
      using: [CORE],
      methodCalls: [['Core/echo', { x: 'y'.repeat(30_000) }, 'c']],
    });
    const answered = socket.find((message) => message['@type'] === 'RequestError');
    const answer = await Promise.race([answered, within('The close', socket.closed)]);
    if (typeof answer === 'number') expect(answer).toBe(1009);
    else expect(answer['limit']).toBe('maxSizeRequest');
    const second = await open();
    expect((await second.request('r', [CORE], [ECHO]))['@type']).toBe('Response');
  });

  it('cases 560 and 561, 4.3.1: binary frames close with 1003, invalid UTF-8 with 1007', async () => {
    const binary = await open();
    binary.raw.send(Buffer.from(JSON.stringify({ '@type': 'Request' })), { binary: true });
    const answered = binary.find((message) => message['@type'] === 'RequestError');
    const first = await Promise.race([answered, within('The close', binary.closed)]);
    if (typeof first === 'number') expect(first).toBe(1003);
    const invalid = await open();
    invalid.raw.send(Buffer.from([0x22, 0xff, 0xfe, 0x22]), { binary: false });
    expect(await within('The close', invalid.closed)).toBe(1007);
  });

  it('case 563, 4.3: a ping is answered', async () => {
    const socket = await open();
    const pong = new Promise<string>((resolve) => {
      socket.raw.once('pong', (data: Buffer) => resolve(data.toString()));
    });
    socket.raw.ping('are you there');
    expect(await within('The pong', pong)).toBe('are you there');
  });

  it('case 565, 4.3.5: nothing is pushed that was not asked for', async () => {
    const socket = await open();
    const { A1, u1 } = fixtures();
    await u1.set('Todo', { accountId: A1, create: { k: { text: 'x' } } });
    await socket.request('after', [CORE], [ECHO]);
    expect(socket.messages.map((message) => message['@type'])).toEqual(['Response']);
  });

  it('case 580: permessage-deflate is negotiated or refused cleanly', async () => {
    const socket = await open({ compress: true });
    const calls = [['Core/echo', { text: 'x'.repeat(5000) }, 'c']];
    expect((await socket.request('r', [CORE], calls))['methodResponses']).toEqual(calls);
  });

  it('decision 24: a revoked token closes its sockets', async () => {
    const token = await makeToken(server(), ['--user', 'u1']);
    const socket = await open({}, new Client(server().url, token));
    await server().tool('scripts/token', ['revoke', token]);
    expect(await within('The close', socket.closed)).toBe(1008);
  });

  it('case 576: requests count with those over HTTP; a surplus is a limit error', async () => {
    const limited = await startServer({ env: { MAX_CONCURRENT_REQUESTS: '1' } });
    try {
      const { accountId, client } = await makeUser(limited);
      const socket = await open({}, client);
      const todos = Object.fromEntries(
        Array.from({ length: 900 }, (_, i) => [`k${i}`, { text: 'x' }]),
      );
      const slow = [['Todo/set', { accountId, create: todos }, 's']];
      const answers = await Promise.all(
        ['a', 'b', 'c', 'd'].map((id) => socket.request(id, [CORE, TODOS], slow)),
      );
      for (const answer of answers) {
        if (answer['@type'] === 'Response') continue;
        const { requestId, ...rest } = answer;
        expect(rest).toEqual(
          expect.objectContaining({
            type: 'urn:ietf:params:jmap:error:limit',
            limit: 'maxConcurrentRequests',
          }),
        );
        expect(['a', 'b', 'c', 'd']).toContain(requestId);
      }
      expect(answers.some((answer) => answer['@type'] === 'Response')).toBe(true);
      expect((await socket.request('after', [CORE], [ECHO]))['@type']).toBe('Response');
      expect((await client.api([])).methodResponses).toEqual([]);
    } finally {
      await limited.remove();
    }
  });

  it('case 578: a server that stops closes with 1001', async () => {
    const stopped = await startServer();
    try {
      const { client } = await makeUser(stopped);
      const socket = await open({}, client);
      const exit = stopped.stop();
      expect(await within('The close', socket.closed)).toBe(1001);
      expect(await exit).toEqual({ code: 0, signal: null });
    } finally {
      await stopped.remove();
    }
  });

  it('1.2: one socket serves as many requests as it likes', async () => {
    const socket = await open();
    for (let n = 0; n < 50; n += 1) {
      expect((await socket.request(`r${n}`, [CORE], [ECHO]))['@type']).toBe('Response');
    }
  });
});
