import { describe, expect, it } from 'vitest';
import { UnavailableError } from '../../src/protocol/errors.js';
import {
  CORE,
  ECHO,
  echo,
  gate,
  type Harness,
  head,
  http,
  JSON_HEADER,
  OTHER_TOKEN,
  post,
  RawConnection,
  startHarness,
  until,
} from './harness.js';

async function problem(response: Response): Promise<unknown> {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const { type, limit } = (await response.json()) as { type: string; limit?: string };
  return [response.status, type.replace('urn:ietf:params:jmap:error:', ''), limit];
}

async function postAs(harness: Harness, contentType: string, more = {}): Promise<Response> {
  const headers = { 'content-type': contentType, ...more };
  return http(harness, '/jmap', { method: 'POST', body: ECHO, headers });
}

describe('API endpoint: bodies (RFC 8620 3.1, 3.6.1)', () => {
  it('answers a request with its response and the session state', async () => {
    const harness = await startHarness();
    const response = await post(harness, ECHO);
    const session = (await (await http(harness, '/.well-known/jmap')).json()) as { state: string };
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({
      methodResponses: [['Core/echo', { a: 1 }, 'c']],
      sessionState: session.state,
    });
  });

  it('takes JSON types in any case, with a charset of UTF-8', async () => {
    const harness = await startHarness();
    for (const type of [
      'application/json',
      'Application/JSON',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'application/json ; profile="a;b" ; Charset=UTF-8 ;',
    ]) {
      expect((await postAs(harness, type)).status, type).toBe(200);
    }
  });

  it('refuses other types as notJSON and codings with 415', async () => {
    const harness = await startHarness();
    for (const type of [
      'text/plain',
      'application/jsonx',
      'application/json; charset=latin1',
      'application/json; profile=x; charset=latin1',
      'application/json; charset',
      'application/json, text/plain',
    ]) {
      expect(await problem(await postAs(harness, type)), type).toEqual([400, 'notJSON', undefined]);
    }
    const gzip = await postAs(harness, 'application/json', { 'content-encoding': 'gzip' });
    expect(gzip.status).toBe(415);
    const identity = await postAs(harness, 'application/json', { 'content-encoding': 'identity' });
    expect(identity.status).toBe(200);
  });

  it('a body of maxSizeRequest octets passes, one more does not; chunked too', async () => {
    const harness = await startHarness({ env: { MAX_SIZE_REQUEST: '500' } });
    const fits = ECHO.padEnd(500);
    expect((await post(harness, fits)).status).toBe(200);
    expect(await problem(await post(harness, `${fits} `))).toEqual([
      400,
      'limit',
      'maxSizeRequest',
    ]);
    const chunked = async (text: string): Promise<string> => {
      const raw = new RawConnection(harness);
      raw.write(head('/jmap', [JSON_HEADER, 'Transfer-Encoding: chunked', 'Connection: close']));
      for (let at = 0; at < text.length; at += 100) {
        const chunk = text.slice(at, at + 100);
        raw.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
      }
      return raw.write('0\r\n\r\n').until(/\}$/);
    };
    expect(await chunked(fits)).toMatch(/^HTTP\/1.1 200/);
    const refused = await chunked(`${fits} `);
    expect(refused).toMatch(/^HTTP\/1.1 400/);
    expect(refused).toContain('"maxSizeRequest"');
  });

  it('a body that is far too large is refused before it is sent; its sender sees why', async () => {
    const harness = await startHarness({
      env: { MAX_SIZE_REQUEST: '1000' },
      timings: { linger: 100 },
    });
    const raw = new RawConnection(harness);
    raw.write(head('/jmap', [JSON_HEADER, 'Content-Length: 900000000']));
    expect(await raw.until(/maxSizeRequest/)).toMatch(/^HTTP\/1.1 400[\s\S]*Connection: close/);
    raw.write('x'.repeat(100_000));
    await raw.closed;
    expect((await post(harness, ECHO)).status).toBe(200);
  });

  it('"Expect: 100-continue" is told to go on, or refused without a body', async () => {
    const harness = await startHarness({ env: { MAX_SIZE_REQUEST: '1000' } });
    const expecting = (length: number): RawConnection => {
      const raw = new RawConnection(harness);
      return raw.write(
        head('/jmap', [JSON_HEADER, `Content-Length: ${length}`, 'Expect: 100-continue']),
      );
    };
    const fine = expecting(ECHO.length);
    expect(await fine.until(/\r\n\r\n/)).toMatch(/^HTTP\/1.1 100/);
    expect(await fine.write(ECHO).until(/sessionState/)).toContain('HTTP/1.1 200');
    expect(await expecting(1001).until(/maxSizeRequest/)).toMatch(/^HTTP\/1.1 400/);
  });

  it('a body that arrives an octet at a time ends in 408 and frees its slot', async () => {
    const harness = await startHarness({
      env: { MAX_CONCURRENT_REQUESTS: '1' },
      timings: { bodyWindow: 100, bodyRate: 1000 },
    });
    const slow = new RawConnection(harness);
    slow.write(head('/jmap', [JSON_HEADER, 'Content-Length: 1000']));
    const drip = setInterval(() => slow.write(' '), 10);
    await slow.until(/too slowly/);
    expect(slow.received).toMatch(/^HTTP\/1.1 408/);
    await slow.closed;
    clearInterval(drip);
    await until(async () => (await post(harness, ECHO)).status === 200);
  });
});

