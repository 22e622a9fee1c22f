import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../accounts/principal.js';
import type { HeldAnswer } from '../runtime/answer-budget.js';
import { type Route, UNKNOWN_ROUTE } from './routes.js';

/** What changes of a server while it answers. */
export interface ServerState {
  isStopping: boolean;
}

const RUNNING: ServerState = Object.freeze({ isStopping: false });
const NO_HEADERS: readonly string[] = Object.freeze([]);

/**
 * A response with what the edge function found out about its request. Fields rather than a map
 * beside it: they survive Express, which swaps a response's prototype.
 */
export class EdgeResponse extends ServerResponse<IncomingMessage> {
  requestId = '';
  /** `performance.now()` at the request's arrival. */
  startedAt = 0;
  route: Route = UNKNOWN_ROUTE;
  principal: Principal | null = null;
  /** Names and values in turn. */
  cors: readonly string[] = NO_HEADERS;
  /** Of the server that it is an answer of. */
  server: ServerState = RUNNING;
  /** The memory for answers that its calls hold. */
  held: HeldAnswer | null = null;
  /** All octets of its request have been read, though `complete` may not say so yet. */
  hasWholeRequest = false;
  /** The connection ends behind this answer. */
  isLast = false;
}

/**
 * Whether an answer has to say `Connection: close`. No method: Express swaps the response's
 * prototype.
 */
export function endsConnection(res: EdgeResponse): boolean {
  return res.isLast || res.server.isStopping;
}
