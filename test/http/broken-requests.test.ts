import { describe, expect, it } from 'vitest';
import {
  ECHO,
  gate,
  type Harness,
  type HarnessOptions,
  head,
  JSON_HEADER,
  OTHER_TOKEN,
  post,
  RawConnection,
  startHarness,
  TOKEN,
  until,
  whole,
} from './harness.js';

const CHUNKED = head('/jmap', [JSON_HEADER, 'Transfer-Encoding: chunked']);
const NOTHING = { slots: 0, octets: 0 };

function chunked(body: string): string {
  return `${CHUNKED}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}

/** SQLite's authenticator knows without I/O whom it has seen, PostgreSQL's asks its database. */
async function startWith(knows: 'at once' | 'later', options?: HarnessOptions): Promise<Harness> {
  const harness = await startHarness(options);
  if (knows === 'later') {
    const { users } = harness;
    const authenticate = users.authenticate.bind(users);
    users.authenticate = async (token) => {
      await new Promise(setImmediate);
      return authenticate(token);
    };
  }
  return harness;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Writes pieces, each a packet of its own. */
async function writeApart(raw: RawConnection, pieces: readonly string[]): Promise<void> {
  raw.socket.setNoDelay(true);
  for (const piece of pieces) {
    raw.write(piece);
    await pause(1);
  }
}

async function nothingIsHeld(harness: Harness): Promise<void> {
  await until(() => harness.held('u1').slots + harness.held('u2').slots === 0);
  expect([harness.held('u1'), harness.held('u2')]).toEqual([NOTHING, NOTHING]);
}

describe.each(['at once', 'later'] as const)('a token that is known %s', (knows) => {
  // Every octet where nothing is waited for between a head and its body.
  const step = knows === 'at once' ? 1 : 5;
  it('a request may be cut at any octet', async () => {
    const harness = await startWith(knows, { env: { MAX_CONCURRENT_REQUESTS: '1000' } });
    const texts = [whole(ECHO), chunked(ECHO)];
    const cuts = texts
      .flatMap((text) => [...text].map((_, at) => [text, at] as const))
      .filter(([, at]) => at > 0 && at % step === 0);
    for (let from = 0; from < cuts.length; from += 100) {
      await Promise.all(
        cuts.slice(from, from + 100).map(async ([text, at]) => {
          const raw = new RawConnection(harness);
          await writeApart(raw, [text.slice(0, at), text.slice(at)]);
          expect(await raw.until(/sessionState.*}$/), `cut at ${at}`).toMatch(/^HTTP\/1.1 200/);
          raw.socket.destroy();
        }),
      );
    }
    await nothingIsHeld(harness);
  });

  it('twenty requests of two users in a packet are answered in order, one at a time', async () => {
    const harness = await startWith(knows, { env: { MAX_CONCURRENT_REQUESTS: '1' } });
    const users: string[] = [];
    const { handle } = harness;
    harness.handle = (envelope, principal, source) => {
      users.push(principal.userId);
      return handle(envelope, principal, source);
    };
    const raw = new RawConnection(harness);
    const bodies = Array.from({ length: 20 }, (_, n) => ECHO.replace('"a":1', `"a":${n + 100}`));
    raw.write(
      bodies
        .map((body, n) => (n % 3 === 0 ? chunked(body) : whole(body)))
        .map((text, n) => (n % 2 === 0 ? text : text.replace(TOKEN, OTHER_TOKEN)))
        .join(''),
    );
    const received = await raw.until(/"a":119[^\n]*}$/);
    expect([...received.matchAll(/"a":(\d+)/g)].map(([, n]) => Number(n))).toEqual(
      bodies.map((_, n) => n + 100),
    );
    expect(users).toEqual(bodies.map((_, n) => (n % 2 === 0 ? 'u1' : 'u2')));
    raw.socket.destroy();
    await nothingIsHeld(harness);
  });

  it('a connection can be used again behind each refusal whose body is at its end', async () => {
    const harness = await startWith(knows, { env: { MAX_SIZE_REQUEST: '1000' } });
    const gzip = [JSON_HEADER, 'Content-Encoding: gzip', 'Content-Length: 3'];
    for (const [refused, status] of [
      [whole('{'), 400],
      [whole('x'.repeat(1001)), 400],
      [`${head('/jmap', gzip)}abc`, 415],
      [`${head('/jmap', ['Content-Type: text/plain', 'Content-Length: 3'])}abc`, 400],
      [whole(ECHO).replace(TOKEN, 'unknown'), 401],
      [`${head('/jmap', ['Content-Length: 3'], 'PUT')}abc`, 405],
      [head('/jmap', [], 'HEAD'), 405],
      [head('/jmap', [], 'OPTIONS'), 204],
      [head('/jmap', [JSON_HEADER]), 400],
      [`${head('/nowhere', ['Content-Length: 3'])}abc`, 404],
    ] as const) {
      for (const pieces of [[refused + whole(ECHO)], [refused, whole(ECHO)]]) {
        const raw = new RawConnection(harness);
        await writeApart(raw, pieces);
        const received = await raw.until(/sessionState[^\n]*}$/);
        const statuses = [...received.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, code]) => Number(code));
        expect(statuses, refused).toEqual([status, 200]);
        raw.socket.destroy();
      }
    }
    await nothingIsHeld(harness);
  });

  it('HTTP/1.0 has its answer and its connection closed, or kept where it asks', async () => {
    const harness = await startWith(knows);
    const old = whole(ECHO).replace('HTTP/1.1', 'HTTP/1.0');
    const closes = new RawConnection(harness).write(old);
    await closes.closed;
    expect(closes.received).toMatch(/ 200 [\s\S]*sessionState/);
    const keeps = new RawConnection(harness);
    const asks = old.replace('Host:', 'Connection: keep-alive\r\nHost:');
    await keeps.write(asks).until(/sessionState/);
    await keeps.write(asks).until(/sessionState[\s\S]*sessionState/);
    keeps.socket.destroy();
    await nothingIsHeld(harness);
  });

  it('slots and octets come back from 300 requests broken in many ways', async () => {
    const env = { MAX_SIZE_REQUEST: '70000', MAX_CONCURRENT_REQUESTS: '4' };
    const harness = await startWith(knows, { env, timings: { linger: 20 } });
    const { handle } = harness;
    let most = 0;
    harness.handle = async (envelope, principal, source) => {
      most = Math.max(most, harness.held(principal.userId).slots);
      await pause(most % 3);
      return handle(envelope, principal, source);
    };
    const long = JSON.stringify({ ...JSON.parse(ECHO), x: 'x'.repeat(60_000) });
    const kinds: readonly ((raw: RawConnection, n: number) => unknown)[] = [
      (raw, n) => writeApart(raw, [whole(ECHO).slice(0, n), whole(ECHO).slice(n)]),
      (raw) => raw.write(whole(ECHO, ECHO.length + 9)),
      (raw) => raw.write(whole(ECHO, ECHO.length - 9)),
      (raw) => raw.write(chunked(ECHO)),
      (raw) => raw.write(`${CHUNKED}zz\r\n${ECHO}`),
      (raw) => raw.write(`${CHUNKED}5\r\n{"us`),
      (raw) => raw.write(CHUNKED + '1\r\n \r\n'.repeat(3000)),
      (raw) => raw.write(`${CHUNKED}11180\r\n${'x'.repeat(70_016)}`),
      (raw) => raw.write(whole(long)),
      (raw, n) => raw.write(whole(long).slice(0, 300 * n)),
      (raw) => raw.write(whole('', 1_000_000)),
      (raw) => raw.write(whole(ECHO).repeat(20)),
      (raw) => raw.write(whole(ECHO).replace(TOKEN, OTHER_TOKEN).repeat(3) + whole('{', 10)),
      (raw) => raw.write(whole(ECHO).replace('Host', 'Expect: 100-continue\r\nHost')),
      (raw) => raw.write(whole('', 99).replace('Host', 'Expect: 100-continue\r\nHost')),
      (raw) => raw.write(whole(ECHO).replace('Host', 'Content-Encoding: gzip\r\nHost')),
      (raw) => raw.write(whole(ECHO).replace('1.1', '1.0')),
      (raw) => raw.write(whole(ECHO).replace('POST', 'PUT')),
      (raw) => raw.write(whole(ECHO).replace(TOKEN, 'none')),
      (raw) => raw.write(whole('')),
      (raw) => raw.write(whole(ECHO).replace('Host', 'Transfer-Encoding: chunked\r\nHost')),
    ];
    const leave: readonly ((raw: RawConnection) => unknown)[] = [
      (raw) => raw.socket.destroy(),
      (raw) => raw.socket.end(),
      (raw) => raw.socket.resetAndDestroy(),
      (raw) => pause(3).then(() => raw.socket.destroy()),
      (raw) => pause(2).then(() => raw.socket.end()),
    ];
    let next = 0;
    const client = async (): Promise<void> => {
      while (next < 300) {
        const n = next;
        next += 1;
        const raw = new RawConnection(harness);
        await new Promise((resolve) => raw.socket.once('connect', resolve));
        await kinds[n % kinds.length]?.(raw, n % 200);
        await leave[n % leave.length]?.(raw);
        await Promise.race([raw.closed, pause(20)]);
        raw.socket.destroy();
      }
    };
    await Promise.all(Array.from({ length: 25 }, client));
    await nothingIsHeld(harness);
    expect(most).toBeLessThanOrEqual(4);
    expect((await post(harness, ECHO)).status).toBe(200);
    expect(harness.logs.filter((line) => /defect|"level":50/.test(line))).toEqual([]);
  });

  it('a server that stops answers whole requests, and ends the others', async () => {
    const harness = await startWith(knows);
    const { handle } = harness;
    const begun = gate();
    const go = gate();
    harness.handle = async (envelope, principal, source) => {
      begun.open();
      await go.passed;
      return handle(envelope, principal, source);
    };
    const works = new RawConnection(harness).write(whole(ECHO) + whole(ECHO));
    const waits = new RawConnection(harness).write(whole(ECHO).slice(0, -5));
    await begun.passed;
    await until(() => harness.held('u1').slots === 2);
    const closed = harness.close(150);
    go.open();
    await Promise.all([works.closed, waits.closed, closed]);
    expect(works.received.match(/HTTP\/1.1 \d+|sessionState/g)).toEqual([
      'HTTP/1.1 200',
      'sessionState',
    ]);
    // It was asked for before the server was stopped, and answered since.
    expect(works.received).toContain('Connection: close');
    expect(waits.received).toBe('');
    await nothingIsHeld(harness);
  });
});

