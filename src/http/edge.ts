import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { UnavailableError } from '../protocol/errors.js';
import type { Log } from '../runtime/log.js';
import type { Admission } from './admission.js';
import type { ApiEndpoint } from './api.js';
import type { Page, RequestHandler } from './app.js';
import { queryOf, requireMetricsToken } from './authenticate-request.js';
import {
  bodyLength,
  Cors,
  type EdgeResponse,
  endsConnection,
  type ServerState,
  send,
} from './edge-response.js';
import { ClientGoneError, HttpError, problemOf, refuse, serverFault } from './reply.js';
import { createRequestIds, findHeadError, readTarget } from './request-head.js';
import { createRouter, ROUTES, type Route, UNKNOWN_ROUTE } from './routes.js';
import type { Shared } from './shared.js';

export interface EdgeOptions {
  readonly shared: Shared;
  readonly admission: Admission;
  readonly basePath: string;
  /** In front of Express, as event sources are: many of these are open, each with what it holds. */
  readonly api: ApiEndpoint;
  readonly eventSource: Page;
  readonly fallback: RequestHandler;
}

/** The code that every HTTP request passes before its handler. */
export class Edge {
  readonly cors: Cors;
  readonly admission: Admission;
  readonly #options: EdgeOptions;
  readonly #router: (path: string) => Route | null;
  readonly #requestIds = createRequestIds();
  readonly #requestLog: Log;
  readonly #server: ServerState = { isStopping: false };

  constructor(options: EdgeOptions) {
    this.#options = options;
    this.cors = new Cors(options.shared.corsOrigins);
    this.admission = options.admission;
    this.#router = createRouter(options.basePath);
    // These fields hold no secret: to look for one takes four times as long as to write the line.
    this.#requestLog = options.shared.log.child({}, { redact: [] });
  }

  /** Answers a request. */
  readonly handle = (req: IncomingMessage, res: EdgeResponse): void => {
    const route = this.begin(req, res);
    const wrong = findHeadError(req);
    if (wrong !== null) {
      res.isLast = true;
      this.fail(req, res, wrong);
    } else if (route === null) {
      this.fail(req, res, new HttpError(404, 'There is nothing at this path.'));
    } else if (req.method === 'OPTIONS') {
      const headers = [
        'Allow',
        route.allow,
        ...this.cors.preflight(req.headers.origin, route.allow),
      ];
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
    const proxyId = req.headers['x-request-id'];
    res.requestId = this.#requestIds(typeof proxyId === 'string' ? proxyId : undefined);
    res.cors = this.cors.headers(req.headers.origin);
    res.server = this.#server;
    res.on('close', () => this.#finish(res));
    // Both sides might read what lies behind a declined upgrade differently (RFC 9110 7.8 lets a
    // server ignore one).
    res.isLast = req.headers.upgrade !== undefined;
    const route = this.#router(readTarget(req));
    res.route = route ?? UNKNOWN_ROUTE;
    return route;
  }

  /** Answers with the problem that an error is. */
  fail(req: IncomingMessage, res: EdgeResponse, error: unknown): void {
    if (error instanceof ClientGoneError) {
      res.destroy();
      return;
    }
    const { unavailable, log, timings } = this.#options.shared;
    const known = problemOf(error);
    if (error instanceof UnavailableError) unavailable?.(error);
    if (known === null) {
      const fields = { requestId: res.requestId, route: res.route.template, err: error };
      log.error(fields, 'defect');
    }
    refuse(req, res, known ?? serverFault(res.requestId), timings.linger);
  }

  /** From now on every answer closes its connection. */
  drain(): void {
    this.#server.isStopping = true;
  }

  async #serve(req: IncomingMessage, res: EdgeResponse, route: Route): Promise<void> {
    const { shared, api, eventSource, fallback: rest } = this.#options;
    const { access } = route;
    try {
      if (access === 'metrics') requireMetricsToken(req, shared.metricsToken);
      else if (access !== 'open') await this.admission.admit(req, res, access);
      if (route === ROUTES.api) await api.answer(req, res);
      else if (route === ROUTES.websocket) throw noHandshake(req);
      else if (route === ROUTES.eventSource)
        await eventSource({ req, res, params: {}, query: queryOf(req) });
      else rest(req, res, (error) => this.fail(req, res, error));
    } catch (error) {
      this.fail(req, res, error);
    }
  }

  /** A response has closed. */
  #finish(res: EdgeResponse): void {
    const { req } = res;
    this.record(res, res.writableFinished ? String(res.statusCode) : 'aborted');
    if (!req.complete && !res.hasWholeRequest) giveUp(req, this.#options.shared.timings.linger);
    // The head may have left before it could say "Connection: close": the client would wait on.
    else if (endsConnection(res)) req.socket.destroySoon();
  }

  /** Counts and logs a request that has been answered, or has become a WebSocket. */
  record(res: EdgeResponse, status: string): void {
    const milliseconds = performance.now() - res.startedAt;
    const { requestId, principal, route } = res;
    const method = METHODS.has(res.req.method ?? '') ? (res.req.method ?? '') : 'other';
    const { metrics } = this.#options.shared;
    metrics.httpRequest(route.template, method, status, milliseconds / 1000);
    if (!this.#requestLog.isLevelEnabled('info')) return;
    const ms = Math.round(milliseconds * 1000) / 1000;
    const user = principal?.userId;
    const fields = { requestId, method, route: route.template, status, ms, user };
    this.#requestLog.info(fields, 'request');
  }
}

/**
 * Cuts a request off `after` ms, unless its body ends before. Node drops the rest of an answered
 * request's body, however slowly it comes: that must not hold a connection for ever.
 */
function giveUp(req: IncomingMessage, after: number): void {
  const timer = setTimeout(() => req.destroy(), after);
  timer.unref();
  req.once('end', () => clearTimeout(timer));
}

/** Returns the error for a plain request at the WebSocket's path. */
function noHandshake(req: IncomingMessage): HttpError {
  if (bodyLength(req) !== 0)
    return new HttpError(400, 'The opening handshake of a WebSocket has no body.');
  return new HttpError(426, 'This path is for WebSockets.', UPGRADE);
}

/** Replaces Node's Connection header: without `close` a client that asked for it would wait. */
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
