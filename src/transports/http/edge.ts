import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Principal } from '../../accounts/principal.js';
import { UnavailableError } from '../../protocol/errors.js';
import { type Credentials, readCredentials } from '../credentials.js';
import type { TransportServices } from '../services.js';
import type { Cors } from './cors.js';
import { type EdgeResponse, endsConnection, type ServerState } from './edge-response.js';
import { refuse } from './refuse.js';
import { ClientGoneError, HttpError, problemOf, send, serverFault } from './reply.js';
import { findHeadError, readTarget } from './request-head.js';
import { createRequestIds } from './request-id.js';
import { type Route, UNKNOWN_ROUTE } from './routes.js';

/** Answers one request whose route, method and credentials are right. What it rejects with becomes a problem. */
export type Endpoint = (req: IncomingMessage, res: EdgeResponse) => Promise<void> | void;

export interface EdgeOptions {
  readonly services: TransportServices;
  readonly cors: Cors;
  readonly router: (path: string) => Route | null;
  /** The API endpoint: the hot path, in front of Express. */
  readonly api: Endpoint;
  /** Everything else. */
  readonly rest: Endpoint;
  readonly linger: number;
}

/** The one function that every request comes through. */
export interface Edge {
  handle(req: IncomingMessage, res: EdgeResponse): void;
  /** Gives a response its id, headers and route; what `handle` does first, for upgrades too. */
  begin(req: IncomingMessage, res: EdgeResponse): Route | null;
  /** The principal of the credentials a route asks for. Throws HttpError 400 or 401. */
  authenticate(req: IncomingMessage, route: Route): Principal | Promise<Principal>;
  /** Answers with the problem that an error is. */
  fail(req: IncomingMessage, res: EdgeResponse, error: unknown): void;
  /** Counts and logs a request that became a WebSocket. */
  upgraded(res: EdgeResponse): void;
  /** From now on every answer closes its connection. */
  drain(): void;
}

const CHALLENGE = 'Bearer realm="jmap"';

