import { expect } from 'expect';
import { serverChecks } from '../check.js';
import { type ApiAnswer, HttpConnection } from '../client/connection.js';
import type { Json } from '../client/json.js';
import { SocketConnection } from '../client/socket-connection.js';
import type { Server } from '../subject/server.js';
import { CORE } from '../subject/user.js';
import { CALL } from './request.js';
import { withSocket } from './websocket-talk.js';

/** RFC 8887 4.3.2 and 4.3.4: one body over HTTP and over a socket. */

/** Returns the text of a request with these calls, the same for both transports. */
export const buildText = (methodCalls: unknown, more: object = {}): string =>
  JSON.stringify({ using: [CORE], methodCalls, ...more });

/** Returns a reference to a Core/echo (RFC 8620 3.7). */
export const buildReference = (resultOf: string, path: string): object => ({
  resultOf,
  name: 'Core/echo',
  path,
});

/** Lists requests whose answers are equal over both transports. */
export const REQUESTS: readonly string[] = [
  buildText([]),
  buildText([CALL], { createdIds: { old: 'x1' } }),
  buildText([['Core/echo', { '': '', deep: [[{ a: null }]], wide: '🦊 \u0000 \u2028' }, '#']]),
  buildText([['core/echo', {}, 'a'], ['Nothing/get', { accountId: 'x' }, 'b'], CALL]),
  buildText([
    ['Core/echo', { list: [{ a: [1, 2] }, { a: [3] }] }, 'a'],
    ['Core/echo', { '#all': buildReference('a', '/list/*/a') }, 'b'],
    ['Core/echo', { '#none': buildReference('a', '/nothing') }, 'c'],
    ['Core/echo', { x: 1, '#x': buildReference('a', '/list') }, 'd'],
    ['Core/echo', { '#x': 'no reference' }, 'e'],
  ]),
  buildText([CALL], { using: [] }),
];

/** Lists requests that are refused as a whole over both transports. */
export const REFUSED: readonly string[] = [
  ...['x', '{', '[1,]', '{"a":1,"a":2}', '{"a":"\\ud800"}', '[]', 'null', '42', '{}'],
  ...['{"methodCalls":[]}', `{"using":["${CORE}"]}`, `{"using":"${CORE}","methodCalls":[]}`],
  ...['x', null, {}, ['x'], [[]], [['Core/echo', {}]], [['Core/echo', [], 'c']]].map((calls) =>
    buildText(calls),
  ),
  buildText([CALL], { createdIds: 'x' }),
  buildText([CALL], { using: [CORE, 'urn:example:nobody-has-this'] }),
];

/** Sends each text over HTTP and over a socket, and has the two answers compared. */
export async function compareTransports(
  server: Server,
  texts: readonly string[],
  compare: (http: ApiAnswer, socket: ApiAnswer, about: string) => void,
): Promise<void> {
  const http = new HttpConnection(server.user.http, () => server.user.session.expand('apiUrl'));
  await withSocket(server, async (socket) => {
    const connection = new SocketConnection(socket);
    for (const one of texts) compare(await http.send(one), await connection.send(one), one);
  });
}

/** Returns a value without descriptions: texts for people may differ between transports. */
const dropWords = (value: unknown): Json =>
  JSON.parse(
    JSON.stringify(value, (name, one: unknown) => (name === 'description' ? undefined : one)),
  ) as Json;

/** Returns the part of an answer that must be equal over both transports. */
const pickComparable = (answer: ApiAnswer): unknown => {
  if (answer.kind === 'response') return dropWords(answer.response);
  const { type, limit } = answer.problem;
  return { type, limit };
};

export const socketEqualChecks = serverChecks(
  '4.3.2',
  [
    {
      id: 'ws-same-answers',
      level: 'must',
      rule:
        'A request has the same answer over a socket as over HTTP, errors of single calls ' +
        'included.',
      run: (server) =>
        compareTransports(server, REQUESTS, (http, socket, about) => {
          expect([about, http.kind]).toEqual([about, 'response']);
          expect([about, pickComparable(socket)]).toEqual([about, pickComparable(http)]);
        }),
    },
    {
      id: 'ws-same-refusals',
      section: '4.3.4',
      level: 'must',
      rule:
        'A request that is refused as a whole over HTTP is refused over a socket, for the same ' +
        'reason.',
      run: (server) =>
        compareTransports(server, REFUSED, (http, socket, about) => {
          expect([about, http.kind]).toEqual([about, 'problem']);
          expect([about, pickComparable(socket)]).toEqual([about, pickComparable(http)]);
        }),
    },
  ],
  'RFC 8887',
);
