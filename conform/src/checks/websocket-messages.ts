import { expect } from 'expect';
import { serverChecks } from '../check.js';
import type { JsonMap } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import type { Server } from '../subject/server.js';
import { CORE } from '../subject/user.js';
import { CALL } from './request.js';
import { echoRequest, urn, withSocket } from './websocket-talk.js';

/** RFC 8887 4.3.1 to 4.3.5: Request, Response, RequestError, and no push that nobody asked for. */

/**
 * Expects the members of every RequestError; `status` and `detail` may be left out of problem
 * details (RFC 7807 3.1).
 */
export function expectError(
  answer: JsonMap,
  type: string,
  requestId: string | null,
  about: unknown,
): void {
  const { status = 400 } = answer;
  expect([about, answer['@type'], answer['type'], status, answer['requestId'] ?? null]).toEqual([
    about,
    'RequestError',
    urn(type),
    400,
    requestId,
  ]);
}

/** Lists messages that are no JSON text. */
const NOT_JSON: readonly string[] = ['', 'x', '{"@type":"Request"', '[1,]', "{'a':1}", '{"a":01}'];

/** Lists messages that are no Request (RFC 8887 4.3.1), each with the id that an error can name. */
const NOT_REQUESTS: readonly (readonly [unknown, string | null])[] = [
  [[], null],
  [42, null],
  [null, null],
  ['Request', null],
  [{}, null],
  [{ '@type': 'Foo', id: 'x1', using: [CORE], methodCalls: [] }, 'x1'],
  [{ '@type': 'Request', id: 'x2', using: [CORE] }, 'x2'],
  [{ '@type': 'Request', id: 'x3', using: CORE, methodCalls: [] }, 'x3'],
  [{ '@type': 'Request', id: 'x4', using: [CORE], methodCalls: [['a', {}, 1]] }, 'x4'],
];

/**
 * Sends requests without ids at once, each shorter than the one before. Expects the answers in the
 * same order.
 */
export const answersInOrder = (server: Server, count: number): Promise<void> =>
  withSocket(server, async (socket) => {
    const all = Array.from({ length: count }, (_, n) => ({
      n,
      pad: 'x'.repeat((count - n) * 200),
    }));
    for (const one of all) {
      const { id: _, ...request } = echoRequest('', one);
      socket.send(request);
    }
    const answers: unknown[] = [];
    for (const _ of all) answers.push((await socket.take())['methodResponses']);
    expect(answers).toEqual(all.map((one) => [['Core/echo', one, 'c0']]));
  });

