import { STATUS_CODES } from 'node:http';
import { RequestError, UnavailableError } from '../protocol/errors.js';
import type { JsonObject } from '../protocol/json.js';
import { type EdgeResponse, JSON_HEADERS, send } from './edge-response.js';

/** An HTTP failure that is no JMAP request-level error: told as problem details (RFC 7807). */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  /** Further headers, names and values in turn. */
  readonly headers: readonly string[];

  constructor(status: number, detail: string, headers: readonly string[] = []) {
    super(detail);
    this.status = status;
    this.headers = headers;
  }

  toProblem(): JsonObject {
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

/** A problem with the headers that go with it. */
export interface Problem {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: JsonObject;
}

const RETRY_AFTER: readonly string[] = Object.freeze(['Retry-After', '1']);

/**
 * What a thrown thing is to the client; null where it is unexpected (D20: nothing foreign leaves; the caller logs
 * it and answers `serverFault`).
 */
export function problemOf(error: unknown): Problem | null {
  if (error instanceof RequestError) {
    const again = error.status === 429 || error.status === 503 ? RETRY_AFTER : [];
    return { status: error.status, headers: again, body: error.toProblem() };
  }
  if (error instanceof HttpError) {
    return { status: error.status, headers: error.headers, body: error.toProblem() };
  }
  if (error instanceof UnavailableError) {
    const unavailable = new HttpError(503, 'The server is busy. Try again.', RETRY_AFTER);
    return { status: 503, headers: unavailable.headers, body: unavailable.toProblem() };
  }
  return null;
}

export function serverFault(reference: string): Problem {
  const detail = `Something failed in the server; its log has the cause under ${reference}.`;
  return { status: 500, headers: [], body: new HttpError(500, detail).toProblem() };
}

/** 503 for what the process can't take on now. */
export function overloaded(): HttpError {
  return new HttpError(503, 'The server has too much to do. Try again.', RETRY_AFTER);
}

export function sendJson(
  res: EdgeResponse,
  status: number,
  body: JsonObject,
  headers: readonly string[] = [],
): void {
  send(res, status, [...JSON_HEADERS, ...headers], JSON.stringify(body));
}

/** RFC 8620 3.8: a problem's title and detail are for people, and in the one language that there is. */
const PROBLEM_HEADERS: readonly string[] = Object.freeze([
  ...['Content-Type', 'application/problem+json'],
  ...['Content-Language', 'en'],
  ...['Cache-Control', 'no-store'],
]);

export function problemHeaders(problem: Problem): readonly string[] {
  return [...PROBLEM_HEADERS, ...problem.headers];
}

export function sendProblem(res: EdgeResponse, problem: Problem): void {
  send(res, problem.status, problemHeaders(problem), JSON.stringify(problem.body));
}
