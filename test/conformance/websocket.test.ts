import { afterEach, describe, expect, it } from 'vitest';
import { Client, CORE, rawHttp, TODOS } from '../support/client.js';
import { makeToken, makeUser, useFixtures } from '../support/fixtures.js';
import type { JsonMap } from '../support/json.js';
import { within } from '../support/poll.js';
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
const ONCE = 'urn:jmapsmith:once';
const ECHO = ['Core/echo', { hello: true }, 'c0'];

describe('RFC 8887: WebSocket', () => {
  it('RFC 8887 4.2: a plain GET is 426, and the client may ask to close', async () => {
    const answer = await rawHttp(
      server().url,
      'GET /jmap/ws HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n' +
        `Authorization: Bearer ${fixtures().u1.token}\r\n\r\n`,
    );
    expect(answer.status).toBe(426);
    expect(new Map(answer.headers).get('upgrade')).toBe('websocket');
    expect(new Map(answer.headers).get('connection')).toMatch(/\bupgrade\b/i);
  });

  it('a call with a key over a WebSocket comes again over HTTP', async () => {
    const socket = await open();
    const { A1, u1 } = fixtures();
    const create = { k: { text: 'once' } };
    const calls = [['Todo/set', { accountId: A1, create, onceKey: 'over both' }, 's']] as const;
    const using = [CORE, TODOS, ONCE];
    const first = await socket.request('once', using, calls);
    const again = await u1.with(using).api(calls);
    expect(again.methodResponses).toEqual(first['methodResponses']);
    expect(again.methodResponses[0]?.[1]).toHaveProperty('created.k');
    const { capabilities } = (await u1.session()) as { capabilities: JsonMap };
    expect(capabilities[ONCE]).toMatchObject({ keepSeconds: 604_800 });
  });

  it('RFC 8887 4.3.2: a request is answered', async () => {
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

  it('a revoked token closes its sockets', async () => {
    const token = await makeToken(server(), ['--user', 'u1']);
    const socket = await open({}, new Client(server().url, token));
    await server().tool('scripts/token', ['revoke', token]);
    expect(await within('The close', socket.closed)).toBe(1008);
  });

  it('requests count with those over HTTP; a surplus is a limit error', async () => {
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

  it('a server that stops closes with 1001', async () => {
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
});
