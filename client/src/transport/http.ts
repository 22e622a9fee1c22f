import type { JsonObject } from '../../../src/protocol/json.js';
import { RequestError, TransportError } from '../call/errors.js';
import type { Authorize } from '../call/token.js';
import type { Response as JmapResponse, Transport } from './transport.js';

/** A request of HTTP, without the token. */
export interface HttpRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyInit;
  readonly signal: AbortSignal;
}

/** Sends one request with the token given. */
export type HttpSender = (url: string, request: HttpRequest) => Promise<Response>;

/**
 * Sends a request with the user's token. Resolves to a response of 200 to 299; rejects with a
 * CallError, or with the signal's reason.
 */
export type HttpClient = (
  url: string,
  request: HttpRequest,
  sender?: HttpSender,
) => Promise<Response>;

/** Returns a client that sends by `fetch`, or by the sender of a request. */
export function makeHttp(authorize: Authorize, fetch: typeof globalThis.fetch): HttpClient {
  return async (url, request, sender = fetch) => {
    const { signal, headers } = request;
    const response = await authorize((token) =>
      readOrFail(signal, () =>
        sender(url, { ...request, headers: { ...headers, authorization: `Bearer ${token}` } }),
      ),
    );
    if (response.ok) return response;
    throw await readProblem(response);
  };
}

/** Sends requests by POST to the API endpoint (RFC 8620 3.1). */
export function httpTransport(http: HttpClient, locateApi: () => string): Transport {
  return {
    async send(request, { signal }) {
      const response = await http(locateApi(), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(request),
        signal,
      });
      const answer = (await readJson(response, signal)) as JmapResponse | null;
      if (Array.isArray(answer?.methodResponses)) return answer as JmapResponse;
      throw new TransportError('The server gave no Response.');
    },
    close: () => Promise.resolve(),
  };
}

/** Resolves to the body's JSON. */
export function readJson(response: Response, signal: AbortSignal): Promise<unknown> {
  return readOrFail(signal, () => response.json());
}

/** Rejects with the signal's reason or with a TransportError where `read` rejects. */
export async function readOrFail<T>(signal: AbortSignal, read: () => Promise<T>): Promise<T> {
  try {
    signal.throwIfAborted();
    return await read();
  } catch (cause) {
    signal.throwIfAborted();
    throw new TransportError('The server gave no answer that can be read.', { cause });
  }
}

async function readProblem(response: Response): Promise<RequestError> {
  const { status, statusText: title, headers } = response;
  const body: unknown = await response.json().catch(() => null);
  const problem = { title, ...(body as JsonObject | null) };
  return new RequestError(status, problem, readRetryAfter(headers.get('retry-after')));
}

/** Returns the seconds of a Retry-After (RFC 9110 10.2.3): a number, or a date. */
function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