export const socketMessageChecks = serverChecks(
  '4.3.2',
  [
    {
      id: 'ws-request',
      level: 'must',
      rule:
        'A Request is answered with a Response that has the request’s id as requestId, the ' +
        'responses to its calls, and the state of the session.',
      run: (server) =>
        withSocket(server, async (socket) => {
          const { object } = await server.user.readSession();
          expect(await socket.ask(echoRequest('r1', { high: 5 }))).toEqual({
            '@type': 'Response',
            requestId: 'r1',
            methodResponses: [['Core/echo', { high: 5 }, 'c0']],
            sessionState: object['state'],
          });
        }),
    },
    {
      id: 'ws-request-ids',
      section: '4.3.3',
      level: 'must',
      rule:
        'Any String is an id of a request and comes back unchanged, also one that was used ' +
        'before.',
      run: (server) =>
        withSocket(server, async (socket) => {
          for (const id of [
            '',
            'x'.repeat(2000),
            '"\\ 🦊\u0000',
            '__proto__',
            'r',
            'r',
            '\u00e9 e\u0301',
          ])
            expect(await socket.ask(echoRequest(id))).toEqual(
              expect.objectContaining({ '@type': 'Response', requestId: id }),
            );
        }),
    },
    {
      id: 'ws-no-id',
      section: '4.3.3',
      level: 'must',
      rule: 'A Request without an id is answered, without a requestId.',
      run: (server) =>
        withSocket(server, async (socket) => {
          const { id: _, ...request } = echoRequest('');
          const { requestId = null, ...answer } = await socket.ask(request);
          expect(requestId).toBeNull();
          expect(answer['methodResponses']).toEqual([CALL]);
        }),
    },
    {
      id: 'ws-created-ids',
      section: '4.3.3',
      level: 'must',
      rule: 'A Response has createdIds where the Request has them, and only there (RFC 8620 3.4).',
      run: (server) =>
        withSocket(server, async (socket) => {
          const createdIds = { k: 'x1' };
          expect(await socket.ask({ ...echoRequest('a'), createdIds })).toEqual(
            expect.objectContaining({ requestId: 'a', createdIds }),
          );
          expect(await socket.ask(echoRequest('b'))).not.toHaveProperty('createdIds');
        }),
    },
    {
      id: 'ws-concurrent',
      level: 'must',
      rule:
        'Requests that are sent without waiting are each answered once and whole, in any order, ' +
        'by their ids.',
      /**
       * Sends longer requests first, so that a server which answers as soon as it can answers out
       * of order.
       */
      run: (server) =>
        withSocket(server, async (socket) => {
          const count = Math.min(server.user.session.limit('maxConcurrentRequests'), 8);
          const args = Array.from({ length: count }, (_, n) => ({
            n,
            pad: String(n).repeat((count - n) * 2000),
          }));
          for (const one of args) socket.send(echoRequest(`r${one.n}`, one));
          const answers = new Map<unknown, unknown>();
          for (const _ of args) {
            const { requestId, methodResponses } = await socket.take();
            answers.set(requestId, methodResponses);
          }
          expect(answers).toEqual(
            new Map(args.map((one) => [`r${one.n}`, [['Core/echo', one, 'c0']]])),
          );
        }),
    },
    {
      id: 'ws-concurrent-surplus',
      level: 'must',
      rule:
        'Of more requests than maxConcurrentRequests each is answered by its id, with a Response ' +
        'or the limit that it went beyond; afterwards all is as before.',
      /**
       * Sends four times as many requests as the limit. Each needs an answer of either kind, and
       * the connection stays usable.
       */
      run: (server) =>
        withSocket(server, async (socket) => {
          const count = Math.min(server.user.session.limit('maxConcurrentRequests') * 4, 100);
          const ids = Array.from({ length: count }, (_, n) => `r${n}`);
          for (const id of ids) socket.send(echoRequest(id, { id }));
          const answered: unknown[] = [];
          for (const _ of ids) {
            const answer = await socket.take();
            answered.push(answer['requestId']);
            if (answer['@type'] === 'Response')
              expect(answer['methodResponses']).toEqual([
                ['Core/echo', { id: answer['requestId'] }, 'c0'],
              ]);
            else
              expect(answer).toEqual(
                expect.objectContaining({
                  '@type': 'RequestError',
                  type: urn('limit'),
                  limit: 'maxConcurrentRequests',
                }),
              );
          }
          expect([...answered].sort()).toEqual([...ids].sort());
          expect((await socket.ask(echoRequest('after')))['@type']).toBe('Response');
        }),
    },
    {
      id: 'ws-no-id-in-order',
      level: 'must',
      rule:
        'Requests without ids, no more at a time than maxConcurrentRequests, are answered in ' +
        'their order: nothing else tells which answer is whose.',
      run: (server) =>
        answersInOrder(server, Math.min(8, server.user.session.limit('maxConcurrentRequests'))),
    },
    {
      id: 'ws-many-requests',
      section: '4.3',
      level: 'must',
      rule: 'One connection serves as many requests as it likes, one after the other.',
      run: (server) =>
        withSocket(server, async (socket) => {
          for (let n = 0; n < 50; n += 1)
            expect(await socket.ask(echoRequest(`r${n}`, { n }))).toEqual(
              expect.objectContaining({
                requestId: `r${n}`,
                methodResponses: [['Core/echo', { n }, 'c0']],
              }),
            );
        }),
    },
  ],
  'RFC 8887',
);

