import { describe, expect, it } from 'vitest';
import { ECHO, head, http, post, RawConnection, startHarness, until } from './harness.js';

/** Header names that belong to one kind of answer only. */
const OWN = new Set([
  'date',
  'content-type',
  'content-length',
  'cache-control',
  'connection',
  'keep-alive',
]);

function shared(response: Response): Record<string, string> {
  const entries = [...response.headers].filter(
    ([name]) => !OWN.has(name) && name !== 'x-request-id',
  );
  return Object.fromEntries(entries);
}

describe('the edge function: headers', () => {
  it('answers of the API endpoint and of Express have the same headers', async () => {
    const harness = await startHarness({ env: { CORS_ORIGINS: 'https://app.example' } });
    const headers = { origin: 'https://app.example' };
    const direct = await http(harness, '/jmap', {
      method: 'POST',
      body: ECHO,
      headers: { ...headers, 'content-type': 'application/json' },
    });
    const express = await http(harness, '/.well-known/jmap', { headers });
    expect(direct.status).toBe(200);
    expect(shared(direct)).toEqual(shared(express));
    expect(shared(direct)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'strict-transport-security': expect.any(String),
      'access-control-allow-origin': 'https://app.example',
    });
    expect(express.headers.has('x-powered-by')).toBe(false);
    expect(express.headers.has('etag')).toBe(false);
  });

  it('errors have the same headers, whoever answers', async () => {
    const harness = await startHarness();
    const fine = shared(await http(harness, '/healthz'));
    for (const path of ['/nothing', '/jmap', '/jmap/upload/NO', '/jmap/download/A1/b/%FF']) {
      const response = await http(harness, path);
      expect(response.status, path).toBeGreaterThanOrEqual(400);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      expect(shared(response)).toMatchObject(fine);
    }
  });

  it('RFC 8620 3.8: problems say in which language they are', async () => {
    const harness = await startHarness();
    const json = { 'content-type': 'application/json', 'accept-language': 'de, fr;q=0.5' };
    const notJson = await http(harness, '/jmap', { method: 'POST', body: '{', headers: json });
    expect(await notJson.json()).toMatchObject({ status: 400 });
    for (const response of [notJson, await http(harness, '/nothing')]) {
      expect(response.headers.get('content-language')).toBe('en');
    }
    const fine = await http(harness, '/jmap', { method: 'POST', body: ECHO, headers: json });
    expect(fine.headers.get('content-language')).toBe(null);
  });

  it('takes a sane X-Request-Id over, makes one for any other, and logs it', async () => {
    const harness = await startHarness();
    const id = async (given: string): Promise<string | null> => {
      const response = await http(harness, '/healthz', { headers: { 'x-request-id': given } });
      await response.text();
      return response.headers.get('x-request-id');
    };
    expect(await id('abcd-1234')).toBe('abcd-1234');
    const made = await id('with "quotes" and spaces');
    expect(made).toMatch(/^[0-9a-z]+-[0-9a-z]+$/);
    expect(await id('')).not.toBe(made);
    await http(harness, '/healthz?ticket=secret-ticket');
    await expect.poll(() => harness.logs.length).toBe(4);
    expect(harness.logs.join('')).toContain('"requestId":"abcd-1234"');
    expect(harness.logs.join('')).not.toMatch(/secret-ticket|token-of-u1/);
  });
});

