import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { type Json, parsed } from './json.js';
import { trustOf, type Watching, type Wire } from './watching.js';

export type Body = string | Uint8Array;

/** Describes a request: without a method it is a GET. */
export interface HttpRequest {
  readonly method?: string;
  /** A name with several values is sent as several lines. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Body;
  /** Sent in chunks, without Content-Length (RFC 9112 7.1). */
  readonly chunked?: boolean;
  /** Sent in place of the user's own; null sends none. */
  readonly authorization?: string | null;
}

/** Describes an answer whose body was read to its end. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly octets: Buffer;
  readonly text: string;
  /** The parsed body, null where it is no JSON. */
  readonly json: Json;
}

/** The server did not answer: it can't be reached, broke off, or took longer than it may. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/** Nothing came in the time that a server may take. */
class SilentError extends Error {
  constructor(patience: number) {
    super(`the server hangs: no answer within ${patience / 1000} s`);
  }
}

/** What a server did in place of an answer. */
function silence(error: NodeJS.ErrnoException): string {
  if (error instanceof SilentError) return error.message;
  if (error.code === 'ECONNREFUSED') return `the server takes no connections (${error.message})`;
  const isBroken = error.code === 'ECONNRESET' || error.code === 'EPIPE';
  return isBroken ? `the server broke the connection off (${error.message})` : error.message;
}

/** Lists the statuses that lead to another URL (RFC 9110 15.4). */
const REDIRECTS = new Set([301, 302, 307, 308]);

/** HTTP as a user with credentials speaks it. */
export class Http {
  readonly #watching: Watching;
  /** The header that goes with each request. */
  readonly authorization: string;

  constructor(authorization: string, watching: Watching) {
    this.authorization = authorization;
    this.#watching = watching;
  }

  /** Returns the scheme of the credentials, which a challenge may name. */
  get scheme(): string {
    return this.authorization.split(' ')[0] ?? '';
  }

  /** What follows the scheme. */
  get credentials(): string {
    return this.authorization.slice(this.scheme.length + 1);
  }

  /** Any request; nothing is followed, whatever comes back is an answer. */
  async send(url: string, request: HttpRequest = {}): Promise<HttpAnswer> {
    const { method = 'GET', authorization = this.authorization } = request;
    const headers: Record<string, string | readonly string[]> = { ...request.headers };
    if (authorization !== null && headers['authorization'] === undefined)
      headers['authorization'] = authorization;
    const body = bodyText(request.body);
    const { recorder, fence, wire } = this.#watching;
    fence.pass(body);
    const answer = await exchange(url, method, headers, { ...request, wire });
    const text = answer.octets.toString('utf8');
    const shown = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    recorder.add({
      request: {
        line: `${method} ${url}`,
        headers: Object.fromEntries(shown) as Record<string, string>,
        body,
      },
      answer: { status: answer.status, headers: Object.fromEntries(answer.headers), body: text },
    });
    const json = parsed(text);
    fence.heard(json);
    return { ...answer, text, json };
  }

  /**
   * A GET that follows redirects within the same origin, where credentials may go along (RFC 8620
   * 2.2).
   */
  async follow(url: string): Promise<HttpAnswer & { readonly url: string }> {
    let at = url;
    for (let hops = 0; ; hops += 1) {
      const answer = await this.send(at);
      const location = answer.headers.get('location');
      if (!REDIRECTS.has(answer.status) || location === null || hops === 5)
        return { ...answer, url: at };
      const next = new URL(location, at);
      if (next.origin !== new URL(at).origin) return { ...answer, url: at };
      at = next.href;
    }
  }
}

/** Sends one request and reads its answer. Throws NoAnswerError where none comes in time. */
function exchange(
  url: string,
  method: string,
  headers: Readonly<Record<string, string | readonly string[]>>,
  { body, chunked = false, wire }: HttpRequest & { readonly wire: Wire },
): Promise<Omit<HttpAnswer, 'text' | 'json'>> {
  const send = new URL(url).protocol === 'https:' ? secureRequest : plainRequest;
  const length =
    body === undefined || chunked ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const failed = (error: Error) =>
      reject(new NoAnswerError(`${method} ${url}: ${silence(error)}`, { cause: error }));
    const request = send(
      url,
      {
        method,
        headers: { ...length, ...headers } as never,
        timeout: wire.patience,
        ...trustOf(wire),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', failed);
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: headersOf(response.rawHeaders),
            octets: Buffer.concat(chunks),
          }),
        );
      },
    );
    request.once('error', failed);
    request.once('timeout', () => request.destroy(new SilentError(wire.patience)));
    if (body !== undefined) request.write(body);
    request.end();
  });
}

/** Returns the headers as they came, of which one may stand several times. */
function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < raw.length; at += 2) headers.append(raw[at] ?? '', raw[at + 1] ?? '');
  return headers;
}

/** Returns a body as a report shows it. */
function bodyText(body: Body | undefined): string {
  if (body === undefined) return '';
  if (typeof body === 'string') return body;
  const octets = Buffer.from(body);
  const text = octets.toString('utf8');
  return Buffer.from(text).equals(octets) ? text : `(${octets.length} octets that are no text)`;
}
