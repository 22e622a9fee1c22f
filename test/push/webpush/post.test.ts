import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { Poster, type PosterOptions, type PostResult } from '../../../src/push/webpush/post.js';
import { eventually } from '../../support/poll.js';
import { localReach, makeIdentity, type Respond, type Sink, startSink } from './sink.js';

const { authority, certificate } = makeIdentity();

/** On a busy machine 200 connections take long. */
const PATIENT = { connectTimeout: 100_000, timeout: 100_000 };

/** For the tests that need no other; making one takes some time. */
const usual = new Poster({ reach: localReach(), ca: authority.ca });

function makePoster(options: Partial<PosterOptions> = {}): Poster {
  const poster = new Poster({ reach: localReach(), ca: authority.ca, ...options });
  onTestFinished(() => poster.close());
  return poster;
}

function post(poster: Poster, url: URL, body = 'x'): Promise<PostResult> {
  return poster.post({ url, headers: { TTL: '60' }, body: Buffer.from(body) });
}

function expectLike(result: PostResult, expected: object): void {
  for (const [name, value] of Object.entries(expected)) {
    const like = value instanceof RegExp ? expect.stringMatching(value) : value;
    expect(result).toHaveProperty(name, like);
  }
}

/** One service for all tests: each path names what it does. */
const BEHAVIOURS: Readonly<Record<string, Respond>> = {
  '/created': (_, response) => response.writeHead(201).end('made'),
  '/full': (_, response) => response.writeHead(429, { 'Retry-After': '120' }).end(),
  '/moved': (_, response) => response.writeHead(307, { Location: '/created' }).end(),
  '/words': (_, response) => response.writeHead(403).end('a\u001b[31mb\r\nc\u202ed\0é'),
  '/long': (_, response) => response.writeHead(400).end('y'.repeat(5000)),
  '/endless': (_, response) => {
    response.writeHead(201);
    const pour = (): void => {
      while (!response.destroyed && response.write('z'.repeat(10_000)));
    };
    response.on('drain', pour);
    pour();
  },
  '/dripping': (_, response) => {
    const timer = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(timer));
  },
  '/continue': (_, response) => {
    const timer = setInterval(() => response.writeContinue(), 1);
    response.on('close', () => clearInterval(timer));
  },
  '/headers': (_, response) => {
    response.socket?.write(`HTTP/1.1 201 Created\r\n${`X-a: 1\r\n`.repeat(5000)}`);
  },
  '/bomb': (_, response) => {
    response.writeHead(201, { 'Content-Encoding': 'gzip' });
    response.end(gzipSync(Buffer.alloc(5_000_000)));
  },
  '/upgrade': (_, response) => {
    response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n');
  },
  '/switch': (_, response) => {
    const head = 'HTTP/1.1 101 Switching Protocols';
    response.socket?.end(`${head}\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n`);
  },
  '/garbage': (_, response) => response.socket?.end('220 smtp.example.com\r\n'),
  '/reset': (_, response) => response.socket?.destroy(),
  '/silent': () => undefined,
};

let sink: Sink | null = null;

async function theSink(): Promise<Sink> {
  const respond: Respond = (received, response) => {
    (BEHAVIOURS[received.path] ?? BEHAVIOURS['/created'])?.(received, response);
  };
  sink ??= await startSink(respond, certificate);
  return sink;
}

afterEach(() => sink?.received.splice(0));
afterAll(async () => {
  usual.close();
  await sink?.close();
});

describe('one POST', () => {
  it('sends headers and body, and tells the answer', async () => {
    const { url, received } = await theSink();
    const poster = usual;
    expect(await post(poster, url('/created'), '{"a":1}')).toEqual({
      ...{ kind: 'answer', status: 201, retryAfter: null, excerpt: 'made' },
    });
    expect(await post(poster, url('/full'))).toMatchObject({ status: 429, retryAfter: '120' });
    const [first] = received;
    const { ttl, 'content-length': length } = first?.headers ?? {};
    expect([ttl, length, String(first?.body)]).toEqual(['60', '7', '{"a":1}']);
  });

  it('escapes control characters of an answer, and keeps its first 1,024 octets', async () => {
    const { url } = await theSink();
    const poster = usual;
    const excerpt = 'a\\u{1b}[31mb\\u{d}\\u{a}c\\u{202e}d\\u{0}é';
    expect(await post(poster, url('/words'))).toMatchObject({ status: 403, excerpt });
    expect(await post(poster, url('/long'))).toMatchObject({ excerpt: 'y'.repeat(1024) });
  });

  it('follows no redirect', async () => {
    const { url, received } = await theSink();
    expect(await post(usual, url('/moved'))).toMatchObject({ status: 307 });
    expect(received.length).toBe(1);
  });

  it('uses no proxy of the environment', async () => {
    const { url } = await theSink();
    const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'NODE_USE_ENV_PROXY'];
    const before = names.map((name) => process.env[name]);
    onTestFinished(() => {
      for (const [index, name] of names.entries()) {
        if (before[index] === undefined) delete process.env[name];
        else process.env[name] = before[index];
      }
    });
    for (const name of names) process.env[name] = name.startsWith('N') ? '1' : 'http://127.0.0.1:9';
    expect(await post(usual, url('/created'))).toMatchObject({ status: 201 });
  });
});