export const socketErrorChecks = serverChecks(
  '4.3.4',
  [
    {
      id: 'ws-not-json',
      level: 'must',
      rule:
        'Text that is no JSON is answered with a RequestError of type notJSON, whose requestId ' +
        'is null.',
      run: (server) =>
        withSocket(server, async (socket) => {
          for (const text of NOT_JSON) expectError(await socket.ask(text), 'notJSON', null, text);
        }),
    },
    {
      id: 'ws-not-i-json',
      level: 'must',
      rule:
        'JSON that is no I-JSON (a member twice, half of a surrogate pair) is notJSON as well ' +
        '(RFC 8620 3.6.1).',
      run: (server) =>
        withSocket(server, async (socket) => {
          for (const text of ['{"a":1,"a":2}', '"\\ud800"', '{"a":{"b":1,"\\u0062":2}}'])
            expectError(await socket.ask(text), 'notJSON', null, text);
        }),
    },
    {
      id: 'ws-not-request',
      level: 'must',
      rule:
        'JSON that is no message that the server knows, or no Request by RFC 8620 3.3, is ' +
        'notRequest; where it has an id it is echoed.',
      run: (server) =>
        withSocket(server, async (socket) => {
          for (const [message, id] of NOT_REQUESTS)
            expectError(await socket.ask(JSON.stringify(message)), 'notRequest', id, message);
        }),
    },
    {
      id: 'ws-unknown-capability',
      level: 'must',
      rule:
        'A capability in `using` that the server does not have is a RequestError of type ' +
        'unknownCapability with the request’s id.',
      run: (server) =>
        withSocket(server, async (socket) => {
          const request = { ...echoRequest('r1'), using: [CORE, 'urn:example:nobody-has-this'] };
          expectError(await socket.ask(request), 'unknownCapability', 'r1', request['using']);
        }),
    },
    {
      id: 'ws-limit-calls',
      level: 'must',
      rule:
        'More calls than maxCallsInRequest are a RequestError of type limit, which names the ' +
        'limit, with the request’s id.',
      run: (server) =>
        withSocket(server, async (socket) => {
          const most = server.user.session.limit('maxCallsInRequest');
          if (most > 5000)
            throw new NotApplicable(`maxCallsInRequest is ${most}: too many to be sent.`);
          const methodCalls = Array.from({ length: most + 1 }, () => CALL);
          const answer = await socket.ask({ ...echoRequest('r1'), methodCalls });
          expectError(answer, 'limit', 'r1', most);
          expect(answer['limit']).toBe('maxCallsInRequest');
        }),
    },
    {
      id: 'ws-limit-size',
      section: '4.3',
      level: 'must',
      rule:
        'A message of more octets than maxSizeRequest is a RequestError of type limit, or ends ' +
        'the connection with 1009; others go on.',
      /**
       * Keeps a second connection open beside. It must go on whether the server answers the long
       * message or closes its connection.
       */
      run: (server) =>
        withSocket(server, async (other) => {
          const most = server.user.session.limit('maxSizeRequest');
          if (most > 20_000_000)
            throw new NotApplicable(`maxSizeRequest is ${most}: too much to be sent.`);
          await withSocket(server, async (socket) => {
            socket.send(echoRequest('r1', { text: 'x'.repeat(most) }));
            const answer = await socket.takeOrClosed();
            if (typeof answer === 'number') expect(answer).toBe(1009);
            else {
              expectError(answer, 'limit', String(answer['requestId']), most);
              expect(answer['limit']).toBe('maxSizeRequest');
            }
          });
          expect((await other.ask(echoRequest('r')))['@type']).toBe('Response');
        }),
    },
    {
      id: 'ws-errors-end-nothing',
      section: '4.3',
      level: 'must',
      rule: 'A request-level error does not end the connection: the next request is answered.',
      run: (server) =>
        withSocket(server, async (socket) => {
          for (const wrong of [
            'x',
            '[]',
            '{}',
            { ...echoRequest('a'), using: ['urn:example:x'] },
          ]) {
            expect((await socket.ask(wrong))['@type']).toBe('RequestError');
            expect((await socket.ask(echoRequest('r')))['methodResponses']).toEqual([CALL]);
          }
        }),
    },
  ],
  'RFC 8887',
);
