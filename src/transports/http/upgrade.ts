import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Refusal, UpgradeTarget } from '../upgrade-target.js';
import type { Cors } from './cors.js';
import { type Edge, queryOf } from './edge.js';
import type { EdgeRequest } from './edge-request.js';
import { EdgeResponse } from './edge-response.js';
import { HttpError } from './reply.js';
import { WEBSOCKET_TEMPLATE } from './routes.js';

export interface UpgradeOptions {
  readonly edge: Edge;
  readonly cors: Cors;
  readonly target: UpgradeTarget;
}

/** Answers opening handshakes (RFC 8887 4.1, 4.2) with the edge's own headers, ids, logs and errors. */
export function createUpgrade(
  options: UpgradeOptions,
): (req: EdgeRequest, socket: Socket, head: Buffer) => void {
  const { edge, target } = options;
  return (req, socket, head) => {
    // Node has taken its own listener off: an error without one would end the process.
    socket.on('error', () => socket.destroy());
    const res = new EdgeResponse(req);
    res.shouldKeepAlive = false;
    const route = edge.begin(req, res);
    const accept = async (): Promise<void> => {
      if (route?.template !== WEBSOCKET_TEMPLATE) {
        throw new HttpError(404, 'There is no WebSocket at this path.');
      }
      if (req.method !== 'GET') {
        throw new HttpError(405, `This path takes ${route.allow}.`, ['Allow', route.allow]);
      }
      checkOrigin(req, options.cors);
      res.principal = await edge.authenticate(req, { ...route, access: 'ticket' });
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
