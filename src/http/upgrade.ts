import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Principal } from '../accounts/principal.js';
import { queryOf } from './authenticate-request.js';
import type { Edge } from './edge.js';
import { bodyLength, type Cors, EdgeResponse } from './edge-response.js';
import { HttpError } from './reply.js';
import { findHeadError } from './request-head.js';
import { ROUTES } from './routes.js';

/** An opening handshake whose sender is known. */
export interface Handshake {
  readonly req: IncomingMessage;
  readonly socket: Socket;
  readonly head: Buffer;
  readonly principal: Principal;
  readonly requestId: string;
  /** Further headers for the answer, names and values in turn. */
  readonly headers: readonly string[];
}

/** Takes a connection over once HTTP has authenticated its opening handshake: src/websocket. */
export interface UpgradeTarget {
  /**
   * Opens a WebSocket. Throws HttpError where the handshake is none (RFC 6455 4.2.1, RFC 8887 4.2),
   * RequestError where its user has too many.
   */
  accept(handshake: Handshake): void;
  /** Has running requests answered, closes every socket with 1001, and resolves after that. */
  close(): Promise<void>;
  /** Cuts what is still open. */
  terminate(): void;
}

/**
 * Returns whether a request asks for a WebSocket. Some clients offer other protocols (`Upgrade:
 * h2c`) with plain requests. A handshake has no body, whose octets would be taken for frames.
 */
export function asksForWebSocket(req: IncomingMessage): boolean {
  return req.headers.upgrade?.trim().toLowerCase() === 'websocket' && bodyLength(req) === 0;
}

/** Answers opening handshakes (RFC 8887 4.1, 4.2) with the edge's headers, ids, logs and errors. */
export function createUpgrade(
  edge: Edge,
  target: UpgradeTarget,
): (req: IncomingMessage, socket: Socket, head: Buffer) => void {
  return (req, socket, head) => {
    // Node has taken its own listener off: an error without one would end the process.
    socket.on('error', () => socket.destroy());
    const res = new EdgeResponse(req);
    const route = edge.begin(req, res);
    res.isLast = true;
    const accept = async (): Promise<void> => {
      const wrong = findHeadError(req);
      if (wrong !== null) throw wrong;
      if (route !== ROUTES.websocket) {
        throw new HttpError(404, 'There is no WebSocket at this path.');
      }
      if (req.method !== 'GET') {
        throw new HttpError(405, `This path takes ${route.allow}.`, ['Allow', route.allow]);
      }
      checkOrigin(req, edge.cors);
      const principal = await edge.admission.admit(req, res, 'ticket');
      if (socket.destroyed) return;
      const { requestId, rates: headers } = res;
      target.accept({ req, socket, head, principal, requestId, headers });
    };
    accept().then(
      () => edge.record(res, '101'),
      (error: unknown) => {
        res.assignSocket(socket);
        // Octets that nobody reads would turn the end of the connection into a reset, which
        // overtakes the answer.
        socket.resume();
        res.on('finish', () => socket.destroySoon());
        edge.fail(req, res, error);
      },
    );
  };
}

/**
 * Refuses a ticket from an unlisted origin: any page can open a socket to any host, and a ticket
 * isn't bound to a page. No page of another origin can send a credential in a header.
 */
function checkOrigin(req: IncomingMessage, cors: Cors): void {
  const { origin, authorization } = req.headers;
  if (authorization !== undefined || origin === undefined || cors.allows(origin)) return;
  if (queryOf(req).has('ticket')) throw new HttpError(403, 'The Origin is not on the list.');
}
