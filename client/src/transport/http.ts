import type { JsonObject } from '../../../src/protocol/json.js';
import { RequestError, TransportError } from '../call/errors.js';
import { followSignal, runUntil } from '../call/scope.js';
import type { Authorize } from '../call/token.js';
import type { Response as JmapResponse, Transport } from './transport.js';

/** A request of HTTP, without the token. */
export interface HttpRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Blob;
  readonly signal: AbortSignal;
}

/** Gives a server so many milliseconds more to say something; by default a minute. */
export type Renew = (milliseconds?: number) => void;

/**
 * Sends one request with the token given. Calls `renew` when the server, or a proxy, has taken a
 * part of it, with true where that was the last part.
 */
export type HttpSender = (
  url: string,
  request: HttpRequest,
  renew: (isWhole: boolean) => void,
) => Promise<Response>;

/** How long a server may say nothing while the client waits for it, ms. */
const SILENCE = 60_000;
/** Octets that a slow line takes in a millisecond. */
const RATE = 10;

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
    const { signal: outer, body = '' } = request;
    const size = typeof body === 'string' ? body.length : body.size;
    const response = await authorize((token) => {
      const headers = { ...request.headers, authorization: `Bearer ${token}` };
      return readOrFail(outer, (signal, renew) => {
        const allow = (isWhole: boolean): void => renew(SILENCE + (isWhole ? size / RATE : 0));
        // A proxy may take the whole of it at once, and pass it on by a slow line.
        allow(true);
        return sender(url, { ...request, headers, signal }, allow);
      });
    });
    if (response.ok) return response;
    throw await readProblem(response, outer);
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
    close: async () => undefined,
  };
}

/** Resolves to the body's JSON. */
export function readJson(response: Response, outer: AbortSignal): Promise<unknown> {
  return readBody(response, outer, (body) => body.json());
}

/** Reads the body of a response as `read` does. Rejects as `readOrFail` does. */
export function readBody<T>(
  response: Response,
  outer: AbortSignal,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  return readOrFail(outer, (signal, renew) => read(passBody(response, signal, renew)));
}

/** Returns a response whose body the signal ends. Calls `note` with each part that is read. */
export function passBody(
  response: Response,
  signal: AbortSignal,
  note = (): void => undefined,
): Response {
  const stream = new TransformStream({
    transform(part, out) {
      note();
      out.enqueue(part);
    },
  });
  return new Response(response.body?.pipeThrough(stream, { signal }), response);
}

/**
 * Rejects with the signal's reason, or with a TransportError where `read` rejects or the server is
 * silent for too long. The signal that `read` gets is aborted then.
 */
export async function readOrFail<T>(
  outer: AbortSignal,
  read: (signal: AbortSignal, renew: Renew) => Promise<T>,
): Promise<T> {
  const { signal, abort, leave } = followSignal(outer);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const renew: Renew = (milliseconds = SILENCE) => {
    if (isOver) return;
    clearTimeout(timer);
    timer = setTimeout(abort, milliseconds, new TransportError('The server is silent.'));
  };
  try {
    renew();
    return await runUntil(signal, () => read(signal, renew));
  } catch (cause) {
    signal.throwIfAborted();
    throw new TransportError('The server gave no answer that can be read.', { cause });
  } finally {
    // A body may be read on behind its answer.
    isOver = true;
    clearTimeout(timer);
    leave();
  }
}

async function readProblem(response: Response, signal: AbortSignal): Promise<RequestError> {
  const { status, statusText: title, headers } = response;
  const body: unknown = await readJson(response, signal).catch(() => null);
  const problem = { title, ...(body as JsonObject | null) };
  return new RequestError(status, problem, readRetryAfter(headers.get('retry-after')));
}

/** Returns the seconds of a Retry-After (RFC 9110 10.2.3): a number, or a date. */
function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
