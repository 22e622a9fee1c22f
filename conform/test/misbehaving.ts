import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { asMap, type JsonMap, parseJson } from '../src/client/json.js';
import type { OtherServer } from './other-server.js';

/** Changes the answers of a server that stands in front of another one. */
export interface Misbehaviour {
  /** Takes a request, and returns whether it was answered, or won't be. */
  readonly handle?: (req: IncomingMessage, res: ServerResponse, body: string) => boolean;
  /** Changes the session. */
  readonly session?: (session: JsonMap, origin: string) => JsonMap;
}

/** Changes what a WebSocket does. */
export interface SocketMisbehaviour {
  /** Returns the head of the answer that refuses a handshake; null where it is accepted. */
  readonly refuse?: () => string | null;
  /** Returns the answer to a request; null closes the connection, undefined answers rightly. */
  readonly message?: (request: JsonMap) => JsonMap | null | undefined;
  /** Whether the handshake tells the subprotocol; true where it isn't given. */
  readonly isJmap?: boolean;
}

/** Starts a server in front of another one. Returns its origin; it stops with the test. */
export async function startInFront(
  other: OtherServer,
  { handle = () => false, session = (one) => one }: Misbehaviour,
): Promise<string> {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      if (handle(req, res, body)) return;
      res.setHeader('content-type', 'application/json');
      const { methodCalls } = asMap(parseJson(body));
      const isApi = req.method === 'POST' && Array.isArray(methodCalls);
      const told = isApi ? other.answer(methodCalls as never) : session(other.session, origin());
      res.end(JSON.stringify(told));
    });
  });
  const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return origin();
}

const NOT_REQUEST = 'urn:ietf:params:jmap:error:notRequest';

/** Starts a WebSocket of another server (RFC 8887). Returns its URL; it stops with the test. */
export async function startSocket(
  other: OtherServer,
  { refuse = () => null, message = () => undefined, isJmap = true }: SocketMisbehaviour = {},
): Promise<string> {
  const server = createServer();
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: () => (isJmap ? 'jmap' : false),
  });
  server.on('upgrade', (req, raw, head) => {
    const refusal = refuse();
    if (refusal !== null) raw.end(`HTTP/1.1 ${refusal}\r\ncontent-length: 0\r\n\r\n`);
    else
      sockets.handleUpgrade(req, raw, head, (socket) => {
        // A frame that is none ends the connection: `close` follows.
        socket.on('error', () => undefined);
        socket.on('message', (data: Buffer) => {
          const request = asMap(parseJson(data.toString('utf8')));
          const { id: requestId = null, methodCalls } = request;
          const usual = () =>
            Array.isArray(methodCalls)
              ? { '@type': 'Response', requestId, ...other.answer(methodCalls as never) }
              : { '@type': 'RequestError', requestId, type: NOT_REQUEST, status: 400 };
          const answer = message(request);
          if (answer === null) socket.close(1011);
          else socket.send(JSON.stringify(answer ?? usual()));
        });
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
    server.close();
  });
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Returns a session with a WebSocket at a URL. */
export const withSocketUrl = (session: JsonMap, url: string): JsonMap => ({
  ...session,
  capabilities: {
    ...asMap(session['capabilities']),
    'urn:ietf:params:jmap:websocket': { url, supportsPush: false },
  },
});
