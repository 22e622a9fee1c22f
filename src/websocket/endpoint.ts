import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Shared } from '../http/shared.js';
import type { UpgradeTarget } from '../http/upgrade-target.js';
import { tooManyOpen } from '../protocol/limits.js';
import { Slots } from '../runtime/budgets.js';
import { Connection } from './connection.js';
import { refusal, refusalOf, SUBPROTOCOL } from './handshake.js';

/** RFC 8620 8.5: sockets that one user may have open. */
const MAX_SOCKETS = 32;
/**
 * A part of a message takes some 200 octets besides its own. So its fragments, and the packets of one, are bounded in
 * number (1008) by what a client that cuts its messages has use for, and never below the first.
 */
const LEAST_PARTS = 1024;
const FRAGMENT = 4096;
const PACKET = 1024;
const EXTENSIONS = 'sec-websocket-extensions';
/** How long a peer may take for its part of the closing handshake, ms. */
const CLOSE_WAIT = 1000;

/** The WebSocket endpoint (RFC 8887), behind the handshake that HTTP has authenticated. */
export function createWebSocketEndpoint(shared: Shared): UpgradeTarget {
  const { services, timings } = shared;
  const connections = new Set<Connection>();
  const slots = new Slots(MAX_SOCKETS);
  const requestIds = new WeakMap<IncomingMessage, string>();
  // Beyond maxSizeRequest a message is read and refused with a RequestError (RFC 8887 4.3.4); one that is far
  // beyond ends the connection (1009), since it would have to be held whole.
  const maxPayload = 2 * services.limits.maxSizeRequest;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // No context outlives its message (RFC 7692 7.1.1).
    perMessageDeflate: services.websocketCompression
      ? { serverNoContextTakeover: true, clientNoContextTakeover: true }
      : false,
    maxPayload,
    maxFragments: Math.max(LEAST_PARTS, Math.ceil(maxPayload / FRAGMENT)),
    maxBufferedChunks: Math.max(4 * LEAST_PARTS, Math.ceil(maxPayload / PACKET)),
    handleProtocols: () => SUBPROTOCOL,
  });
  server.on('headers', (lines, req) => {
    const requestId = requestIds.get(req);
    if (requestId !== undefined) lines.push(`X-Request-Id: ${requestId}`);
  });
  // Without a listener ws would answer by itself, past the edge.
  const refused = new WeakMap<IncomingMessage, Error>();
  server.on('wsClientError', (error, _, req) => refused.set(req, error));
  const beats = setInterval(() => {
    for (const connection of connections) connection.beat();
  }, timings.heartbeat);
  beats.unref();
  const terminate = (): void => {
    for (const connection of connections) connection.terminate();
  };

  return {
    refusal: refusalOf,

    accept({ req, socket, head, principal, requestId }) {
      const user = principal.userId;
      if (!slots.take(user)) throw tooManyOpen('maxWebSockets', MAX_SOCKETS);
      // Of the TCP connection: a handshake that ws itself refuses (a bad key) makes no WebSocket.
      socket.once('close', () => slots.release(user));
      requestIds.set(req, requestId);
      const upgrade = (): void => server.handleUpgrade(req, socket, head, opened);
      const opened = (ws: WebSocket): void => {
        const tcp = socket as Socket;
        const connection = new Connection({ shared, socket: ws, tcp, principal, requestId });
        connections.add(connection);
        services.metrics.opened('websocket');
        void connection.closed.then(() => {
          connections.delete(connection);
          services.metrics.closed('websocket');
        });
      };
      upgrade();
      if (refused.has(req) && req.headers[EXTENSIONS] !== undefined) {
        // RFC 7692 5.1: an offer that can't be understood is declined, which refuses no connection.
        delete req.headers[EXTENSIONS];
        refused.delete(req);
        upgrade();
      }
      const error = refused.get(req);
      return error === undefined ? null : refusal(400, `${error.message}.`);
    },

    async close() {
      clearInterval(beats);
      const open = [...connections];
      await Promise.all(open.map((connection) => connection.close()));
      // A peer that doesn't answer the close is cut off.
      const late = setTimeout(terminate, CLOSE_WAIT);
      await Promise.all(open.map((connection) => connection.closed));
      clearTimeout(late);
    },

    terminate,
  };
}
