import { describe, expect, it } from 'vitest';
import { Client, frame, handshake, request, UPGRADE } from '../websocket/websocket-client.js';
import {
  ECHO,
  echo,
  gate,
  type Harness,
  head,
  http,
  RawConnection,
  startHarness,
  TOKEN,
  until,
  whole,
} from './harness.js';

/** Returns the answer to a handshake, up to the end of its connection or of its head. */
async function answerTo(harness: Harness, text: string): Promise<string> {
  const raw = new RawConnection(harness).write(text);
  const answer = await Promise.race([raw.until(/^HTTP\/1.1 101[\s\S]*\r\n\r\n/), over(raw)]);
  raw.socket.destroy();
  return answer;
}

async function over(raw: RawConnection): Promise<string> {
  await raw.closed;
  return raw.received;
}

const without = (name: string): string[] =>
  UPGRADE.filter((line) => !line.toLowerCase().startsWith(name));
const hello = (lines: readonly string[]): string => head('/jmap/ws', lines, 'GET');

describe('RFC 6455 4.2.1: the opening handshake', () => {
  it('takes header names and tokens in any case, and further tokens', async () => {
    const harness = await startHarness();
    const others = without('connection').filter((line) => !line.startsWith('Upgrade'));
    for (const lines of [
      ['connection: keep-alive, uPgRaDe', 'UPGRADE: WebSocket'],
      ['CONNECTION: upgrade', 'upgrade: WEBSOCKET'],
    ]) {
      expect(await answerTo(harness, hello([...lines, ...others]))).toMatch(/^HTTP\/1.1 101 /);
    }
  });

  it('answers with its key’s accept, the subprotocol, a request id, security headers', async () => {
    const harness = await startHarness();
    const answer = await answerTo(harness, hello(UPGRADE));
    expect(answer).toMatch(/\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=\r\n/);
    expect(answer).toMatch(/\r\nSec-WebSocket-Protocol: jmap\r\n/);
    expect(answer).toMatch(/\r\nX-Request-Id: /);
  });

  it.each([
    ['another version', [...without('sec-websocket-version'), 'Sec-WebSocket-Version: 12'], 426],
    ['version 8', [...without('sec-websocket-version'), 'Sec-WebSocket-Version: 8'], 426],
    ['no version', without('sec-websocket-version'), 426],
    ['no key', without('sec-websocket-key'), 400],
    ['a short key', [...without('sec-websocket-key'), 'Sec-WebSocket-Key: AAAA'], 400],
    ['no subprotocol', without('sec-websocket-protocol'), 400],
    ['other case', [...without('sec-websocket-protocol'), 'Sec-WebSocket-Protocol: JMAP'], 400],
    ['subprotocols twice', [...UPGRADE, 'Sec-WebSocket-Protocol: jmap'], 400],
    ['a body', [...UPGRADE, 'Content-Length: 6'], 400],
    ['a body in chunks', [...UPGRADE, 'Transfer-Encoding: chunked'], 400],
  ])('%s is refused as any request, with a problem and an id', async (_, lines, status) => {
    const harness = await startHarness();
    const answer = await answerTo(harness, hello(lines));
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/application\/problem\+json/);
    expect(answer).toMatch(/\r\nX-Request-Id: /);
    expect(answer).toMatch(/\r\nX-Content-Type-Options: nosniff\r\n/);
    if (status === 426) expect(answer).toMatch(/\r\nSec-WebSocket-Version: 13\r\n/);
    expect(harness.logs.join('')).toContain(`"status":"${status}"`);
    expect(harness.logs.join('')).not.toContain('"101"');
  });

  it('HTTP/1.0, POST and other paths are refused', async () => {
    const harness = await startHarness();
    const old = hello(UPGRADE).replace('HTTP/1.1', 'HTTP/1.0');
    expect(await answerTo(harness, old)).toMatch(/^HTTP\/1.1 400 /);
    expect(await answerTo(harness, head('/jmap/ws', UPGRADE))).toMatch(/^HTTP\/1.1 405 /);
    expect(await answerTo(harness, head('/jmap/ws/', UPGRADE, 'GET'))).toMatch(/^HTTP\/1.1 404 /);
    expect(await answerTo(harness, head('/', UPGRADE, 'GET'))).toMatch(/^HTTP\/1.1 404 /);
  });

  it('has its path below BASE_URL, and no other', async () => {
    const harness = await startHarness({ env: { BASE_URL: 'https://x.example/api/v1' } });
    expect(await handshake(harness, { path: '/api/v1/jmap/ws' })).toBeInstanceOf(Client);
    expect(await handshake(harness, { path: '/jmap/ws' })).toBe(404);
  });

  it('octets behind it in its packet are the first message', async () => {
    const harness = await startHarness();
    const raw = new RawConnection(harness);
    raw.socket.write(
      Buffer.concat([Buffer.from(hello(UPGRADE)), frame(JSON.stringify(request('first')))]),
    );
    expect(await raw.until(/"requestId":"first"/)).toMatch(/^HTTP\/1.1 101 /);
    raw.socket.destroy();
  });

  it('RFC 8887 5: a handshake from another Origin doesn’t spend a ticket', async () => {
    const harness = await startHarness({ env: { CORS_ORIGINS: 'https://app.example' } });
    const response = await http(harness, '/jmap/ticket', { method: 'POST' });
    const query = `?ticket=${((await response.json()) as { ticket: string }).ticket}`;
    for (const origin of ['null', 'https://app.example.evil.example', 'http://app.example']) {
      expect([origin, await handshake(harness, { query, headers: { origin } })]).toEqual([
        origin,
        403,
      ]);
    }
    const headers = { origin: 'https://app.example' };
    expect(await handshake(harness, { query, headers })).toBeInstanceOf(Client);
    // A client that can send a bearer token is no page of another origin.
    const authorization = `Bearer ${TOKEN}`;
    const evil = { authorization, origin: 'https://evil.example' };
    expect(await handshake(harness, { headers: evil })).toBeInstanceOf(Client);
  });
});

it('an upgrade to something else is ignored (RFC 9110 7.8): 426, as a plain GET', async () => {
  const harness = await startHarness();
  const raw = new RawConnection(harness);
  raw.write(head('/jmap/ws', ['Connection: Upgrade', 'Upgrade: h2c'], 'GET'));
  expect(await raw.until(/\r\n\r\n/)).toMatch(/^HTTP\/1.1 426 [\s\S]*\r\nUpgrade: websocket\r\n/);
  raw.socket.destroy();
});

it('a handshake behind a request that is not answered yet is 426, behind that answer', async () => {
  const harness = await startHarness();
  const { passed, open: openGate } = gate();
  harness.handle = async (envelope) => {
    await passed;
    return echo(envelope);
  };
  const raw = new RawConnection(harness).write(whole(ECHO) + hello(UPGRADE));
  await until(() => harness.held('u1').slots === 1);
  openGate();
  const both = await raw.until(/ 426 /);
  expect(both).toMatch(/^HTTP\/1.1 200 [\s\S]*"a":1[\s\S]*HTTP\/1.1 426 /);
  raw.socket.destroy();
});
