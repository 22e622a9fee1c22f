import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { SilentError } from './no-answer.js';
import { readTrust, type Wire } from './watching.js';

export type Body = string | Uint8Array;

/** Describes a request as it goes out. */
export interface Outgoing {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Body | undefined;
  /** Sent in chunks, without Content-Length (RFC 9112 7.1). */
  readonly chunked?: boolean | undefined;
  /** Whether the server may do it twice: it reads only, or comes to the same. */
  readonly isRepeatable: boolean;
}

/** A connection broke that idled before: the server had closed it when the request came. */
class StaleError extends Error {}

/**
 * Sends one request and gives its response to `read`, which must listen to it at once. All of that
 * must end within the patience of the wire.
 *
 * A server may close a connection that idles at any time, also while the next request is under way
 * (RFC 9112 9.5). A repeatable request is then sent again. Any other has a connection of its own.
 */
export async function openRequest<T>(
  url: string,
  outgoing: Outgoing,
  wire: Wire,
  read: (response: IncomingMessage) => Promise<T>,
): Promise<T> {
  const clock = new AbortController();
  const timer = setTimeout(() => clock.abort(), wire.patience);
  const sent = (isReusing: boolean): Promise<T> =>
    sendOnce(url, outgoing, { wire, read, isReusing, signal: clock.signal });
  try {
    return await sent(outgoing.isRepeatable).catch((error: unknown) => {
      if (error instanceof StaleError) return sent(false);
      throw error;
    });
  } catch (error) {
    throw clock.signal.aborted ? new SilentError(wire.patience) : error;
  } finally {
    clearTimeout(timer);
  }
}

/** Describes how a request is sent: `isReusing` on a connection that may have idled. */
interface Sending<T> {
  readonly wire: Wire;
  readonly read: (response: IncomingMessage) => Promise<T>;
  readonly isReusing: boolean;
  readonly signal: AbortSignal;
}

/** Sends a request. Rejects with StaleError where the server had closed the connection before. */
function sendOnce<T>(
  url: string,
  { method, headers, body, chunked = false }: Outgoing,
  { wire, read, isReusing, signal }: Sending<T>,
): Promise<T> {
  const send = new URL(url).protocol === 'https:' ? secureRequest : plainRequest;
  const length =
    body === undefined || chunked ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const connection = isReusing ? {} : { agent: false };
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      {
        method,
        // Without this header a server may choose any content coding (RFC 9110 12.5.3).
        headers: { ...length, 'accept-encoding': 'identity', ...headers } as never,
        signal,
        ...connection,
        ...readTrust(wire),
      },
      (response) => resolve(read(response)),
    );
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isBroken = error.code === 'ECONNRESET' || error.code === 'EPIPE';
      reject(isBroken && request.reusedSocket ? new StaleError() : error);
    });
    if (body !== undefined) request.write(body);
    request.end();
  });
}
