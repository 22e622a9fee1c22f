import type { IncomingMessage } from 'node:http';
import type { Principal } from '../accounts/principal.js';
import type { EdgeResponse } from './edge-response.js';

/** What a route's page gets: no Express type leaves app.ts. */
export interface RouteRequest {
  readonly req: IncomingMessage;
  readonly res: EdgeResponse;
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

export interface AuthenticatedRequest extends RouteRequest {
  readonly principal: Principal;
}

/** Answers a request; what it throws becomes a problem. */
export type RouteHandler = (request: RouteRequest) => Promise<void>;

export type AuthenticatedHandler = (request: AuthenticatedRequest) => Promise<void>;
