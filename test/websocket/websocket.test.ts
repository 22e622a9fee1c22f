import { describe, expect, it } from 'vitest';
import { chunksOf } from '../../src/protocol/response.js';
import {
  account,
  ECHO,
  echo,
  gate,
  head,
  http,
  post,
  principal,
  RawConnection,
  startHarness,
  TOKEN,
  until,
} from '../http/harness.js';
import {
  Client,
  handshake,
  type Message,
  open,
  request,
  requestError,
} from './websocket-client.js';

describe('RFC 8887 4.1: the handshake', () => {
  it('is authenticated as any request and needs the subprotocol jmap', async () => {
    const harness = await startHarness();
    const client = await open(harness, { protocols: ['other', 'jmap'] });
    expect(client.socket.protocol).toBe('jmap');
    expect(client.socket.extensions).toBe('');
    expect(await handshake(harness, { headers: {} })).toBe(401);
    expect(await handshake(harness, { headers: { authorization: 'Bearer no' } })).toBe(401);
    expect(await handshake(harness, { protocols: [] })).toBe(400);
    expect(await handshake(harness, { protocols: ['xmpp'] })).toBe(400);
  });

  it('refusals have the edge’s headers and a problem', async () => {
    const harness = await startHarness();
    const refused = async (path: string, lines: readonly string[]): Promise<string> => {
      const raw = new RawConnection(harness);
      const upgrade = ['Host: x', 'Connection: Upgrade', 'Upgrade: websocket', ...lines];
      raw.write(`GET ${path} HTTP/1.1\r\n${upgrade.join('\r\n')}\r\n\r\n`);
      await raw.closed;
      return raw.received;
    };
    const answer = await refused('/jmap/ws', []);
    expect(answer).toMatch(/^HTTP\/1.1 401/);
    expect(answer).toMatch(/X-Request-Id: /);
    expect(answer).toMatch(/X-Content-Type-Options: nosniff/);
    expect(answer).toMatch(/application\/problem\+json/);
    expect(await refused('/jmap', [])).toMatch(/^HTTP\/1.1 404/);
    const noKey = [
      `Authorization: Bearer ${TOKEN}`,
      'Sec-WebSocket-Protocol: jmap',
      'Sec-WebSocket-Version: 13',
    ];
    expect(await refused('/jmap/ws', noKey)).toMatch(/^HTTP\/1.1 400/);
  });

  it('takes a ticket once; its page’s Origin must be on the list', async () => {
    const harness = await startHarness({ env: { CORS_ORIGINS: 'https://app.example' } });
    const ticket = async (): Promise<string> => {
      const response = await http(harness, '/jmap/ticket', { method: 'POST' });
      return `?ticket=${((await response.json()) as { ticket: string }).ticket}`;
    };
    const query = await ticket();
    const from = (origin: string): Promise<Client | number> =>
      handshake(harness, { query, headers: { origin } });
    expect(await from('https://evil.example')).toBe(403);
    expect(await from('https://app.example')).toBeInstanceOf(Client);
    expect(await from('https://app.example')).toBe(401);
    expect(await handshake(harness, { query: await ticket(), headers: {} })).toBeInstanceOf(Client);
  });
});

