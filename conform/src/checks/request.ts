import { expect } from 'expect';
import { serverChecks } from '../check.js';
import type { ApiAnswer } from '../client/connection.js';
import type { HttpAnswer, HttpRequest } from '../client/http.js';
import { asMap, type Json, type JsonMap } from '../client/json.js';
import { satisfying } from '../expected.js';
import { ERROR, readApiAnswer, refused } from '../refusal.js';
import type { Server } from '../subject/server.js';
import { CORE } from '../subject/user.js';

/** RFC 8620 3.1, 3.3, 3.4 and 3.6.1: a request as a whole. */

export const CALL: Json = ['Core/echo', { hello: true }, 'c0'];
export const ECHO: JsonMap = { using: [CORE], methodCalls: [CALL] };
export const TEXT = JSON.stringify(ECHO);

/** Sends a request by the transport of the run: a value as JSON, a text as it stands. */
export const send = (server: Server, body: Json | string): Promise<ApiAnswer> =>
  server.user.buildClient().send(typeof body === 'string' ? body : JSON.stringify(body));

/** The answer to a well-formed echo. */
export const answered = satisfying('the response of an echo', (value) => {
  const answer = value as ApiAnswer;
  if (answer.kind !== 'response') return false;
  return JSON.stringify(answer.response.methodResponses) === JSON.stringify([CALL]);
});

/**
 * Expects each body to be refused with the same error, and the next good request to be answered.
 */
async function expectRefused(server: Server, type: string, bodies: readonly Json[]): Promise<void> {
  for (const body of bodies) {
    const answer = await send(server, JSON.stringify(body));
    expect([body, answer]).toEqual([body, refused(server, type)]);
  }
  expect(await send(server, TEXT)).toEqual(answered);
}

/** Sends a request to the API endpoint over HTTP, with headers and a body as they are given. */
export const post = (server: Server, request: HttpRequest): Promise<HttpAnswer> =>
  server.user.http.send(server.user.session.expand('apiUrl'), { method: 'POST', ...request });

/** Returns requests that differ from the good one in one member. */
const varyRequest = (name: string, ...values: readonly Json[]): readonly JsonMap[] =>
  values.map((value) => ({ ...ECHO, [name]: value }));

/** Returns the good request without one of its members. */
const dropMember = (name: string): JsonMap =>
  Object.fromEntries(Object.entries(ECHO).filter(([key]) => key !== name));

/** Media types that are not that of JSON. */
export const OTHER_TYPES = [
  ...['text/plain', 'application/jsonp', 'text/json', 'application/xml', 'json'],
];

export const JSON_TYPE = { 'content-type': 'application/json' };

