import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Principal } from '../../accounts/principal.js';
import { type Route, UNKNOWN_ROUTE } from './routes.js';

/**
 * A response with what the edge function found out about its request. Fields rather than a map beside it: they
 * survive Express, which swaps a response's prototype, and cost nothing on the hot path.
 */
export class EdgeResponse extends ServerResponse<IncomingMessage> {
  requestId = '';
  /** `performance.now()` at the request's arrival. */
  startedAt = 0;
  route: Route = UNKNOWN_ROUTE;
  principal: Principal | null = null;
  /** Names and values in turn: security headers, request id, CORS. Every answer begins with them. */
  edgeHeaders: readonly string[] = [];
  /** Called once the answers in front of this one are out and the connection is its own. */
  onTurn: (() => void) | null = null;

  override assignSocket(socket: Socket): void {
    super.assignSocket(socket);
    this.onTurn?.();
  }
}
