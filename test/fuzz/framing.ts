import type { Draw } from './draw.js';
import type { Wire, WireAnswer } from './wire.js';

/** How a body goes over HTTP. */

export interface Sent {
  readonly way: string;
  /** Whether the request is one that the API endpoint must answer. */
  readonly isPlain: boolean;
  readonly answers: readonly WireAnswer[];
}

/** A connection that sends as its user. */
export interface Sender {
  readonly wire: Wire;
  readonly token: string;
}

const CHUNK_ENDS = ['', ';x', ';a=b', ';a="b;c"'];

const head = (token: string, more: string): Buffer =>
  Buffer.from(
    `POST /jmap HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${more}\r\n`,
    'latin1',
  );

const JSON_TYPE = 'Content-Type: application/json\r\n';
const lengthOf = (body: Buffer): string => `Content-Length: ${body.length}\r\n`;

/** Sends it as most clients do, or in one of the ways that the protocol leaves. */
export async function sendBody(draw: Draw, sender: Sender, body: Buffer): Promise<Sent> {
  const { wire, token } = sender;
  const sentPlainly = (way: string, answers: readonly WireAnswer[]): Sent => ({
    way,
    isPlain: true,
    answers,
  });
  const whole = () => Buffer.concat([head(token, JSON_TYPE + lengthOf(body)), body]);
  return draw.weighted<Promise<Sent>>([
    [88, async () => sentPlainly('whole', await wire.send([whole()]))],
    [
      3,
      async () => {
        const parts = cut(draw, body);
        const start = head(token, JSON_TYPE + lengthOf(body));
        return sentPlainly('in pieces', await wire.send([start, ...parts]));
      },
    ],
    [
      3,
      async () => {
        const start = head(token, `${JSON_TYPE}Transfer-Encoding: chunked\r\n`);
        const parts = cut(draw, body).filter((part) => part.length > 0);
        const chunks = parts.map((part) => chunk(draw, part));
        const end = Buffer.from(draw.chance(0.2) ? '0\r\nX-Trailer: 1\r\n\r\n' : '0\r\n\r\n');
        return sentPlainly('chunked', await wire.send([start, ...chunks, end]));
      },
    ],
    [
      2,
      async () => {
        const count = draw.integer(2, 4);
        const requests = Buffer.concat(Array.from({ length: count }, whole));
        const answers = await wire.send([requests], count);
        // The requests behind one that ends the connection are not answered (RFC 9112 9.6).
        const last = answers.findIndex(({ headers }) => headers.get('connection') === 'close');
        return sentPlainly('pipelined', last === -1 ? answers : answers.slice(0, last + 1));
      },
    ],
    [
      1,
      async () => {
        const more = `${JSON_TYPE + lengthOf(body)}Expect: 100-continue\r\n`;
        return sentPlainly('expecting', await wire.send([head(token, more), body]));
      },
    ],
    [2, () => oddRequest(draw, sender, body)],
    [1, () => brokenRequest(draw, sender, body)],
  ]);
}

function cut(draw: Draw, body: Buffer): Buffer[] {
  const places = Array.from({ length: draw.integer(1, 3) }, () => draw.integer(0, body.length));
  const ends = [...places.sort((a, b) => a - b), body.length];
  return ends.map((end, n) => body.subarray(ends[n - 1] ?? 0, end));
}

const chunk = (draw: Draw, part: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`${part.length.toString(16)}${draw.pick(CHUNK_ENDS)}\r\n`),
    part,
    Buffer.from('\r\n'),
  ]);