describe('the bound on requests at once', () => {
  it('is exact whether bodies come in one packet or in many', async () => {
    const harness = await startWith('at once', { env: { MAX_CONCURRENT_REQUESTS: '2' } });
    const { handle } = harness;
    const go = gate();
    harness.handle = async (envelope, principal, source) => {
      await go.passed;
      return handle(envelope, principal, source);
    };
    const slow = new RawConnection(harness).write(whole(ECHO).slice(0, -5));
    const fast = new RawConnection(harness).write(whole(ECHO));
    await until(() => harness.held('u1').slots === 2);
    const refused = await post(harness, ECHO);
    expect([refused.status, await refused.json()]).toEqual([
      400,
      expect.objectContaining({ limit: 'maxConcurrentRequests' }),
    ]);
    expect(harness.held('u1')).toEqual({ slots: 2, octets: 2 * ECHO.length - 5 });
    slow.write(ECHO.slice(-5));
    go.open();
    await Promise.all([slow.until(/sessionState/), fast.until(/sessionState/)]);
    expect((await post(harness, ECHO)).status).toBe(200);
    await nothingIsHeld(harness);
    for (const raw of [slow, fast]) raw.socket.destroy();
  });
});

describe('a token that is revoked while a body is on its way', () => {
  it('does nothing any more, however soon the rest of it comes', async () => {
    const harness = await startWith('at once');
    const slow = new RawConnection(harness).write(whole(ECHO).slice(0, -5));
    await until(() => harness.held('u1').slots === 1);
    harness.users.principals.delete('t1');
    await pause(20);
    slow.write(ECHO.slice(-5));
    expect(await slow.until(/}$/)).toMatch(/^HTTP\/1.1 401/);
    slow.socket.destroy();
    await nothingIsHeld(harness);
  });
});