describe('API endpoint: bodies that nobody wants', () => {
  it('drops the rest of a refused body, unless it arrives soon', async () => {
    const harness = await startHarness({ timings: { linger: 60 } });
    const slow = new RawConnection(harness);
    const request = head('/jmap', [JSON_HEADER, 'Content-Length: 40000']).replace('token', 'wrong');
    slow.write(request);
    expect(await slow.until(/\}$/)).toMatch(/^HTTP\/1.1 401/);
    const drip = setInterval(() => slow.write(' '), 5);
    await slow.closed;
    clearInterval(drip);
    const patient = await startHarness();
    const quick = new RawConnection(patient).write(request);
    await quick.until(/\}$/);
    quick.write(' '.repeat(40_000)).write(head('/healthz', [], 'GET'));
    expect(await quick.until(/"ok"/)).toContain('HTTP/1.1 200');
    quick.socket.destroy();
  });
});

describe('API endpoint: what runs at once', () => {
  it('maxConcurrentRequests holds for each user by itself; slots come back', async () => {
    const harness = await startHarness({ env: { MAX_CONCURRENT_REQUESTS: '2' } });
    const { passed, open } = gate();
    let running = 0;
    harness.handle = async (envelope, principal) => {
      running += 1;
      if (principal.userId === 'u1') await passed;
      return echo(envelope);
    };
    const held = [post(harness, ECHO), post(harness, ECHO)];
    await until(() => running === 2);
    expect(await problem(await post(harness, ECHO))).toEqual([
      400,
      'limit',
      'maxConcurrentRequests',
    ]);
    expect((await post(harness, ECHO, OTHER_TOKEN)).status).toBe(200);
    open();
    for (const response of await Promise.all(held)) expect(response.status).toBe(200);
    expect((await post(harness, ECHO)).status).toBe(200);
  });

  it('slots come back after errors, refusals and aborts', async () => {
    const harness = await startHarness({ env: { MAX_CONCURRENT_REQUESTS: '1' } });
    for (const body of [
      '',
      '{',
      '{}',
      '[1]',
      JSON.stringify({ using: ['urn:x'], methodCalls: [] }),
    ]) {
      expect((await post(harness, body)).status).toBe(400);
    }
    const aborted = new RawConnection(harness);
    aborted.write(head('/jmap', [JSON_HEADER, 'Content-Length: 50']));
    await until(async () => (await post(harness, ECHO)).status === 400);
    aborted.socket.destroy();
    await until(async () => (await post(harness, ECHO)).status === 200);
    harness.handle = async () => {
      throw new Error('SELECT secret FROM table');
    };
    const failed = await post(harness, ECHO);
    const text = await failed.text();
    expect([failed.status, text]).toEqual([500, expect.not.stringContaining('secret')]);
    expect(text).toContain(failed.headers.get('x-request-id'));
    harness.handle = async () => {
      throw new UnavailableError('busy');
    };
    const busy = await post(harness, ECHO);
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([503, '1']);
  });

  it('bodies in flight have a bound: beyond it 503 before the body is read', async () => {
    const env = { MAX_SIZE_REQUEST: '4000000', MAX_CONCURRENT_REQUESTS: '16' };
    const harness = await startHarness({ env });
    const { passed, open } = gate();
    let running = 0;
    harness.handle = async (envelope) => {
      running += 1;
      await passed;
      return echo(envelope);
    };
    // A user's half of the least bound (64 MiB) holds eight of these.
    const large = ECHO.padEnd(4_000_000);
    const held = Array.from({ length: 8 }, () => post(harness, large));
    const unsent = head('/jmap', [JSON_HEADER, 'Content-Length: 4000000', 'Expect: 100-continue']);
    let refused = '';
    await until(async () => {
      const raw = new RawConnection(harness).write(unsent);
      refused = await raw.until(/100 Continue|too much to do/);
      raw.socket.destroy();
      return !refused.includes('100 Continue');
    });
    expect(refused).toMatch(/^HTTP\/1.1 503[\s\S]*Retry-After: 1/);
    // Another user has its own half.
    const other = post(harness, large, OTHER_TOKEN);
    // Of each user one is run at a time; the others wait as octets.
    await until(() => running === 2);
    open();
    for (const response of await Promise.all([...held, other])) expect(response.status).toBe(200);
    expect((await post(harness, large)).status).toBe(200);
  });
});

