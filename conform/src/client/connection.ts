import { UnexpectedError } from '../unexpected.js';
import type { ApiResponse } from './answers.js';
import type { Http } from './http.js';
import { asMap, type Json, type JsonMap } from './json.js';

/** Names the ways that a request can take. */
export type TransportName = 'http' | 'websocket';

/**
 * The API endpoint's answer to a request: a Response (RFC 8620 3.4), or a request-level error
 * (3.6.1).
 */
export type ApiAnswer =
  | { readonly kind: 'response'; readonly response: ApiResponse }
  | {
      readonly kind: 'problem';
      /** Of the HTTP response, or the member of a RequestError. */
      readonly status: number;
      readonly problem: JsonMap;
      /** Of a body that is no JSON: its content type and how it begins. */
      readonly told?: string;
    };

/** A way to the API endpoint: what is sent is text, so that checks may send what is no request. */
export interface Connection {
  readonly transport: TransportName;
  /**
   * Sends one request and returns its answer. `isOnce`: a request for a pause (429) is the answer,
   * and nothing is sent again.
   */
  send(text: string, isOnce?: boolean): Promise<ApiAnswer>;
  close(): void;
}

/** Sends each request as a POST to the apiUrl (RFC 8620 3.1). */
export class HttpConnection implements Connection {
  readonly transport = 'http';
  readonly #http: Http;
  readonly #apiUrl: () => string;

  /** `apiUrl` may throw: a session can have no usable one. */
  constructor(http: Http, apiUrl: () => string) {
    this.#http = http;
    this.#apiUrl = apiUrl;
  }

  /** Sends a request. Throws UnexpectedError where a success is no Response. */
  async send(text: string, isOnce = false): Promise<ApiAnswer> {
    const answer = await this.#http.send(this.#apiUrl(), {
      isOnce,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
    });
    const { status, json } = answer;
    if (json === null) {
      const told = this.#http.describeBody(answer);
      if (status === 200) throw new UnexpectedError(`A Response is JSON (3.4), not ${told}`);
      return { kind: 'problem', status, problem: {}, told };
    }
    if (status === 200) return { kind: 'response', response: asResponse(json) };
    return { kind: 'problem', status, problem: asMap(json) };
  }

  /** Does nothing: connections end when they idle. */
  close(): void {
    // Node keeps connections for requests that follow, and ends them when they idle.
  }
}

/** Returns a Response (RFC 8620 3.4). Throws UnexpectedError that names what is missing. */
export function asResponse(json: Json): ApiResponse {
  const response = asMap(json);
  const { methodResponses, sessionState } = response;
  if (!Array.isArray(methodResponses))
    throw new UnexpectedError(`A Response has methodResponses (3.4): ${JSON.stringify(json)}`);
  for (const one of methodResponses)
    if (!isInvocation(one))
      throw new UnexpectedError(
        `An Invocation has a name, arguments and an id (3.2): ${JSON.stringify(one)}`,
      );
  if (typeof sessionState !== 'string')
    throw new UnexpectedError(`A Response has a sessionState (3.4): ${JSON.stringify(json)}`);
  return response as unknown as ApiResponse;
}

/** Tells whether a value has the form of an Invocation (RFC 8620 3.2). */
function isInvocation(value: Json): boolean {
  if (!Array.isArray(value) || value.length !== 3) return false;
  const [name, args, callId] = value;
  const isObject = args !== null && typeof args === 'object' && !Array.isArray(args);
  return typeof name === 'string' && isObject && typeof callId === 'string';
}
