import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { UnavailableError } from '../protocol/errors.js';
import type { Log } from '../runtime/log.js';
import { authenticateRequest, requireMetricsToken } from './authenticate-request.js';
import { hasBody } from './body.js';
import {
  type Cors,
  type EdgeResponse,
  endsConnection,
  type ServerState,
  send,
} from './edge-response.js';
import { refuse } from './refuse.js';
import { ClientGoneError, HttpError, problemOf, serverFault } from './reply.js';
import { createRequestIds, findHeadError, readTarget } from './request-head.js';
import { API, type Route, UNKNOWN_ROUTE, WEBSOCKET } from './routes.js';
import type { TransportServices } from './services.js';

/** Answers one request whose route, method and credentials are right. What it rejects with becomes a problem. */
export type Endpoint = (req: IncomingMessage, res: EdgeResponse) => Promise<void> | void;

export interface EdgeOptions {
  readonly services: TransportServices;
  readonly cors: Cors;
  readonly router: (path: string) => Route | null;
  /** The API endpoint: the hot path, in front of Express. */
  readonly api: { answer: Endpoint };
  /** Everything else. */
  readonly rest: Endpoint;
  readonly linger: number;
}

/** What every request comes through. */
export class Edge {
  readonly #options: EdgeOptions;
  readonly #requestIds = createRequestIds();
  readonly #requestLog: Log;
  readonly #server: ServerState = { isStopping: false };

  constructor(options: EdgeOptions) {
    this.#options = options;
    // A line for each request, of fields that hold no secret: to look for one takes four times what the line does.
    this.#requestLog = options.services.log.child({}, { redact: [] });
  }

  /** Answers a request. */
  readonly handle = (req: IncomingMessage, res: EdgeResponse): void => {
    const { cors } = this.#options;
    const route = this.begin(req, res);
    const wrong = findHeadError(req);
    if (wrong !== null) {
      res.isLast = true;
      this.fail(req, res, wrong);
    } else if (route === null) {
      this.fail(req, res, new HttpError(404, 'There is nothing at this path.'));
    } else if (req.method === 'OPTIONS') {
      const headers = ['Allow', route.allow, ...cors.preflight(req.headers.origin, route.allow)];
      send(res, 204, headers, '');
    } else if (!route.methods.includes(req.method ?? '')) {
      const detail = `This path takes ${route.allow}.`;
      this.fail(req, res, new HttpError(405, detail, ['Allow', route.allow]));
    } else {
      void this.#serve(req, res, route);
    }
  };

  /** Gives a response its id, headers and route; what `handle` does first, for upgrades too. */
  begin(req: IncomingMessage, res: EdgeResponse): Route | null {
    res.startedAt = performance.now();
    const given = req.headers['x-request-id'];
    res.requestId = this.#requestIds(typeof given === 'string' ? given : undefined);
    res.cors = this.#options.cors.headers(req.headers.origin);
    res.server = this.#server;
    res.on('close', () => this.#record(res));
    // Both sides might read what lies behind a declined upgrade differently (RFC 9110 7.8 lets a
    // server ignore one).
    res.isLast = req.headers.upgrade !== undefined;
    const route = this.#options.router(readTarget(req));
    res.route = route ?? UNKNOWN_ROUTE;
    return route;
  }

  /** Answers with the problem that an error is. */
  fail(req: IncomingMessage, res: EdgeResponse, error: unknown): void {
    if (error instanceof ClientGoneError) {
      res.destroy();
      return;
    }
    const { services, linger } = this.#options;
    const known = problemOf(error);
    if (error instanceof UnavailableError) services.unavailable?.(error);
    if (known === null) {
      const fields = { requestId: res.requestId, route: res.route.template, err: error };
      services.log.error(fields, 'defect');
    }
    refuse(req, res, known ?? serverFault(res.requestId), linger);
  }

  /** Counts and logs a request that became a WebSocket. */
  upgraded(res: EdgeResponse): void {
    this.#write(res, '101');
  }

  /** From now on every answer closes its connection. */
  drain(): void {
    this.#server.isStopping = true;
  }

  async #serve(req: IncomingMessage, res: EdgeResponse, route: Route): Promise<void> {
    const { services, api, rest } = this.#options;
    const { access } = route;
    try {
      if (access === 'metrics') requireMetricsToken(req, services.metricsToken);
      else if (access !== 'open') res.principal = await authenticateRequest(services, req, access);
      if (route === WEBSOCKET) throw noHandshake(req);
      await (route === API ? api.answer(req, res) : rest(req, res));
    } catch (error) {
      this.fail(req, res, error);
    }
  }

  /** A response has closed. */
  #record(res: EdgeResponse): void {
    const { req } = res;
    this.#write(res, res.writableFinished ? String(res.statusCode) : 'aborted');
    if (!req.complete && !res.hasWholeRequest) giveUp(req, this.#options.linger);
    // An answer whose head was out before could not say "Connection: close": nobody may wait for another on it.
    else if (endsConnection(res)) req.socket.destroySoon();
  }

  #write(res: EdgeResponse, status: string): void {
    const milliseconds = performance.now() - res.startedAt;
    const { requestId, principal, route } = res;
    const method = METHODS.has(res.req.method ?? '') ? (res.req.method ?? '') : 'other';
    const { metrics } = this.#options.services;
    metrics.httpRequest(route.template, method, status, milliseconds / 1000);
    if (!this.#requestLog.isLevelEnabled('info')) return;
    const ms = Math.round(milliseconds * 1000) / 1000;
    const user = principal?.userId;
    const fields = { requestId, method, route: route.template, status, ms, user };
    this.#requestLog.info(fields, 'request');
  }
}

/**
 * What is left of a body when its request has been answered is thrown away by Node, however slowly it comes. That
 * must not hold a connection for ever.
 */
function giveUp(req: IncomingMessage, after: number): void {
  const timer = setTimeout(() => req.destroy(), after);
  timer.unref();
  req.once('end', () => clearTimeout(timer));
}

/** Returns the error for a plain request at the WebSocket's path. */
function noHandshake(req: IncomingMessage): HttpError {
  if (hasBody(req)) return new HttpError(400, 'The opening handshake of a WebSocket has no body.');
  return new HttpError(426, 'This path is for WebSockets.', UPGRADE);
}

/** A Connection header of our own stands in for Node's: without `close` a client that asked for it would wait. */
const UPGRADE: readonly string[] = Object.freeze([
  'Upgrade',
  'websocket',
  'Connection',
  'Upgrade, close',
]);

const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);
