import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { ProviderAwayError, RequestError, UnavailableError } from '../protocol/errors.js';
import type { JsonObject } from '../protocol/json.js';
import { bodyLength, type EdgeResponse, JSON_HEADERS, send, writeHead } from './edge-response.js';

/** A failure as the client is told of it (RFC 7807). */
export interface Problem {
  readonly status: number;
  /** Further headers, names and values in turn. */
  readonly headers: readonly string[];
  readonly body: JsonObject;
}

/** An HTTP failure that is no JMAP request-level error: told as problem details (RFC 7807). */
export class HttpError extends Error implements Problem {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly headers: readonly string[];

  constructor(status: number, detail: string, headers: readonly string[] = []) {
    super(detail);
    this.status = status;
    this.headers = headers;
  }

  get body(): JsonObject {
    return {
      type: 'about:blank',
      title: STATUS_CODES[this.status] ?? 'Error',
      status: this.status,
      detail: this.message,
    };
  }
}

/** The client went away or was dropped: there is nobody to answer. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';

  constructor() {
    super('The client left.');
  }
}

/** Where nobody knows how long it takes. */
const SOON = 1;

function retryAfter(seconds: number): readonly string[] {
  return ['Retry-After', String(seconds)];
}

/**
 * Returns the answer for a thrown error. Null where it is unexpected: the caller logs it and
 * answers `serverFault`, so the client sees no text of a foreign error.
 */
export function problemOf(error: unknown): Problem | null {
  if (error instanceof HttpError) return error;
  if (error instanceof ProviderAwayError)
    return busy('The server can not ask the identity provider about the token. Try again later.');
  if (error instanceof UnavailableError) return busy('The server is busy. Try again.');
  if (!(error instanceof RequestError)) return null;
  const { status } = error;
  const mayRetry = status === 429 || status === 503;
  const headers = mayRetry ? retryAfter(error.retryAfter ?? SOON) : [];
  return { status, headers, body: error.toProblem() };
}

export function serverFault(reference: string): Problem {
  const detail = `Something failed in the server; its log has the cause under ${reference}.`;
  return new HttpError(500, detail);
}

/** Returns a 503 for what the process can't take on now. */
export function overloaded(): HttpError {
  return busy('The server has too much to do. Try again.');
}

function busy(detail: string): HttpError {
  return new HttpError(503, detail, retryAfter(SOON));
}

export function sendJson(
  res: EdgeResponse,
  status: number,
  body: JsonObject,
  headers: readonly string[] = [],
): void {
  send(res, status, [...JSON_HEADERS, ...headers], JSON.stringify(body));
}

/** A problem's title and detail are for people, and in English alone (RFC 8620 3.8). */
const PROBLEM_HEADERS: readonly string[] = Object.freeze([
  ...['Content-Type', 'application/problem+json'],
  ...['Content-Language', 'en'],
  ...['Cache-Control', 'no-store'],
]);

export function sendProblem(res: EdgeResponse, { status, headers, body }: Problem): void {
  send(res, status, [...PROBLEM_HEADERS, ...headers], JSON.stringify(body));
}

/** The server reads rests of bodies up to this size, so that it can use the connection again. */
const SMALL_REST = 65_536;

/**
 * Answers a request whose body may be unread. Closing a connection with unread octets resets it,
 * and the reset can overtake the answer. So this writes the whole answer, throws the body away for
 * a while, and then closes the connection.
 */
export function refuse(
  req: IncomingMessage,
  res: EdgeResponse,
  problem: Problem,
  linger: number,
): void {
  if (res.headersSent || res.destroyed) {
    // Too late for an answer: a cut connection is the only sign left.
    res.destroy();
    return;
  }
  if (req.complete || res.hasWholeRequest || bodyLength(req) <= SMALL_REST) {
    sendProblem(res, problem);
    // Node throws the rest away when the answer is finished, unless somebody has begun to read it.
    req.resume();
    return;
  }
  const body = Buffer.from(JSON.stringify(problem.body));
  res.isLast = true;
  writeHead(res, problem.status, [...PROBLEM_HEADERS, ...problem.headers], body.length);
  if (req.headers.expect !== undefined) {
    // The client waits for "100 Continue" and sends nothing more.
    res.end(body);
    return;
  }
  res.write(body);
  const end = (): void => {
    clearTimeout(timer);
    res.end();
  };
  const timer = setTimeout(end, linger);
  req.once('end', end);
  req.once('close', end);
  req.resume();
}