export function createEdge(options: EdgeOptions): Edge {
  const { services, cors, router, linger } = options;
  const { authenticator, tickets, metrics, log } = services;
  const requestIds = createRequestIds();
  // A line for each request, of fields that hold no secret: to look for one takes four times what the line does.
  const requests = log.child({}, { redact: [] });
  const server: ServerState = { isStopping: false };

  /** Listens to `close` of each response; a function of the response so that no request needs one of its own. */
  function record(this: EdgeResponse): void {
    write(this, this.writableFinished ? String(this.statusCode) : 'aborted');
    if (!this.req.complete && !this.hasWholeRequest) giveUp(this.req, linger);
    // An answer whose head was out before could not say "Connection: close": nobody may wait for another on it.
    else if (endsConnection(this)) this.req.socket.destroySoon();
  }

  const write = (res: EdgeResponse, status: string): void => {
    const milliseconds = performance.now() - res.startedAt;
    const { requestId, principal, route } = res;
    const method = METHODS.has(res.req.method ?? '') ? (res.req.method ?? '') : 'other';
    metrics.httpRequest(route.template, method, status, milliseconds / 1000);
    if (!requests.isLevelEnabled('info')) return;
    const ms = Math.round(milliseconds * 1000) / 1000;
    const user = principal?.userId;
    requests.info({ requestId, method, route: route.template, status, ms, user }, 'request');
  };

  const begin = (req: IncomingMessage, res: EdgeResponse): Route | null => {
    res.startedAt = performance.now();
    const given = req.headers['x-request-id'];
    res.requestId = requestIds(typeof given === 'string' ? given : undefined);
    res.cors = cors.headers(req.headers.origin);
    res.server = server;
    res.on('close', record);
    // Both sides might read what lies behind a declined upgrade differently (RFC 9110 7.8 lets a
    // server ignore one).
    res.isLast = req.headers.upgrade !== undefined;
    const route = router(readTarget(req));
    res.route = route ?? UNKNOWN_ROUTE;
    return route;
  };

  /** No promise where the authenticator knows at once: every request asks. */
  const authenticate = (req: IncomingMessage, route: Route): Principal | Promise<Principal> => {
    const credentials = readCredentials(req);
    if (credentials.kind === 'bearer') {
      const principal = authenticator.authenticate(credentials.token);
      return principal instanceof Promise ? principal.then(known) : known(principal);
    }
    return otherwise(req, route, credentials);
  };

  const otherwise = async (
    req: IncomingMessage,
    route: Route,
    credentials: Exclude<Credentials, { readonly kind: 'bearer' }>,
  ): Promise<Principal> => {
    if (credentials.kind === 'several') {
      throw new HttpError(400, 'Send one Authorization header.');
    }
    if (credentials.kind === 'malformed') throw unauthorized('The token is malformed.', true);
    const ticket = route.access === 'ticket' ? queryOf(req).get('ticket') : null;
    if (ticket !== null) {
      const tokenId = await tickets.redeem(ticket);
      const principal = tokenId === null ? null : await authenticator.refresh(tokenId);
      if (principal !== null) return principal;
      throw unauthorized('The ticket is unknown, used or expired.', true);
    }
    throw unauthorized('Send a bearer token.', false);
  };

  const fail = (req: IncomingMessage, res: EdgeResponse, error: unknown): void => {
    if (error instanceof ClientGoneError) {
      res.destroy();
      return;
    }
    const known = problemOf(error);
    if (error instanceof UnavailableError) services.unavailable?.(error);
    if (known === null) {
      log.error({ requestId: res.requestId, route: res.route.template, err: error }, 'defect');
    }
    refuse(req, res, known ?? serverFault(res.requestId), linger);
  };

  const serve = async (req: IncomingMessage, res: EdgeResponse, route: Route): Promise<void> => {
    try {
      if (route.access === 'metrics') checkMetricsToken(req, services.metricsToken);
      else if (route.access !== 'open') res.principal = await authenticate(req, route);
      await (route.direct ? options.api : options.rest)(req, res);
    } catch (error) {
      fail(req, res, error);
    }
  };

  return {
    begin,
    authenticate,
    fail,
    upgraded: (res) => write(res, '101'),
    drain() {
      server.isStopping = true;
    },
    handle(req, res) {
      const route = begin(req, res);
      const wrong = findHeadError(req);
      if (wrong !== null) {
        res.isLast = true;
        fail(req, res, wrong);
      } else if (route === null) {
        fail(req, res, new HttpError(404, 'There is nothing at this path.'));
      } else if (req.method === 'OPTIONS') {
        const headers = ['Allow', route.allow, ...cors.preflight(req.headers.origin, route.allow)];
        send(res, 204, headers, '');
      } else if (!route.methods.includes(req.method ?? '')) {
        const detail = `This path takes ${route.allow}.`;
        fail(req, res, new HttpError(405, detail, ['Allow', route.allow]));
      } else {
        void serve(req, res, route);
      }
    },
  };
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

const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);

function known(principal: Principal | null): Principal {
  if (principal !== null) return principal;
  throw unauthorized('The token is unknown, expired or revoked.', true);
}

/** D3: with `error="invalid_token"` where a token was sent. */
function unauthorized(detail: string, sent: boolean): HttpError {
  const challenge = sent ? `${CHALLENGE}, error="invalid_token"` : CHALLENGE;
  return new HttpError(401, detail, ['WWW-Authenticate', challenge]);
}

function checkMetricsToken(req: IncomingMessage, expected: string | null): void {
  if (expected === null) return;
  const credentials = readCredentials(req);
  const given = credentials.kind === 'bearer' ? credentials.token : '';
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  if (a.length !== b.length || !timingSafeEqual(a, b)) {
    throw unauthorized('Send the metrics token as a bearer token.', credentials.kind !== 'none');
  }
}

/** The query's parameters. A "+" is itself: RFC 6570 never writes a space so, and `image/svg+xml` has one. */
export function queryOf(req: IncomingMessage): URLSearchParams {
  const url = req.url ?? '';
  const at = url.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : url.slice(at + 1).replaceAll('+', '%2B'));
}
