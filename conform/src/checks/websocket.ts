import { setTimeout } from 'node:timers/promises';
import { expect } from 'expect';
import { serverChecks } from '../check.js';
import { asMap, type Json } from '../client/json.js';
import { Socket } from '../client/socket.js';
import { anyString } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import { type Session, WS } from '../subject/session.js';
import { WEBSOCKET } from '../subject/user.js';
import { buildEcho, tryHandshake, withSocket } from './websocket-talk.js';

/**
 * RFC 8887 3 to 4.3: what is advertised, the opening handshake, frames and the end of a connection.
 */

/** ms that a server which took a wrong handshake has to treat it as JMAP after all. */
const A_WHILE = 1000;

/** Returns the object that the session has for WebSockets (RFC 8887 3). */
export function readCapability({ capabilities }: Session): {
  readonly url: Json | undefined;
  readonly supportsPush: Json | undefined;
} {
  if (!(WEBSOCKET in capabilities)) throw new NotApplicable(`The session has no ${WEBSOCKET}.`);
  const { url, supportsPush } = asMap(capabilities[WEBSOCKET]);
  return { url, supportsPush };
}

export const socketHandshakeChecks = serverChecks(
  '4.2',
  [
    {
      id: 'ws-capability',
      section: '3',
      level: 'must',
      rule:
        'The capability has a url of the scheme wss (ws where the server itself is without TLS) ' +
        'and the Boolean supportsPush; accounts have nothing of it.',
      /**
       * Compares the scheme with that of the API URL, since a test server on the loopback interface
       * has no TLS.
       */
      run: async (server) => {
        const session = await server.user.readSession();
        const { url, supportsPush } = readCapability(session);
        expect(typeof supportsPush).toBe('boolean');
        const isSecure = session.expand('apiUrl').startsWith('https:');
        const socketUrl = session.expandTemplate(`${WEBSOCKET} url`, url, WS);
        expect(new URL(socketUrl).protocol).toBe(isSecure ? 'wss:' : 'ws:');
        for (const { accountCapabilities } of Object.values(session.accounts))
          expect(asMap(asMap(accountCapabilities)[WEBSOCKET])).toEqual({});
      },
    },
    {
      id: 'ws-handshake-authenticated',
      section: '4.1',
      level: 'must',
      rule:
        'The opening handshake needs credentials as any HTTP request does: without valid ones it ' +
        'has the same status.',
      /**
       * Opens a good connection first. The refusals are compared with those of HTTP, since RFC 8620
       * leaves the status open.
       */
      run: async (server) => {
        await withSocket(server, async () => undefined);
        const { http, session } = server.user;
        for (const authorization of ['Bearer nothing-of-the-kind', 'Bearer', 'x']) {
          const headers = { authorization };
          const { status } = await http.send(session.url, { headers });
          expect([authorization, await tryHandshake(server, { headers })]).toEqual([
            authorization,
            status,
          ]);
        }
      },
    },
    {
      id: 'ws-subprotocol-answered',
      level: 'must',
      rule:
        'A handshake that offers the subprotocol jmap, alone or among others, is answered with ' +
        'it.',
      run: async (server) => {
        for (const protocols of [['jmap'], ['chat', 'jmap'], ['jmap', 'chat']])
          await withSocket(
            server,
            async ({ raw }) => expect([protocols, raw.protocol]).toEqual([protocols, 'jmap']),
            { protocols },
          );
      },
    },
    {
      id: 'ws-subprotocol-required',
      level: 'must',
      rule:
        'Without the subprotocol jmap a connection is refused, or what comes over it is not ' +
        'treated as JMAP.',
      /**
       * Accepts a refusal or a connection that isn't treated as JMAP. It waits A_WHILE for an
       * answer that should not come.
       */
      run: async (server) => {
        const socket = await server.user.openSocket({ protocols: [] });
        if (!(socket instanceof Socket)) {
          expect(socket).toBeGreaterThanOrEqual(400);
          return;
        }
        try {
          socket.send(buildEcho('r'));
          const nothing = setTimeout(A_WHILE, 0, { ref: false });
          const answer = await Promise.race([socket.takeOrClosed(), nothing]);
          expect(answer).not.toEqual(expect.objectContaining({ '@type': 'Response' }));
        } finally {
          socket.close();
        }
      },
    },
    {
      id: 'ws-compression',
      level: 'must',
      rule:
        'Compression that a client offers is agreed to or not; messages of any length come whole ' +
        'either way.',
      /**
       * Sends messages beyond 64 KiB, where frames get the longest form of a length (RFC 6455 5.2).
       */
      run: async (server) => {
        const texts = ['', 'x'.repeat(70_000), '🦊é'.repeat(3000)];
        await withSocket(
          server,
          async (socket) => {
            for (const text of texts)
              expect(await socket.ask(buildEcho('r', { text }))).toEqual(
                expect.objectContaining({
                  requestId: 'r',
                  methodResponses: [['Core/echo', { text }, 'c0']],
                }),
              );
          },
          { compress: true },
        );
      },
    },
    {
      id: 'ws-extensions-unknown',
      level: 'must',
      rule:
        'An extension that the server does not know is not agreed to, and keeps nobody from ' +
        'connecting (RFC 6455 9.1).',
      run: async (server) => {
        const headers = { 'sec-websocket-extensions': 'x-unknown; a=1' };
        await withSocket(
          server,
          async (socket) => {
            expect(socket.raw.extensions).toBe('');
            expect(asMap(await socket.ask(buildEcho('r')))['@type']).toBe('Response');
          },
          { headers },
        );
      },
    },
  ],
  'RFC 8887',
);