describe('API endpoint: answers', () => {
  it('a large answer arrives whole, surrogate pairs and all', async () => {
    const harness = await startHarness();
    const text = '𝄞é'.repeat(400_000);
    harness.handle = async () => ({
      invocations: [JSON.stringify(['Core/echo', { text }, 'c'])],
      createdIds: null,
    });
    const answer = (await (await post(harness, ECHO)).json()) as { methodResponses: unknown[] };
    expect(answer.methodResponses).toEqual([['Core/echo', { text }, 'c']]);
  });

  it('a client that leaves within an answer, or does not read it, frees its slot', async () => {
    const harness = await startHarness({
      env: { MAX_CONCURRENT_REQUESTS: '1' },
      timings: { stalledReader: 150 },
    });
    const large = JSON.stringify(['Core/echo', { text: 'x'.repeat(20_000_000) }, 'c']);
    harness.handle = async () => ({ invocations: [large], createdIds: null });
    const request = head('/jmap', [JSON_HEADER, `Content-Length: ${ECHO.length}`]) + ECHO;
    const leaves = new RawConnection(harness).write(request);
    await leaves.until(/x{1000}/);
    leaves.socket.destroy();
    const stalls = new RawConnection(harness);
    await until(async () => (await post(harness, '{')).status === 400);
    stalls.write(request);
    stalls.socket.pause();
    harness.handle = async (envelope) => echo(envelope);
    await until(async () => (await post(harness, ECHO)).status === 200);
    stalls.socket.destroy();
  });

  it('pipelined requests are answered in order', async () => {
    const harness = await startHarness();
    const one = (n: number): string => {
      const body = JSON.stringify({ using: [CORE], methodCalls: [['Core/echo', { n }, 'c']] });
      return head('/jmap', [JSON_HEADER, `Content-Length: ${body.length}`]) + body;
    };
    const raw = new RawConnection(harness).write(one(1) + one(2) + one(3));
    const text = await raw.until(/"n":3/);
    expect([...text.matchAll(/"n":(\d)/g)].map(([, n]) => n)).toEqual(['1', '2', '3']);
    raw.socket.destroy();
  });
});