const ofErrors = serverChecks('3.6.1', [
  {
    id: 'request-not-json',
    level: 'must',
    rule:
      'A body that is not exactly one JSON text is rejected as notJSON: nothing at all, one that ' +
      'ends early, one with something behind it.',
    /**
     * Puts text behind a good request, which streaming parsers overlook. Blanks around it are JSON
     * and must be taken.
     */
    async run(server) {
      const behind = ['x', '{}', ` ${TEXT}`, ',', '\u0000'];
      const texts = ['', ' ', TEXT.slice(0, -1), ...behind.map((more) => TEXT + more), 'x', ']'];
      for (const text of texts)
        expect([text, await send(server, text)]).toEqual([text, refused(server, 'notJSON')]);
      expect(await send(server, `\n\t ${TEXT}\r\n`)).toEqual(answered);
    },
  },
  {
    id: 'request-not-an-object',
    level: 'must',
    rule: 'JSON that is no object is rejected as notRequest.',
    run: (server) => expectRefused(server, 'notRequest', [[], null, 42, 'x', true, [ECHO]]),
  },
  {
    id: 'request-using-shape',
    level: 'must',
    rule: 'Without `using`, a list of strings, a request is rejected as notRequest.',
    run: (server) =>
      expectRefused(server, 'notRequest', [
        {},
        dropMember('using'),
        ...varyRequest('using', CORE, null, [1], [null], { [CORE]: true }, [[CORE]]),
      ]),
  },
  {
    id: 'request-calls-shape',
    level: 'must',
    rule: 'Without `methodCalls`, a list of lists, a request is rejected as notRequest.',
    run: (server) =>
      expectRefused(server, 'notRequest', [
        dropMember('methodCalls'),
        ...varyRequest('methodCalls', {}, null, 'x', ['x'], [{}], [null], CALL),
      ]),
  },
  {
    id: 'request-invocation-shape',
    section: '3.2',
    level: 'must',
    rule:
      'A call is a list of three: a name, an object of arguments and a call id that is a string. ' +
      'A request with any other call is notRequest, however good the other calls are.',
    run: (server) => {
      const wrong: readonly Json[] = [
        [],
        ['Core/echo'],
        ['Core/echo', {}],
        ['Core/echo', {}, 'c0', 1],
        [1, {}, 'c0'],
        [null, {}, 'c0'],
        ['Core/echo', [], 'c0'],
        ['Core/echo', null, 'c0'],
        ['Core/echo', 'x', 'c0'],
        ['Core/echo', {}, 1],
        ['Core/echo', {}, null],
      ];
      return expectRefused(
        server,
        'notRequest',
        varyRequest('methodCalls', ...wrong.map((c) => [CALL, c])),
      );
    },
  },
  {
    id: 'request-created-ids-shape',
    section: '3.3',
    level: 'must',
    rule: 'createdIds that are no map of strings are rejected as notRequest.',
    run: (server) =>
      expectRefused(
        server,
        'notRequest',
        varyRequest('createdIds', 'x', [], 5, { k: 1 }, { k: null }, { k: {} }, { a: 'b', k: [] }),
      ),
  },
  {
    id: 'request-unknown-capability',
    level: 'must',
    rule:
      'A capability in `using` that the server does not have rejects the request as ' +
      'unknownCapability, also where no call needs it.',
    async run(server) {
      for (const urn of ['urn:example:unknown', '', '__proto__', CORE.toUpperCase(), `${CORE} `])
        for (const using of [[urn], [CORE, urn], [urn, CORE]])
          expect([using, await send(server, { ...ECHO, using })]).toEqual([
            using,
            refused(server, 'unknownCapability'),
          ]);
      expect(await send(server, TEXT)).toEqual(answered);
    },
  },
  {
    id: 'request-problem-details',
    level: 'should',
    rule: 'The body of an HTTP error is a problem details object with the type of the error.',
    transport: 'http',
    async run(server) {
      for (const [body, type] of [
        ['x', 'notJSON'],
        ['{}', 'notRequest'],
        [JSON.stringify({ ...ECHO, using: ['urn:example:unknown'] }), 'unknownCapability'],
      ] as const) {
        const { headers, json, status } = await post(server, { headers: JSON_TYPE, body });
        expect(headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
        const { type: told, status: also = status } = asMap(json);
        expect([told, also]).toEqual([`${ERROR}${type}`, status]);
      }
    },
  },
  {
    id: 'request-other-type',
    level: 'must',
    rule: 'A request whose Content-Type is another than application/json is rejected.',
    transport: 'http',
    async run(server) {
      for (const type of OTHER_TYPES) {
        const answer = await post(server, { headers: { 'content-type': type }, body: TEXT });
        expect([type, Math.trunc(answer.status / 100)]).toEqual([type, 4]);
      }
      // The recipient of a body without a type may guess its type (RFC 9110 8.3).
      const bare = await post(server, { body: TEXT });
      if (bare.status !== 200) expect(Math.trunc(bare.status / 100)).toBe(4);
    },
  },
]);

const ofEnvelopes = serverChecks('3.3', [
  {
    id: 'request-content-type',
    section: '3.1',
    level: 'must',
    rule: 'application/json is taken in any letter case and with parameters.',
    transport: 'http',
    async run(server) {
      for (const type of [
        'application/json',
        'application/json; charset=utf-8',
        'Application/JSON',
        'application/json;charset="UTF-8"',
      ]) {
        const answer = await post(server, { headers: { 'content-type': type }, body: TEXT });
        expect([type, readApiAnswer(answer)]).toEqual([type, answered]);
      }
    },
  },
  {
    id: 'request-response-type',
    section: '3.1',
    level: 'must',
    rule:
      'The response is application/json with status 200 and one Response: methodResponses, ' +
      'sessionState, and createdIds only where they were given.',
    transport: 'http',
    async run(server) {
      const { status, headers, json } = await post(server, { headers: JSON_TYPE, body: TEXT });
      expect([status, headers.get('content-type')?.split(';')[0]?.trim()]).toEqual([
        200,
        'application/json',
      ]);
      expect(json).toEqual(expect.objectContaining({ methodResponses: [CALL] }));
      expect(typeof asMap(json)['sessionState']).toBe('string');
      expect(json).not.toHaveProperty('createdIds');
    },
  },
  {
    id: 'request-no-calls',
    level: 'must',
    rule: 'A request without calls is one: it has no responses.',
    async run(server) {
      const { methodResponses } = await server.user.buildClient().api([]);
      expect(methodResponses).toEqual([]);
    },
  },
  {
    id: 'request-using-twice',
    level: 'must',
    rule: '`using` is a set: a capability that is named twice is named.',
    async run(server) {
      expect(await send(server, { ...ECHO, using: [CORE, CORE] })).toEqual(answered);
    },
  },
  {
    id: 'request-using-unused',
    level: 'must',
    rule:
      'A request may name every capability of the session, also those that its ' +
      'calls do not use.',
    async run(server) {
      const using = Object.keys(server.user.session.capabilities);
      expect(await send(server, { ...ECHO, using })).toEqual(answered);
    },
  },
  {
    id: 'request-unknown-members',
    level: 'must',
    rule: 'Members of the request that the server does not know are ignored.',
    async run(server) {
      const more = { more: 1, methodResponses: [], accountId: null, '': {}, '#using': 5 };
      const answer = await send(server, { ...ECHO, ...more });
      expect(answer).toEqual(answered);
      if (answer.kind === 'response')
        expect(Object.keys(answer.response).sort()).toEqual(['methodResponses', 'sessionState']);
    },
  },
  {
    id: 'request-created-ids',
    section: '3.4',
    level: 'must',
    rule:
      'createdIds come back with all that was in them where they were given, an empty map too, ' +
      'and only there.',
    async run(server) {
      const client = server.user.buildClient();
      expect(await client.api([])).not.toHaveProperty('createdIds');
      for (const createdIds of [{}, { a: 'b', 'c-_9': 'D' }])
        expect((await client.api([], { createdIds })).createdIds).toEqual(createdIds);
    },
  },
  {
    id: 'request-posted',
    section: '3.1',
    level: 'must',
    rule:
      'An API request is an authenticated POST: that is answered with a Response, the same ' +
      'without credentials or as a GET is not.',
    transport: 'http',
    /**
     * Judges only that no Response comes. Any other answer, and its status, is the server's own
     * affair.
     */
    async run(server) {
      const request = { headers: JSON_TYPE, body: TEXT };
      expect(readApiAnswer(await post(server, request))).toEqual(answered);
      // The rest of the answer, and its status, is the server's affair.
      for (const other of [{ authorization: null }, { method: 'GET' }])
        expect(readApiAnswer(await post(server, { ...request, ...other }))).not.toEqual(answered);
    },
  },
]);

export const requestChecks = Object.freeze([...ofEnvelopes, ...ofErrors]);