describe('RFC 8887 4.3: messages', () => {
  it('a request is answered, its id echoed', async () => {
    const harness = await startHarness();
    const client = await open(harness);
    client.send(request('r1'));
    const session = (await (await http(harness, '/.well-known/jmap')).json()) as Message;
    expect(await client.received(1)).toEqual([
      {
        '@type': 'Response',
        requestId: 'r1',
        methodResponses: [['Core/echo', { id: 'r1' }, 'c']],
        sessionState: session['state'],
      },
    ]);
  });

  it('requests without an id are answered in order, labelled ones as they are done', async () => {
    const harness = await startHarness();
    const gates = new Map([...'abxy'].map((name) => [name, gate()]));
    harness.handle = async (envelope) => {
      await gates.get(String(envelope.methodCalls[0]?.callId))?.passed;
      return echo(envelope);
    };
    const call = (name: string): unknown[] => [['Core/echo', {}, name]];
    const client = await open(harness);
    client.send(request(null, call('a')));
    client.send(request(null, call('b')));
    client.send(request('X', call('x')));
    client.send(request('Y', call('y')));
    gates.get('b')?.open();
    gates.get('y')?.open();
    expect(await client.received(1)).toMatchObject([{ requestId: 'Y' }]);
    gates.get('x')?.open();
    expect(await client.received(1)).toMatchObject([{ requestId: 'X' }]);
    gates.get('a')?.open();
    const inOrder = await client.received(2);
    expect(inOrder.map((message) => JSON.stringify(message['methodResponses']))).toEqual([
      '[["Core/echo",{},"a"]]',
      '[["Core/echo",{},"b"]]',
    ]);
    expect(inOrder.some((message) => 'requestId' in message)).toBe(false);
  });

  it('a wrong message is a RequestError and ends nothing', async () => {
    const harness = await startHarness();
    const client = await open(harness);
    const answers: readonly (readonly [unknown, Message])[] = [
      ['no json', requestError('notJSON', null)],
      ['{"a":1,"a":2}', requestError('notJSON', null)],
      [[], requestError('notRequest', null)],
      [{ id: 'r2' }, requestError('notRequest', 'r2')],
      [{ '@type': 'Foo', id: 'r3' }, requestError('notRequest', 'r3')],
      [{ ...request('r4'), id: 4 }, requestError('notRequest', null)],
      [{ '@type': 'Request', id: 'r5' }, requestError('notRequest', 'r5')],
      [{ ...request('r6'), using: ['urn:x'] }, requestError('unknownCapability', 'r6')],
      [
        request(
          'r7',
          Array.from({ length: 33 }, () => ['Core/echo', {}, 'c']),
        ),
        requestError('limit', 'r7', { limit: 'maxCallsInRequest' }),
      ],
      [
        { '@type': 'WebSocketPushEnable', dataTypes: ['Nope'], id: 'r8' },
        requestError('notRequest', 'r8'),
      ],
    ];
    for (const [message, expected] of answers) {
      client.send(message);
      expect(await client.received(1)).toEqual([expected]);
    }
    client.send(request('last'));
    expect(await client.received(1)).toMatchObject([{ '@type': 'Response', requestId: 'last' }]);
  });

  it('maxSizeRequest holds for a message; far beyond it the socket closes with 1009', async () => {
    const harness = await startHarness({ env: { MAX_SIZE_REQUEST: '400' } });
    const client = await open(harness);
    const sized = (id: string, octets: number): string => {
      const text = JSON.stringify(request(id));
      return text + ' '.repeat(octets - text.length);
    };
    client.send(sized('fits', 400));
    expect(await client.received(1)).toMatchObject([{ '@type': 'Response', requestId: 'fits' }]);
    client.send(sized('over', 401));
    expect(await client.received(1)).toEqual([
      requestError('limit', 'over', { limit: 'maxSizeRequest' }),
    ]);
    client.send(sized('far', 801));
    expect(await client.closed()).toBe(1009);
  });

  it('a binary message closes with 1003, invalid UTF-8 with 1007', async () => {
    const harness = await startHarness();
    const binary = await open(harness);
    binary.socket.send(Buffer.from('{}'));
    expect(await binary.closed()).toBe(1003);
    const invalid = await open(harness);
    invalid.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect(await invalid.closed()).toBe(1007);
  });

  it('maxConcurrentRequests counts HTTP and WebSocket together', async () => {
    const harness = await startHarness({ env: { MAX_CONCURRENT_REQUESTS: '2' } });
    const { passed, open: openGate } = gate();
    let running = 0;
    harness.handle = async (envelope) => {
      running += 1;
      await passed;
      return echo(envelope);
    };
    const client = await open(harness);
    client.send(request('a'));
    const overHttp = post(harness, ECHO);
    await until(() => running === 2);
    client.send(request('b'));
    expect(await client.received(1)).toEqual([
      requestError('limit', 'b', { limit: 'maxConcurrentRequests' }),
    ]);
    expect((await post(harness, ECHO)).status).toBe(400);
    openGate();
    expect((await overHttp).status).toBe(200);
    expect(await client.received(1)).toMatchObject([{ requestId: 'a' }]);
    client.send(request('c'));
    expect(await client.received(1)).toMatchObject([{ '@type': 'Response', requestId: 'c' }]);
  });

  it('a failure is answered without its cause', async () => {
    const harness = await startHarness();
    harness.handle = async () => {
      throw new Error('SELECT secret');
    };
    const client = await open(harness);
    client.send(request('r'));
    const [answer] = await client.received(1);
    expect(answer).toMatchObject({ '@type': 'RequestError', requestId: 'r', status: 500 });
    expect(JSON.stringify(answer)).not.toContain('secret');
    expect(harness.logs.join('')).toContain('SELECT secret');
  });

  it('large answers arrive whole and unmixed', async () => {
    const harness = await startHarness();
    harness.handle = async (envelope) => {
      const [call] = envelope.methodCalls;
      const text = `${call?.callId}𝄞`.repeat(200_000);
      return {
        invocations: [JSON.stringify(['Core/echo', { text }, call?.callId])],
        createdIds: null,
      };
    };
    const client = await open(harness);
    for (const id of ['a', 'b', 'c']) client.send(request(id, [['Core/echo', {}, id]]));
    for (const message of await client.received(3)) {
      const id = message['requestId'];
      expect(message['methodResponses']).toEqual([
        ['Core/echo', { text: `${id}𝄞`.repeat(200_000) }, id],
      ]);
    }
  });
});

