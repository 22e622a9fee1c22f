import { type IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';
import type { Principal } from '../accounts/principal.js';
import type { AnswerRoom } from '../runtime/budgets.js';
import { type Route, UNKNOWN_ROUTE } from './routes.js';

/** The state of a server that changes while it answers. */
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
  /** Headers about rate limits, names and values in turn. */
  rates: readonly string[] = NO_HEADERS;
  /** The state of the server that answers. */
  server: ServerState = RUNNING;
  /** The memory that the answer holds. */
  room: AnswerRoom | null = null;
  /** The body of its request is read as it comes. */
  awaitsBody = false;
  /** All octets of its request have been read, though `complete` may not say so yet. */
  hasWholeRequest = false;
  /** The connection ends behind this answer. */
  isLast = false;
}

/** Returns the user who asks. Routes for users alone always have one. */
export function principalOf({ principal }: EdgeResponse): Principal {
  if (principal === null) throw new Error('A route for users was reached without one.');
  return principal;
}

/**
 * Returns octets of a request's body by its head: 0 where it has none, infinite where it doesn't
 * tell.
 */
export function bodyLength({ headers }: IncomingMessage): number {
  const length = headers['content-length'];
  if (length !== undefined) return Number(length);
  return headers['transfer-encoding'] === undefined ? 0 : Number.POSITIVE_INFINITY;
}

/**
 * Returns whether an answer has to say `Connection: close`. No method: Express swaps the response's
 * prototype.
 */
export function endsConnection(res: EdgeResponse): boolean {
  return res.isLast || res.server.isStopping;
}

const SECURITY: readonly string[] = securityHeaders();

/**
 * Returns names and values in turn: security headers, request id, CORS. Every answer begins with
 * them.
 */
export function edgeHeaders(res: EdgeResponse): string[] {
  const headers = SECURITY.slice();
  headers.push('X-Request-Id', res.requestId, ...res.cors, ...res.rates);
  if (endsConnection(res)) headers.push('Connection', 'close');
  return headers;
}

/**
 * Returns the headers that helmet sets, as names and values in turn. They are the same for every
 * answer, so helmet runs once: as a middleware it would cost a tenth of a small request.
 */
function securityHeaders(): readonly string[] {
  const setHeaders = helmet({
    // Nothing that this server sends may load, run or be framed: sandbox holds for downloads too.
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], sandbox: [] },
    },
    referrerPolicy: { policy: 'no-referrer' },
    // Pages of other origins fetch blobs through CORS; the allow-list there decides.
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  });
  const headers: string[] = [];
  const recorder = {
    setHeader: (name: string, value: string) => headers.push(name, value),
    removeHeader: () => undefined,
  };
  setHeaders({} as IncomingMessage, recorder as unknown as ServerResponse, (error?: unknown) => {
    if (error !== undefined) throw error;
  });
  return headers;
}

/** Writes a whole answer. `headers` are names and values in turn, besides those of the edge. */
export function send(
  res: EdgeResponse,
  status: number,
  headers: readonly string[],
  body: string | Uint8Array,
): void {
  if (typeof body !== 'string') {
    writeHead(res, status, headers, body.length);
    res.end(body);
    return;
  }
  const length = Buffer.byteLength(body);
  writeHead(res, status, headers, length);
  const { socket } = res;
  socket?.cork();
  // ASCII is the same in Latin-1, which is written without looking at each character. `end(body)`
  // would make two writes, the second of nothing.
  res.write(body, length === body.length ? 'latin1' : 'utf8');
  socket?.uncork();
  res.end();
}

export const JSON_HEADERS: readonly string[] = Object.freeze([
  ...['Content-Type', 'application/json'],
  ...['Cache-Control', 'no-store'],
]);

/** Writes the head of an answer with a body of so many octets. */
export function writeHead(
  res: EdgeResponse,
  status: number,
  headers: readonly string[],
  length: number,
): void {
  const all = edgeHeaders(res);
  all.push(...headers, 'Content-Length', String(length));
  res.writeHead(status, all);
}

/** Headers that a page may send: RFC 8620 needs two, an EventSource in code the third. */
const ALLOW_HEADERS = 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID';
/** Headers that a page may read. */
const EXPOSED: readonly string[] = Object.freeze([
  'Access-Control-Expose-Headers',
  'Accept-Ranges, Content-Disposition, Content-Range, RateLimit, RateLimit-Policy, Retry-After, ' +
    'WWW-Authenticate, X-Request-Id',
]);
/** CORS headers of answers that every page may read. */
export const ANYBODY: readonly string[] = Object.freeze([
  'Access-Control-Allow-Origin',
  '*',
  ...EXPOSED,
]);
const MAX_AGE = '86400';

/**
 * The CORS headers of answers, as names and values in turn. The check of a WebSocket's Origin uses
 * it too. The server uses no cookies, so no credentials mode either.
 */
export class Cors {
  readonly #isAny: boolean;
  readonly #listed: ReadonlySet<string>;
  /** For whom no page may read the answer. */
  readonly #nobody: readonly string[];

  /** `origins` is an allow-list of origins, or holds `*`. */
  constructor(origins: readonly string[]) {
    this.#isAny = origins.includes('*');
    this.#listed = new Set(origins);
    // A cache must not give an answer without allow-origin to a page that would have got one.
    this.#nobody = origins.length === 0 ? NO_HEADERS : Object.freeze(['Vary', 'Origin']);
  }

  allows(origin: string): boolean {
    return this.#isAny || this.#listed.has(origin);
  }

  /** For every answer, errors too. */
  headers(origin: string | undefined): readonly string[] {
    // Without an Origin too: a cache may give a download to a page later.
    if (this.#isAny) return ANYBODY;
    if (origin === undefined || !this.#listed.has(origin)) return this.#nobody;
    return ['Access-Control-Allow-Origin', origin, ...EXPOSED, 'Vary', 'Origin'];
  }

  /** For the answer to an OPTIONS request, besides `headers`. */
  preflight(origin: string | undefined, allow: string): readonly string[] {
    if (origin === undefined || !this.allows(origin)) return NO_HEADERS;
    return [
      ...['Access-Control-Allow-Methods', allow],
      ...['Access-Control-Allow-Headers', ALLOW_HEADERS],
      ...['Access-Control-Max-Age', MAX_AGE],
    ];
  }
}
