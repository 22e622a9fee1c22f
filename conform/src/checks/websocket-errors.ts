import { expect } from 'expect';
import { serverChecks } from '../check.js';
import type { JsonMap } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import { CORE } from '../subject/user.js';
import { CALL } from './request.js';
import { buildEcho, buildErrorType, withSocket } from './websocket-talk.js';

/** RFC 8887 4.3.4: RequestError. */

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
    buildErrorType(type),
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
          const request = { ...buildEcho('r1'), using: [CORE, 'urn:example:nobody-has-this'] };
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
          const most = server.user.session.readLimit('maxCallsInRequest');
          if (most > 5000)
            throw new NotApplicable(`maxCallsInRequest is ${most}: too many to be sent.`);
          const methodCalls = Array.from({ length: most + 1 }, () => CALL);
          const answer = await socket.ask({ ...buildEcho('r1'), methodCalls });
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
          const most = server.user.session.readLimit('maxSizeRequest');
          if (most > 20_000_000)
            throw new NotApplicable(`maxSizeRequest is ${most}: too much to be sent.`);
          await withSocket(server, async (socket) => {
            socket.send(buildEcho('r1', { text: 'x'.repeat(most) }));
            const answer = await socket.takeOrClosed();
            if (typeof answer === 'number') expect(answer).toBe(1009);
            else {
              expectError(answer, 'limit', String(answer['requestId']), most);
              expect(answer['limit']).toBe('maxSizeRequest');
            }
          });
          expect((await other.ask(buildEcho('r')))['@type']).toBe('Response');
        }),
    },
    {
      id: 'ws-errors-end-nothing',
      section: '4.3',
      level: 'must',
      rule: 'A request-level error does not end the connection: the next request is answered.',
      run: (server) =>
        withSocket(server, async (socket) => {
          for (const wrong of ['x', '[]', '{}', { ...buildEcho('a'), using: ['urn:example:x'] }]) {
            expect((await socket.ask(wrong))['@type']).toBe('RequestError');
            expect((await socket.ask(buildEcho('r')))['methodResponses']).toEqual([CALL]);
          }
        }),
    },
  ],
  'RFC 8887',
);
