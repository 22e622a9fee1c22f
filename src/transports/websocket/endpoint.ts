import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { tooManyOpen } from '../limits.js';
import type { Shared } from '../shared.js';
import { Slots } from '../slots.js';
import type { UpgradeTarget } from '../upgrade-target.js';
import { Connection } from './connection.js';

const SUBPROTOCOL = 'jmap';
/** RFC 8620 8.5: sockets that one user may have open. */
const MAX_SOCKETS = 32;
/** How long a peer may take for its part of the closing handshake, ms. */
const CLOSE_WAIT = 1000;

/** The WebSocket endpoint (RFC 8887), behind the handshake that HTTP has authenticated. */
export function createWebSocketEndpoint(shared: Shared): UpgradeTarget {
  const { services, timings } = shared;
  const connections = new Set<Connection>();
  const slots = new Slots(MAX_SOCKETS);
  const requestIds = new WeakMap<IncomingMessage, string>();
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Refused: what a message inflates to would have to be bounded before it is known.
    perMessageDeflate: false,
    // Beyond maxSizeRequest a message is read and refused with a RequestError (RFC 8887 4.3.4); one that is far
    // beyond ends the connection (1009), since it would have to be held whole.
    maxPayload: 2 * services.limits.maxSizeRequest,
    handleProtocols: () => SUBPROTOCOL,
  });
  server.on('headers', (lines, req) => {
    const requestId = requestIds.get(req);
    if (requestId !== undefined) lines.push(`X-Request-Id: ${requestId}`);
  });
  const beats = setInterval(() => {
    for (const connection of connections) connection.beat();
  }, timings.heartbeat);
  beats.unref();
  const terminate = (): void => {
    for (const connection of connections) connection.terminate();
  };

  return {
    refusal(req) {
      if (offeredProtocols(req).includes(SUBPROTOCOL)) return null;
      return 'Offer the subprotocol "jmap" (Sec-WebSocket-Protocol: jmap).';
    },

    accept({ req, socket, head, principal, requestId }) {
      const user = principal.userId;
      if (!slots.take(user)) throw tooManyOpen('maxWebSockets', MAX_SOCKETS);
      // Of the TCP connection: a handshake that ws itself refuses (a bad key) makes no WebSocket.
      socket.once('close', () => slots.release(user));
      requestIds.set(req, requestId);
      server.handleUpgrade(req, socket, head, (ws) => {
        const tcp = socket as Socket;
        const connection = new Connection({ shared, socket: ws, tcp, principal, requestId });
        connections.add(connection);
        services.metrics.opened('websocket');
        void connection.closed.then(() => {
          connections.delete(connection);
          services.metrics.closed('websocket');
        });
      });
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

function offeredProtocols(req: IncomingMessage): readonly string[] {
  return (req.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
}
