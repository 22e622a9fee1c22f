import { afterAll, describe, expect, it } from 'vitest';
import { type Client, CORE, TODOS } from '../support/client.js';
import { makeUser } from '../support/fixtures.js';
import type { Json, JsonMap } from '../support/json.js';
import { useServer } from '../support/server.js';
import { JmapSocket } from '../support/socket.js';

const MAX_SIZE = 60_000;
const server = useServer({ env: { MAX_SIZE_REQUEST: String(MAX_SIZE) } });
const sockets: JmapSocket[] = [];
afterAll(() => {
  for (const socket of sockets) socket.close();
});

const USING = `"using":["${CORE}","${TODOS}"]`;
const ECHO = ['Core/echo', { hello: true }, 'c0'];
const request = (calls: readonly unknown[], more: object = {}): string =>
  JSON.stringify({ using: [CORE, TODOS], methodCalls: calls, ...more });
const envelope = (methodCalls: unknown, more: object = {}): string =>
  JSON.stringify({ using: [CORE], methodCalls, ...more });
const ids = (length: number): object =>
  Object.fromEntries(Array.from({ length }, (_, n) => [`k${n}`, 'x1']));

/** Messages that are no request: the same for everyone. */
const WRONG: readonly string[] = [
  ...[
    '',
    ' ',
    'x',
    '{',
    '[1,]',
    'NaN',
    '{"a":01}',
    '{"a":+1}',
    '{"a":.5}',
    '{"a":tru}',
    '{"a":1,}',
  ],
  ...["{'using':[]}", '{using:[]}', '{"a":"\\x"}', '{"a":"\n"}', '{"a":"\u0000"}', '\ufeff{}'],
  ...['{"a":1,"a":2}', '{"a":{"b":1,"\\u0062":2}}', '{"a":"\\ud800"}', '{"a":"\\udc00x"}', '{}x'],
  ...['{"a":"\\uffff"}', '{"a":"\ufdd0"}', `${envelope([ECHO])}x`, `${envelope([ECHO])}{}`],
  ...['{}', '[]', 'null', '42', '"x"', 'true', '{"methodCalls":[]}', `{${USING}}`],
  `{"using":"${CORE}","methodCalls":[]}`,
  ...['{"using":[1],"methodCalls":[]}', '{"using":null,"methodCalls":[]}'],
  ...[{}, null, 'x', ['x'], [{}], [[]], [['Core/echo', {}]]].map((calls) => envelope(calls)),
  ...[
    ['Core/echo', {}, 'c0', 1],
    [1, {}, 'c0'],
    ['Core/echo', [], 'c0'],
    ['Core/echo', {}, 1],
  ].map((call) => envelope([ECHO, call])),
  ...['x', [], { k: 1 }, { k: null }].map((createdIds) => envelope([ECHO], { createdIds })),
  envelope([ECHO], { createdIds: ids(4097) }),
  envelope([ECHO], { using: ['urn:example:unknown'] }),
  ...['', '__proto__', CORE.toUpperCase()].map((urn) => envelope([ECHO], { using: [CORE, urn] })),
  envelope(Array.from({ length: 33 }, () => ECHO)),
  envelope([['Core/echo', { a: 'x'.repeat(MAX_SIZE) }, 'c']]),
  `{${USING},"methodCalls":[["Core/echo",{"a":${'['.repeat(9000)}${']'.repeat(9000)}},"c"]]}`,
];

/** Requests, in order, of a user with the account `a`; what they make is named by creation ids. */
function good(a: string): readonly string[] {
  const accountId = a;
  const todo = (name: string, args: object, id = 'c0'): unknown => [
    `Todo/${name}`,
    { accountId, ...args },
    id,
  ];
  const ref = (resultOf: string, name: string, path: string): object => ({ resultOf, name, path });
  const create = Object.fromEntries(
    Array.from({ length: 5 }, (_, n) => [`k${n}`, { text: `number ${n}` }]),
  );
  const raw = (args: string): string =>
    `{${USING},"methodCalls":[["Todo/query",{"accountId":"${a}",${args}},"c0"]]}`;
  return [
    envelope([]),
    envelope([ECHO], { using: [] }),
    envelope([ECHO], { more: 1, createdIds: {} }),
    envelope([ECHO], { createdIds: ids(4096) }),
    envelope([['Core/echo', { '': '', text: '🦊 \u0000 \u2028', deep: [[{ a: null }]] }, '#']]),
    `{"using":["${CORE}"],"methodCalls":[["Core/echo",{"__proto__":{"a":1},"n":-0},"c"]]}`,
    envelope(Array.from({ length: 32 }, () => ECHO)),
    envelope([['core/echo', {}, 'a'], ['Nothing/get', {}, 'b'], ECHO]),
    request([todo('set', { create })]),
    request([todo('set', { create: { k: { text: 'a', nothing: 1 }, l: 5, m: { text: 5 } } })]),
    request([todo('set', { create: { k: { text: 'x' } } }), todo('get', { ids: ['#k'] }, 'g')], {
      createdIds: { old: 'x1' },
    }),
    request([todo('set', { ifInState: 'no', create })]),
    request([todo('set', { update: { nobody: { text: 'x' }, '#none': {} }, destroy: ['nobody'] })]),
    request([
      todo('query', { filter: null, sort: null, limit: 3, calculateTotal: true }, 'q'),
      todo('get', { '#ids': ref('q', 'Todo/query', '/ids'), properties: ['text'] }, 'g'),
      ['Core/echo', { '#texts': ref('g', 'Todo/get', '/list/*/text') }, 'e'],
    ]),
    request([['Core/echo', { '#x': ref('none', 'Todo/get', '/a') }, 'e']]),
    request([['Core/echo', { '#x': 'text' }, 'e']]),
    request([['Core/echo', { x: 1, '#x': ref('c', 'Core/echo', '/a') }, 'e']]),
    request([todo('get', { ids: null }), todo('get', { ids: [1] }), todo('get', { id: 'x' })]),
    request([todo('get', { ids: ['nobody', 'nobody'], properties: ['nothing'] })]),
    request([todo('get', { ids: Array.from({ length: 1001 }, () => 'x') })]),
    request([['Todo/get', { accountId: 'nobody', ids: [] }, 'c']]),
    request([['Todo/get', {}, 'c']]),
    request([todo('changes', { sinceState: '0' }), todo('changes', { sinceState: 'x' })]),
    request([todo('changes', { sinceState: '0', maxChanges: 2 })]),
    request([
      todo('query', { filter: { nothing: 1 } }),
      todo('query', { sort: [{ property: 'x' }] }),
    ]),
    request([todo('query', { anchor: 'nobody' }), todo('query', { position: -1 })]),
    request([todo('queryChanges', { sinceQueryState: 'x' })]),
    request([['Todo/copy', { accountId: a, fromAccountId: a, create: {} }, 'c']]),
    ...['1e400', '9007199254740993', '-1', '1.5', '5.0', '"5"', 'null'].map((n) =>
      raw(`"limit":${n}`),
    ),
  ];
}

