import { expect } from 'expect';
import { serverChecks } from '../../../conform/src/check.js';
import { readCapability } from '../../../conform/src/checks/websocket.js';
import { buildEcho, tryHandshake, withSocket } from '../../../conform/src/checks/websocket-talk.js';

export const socketHandshakeDecisions = serverChecks(
  '4.2',
  [
    {
      id: 'ws-handshake-refused',
      level: 'must',
      rule:
        'A handshake that does not offer jmap is refused with 400; a plain GET is told to ' +
        'upgrade with 426.',
      run: async (server) => {
        for (const protocols of [[], ['chat'], ['JMAP']])
          expect([protocols, await tryHandshake(server, { protocols })]).toEqual([protocols, 400]);
        const url = String(readCapability(server.user.session).url).replace(/^ws/, 'http');
        const { status, headers } = await server.user.http.send(url);
        expect([status, headers.get('upgrade')]).toEqual([426, 'websocket']);
      },
    },
  ],
  'RFC 8887',
);

export const socketFrameDecisions = serverChecks(
  '4.3',
  [
    {
      id: 'ws-binary-closes',
      level: 'must',
      rule: 'A binary message ends the connection with 1003.',
      run: (server) =>
        withSocket(server, async (socket) => {
          socket.sendOctets([Buffer.from(JSON.stringify(buildEcho('r')))], true);
          expect(await socket.takeOrClosed()).toBe(1003);
        }),
    },
  ],
  'RFC 8887',
);