describe('a service that misbehaves', () => {
  it.each([
    ['octets that drip', '/dripping', { status: 200, excerpt: /^\.+$/ }],
    ['headers without an end', '/headers', { kind: 'noAnswer', detail: /HPE_HEADER_OVERFLOW/ }],
    ['another protocol', '/upgrade', { status: 101 }],
    ['a switch to it', '/switch', { kind: 'noAnswer', detail: 'the connection closed' }],
    ['no HTTP', '/garbage', { kind: 'noAnswer' }],
    ['a reset', '/reset', { kind: 'noAnswer', detail: /ECONNRESET/ }],
    ['silence', '/silent', { kind: 'noAnswer', detail: 'the answer took too long' }],
  ])('is cut off: %s', async (_, path, expected) => {
    const { url } = await theSink();
    const result = await post(makePoster({ timeout: 250 }), url(path));
    expectLike(result, expected);
  });

  it.each([
    ['a body that unpacks to much more', '/bomb', { status: 201 }],
    ['a body without an end', '/endless', { kind: 'answer', status: 201 }],
    ['"continue" for ever', '/continue', { kind: 'noAnswer', detail: /before the answer/ }],
  ])('is cut off long before its time is over: %s', async (_, path, expected) => {
    const { url } = await theSink();
    const result = await post(makePoster(PATIENT), url(path));
    expectLike(result, expected);
  });

  it('is given up where it accepts a connection and then says nothing', async () => {
    const server = createTcpServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const poster = makePoster({ connectTimeout: 100 });
    expect(await post(poster, new URL(`https://127.0.0.1:${port}/`))).toEqual({
      ...{ kind: 'unreachable', detail: 'the connection took too long' },
    });
  });

  it.each([
    ['a push', 4096],
    ['more than the kernel takes', 20_000_000],
  ])('is cut off where it never reads the request: %s', async (_, length) => {
    const sockets = new Set<Socket>();
    const server = createTlsServer(certificate, (socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const url = new URL(`https://127.0.0.1:${port}/`);
    expect(await post(makePoster({ timeout: 1000 }), url, 'x'.repeat(length))).toEqual({
      ...{ kind: 'noAnswer', detail: 'the answer took too long' },
    });
  });

  it('is cut off after 64 kB of its answer, and not before', async () => {
    const halves: string[] = [];
    const own = await startSink(({ path }, response) => {
      response.on('close', () => halves.push(path));
      // More may come: it has no length, and no end.
      response.writeHead(201);
      response.write('y'.repeat(path === '/most' ? 65_536 : 65_537));
    }, certificate);
    onTestFinished(() => own.close());
    const poster = makePoster(PATIENT);
    const within = post(poster, own.url('/most'));
    expect(await post(poster, own.url('/more'))).toMatchObject({ kind: 'answer', status: 201 });
    await eventually(() => expect(halves).toEqual(['/more']));
    poster.close();
    expect(await within).toMatchObject({ kind: 'answer', status: 201 });
  });

  it('does not delay others, even if there are 200 of its kind', async () => {
    const { url, received } = await theSink();
    const poster = makePoster(PATIENT);
    const ended: PostResult[] = [];
    const hanging = Array.from({ length: 200 }, async (_, index) => {
      ended.push(await post(poster, url('/silent', `h${index}.push.test`)));
    });
    await eventually(() => expect(received.length).toBe(200));
    expect(await post(poster, url('/created'))).toMatchObject({ status: 201 });
    expect(ended).toEqual([]);
    poster.close();
    await Promise.all(hanging);
    expect(new Set(ended.map(({ kind }) => kind))).toEqual(new Set(['noAnswer']));
  });
});

describe('connections', () => {
  it('are at most 8 to one host, and serve one push after the other', async () => {
    const own = await startSink((_, response) => {
      setTimeout(() => response.writeHead(201).end(), 5);
    }, certificate);
    onTestFinished(() => own.close());
    const warnings: Error[] = [];
    const keep = (warning: Error): void => void warnings.push(warning);
    process.on('warning', keep);
    onTestFinished(() => void process.off('warning', keep));
    const poster = usual;
    const results = await Promise.all(
      Array.from({ length: 120 }, (_, index) => post(poster, own.url(`/${index}`))),
    );
    expect(results.filter((one) => one.kind === 'answer' && one.status === 201).length).toBe(120);
    expect([own.most, own.connections, own.received.length]).toEqual([8, 8, 120]);
    // Nothing gathers at a connection: Node warns of eleven listeners.
    expect(warnings).toEqual([]);
  });

  it('are replaced once where a service closed them under a push', async () => {
    const asked: string[] = [];
    const sockets = new Set<unknown>();
    const own = await startSink(({ path }, response) => {
      const isReused = sockets.has(response.socket);
      sockets.add(response.socket);
      asked.push(path);
      if (isReused || path === '/never') response.socket?.destroy();
      else response.writeHead(201).end();
    }, certificate);
    onTestFinished(() => own.close());
    const poster = usual;
    for (const path of ['/1', '/2', '/3', '/4']) {
      expect(await post(poster, own.url(path))).toMatchObject({ status: 201 });
    }
    expect(asked).toEqual(['/1', '/2', '/2', '/3', '/4', '/4']);
    expect(await post(poster, own.url('/never'))).toMatchObject({ kind: 'noAnswer' });
    expect(asked.slice(6)).toEqual(['/never']);
    // One that must not be repeated takes no kept connection.
    await post(poster, own.url('/5'));
    const once = { url: own.url('/once'), headers: {}, body: Buffer.of(), isOnce: true };
    expect(await poster.post(once)).toMatchObject({ status: 201 });
    expect(asked.slice(7)).toEqual(['/5', '/once']);
  });

  it('live on without another lookup', async () => {
    const { url } = await theSink();
    let lookups = 0;
    const resolve = async (): Promise<readonly string[]> => {
      lookups += 1;
      return ['127.0.0.1'];
    };
    const poster = makePoster({ reach: localReach({ resolve }) });
    for (const path of ['/created', '/full']) await post(poster, url(path, 'kept.push.test'));
    expect(lookups).toBe(1);
  });
});

describe('the way inside', () => {
  it.each([
    ['a private address', 'a.push.test', async () => ['127.0.0.1']],
    ['a public and a private one', 'a.push.test', async () => ['93.184.215.14', '127.0.0.1']],
    ['no address', 'a.push.test', async () => []],
    ['a failure', 'a.push.test', () => Promise.reject(new Error('SERVFAIL'))],
  ])('is closed to a name that has %s', async (_, host, resolve) => {
    const { url, connections } = await theSink();
    const poster = makePoster({ reach: localReach({ allow: [], resolve }) });
    const detail = 'ENOTFOUND a.push.test leads nowhere';
    expect(await post(poster, url('/', host))).toEqual({ kind: 'unreachable', detail });
    expect(sink?.connections).toBe(connections);
  });

  it('is closed to an address in the URL', async () => {
    const { url, connections } = await theSink();
    const poster = makePoster({ reach: localReach({ allow: [] }) });
    const detail = 'the URL leads nowhere';
    expect(await post(poster, url('/'))).toEqual({ kind: 'unreachable', detail });
    expect(sink?.connections).toBe(connections);
  });

  it('looks the same from outside for a closed port', async () => {
    const closed = createTcpServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const result = await post(usual, new URL(`https://127.0.0.1:${port}/`));
    expect(result).toMatchObject({ kind: 'unreachable' });
  });
});

describe('certificates', () => {
  it.each([
    ['by an unknown authority', makeIdentity().certificate, /UNABLE_TO_VERIFY|SELF_SIGNED/],
    ['that are out of date', authority.issue(['127.0.0.1'], -1), /CERT_HAS_EXPIRED/],
    ['of another name', authority.issue(['other.push.test']), /ERR_TLS_CERT_ALTNAME_INVALID/],
  ])('%s are refused', async (_, wrong, detail) => {
    const own = await startSink((_, response) => response.writeHead(201).end(), wrong);
    onTestFinished(() => own.close());
    const result = await post(usual, own.url('/'));
    expect(result).toEqual({ kind: 'unreachable', detail: expect.stringMatching(detail) });
    expect(own.received).toEqual([]);
  });

  it('need an authority that the server was told to trust', async () => {
    const { url } = await theSink();
    const result = await post(makePoster({ ca: null }), url('/created'));
    expect(result).toMatchObject({ kind: 'unreachable' });
  });
});