/** Well-formed HTTP that the endpoint may refuse. */
async function oddRequest(draw: Draw, sender: Sender, body: Buffer): Promise<Sent> {
  const { wire, token } = sender;
  const target = draw.pick([
    '/jmap',
    '/jmap/',
    '/jmap?x=1',
    '//jmap',
    '/%6amap',
    '/jmap%00',
    '/JMAP',
    '/.well-known/jmap',
    '/jmap/ws',
    '/jmap/upload/x',
    '/jmap/download/x/y/z',
    '/jmap/eventsource',
    '/healthz',
    '*',
    '/../jmap',
    `/${'x'.repeat(9000)}`,
  ]);
  const method = draw.pick(['POST', 'POST', 'POST', 'GET', 'PUT', 'DELETE', 'PATCH', 'HEAD']);
  const type = draw.pick([
    JSON_TYPE,
    '',
    'Content-Type: application/json; charset=utf-16\r\n',
    'Content-Type: APPLICATION/JSON; Charset="UTF-8"\r\n',
    'Content-Type: text/plain\r\n',
    'Content-Type: ;;\r\n',
    `${JSON_TYPE}${JSON_TYPE}`,
    'Content-Type: application/json; a="\\"\r\n',
  ]);
  const credentials = draw.pick([
    `Authorization: Bearer ${token}\r\n`,
    `authorization: BEARER   ${token}\r\n`,
    `Authorization: Bearer ${token}\r\nAuthorization: Bearer ${token}\r\n`,
    'Authorization: Bearer nobody\r\n',
    'Authorization: Basic eDp5\r\n',
    'Authorization:\r\n',
    '',
  ]);
  const more = draw.pick([
    '',
    'Content-Encoding: gzip\r\n',
    'Accept: text/html\r\n',
    'Accept-Encoding: gzip, br;q=0\r\n',
    'Origin: null\r\n',
    'X-Forwarded-Host: a b\r\nForwarded: for=;;\r\n',
    'X-Request-Id: é\r\n',
    'Connection: close\r\n',
    'Upgrade: websocket\r\nConnection: Upgrade\r\n',
    `Cookie: ${'c'.repeat(3000)}\r\n`,
  ]);
  const fields = `Host: x\r\n${credentials}${type}${more}${lengthOf(body)}`;
  const start = `${method} ${target} HTTP/1.1\r\n${fields}\r\n`;
  const octets = Buffer.concat([Buffer.from(start, 'latin1'), body]);
  const answers = await wire.send([octets], 1, method === 'HEAD');
  // Its rest may be unread: what comes next is for another connection.
  wire.close();
  return { way: `odd: ${method} ${target.slice(0, 30)}`, isPlain: false, answers };
}

/** Returns a request that no HTTP client sends. */
async function brokenRequest(draw: Draw, sender: Sender, body: Buffer): Promise<Sent> {
  const { wire, token } = sender;
  const auth = `Host: x\r\nAuthorization: Bearer ${token}\r\n${JSON_TYPE}`;
  const post = `POST /jmap HTTP/1.1\r\n${auth}`;
  const start = draw.pick([
    `${post}Content-Length: ${body.length + 100}\r\n\r\n`,
    `${post}Content-Length: -1\r\n\r\n`,
    `${post}Content-Length: 1e3\r\n\r\n`,
    `${post}Content-Length: 5\r\nContent-Length: 6\r\n\r\n`,
    `${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`,
    `${post}Transfer-Encoding: gzip, chunked\r\n\r\n`,
    `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    `${post}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n`,
    `${post}Transfer-Encoding: chunked\r\n\r\n5\r\nab`,
    `${post}Content-Length: 99999999999999999999\r\n\r\n`,
    `${post}Content-Length: 200000\r\n\r\n`,
    `POST /jmap HTTP/2.0\r\n${auth}\r\n`,
    `POST /jmap HTTP/1.0\r\n${auth}\r\n`,
    `POST  /jmap HTTP/1.1\r\n${auth}\r\n`,
    `post /jmap HTTP/1.1\r\n${auth}\r\n`,
    `${post}X-A\u0000: 1\r\n\r\n`,
    `${post}X-A: 1\nX-B: 2\r\n\r\n`,
    `${post}X: ${'h'.repeat(20_000)}\r\n\r\n`,
    `POST /jmap HTTP/1.1\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    '\u0016\u0003\u0001\u0002\u0000',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\r\n\r\n\r\n',
  ]);
  const sending = wire.send([Buffer.concat([Buffer.from(start, 'latin1'), body])]);
  const leave = draw.chance(0.5) ? () => wire.half() : () => wire.close();
  const leaving = setTimeout(leave, draw.pick([0, 20]));
  const answers = await sending;
  clearTimeout(leaving);
  wire.close();
  return { way: `broken: ${start.slice(0, 12)}`, isPlain: false, answers };
}
