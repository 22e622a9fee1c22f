import { expect } from 'expect';
import { serverChecks } from '../../../conform/src/check.js';
import {
  compareTransports,
  REFUSED,
  REQUESTS,
} from '../../../conform/src/checks/websocket-equal.js';
import { expectError } from '../../../conform/src/checks/websocket-errors.js';
import { withSocket } from '../../../conform/src/checks/websocket-talk.js';
import type { ApiAnswer } from '../../../conform/src/client/connection.js';

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
      id: 'ws-push-wrong',
      section: '4.3.5',
      level: 'must',
      rule:
        'A WebSocketPushEnable whose dataTypes is no list of names of types, and no null, is ' +
        'notRequest with its id.',
      run: (server) =>
        withSocket(server, async (socket) => {
          for (const dataTypes of ['Todo', 5, {}, [1], ['Nope'], [null]]) {
            const message = { '@type': 'WebSocketPushEnable', id: 'p', dataTypes };
            expectError(await socket.ask(message), 'notRequest', 'p', dataTypes);
          }
        }),
    },
  ],
  'RFC 8887',
);
