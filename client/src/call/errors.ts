import type {
  MethodErrorType,
  RequestErrorType as StandardRequestErrorType,
} from '../../../src/protocol/errors.js';
import type { JsonObject } from '../../../src/protocol/json.js';

/** Why a call has no answer. `switch (error.type)` tells all of them apart. */
export type CallError = MethodError | RequestError | TransportError | NeedsAuthError;

/** The server refused one call (RFC 8620 3.6.2). */
export class MethodError extends Error {
  override readonly name = 'MethodError';
  /** A server with further capabilities may answer other types than these. */
  readonly type: MethodErrorType;
  /** The method, `Todo/set`. */
  readonly method: string;
  /** All members of the answer. */
  readonly args: JsonObject;

  constructor(method: string, args: JsonObject) {
    super(`${method}: ${args['type']}: ${args['description'] ?? 'refused'}`);
    this.type = args['type'] as MethodErrorType;
    this.method = method;
    this.args = args;
  }
}

/** `http`: an answer of HTTP that JMAP has no name for; its `status` tells more. */
export type RequestErrorType = StandardRequestErrorType | 'http';

/** The server refused a whole request (RFC 8620 3.6.1), before it ran any call. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly type: RequestErrorType;
  readonly status: number;
  /** The limit that the request exceeds, for type `limit`. */
  readonly limit: string | undefined;
  /** All members of the problem (RFC 7807). */
  readonly problem: JsonObject;
  /** In how many seconds the request may come again, where the server says so. */
  readonly retryAfter: number | undefined;

  constructor(status: number, problem: JsonObject, retryAfter?: number) {
    super(
      `${status}: ${problem['detail'] ?? problem['title'] ?? 'the server refused the request'}`,
    );
    const [, type = 'http'] = /^urn:ietf:params:jmap:error:(.+)/.exec(`${problem['type']}`) ?? [];
    this.type = type as RequestErrorType;
    this.status = status;
    this.limit = problem['limit'] as string | undefined;
    this.problem = problem;
    this.retryAfter = retryAfter;
  }
}

/** Returns whether the server refuses what it is asked, rather than that it is asked now. */
export function isFinal(error: unknown): boolean {
  return (
    error instanceof RequestError &&
    error.type !== 'limit' &&
    /^4(?!08|13|29)/.test(`${error.status}`)
  );
}

/**
 * The request has no answer, or none that can be read. If it had calls that write, the server may
 * have run them.
 */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly type = 'transport';
}

/** The server refuses the token. */
export class NeedsAuthError extends Error {
  override readonly name = 'NeedsAuthError';
  readonly type = 'needsAuth';
}