/** Ids, times and states of what a user has, by the order in which they come up. */
class Names {
  readonly #names = new Map<string, string>();

  apply(value: Json): Json {
    return JSON.parse(
      JSON.stringify(value)
        .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"TIME"')
        .replaceAll(/"sessionState":"[^"]*"/g, '"sessionState":"STATE"')
        .replaceAll(/[a-zA-Z][\w-]{14,}/g, (id) => this.#name(id)),
    ) as Json;
  }

  #name(id: string): string {
    const known = this.#names.get(id) ?? (/\d/.test(id) ? `ID${this.#names.size}` : id);
    this.#names.set(id, known);
    return known;
  }
}

async function overHttp(client: Client, text: string) {
  const { status, json } = await client.post(text);
  return { isProblem: status !== 200, answer: json as JsonMap };
}

const ID = 'the id';
const MEMBERS = `"@type":"Request","id":"${ID}"`;

async function overSocket(socket: JmapSocket, text: string) {
  const isObject = /^\s*\{/.test(text);
  const isEmpty = /^\s*\{\s*\}/.test(text);
  socket.send(isObject ? text.replace('{', `{${MEMBERS}${isEmpty ? '' : ','}`) : text);
  const message = await socket.take(() => true);
  const { '@type': type, requestId, ...answer } = message;
  return { isProblem: type === 'RequestError', type, requestId, answer };
}

describe('RFC 8887 4.3: one body, over HTTP and over a socket', () => {
  it.each([
    ['plain', false],
    ['compressed', true],
  ] as const)('both refuse a body that is no request alike (%s)', async (_, compress) => {
    const { client } = await makeUser(server());
    const socket = await JmapSocket.open(client, { compress });
    sockets.push(socket);
    expect(new Set(WRONG).size).toBeGreaterThanOrEqual(60);
    for (const text of WRONG) {
      const http = await overHttp(client, text);
      const ws = await overSocket(socket, text);
      const { detail: said, ...problem } = http.answer;
      const { detail, ...error } = ws.answer;
      const about = text.slice(0, 100);
      expect([about, ws.isProblem, typeof said, typeof detail]).toEqual([
        about,
        true,
        'string',
        'string',
      ]);
      expect([about, error]).toEqual([about, problem]);
      // A message that is no JSON, no object, or nested too deeply to be read has no id.
      const hasId =
        problem['type'] !== 'urn:ietf:params:jmap:error:notJSON' && /^\{(?!.*\[{99})/.test(text);
      expect([about, ws.requestId]).toEqual([about, hasId ? ID : null]);
    }
  });

  it('requests are answered alike, member by member', async () => {
    const one = await makeUser(server());
    const two = await makeUser(server());
    const socket = await JmapSocket.open(two.client);
    sockets.push(socket);
    const [httpNames, socketNames] = [new Names(), new Names()];
    const [texts, same] = [good(one.accountId), good(two.accountId)];
    expect(texts.length).toBeGreaterThan(30);
    for (const [n, text] of texts.entries()) {
      const http = await overHttp(one.client, text);
      const ws = await overSocket(socket, same[n] ?? '');
      const about = text.slice(0, 200);
      expect([about, ws.type, ws.requestId, http.isProblem]).toEqual([
        about,
        'Response',
        ID,
        false,
      ]);
      expect([about, socketNames.apply(ws.answer)]).toEqual([about, httpNames.apply(http.answer)]);
    }
  });

  it('maxSizeRequest is the same number for both', async () => {
    const { client } = await makeUser(server());
    const socket = await JmapSocket.open(client);
    sockets.push(socket);
    for (const octets of [MAX_SIZE, MAX_SIZE + 1]) {
      const body = envelope([ECHO]);
      const http = await overHttp(client, body.padEnd(octets));
      const ws = await overSocket(socket, body.padEnd(octets - MEMBERS.length - 1));
      expect([octets, http.isProblem, ws.isProblem]).toEqual([
        octets,
        octets > MAX_SIZE,
        octets > MAX_SIZE,
      ]);
      expect([http.answer['limit'], ws.requestId]).toEqual([ws.answer['limit'], ID]);
    }
  });
});
