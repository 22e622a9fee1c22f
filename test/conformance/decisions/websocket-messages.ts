import { expect } from 'expect';
import { serverChecks } from '../../../conform/src/check.js';
import { CALL } from '../../../conform/src/checks/request.js';
import { expectError } from '../../../conform/src/checks/websocket-errors.js';
import { expectAnswersInOrder } from '../../../conform/src/checks/websocket-messages.js';
import { buildEcho, withSocket } from '../../../conform/src/checks/websocket-talk.js';
import { anyString } from '../../../conform/src/expected.js';

export const socketMessageDecisions = serverChecks(
  '4.3.2',
  [
    {
      id: 'ws-no-id-order',
      level: 'must',
      rule:
        'A surplus of requests without ids waits, is answered in its order as well, and is no ' +
        'limit error.',
      run: (server) =>
        expectAnswersInOrder(server, server.user.session.readLimit('maxConcurrentRequests') + 12),
    },
  ],
  'RFC 8887',
);

export const socketErrorDecisions = serverChecks(
  '4.3.4',
  [
    {
      id: 'ws-type-required',
      level: 'must',
      rule:
        'A message without @type is notRequest, and so is one whose id is no String; requestId ' +
        'is null then.',
      run: (server) =>
        withSocket(server, async (socket) => {
          const { '@type': _, ...bare } = buildEcho('x');
          expectError(await socket.ask(bare), 'notRequest', 'x', bare);
          for (const id of [5, true, ['x'], {}]) {
            const request = { ...buildEcho(''), id };
            expectError(await socket.ask(request), 'notRequest', null, request);
          }
        }),
    },
    {
      id: 'ws-exact-members',
      level: 'must',
      rule:
        'Messages have these members and no others: requestId is null where no id could be read, ' +
        'and absent from a Response whose Request had none.',
      run: (server) =>
        withSocket(server, async (socket) => {
          const { id: _, ...bare } = buildEcho('');
          expect(await socket.ask(bare)).toEqual({
            '@type': 'Response',
            methodResponses: [CALL],
            sessionState: anyString,
          });
          expect(Object.keys(await socket.ask('x')).sort()).toEqual(
            ['@type', 'detail', 'requestId', 'status', 'type'].sort(),
          );
        }),
    },
  ],
  'RFC 8887',
);