export const socketFrameChecks = serverChecks(
  '4.3',
  [
    {
      id: 'ws-fragments',
      level: 'must',
      rule: 'A message may come in fragments, which may end within a character.',
      /**
       * Cuts a character of four octets in the middle and sends an empty frame there. A server that
       * decodes frame by frame breaks it.
       */
      run: (server) =>
        withSocket(server, async (socket) => {
          const octets = Buffer.from(JSON.stringify(buildEcho('r', { text: 'a🦊b' })));
          const middle = octets.indexOf('🦊') + 2;
          const ends = [0, 1, middle, middle, middle + 1, octets.length];
          socket.sendOctets(ends.slice(1).map((end, n) => octets.subarray(ends[n], end)));
          expect(await socket.take()).toEqual({
            '@type': 'Response',
            requestId: 'r',
            methodResponses: [['Core/echo', { text: 'a🦊b' }, 'c0']],
            sessionState: anyString,
          });
        }),
    },
    {
      id: 'ws-binary',
      level: 'must',
      rule: 'A binary message is no request: it is answered with an error or ends the connection.',
      /** Accepts both ways of a refusal: RFC 8887 4.3 only says that binary frames are not used. */
      run: (server) =>
        withSocket(server, async (socket) => {
          socket.sendOctets([Buffer.from(JSON.stringify(buildEcho('r')))], true);
          const answer = await socket.takeOrClosed();
          if (typeof answer !== 'number') expect(answer['@type']).toBe('RequestError');
        }),
    },
    {
      id: 'ws-invalid-utf8',
      level: 'must',
      rule: 'Text that is no UTF-8 ends the connection (RFC 6455 8.1).',
      run: (server) =>
        withSocket(server, async (socket) => {
          socket.sendOctets([Buffer.from([0x22, 0xff, 0xfe, 0x22])]);
          expect(typeof (await socket.takeOrClosed())).toBe('number');
        }),
    },
    {
      id: 'ws-invalid-utf8-code',
      level: 'should',
      rule:
        'Text that is no UTF-8 ends the connection with 1007 (RFC 6455 7.4.1), also where a ' +
        'valid beginning came in a frame of its own.',
      /**
       * Sends the fault in one frame, and in a second frame behind a valid one, where a streaming
       * decoder must keep its state.
       */
      run: async (server) => {
        const whole = JSON.stringify(buildEcho('r', { text: 'é' }));
        const [start = '', end = ''] = whole.split('é');
        for (const parts of [
          [Buffer.from([0x22, 0xff, 0xfe, 0x22])],
          [Buffer.from(start), Buffer.from([0xc3]), Buffer.from(end)],
        ])
          await withSocket(server, async (socket) => {
            socket.sendOctets(parts);
            expect(await socket.takeOrClosed()).toBe(1007);
          });
      },
    },
    {
      id: 'ws-ping',
      level: 'must',
      rule:
        'A ping is answered with a pong that has its octets (RFC 6455 5.5.3), and disturbs no ' +
        'request.',
      /** Listens before it sends: the pong may come before the answer of the request. */
      run: (server) =>
        withSocket(server, async (socket) => {
          const pong = new Promise<string>((resolve) => {
            socket.raw.once('pong', (data: Buffer) => resolve(data.toString()));
            socket.raw.once('close', () => resolve('(closed)'));
          });
          socket.raw.ping('are you there');
          expect(asMap(await socket.ask(buildEcho('r')))['requestId']).toBe('r');
          expect(await pong).toBe('are you there');
        }),
    },
    {
      id: 'ws-ping-octets',
      level: 'must',
      rule:
        'A ping may have no octets, or any 125 of them: its pong has the same; a pong that ' +
        'nobody asked for is no mistake (RFC 6455 5.5.2, 5.5.3).',
      /** Sends all octet values from 255 down, which text handling on the way would change. */
      run: (server) =>
        withSocket(server, async (socket) => {
          const any = Buffer.from(Array.from({ length: 125 }, (_, n) => 255 - n));
          for (const octets of [Buffer.alloc(0), any]) {
            const pong = new Promise<Buffer | null>((resolve) => {
              socket.raw.once('pong', (data: Buffer) => resolve(data));
              socket.raw.once('close', () => resolve(null));
            });
            socket.raw.ping(octets);
            expect((await pong)?.toString('hex')).toBe(octets.toString('hex'));
          }
          socket.raw.pong('unasked');
          expect(asMap(await socket.ask(buildEcho('r')))['requestId']).toBe('r');
        }),
    },
    {
      id: 'ws-close',
      level: 'must',
      rule:
        'A client that closes is answered with a close frame before the connection ends (RFC ' +
        '6455 5.5.1).',
      /**
       * Accepts the client's code, 1000 or none in the closing frame. RFC 6455 5.5.1 only asks for
       * a frame.
       */
      run: async (server) => {
        for (const code of [1000, 1001])
          await withSocket(server, async (socket) => {
            await socket.ask(buildEcho('r'));
            socket.raw.close(code);
            expect([code, 1000, 1005]).toContain(await socket.closed);
          });
      },
    },
  ],
  'RFC 8887',
);