describe('the edge function: routes', () => {
  it('unknown paths are 404, without a token too', async () => {
    const harness = await startHarness();
    for (const path of [
      '/',
      '/jmap/',
      '/JMAP',
      '/jmap/x',
      '/jmap/upload/A1/b',
      '/metrics/',
      '/healthz/x',
    ]) {
      const response = await fetch(`${harness.url}${path}`);
      expect(response.status, path).toBe(404);
      expect(await response.json()).toMatchObject({ type: 'about:blank', status: 404 });
    }
  });

  it('a wrong verb is 405 with Allow', async () => {
    const harness = await startHarness();
    const wrong: readonly (readonly [string, string, string])[] = [
      ['GET', '/jmap', 'POST, OPTIONS'],
      ['DELETE', '/jmap', 'POST, OPTIONS'],
      ['POST', '/.well-known/jmap', 'GET, HEAD, OPTIONS'],
      ['GET', '/jmap/upload/A1', 'POST, OPTIONS'],
      ['POST', '/jmap/eventsource', 'GET, HEAD, OPTIONS'],
      ['GET', '/jmap/ticket', 'POST, OPTIONS'],
      ['PUT', '/metrics', 'GET, HEAD, OPTIONS'],
    ];
    for (const [method, path, allow] of wrong) {
      const response = await http(harness, path, { method });
      expect([response.status, response.headers.get('allow')], path).toEqual([405, allow]);
    }
  });

  it('under a base path the JMAP endpoints are there, the operators’ at the root', async () => {
    const harness = await startHarness({ env: { BASE_URL: 'https://x.example/api/' } });
    expect((await http(harness, '/api/.well-known/jmap')).status).toBe(200);
    expect((await http(harness, '/jmap', { method: 'POST' })).status).toBe(404);
    expect((await http(harness, '/healthz')).status).toBe(200);
    const session = await (await http(harness, '/.well-known/jmap')).json();
    expect(session).toMatchObject({ apiUrl: 'https://x.example/api/jmap' });
  });

  it('the absolute form of a request target is understood (RFC 9112 3.2.2)', async () => {
    const harness = await startHarness();
    const raw = new RawConnection(harness);
    raw.write(head('http://any.example/healthz', ['Connection: close'], 'GET'));
    expect(await raw.until(/ok/)).toMatch(/^HTTP\/1.1 200/);
  });

  it('an offer to speak HTTP/2 is ignored', async () => {
    const harness = await startHarness();
    const raw = new RawConnection(harness);
    const offer = [
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABk',
    ];
    const type = ['Content-Type: application/json', `Content-Length: ${ECHO.length}`];
    raw.write(head('/jmap', [...offer, ...type]) + ECHO);
    expect(await raw.until(/sessionState/)).toMatch(/^HTTP\/1.1 200/);
  });

  it('a GET of the WebSocket path that is no handshake is 426', async () => {
    const harness = await startHarness();
    const response = await http(harness, '/jmap/ws');
    expect(response.status).toBe(426);
    expect(response.headers.get('upgrade')).toBe('websocket');
  });
});

describe('the edge function: CORS', () => {
  it('a preflight needs no token', async () => {
    const harness = await startHarness({
      env: { CORS_ORIGINS: 'https://a.example,https://b.example' },
    });
    for (const path of [
      '/.well-known/jmap',
      '/jmap',
      '/jmap/upload/A1',
      '/jmap/download/A1/b/n',
      '/jmap/eventsource',
    ]) {
      const response = await fetch(`${harness.url}${path}`, {
        method: 'OPTIONS',
        headers: { origin: 'https://b.example', 'access-control-request-method': 'POST' },
      });
      expect(response.status).toBe(204);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'access-control-allow-origin': 'https://b.example',
        'access-control-allow-headers':
          'Authorization, Content-Type, Idempotency-Key, Last-Event-ID',
        'access-control-max-age': expect.stringMatching(/^\d+$/),
        vary: 'Origin',
      });
    }
  });

  it('an unlisted origin gets nothing, a listed one gets it on errors too', async () => {
    const harness = await startHarness({ env: { CORS_ORIGINS: 'https://a.example' } });
    const origin = async (value: string, path: string): Promise<string | null> => {
      const response = await fetch(`${harness.url}${path}`, { headers: { origin: value } });
      return response.headers.get('access-control-allow-origin');
    };
    expect(await origin('https://evil.example', '/.well-known/jmap')).toBe(null);
    expect(await origin('null', '/.well-known/jmap')).toBe(null);
    expect(await origin('https://a.example', '/.well-known/jmap')).toBe('https://a.example');
    expect(await origin('https://a.example', '/nowhere')).toBe('https://a.example');
    const preflight = await fetch(`${harness.url}/jmap`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example' },
    });
    expect(preflight.headers.has('access-control-allow-methods')).toBe(false);
  });

  it('"*" allows every origin', async () => {
    const harness = await startHarness({ env: { CORS_ORIGINS: '*' } });
    const response = await http(harness, '/healthz', {
      headers: { origin: 'https://any.example' },
    });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('the edge function: credentials', () => {
  const session = async (url: string, authorization?: string): Promise<[number, string | null]> => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const response = await fetch(`${url}/.well-known/jmap`, { headers });
    return [response.status, response.headers.get('www-authenticate')];
  };
  const bare = [401, 'Bearer realm="jmap"'];
  const invalid = [401, 'Bearer realm="jmap", error="invalid_token"'];

  it('a token that was sent and is wrong is named as such', async () => {
    const { url } = await startHarness();
    expect(await session(url)).toEqual(bare);
    expect(await session(url, 'Basic dTpw')).toEqual(bare);
    expect(await session(url, 'Bearer unknown')).toEqual(invalid);
    expect(await session(url, 'Bearer two words')).toEqual(invalid);
    expect(await session(url, 'Bearer ünknown')).toEqual(invalid);
    expect(await session(url, `Bearer ${'x'.repeat(5000)}`)).toEqual(invalid);
  });

  it('the scheme is taken in any letter case', async () => {
    const { url } = await startHarness();
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      expect(await session(url, `${scheme} token-of-u1`)).toEqual([200, null]);
    }
  });

  it('two Authorization headers are 400, even equal ones', async () => {
    const harness = await startHarness();
    const raw = new RawConnection(harness);
    const again = ['authorization: Bearer token-of-u1', 'Connection: close'];
    raw.write(head('/.well-known/jmap', again, 'GET'));
    expect(await raw.until(/detail/)).toMatch(/^HTTP\/1.1 400/);
  });
});

