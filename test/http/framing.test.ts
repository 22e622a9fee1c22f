import { describe, expect, it } from 'vitest';
import { UPGRADE } from '../websocket/websocket-client.js';
import {
  ECHO,
  echo,
  gate,
  type Harness,
  head,
  JSON_HEADER,
  RawConnection,
  startHarness,
  until,
  whole,
} from './harness.js';

const READY = head('/readyz', [], 'GET');
const H2C = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQ'];
const API_HEADERS = [JSON_HEADER, ...H2C, `Content-Length: ${ECHO.length}`];
const API_WITH_UPGRADE = `${head('/jmap', API_HEADERS)}${ECHO}`;

function statuses(text: string): readonly string[] {
  return Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status = '']) => status);
}

/** All that comes back until the server ends the connection, which the client leaves open. */
async function answersTo(harness: Harness, ...pieces: readonly string[]): Promise<string> {
  const raw = new RawConnection(harness);
  raw.socket.setNoDelay(true);
  for (const piece of pieces) {
    raw.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await raw.closed;
  return raw.received;
}

const inPieces = (text: string): string[] => [text.slice(0, -20), text.slice(-20)];

describe('an upgrade that is declined', () => {
  // Octets behind it belong to no protocol that both sides have agreed on.
  it.each([
    ['to something else', [head('/jmap/ws', H2C, 'GET')], '426'],
    ['to something else, with a body', [API_WITH_UPGRADE], '200'],
    ['to something else, with a body in pieces', inPieces(API_WITH_UPGRADE), '200'],
    ['to a WebSocket at another path', [head('/nowhere', UPGRADE, 'GET')], '404'],
    ['to a WebSocket, with POST', [head('/jmap/ws', UPGRADE)], '405'],
    [
      'to a WebSocket, with a body',
      [`${head('/jmap/ws', [...UPGRADE, 'Content-Length: 3'], 'GET')}abc`],
      '400',
    ],
  ])('%s, is answered, and a request behind it is not', async (_, pieces, status) => {
    const harness = await startHarness();
    let asked = 0;
    harness.ready = async () => {
      asked += 1;
    };
    const inTheLastPacket = [...pieces.slice(0, -1), `${pieces.at(-1)}${READY}`];
    for (const sent of [inTheLastPacket, [...pieces, READY]]) {
      const received = await answersTo(harness, ...sent);
      expect(statuses(received)).toEqual([status]);
      expect(received).toMatch(/\r\nConnection: (?:Upgrade, )?close\r\n/i);
      if (status === '200') expect(received).toContain('{"a":1}');
    }
    expect(asked).toBe(0);
  });

  it('comes behind the answer in front of it, however long that is', async () => {
    const harness = await startHarness();
    const go = gate();
    const text = JSON.stringify(['Core/echo', { a: 'x'.repeat(8_000_000) }, 'c']);
    harness.handle = async (envelope) => {
      await go.passed;
      return { ...echo(envelope), invocations: [text] };
    };
    const raw = new RawConnection(harness);
    raw.socket.pause();
    raw.write(whole(ECHO) + head('/jmap/ws', UPGRADE, 'GET') + READY);
    await until(() => harness.held('u1').slots === 1);
    go.open();
    await until(() => harness.answers() > 0);
    raw.socket.resume();
    await raw.closed;
    expect(raw.received.length).toBeGreaterThan(text.length);
    expect(statuses(raw.received)).toEqual(['200', '426']);
  });
});

it('CONNECT ends its connection without an answer, and nothing behind it is read', async () => {
  const harness = await startHarness();
  const connect = 'CONNECT test:80 HTTP/1.1\r\nHost: test:80\r\n\r\n';
  expect(await answersTo(harness, connect + READY)).toBe('');
  expect(await answersTo(harness, connect, READY)).toBe('');
  expect(harness.logs.join('')).not.toContain('readyz');
});

describe('headers that could be understood in two ways', () => {
  const api = (lines: readonly string[]): string =>
    `${head('/jmap', [JSON_HEADER, `Content-Length: ${ECHO.length}`, ...lines])}${ECHO}`;
  const handshake = (lines: readonly string[]): string =>
    head('/jmap/ws', [...UPGRADE, ...lines], 'GET');

  it.each([
    ['another', api(['Host: other'])],
    ['the same', api(['host: test'])],
    ['another, in a handshake', handshake(['HOST: other'])],
    ['another, behind a target with a host', api(['Host: other']).replace(' /', ' http://test/')],
  ])('two Host headers, the second %s: 400 (RFC 9112 3.2)', async (_, request) => {
    const harness = await startHarness();
    const received = await answersTo(harness, request + READY);
    expect(statuses(received)).toEqual(['400']);
    expect(received).toMatch(/\r\nConnection: close\r\n/);
    expect(received).toContain('Host');
  });

  it.each(['a b', 'user@test', 'test/x', 'a"b', '[::1', 'test:80:80'])(
    'a wrong Host, %j: 400 (RFC 9112 3.2)',
    async (host) => {
      const harness = await startHarness();
      const request = api([]).replace('Host: test', `Host: ${host}`);
      expect(statuses(await answersTo(harness, request + READY))).toEqual(['400']);
    },
  );

  it('a handshake without Host: 400 (RFC 9112 3.2)', async () => {
    const harness = await startHarness();
    const received = await answersTo(harness, handshake([]).replace('Host: test\r\n', ''));
    expect(statuses(received)).toEqual(['400']);
    expect(received).toContain('Host');
  });

  it.each([
    ['gzip, chunked', 'HTTP/1.1', '501'],
    ['chunked', 'HTTP/1.0', '400'],
  ])('Transfer-Encoding %j of %s: %s (RFC 9112 6.1)', async (coding, version, status) => {
    const harness = await startHarness();
    const lines = [JSON_HEADER, 'Connection: keep-alive', `Transfer-Encoding: ${coding}`];
    const body = `${ECHO.length.toString(16)}\r\n${ECHO}\r\n0\r\n\r\n`;
    const request = head('/jmap', lines).replace('HTTP/1.1', version) + body;
    const received = await answersTo(harness, request + READY);
    expect(statuses(received)).toEqual([status]);
    expect(received).toMatch(/\r\nConnection: close\r\n/);
    expect(received).toContain('Transfer-Encoding');
    expect(harness.held('u1')).toEqual({ slots: 0, octets: 0 });
  });

  it('more header lines than are kept: 431, whichever they are', async () => {
    const harness = await startHarness();
    const more = (count: number): string[] =>
      Array.from({ length: count }, (_, n) => `X-${n}: ${n}`);
    // Host, Authorization, Content-Type and Content-Length are there.
    const fits = new RawConnection(harness).write(api(more(96)));
    expect(await fits.until(/sessionState/)).toMatch(/^HTTP\/1.1 200 /);
    fits.socket.destroy();
    for (const request of [
      api(more(97)),
      api([...more(97), 'X-Request-Id: 12345678']),
      api(more(2000)),
      handshake(more(97)),
    ]) {
      const received = await answersTo(harness, request + READY);
      expect(statuses(received)).toEqual(['431']);
      expect(received).toMatch(/\r\nConnection: close\r\n/);
    }
  });
});

it('a target in absolute form counts over Host (RFC 9112 3.2.2)', async () => {
  const get = (target: string, host = 'Host: inner'): string =>
    head(target, ['Connection: close'], 'GET').replace('Host: test', host);
  const apiUrl = (received: string): string | undefined => /"apiUrl":"([^"]*)"/.exec(received)?.[1];
  const harness = await startHarness();
  for (const [target, url] of [
    ['http://outer.example/.well-known/jmap', 'http://outer.example/jmap'],
    ['HTTP://[::1]:8080/.well-known/jmap?x', 'http://[::1]:8080/jmap'],
    ['/.well-known/jmap', 'http://inner/jmap'],
  ] as const) {
    expect(apiUrl(await answersTo(harness, get(target)))).toBe(url);
  }
  for (const target of ['http://user@outer.example/x', 'http:///x', 'http://a_b:x/']) {
    expect(statuses(await answersTo(harness, get(target)))).toEqual(['400']);
  }
  const configured = await startHarness({ env: { BASE_URL: 'https://x.example/a' } });
  const received = await answersTo(configured, get('http://outer.example/a/.well-known/jmap'));
  expect(apiUrl(received)).toBe('https://x.example/a/jmap');
  const trusting = await startHarness({ env: { TRUST_PROXY: 'loopback' } });
  const forwarded = get('http://outer.example/.well-known/jmap', 'Host: a\r\nForwarded: host=b');
  expect(apiUrl(await answersTo(trusting, forwarded))).toBe('http://b/jmap');
});
