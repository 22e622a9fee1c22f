import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { authenticateRequest, queryOf } from './authenticate-request.js';
import { hasBody } from './body.js';
import type { Edge } from './edge.js';
import { type Cors, EdgeResponse } from './edge-response.js';
import { HttpError } from './reply.js';
import { findHeadError } from './request-head.js';
import { WEBSOCKET } from './routes.js';
import type { TransportServices } from './services.js';
import type { Refusal, UpgradeTarget } from './upgrade-target.js';

export interface UpgradeOptions {
  readonly services: TransportServices;
  readonly edge: Edge;
  readonly cors: Cors;
  readonly target: UpgradeTarget;
}

/**
 * Whether a request asks for a WebSocket. Some clients offer other protocols (`Upgrade: h2c`) with
 * plain requests. A handshake has no body, whose octets would be taken for frames.
 */
export function asksForWebSocket(req: IncomingMessage): boolean {
  return req.headers.upgrade?.trim().toLowerCase() === 'websocket' && !hasBody(req);
}

/** Answers opening handshakes (RFC 8887 4.1, 4.2) with the edge's own headers, ids, logs and errors. */
export function createUpgrade(
  options: UpgradeOptions,
): (req: IncomingMessage, socket: Socket, head: Buffer) => void {
  const { services, edge, target } = options;
  return (req, socket, head) => {
    // Node has taken its own listener off: an error without one would end the process.
    socket.on('error', () => socket.destroy());
    const res = new EdgeResponse(req);
    const route = edge.begin(req, res);
    res.isLast = true;
    const accept = async (): Promise<void> => {
      const wrong = findHeadError(req);
      if (wrong !== null) throw wrong;
      if (route !== WEBSOCKET) {
        throw new HttpError(404, 'There is no WebSocket at this path.');
      }
      if (req.method !== 'GET') {
        throw new HttpError(405, `This path takes ${route.allow}.`, ['Allow', route.allow]);
      }
      checkOrigin(req, options.cors);
      res.principal = await authenticateRequest(services, req, 'ticket');
      const refusal = target.refusal(req);
      if (refusal !== null) throw refused(refusal);
      if (socket.destroyed) return;
      const { principal, requestId } = res;
      const late = target.accept({ req, socket, head, principal, requestId });
      if (late !== null) throw refused(late);
    };
    accept().then(
      () => edge.upgraded(res),
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

function refused({ status, detail, headers }: Refusal): HttpError {
  return new HttpError(status, detail, headers);
}

/**
 * D25: any page can open a socket to any host, and a ticket in the URL isn't bound to a page. A credential in a
 * header can't come from a page of another origin.
 */
function checkOrigin(req: IncomingMessage, cors: Cors): void {
  const { origin, authorization } = req.headers;
  if (authorization !== undefined || origin === undefined || cors.allows(origin)) return;
  if (queryOf(req).has('ticket')) throw new HttpError(403, 'The Origin is not on the list.');
}