describe('the edge function: for operators', () => {
  it('metrics count by route template and known method names, and show no account', async () => {
    const harness = await startHarness();
    await post(harness, ECHO);
    await http(harness, '/jmap/download/A1/b123/n');
    const text = await (await http(harness, '/metrics')).text();
    expect(text).toContain('jmap_http_requests_total{route="/jmap",method="POST",status="200"} 1');
    expect(text).toContain('route="/jmap/download/:accountId/:blobId/:name"');
    expect(text).toContain('jmap_method_calls_total{method="unknown"} 1');
    expect(text).not.toMatch(/A1|b123|u1|Core\/echo/);
  });

  it('with METRICS_TOKEN metrics are for its bearer only', async () => {
    const harness = await startHarness({ env: { METRICS_TOKEN: 'm-token' } });
    const metrics = async (authorization?: string): Promise<number> => {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      return (await fetch(`${harness.url}/metrics`, { headers })).status;
    };
    expect(await metrics()).toBe(401);
    expect(await metrics('Bearer token-of-u1')).toBe(401);
    expect(await metrics('Bearer m-token')).toBe(200);
  });

  it('readyz follows the database, healthz does not', async () => {
    const harness = await startHarness();
    expect((await fetch(`${harness.url}/readyz`)).status).toBe(200);
    harness.ready = async () => {
      throw new Error('gone');
    };
    const response = await fetch(`${harness.url}/readyz`);
    expect([response.status, await response.json()]).toEqual([503, { status: 'unavailable' }]);
    expect((await fetch(`${harness.url}/healthz`)).status).toBe(200);
  });

  it('the log has one line while tokens of open connections can not be looked at', async () => {
    const harness = await startHarness({ timings: { refresh: 1 } });
    let looks = 0;
    harness.users.version = async () => {
      looks += 1;
      throw new Error('away');
    };
    await http(harness, '/jmap/eventsource?types=*&closeafter=no&ping=0');
    await until(() => looks > 20);
    const lines = harness.logs.filter((line) => line.includes('could not be looked at'));
    expect(lines).toHaveLength(1);
  });

  it('headers that arrive slowly end in 408, too large ones in 431', async () => {
    const harness = await startHarness({ timings: { headers: 150 } });
    const slow = new RawConnection(harness);
    const drip = setInterval(() => slow.write('x'), 20);
    slow.write('GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    await slow.closed;
    clearInterval(drip);
    expect(slow.received).toMatch(/^HTTP\/1.1 408/);
    const large = new RawConnection(harness);
    large.write(head('/healthz', [`X-Large: ${'x'.repeat(20_000)}`], 'GET'));
    await large.closed;
    expect(large.received).toMatch(/^HTTP\/1.1 431/);
  });
});