describe('WebSocket: its life', () => {
  it('a token that ends closes with 1008, and runs nothing any more', async () => {
    const harness = await startHarness();
    const client = await open(harness);
    harness.users.principals.delete('t1');
    expect(await client.closed()).toBe(1008);
    const expiring = principal('u2', 't2', [account('AX')], Date.now() + 80);
    harness.users.principals.set('t2', expiring);
    const other = await open(harness, { headers: { authorization: 'Bearer token-of-u2' } });
    expect(await other.closed()).toBe(1008);
  });

  it('a change of access counts for the next request', async () => {
    const harness = await startHarness({ timings: { refresh: 60_000 } });
    const seen: string[][] = [];
    harness.handle = async (envelope, current) => {
      seen.push([...current.accounts.keys()]);
      return echo(envelope);
    };
    const client = await open(harness);
    harness.users.principals.set('t1', principal('u1', 't1', [account('A2')]));
    client.send(request('r'));
    await client.received(1);
    expect(seen).toEqual([['A2']]);
  });

  it('pings are answered and sent; a silent peer is dropped', async () => {
    const harness = await startHarness({ timings: { heartbeat: 50 } });
    const client = await open(harness);
    let pings = 0;
    let pongs = 0;
    client.socket.on('ping', () => {
      pings += 1;
    });
    client.socket.on('pong', () => {
      pongs += 1;
    });
    client.socket.ping('x');
    await until(() => pings > 4 && pongs > 0);
    expect(client.code).toBe(null);
    const silent = new RawConnection(harness);
    const lines = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      'Sec-WebSocket-Protocol: jmap',
    ];
    silent.write(
      `GET /jmap/ws HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\n` +
        `${lines.join('\r\n')}\r\n\r\n`,
    );
    expect(await silent.until(/\r\n\r\n/)).toMatch(/^HTTP\/1.1 101[\s\S]*X-Request-Id: /);
    await silent.closed;
    // Two pings (RFC 6455 5.5.2) without a payload.
    expect(silent.received.split('\x89\0')).toHaveLength(3);
  });

  it('a message that never ends is given up', async () => {
    const harness = await startHarness({ timings: { heartbeat: 50 } });
    const client = await open(harness);
    client.socket.send('{"@type":"Req', { fin: false });
    expect(await client.closed()).toBe(1006);
  });

  it('drops octets beyond the budget, even of a peer that ignores its close (1013)', async () => {
    // A share of 32 MiB for a user, 8 MB for a message.
    const harness = await startHarness({ env: { MAX_SIZE_REQUEST: '4000000' } });
    const lines = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Protocol: jmap',
    ];
    const peers = Array.from({ length: 6 }, () =>
      new RawConnection(harness).write(head('/jmap/ws', lines, 'GET')),
    );
    for (const peer of peers) {
      await peer.until(/101 Switching/);
      // The first fragment of a text message, of 7,000,000 octets (RFC 6455 5.2), masked with
      // zeros.
      peer.write(`\x01\xff\0\0\0\0\0\x6a\xcf\xc0\0\0\0\0${' '.repeat(7_000_000)}`);
    }
    await Promise.race(peers.map((peer) => peer.closed));
    for (const peer of peers) peer.socket.destroy();
    await until(async () => (await post(harness, ECHO)).status === 200);
  });

  it('a user may have 32; a further one is 429', async () => {
    const harness = await startHarness();
    const [first] = await Promise.all(Array.from({ length: 32 }, () => open(harness)));
    expect(await handshake(harness)).toBe(429);
    expect(
      await handshake(harness, { headers: { authorization: 'Bearer token-of-u2' } }),
    ).toBeInstanceOf(Client);
    first?.socket.close();
    await until(async () => (await handshake(harness)) instanceof Client);
  });

  it('a server that stops answers running requests, then closes with 1001', async () => {
    const harness = await startHarness();
    const { passed, open: openGate } = gate();
    let running = false;
    harness.handle = async (envelope) => {
      running = true;
      await passed;
      return echo(envelope);
    };
    const client = await open(harness);
    client.send(request('r'));
    await until(() => running);
    const closed = harness.close(5000);
    openGate();
    expect(await client.received(1)).toMatchObject([{ '@type': 'Response', requestId: 'r' }]);
    expect(await client.closed()).toBe(1001);
    await closed;
  });
});

describe('fragments', () => {
  it('never split a surrogate pair and lose nothing', () => {
    const text = 'a𝄞b𝄞𝄞c';
    for (let size = 1; size < 5; size += 1) {
      let joined = '';
      for (const chunk of chunksOf(text, size)) joined += Buffer.from(chunk).toString();
      expect(joined).toBe(text);
    }
  });
});
