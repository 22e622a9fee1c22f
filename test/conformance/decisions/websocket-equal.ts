import { expect } from 'expect';
import { serverChecks } from '../../../conform/src/check.js';
import {
  compareTransports,
  REFUSED,
  REQUESTS,
} from '../../../conform/src/checks/websocket-equal.js';
import { buildErrorType, withSocket } from '../../../conform/src/checks/websocket-talk.js';
import type { ApiAnswer } from '../../../conform/src/client/connection.js';
import { asMap } from '../../../conform/src/client/json.js';
import { WEBSOCKET } from '../../../conform/src/subject/user.js';

export const socketEqualDecisions = serverChecks(
  '4.3.2',
  [
    {
      id: 'ws-same-words',
      section: '4.3.4',
      level: 'must',
      rule:
        'The members of a RequestError beside @type and requestId are those of the problem ' +
        'details over HTTP; descriptions of method errors are the same.',
      run: (server) =>
        compareTransports(server, [...REQUESTS, ...REFUSED], (http, socket, about) => {
          const members = (answer: ApiAnswer): unknown => {
            if (answer.kind === 'response') return answer.response;
            const { detail, ...rest } = answer.problem;
            return { ...rest, detail: typeof detail };
          };
          expect([about, members(socket)]).toEqual([about, members(http)]);
        }),
    },
    {
      id: 'ws-push-refused',
      section: '4.3.5',
      level: 'must',
      rule: 'Where supportsPush is false, what would begin or end push is notRequest.',
      applies: ({ user }) =>
        asMap(user.session.capabilities[WEBSOCKET])['supportsPush'] === false
          ? null
          : 'The server supports push over WebSocket, or has no WebSocket.',
      run: (server) =>
        withSocket(server, async (socket) => {
          for (const message of [
            { '@type': 'WebSocketPushEnable', dataTypes: null },
            { '@type': 'WebSocketPushDisable' },
          ])
            expect(await socket.ask(message)).toEqual(
              expect.objectContaining({
                '@type': 'RequestError',
                type: buildErrorType('notRequest'),
              }),
            );
        }),
    },
  ],
  'RFC 8887',
);
