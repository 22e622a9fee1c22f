import type { IncomingMessage } from 'node:http';
import { mayWrite } from './fenced-ids.js';
import { type Json, parseJson } from './json.js';
import { DeclinedError, describeSilence, LongError, NoAnswerError } from './no-answer.js';
import { type Body, type Outgoing, openRequest } from './open-request.js';
import { askPatiently, type Paused } from './pause.js';
import { MOST_OCTETS, type Watching, type Wire } from './watching.js';

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
  /** Whether a request for a pause (429) is the answer, and nothing is sent again. */
  readonly isOnce?: boolean;
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

/** Lists the statuses that lead a GET to another URL (RFC 9110 15.4). */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Returns the URL that an answer leads to; null where it leads to none. */
export function findTarget({ status, headers }: HttpAnswer, url: string): URL | null {
  const location = headers.get('location') ?? '';
  if (!REDIRECTS.has(status) || location === '' || !URL.canParse(location, url)) return null;
  return new URL(location, url);
}

/** Characters that tell of a body that is no JSON. */
const SHOWN = 200;

/** HTTP as a user with credentials speaks it. */
export class Http {
  readonly #watching: Watching;
  /** The header that goes with each request. */
  readonly authorization: string;
  /** The URL of the session that the credentials were good for; null before one was read. */
  #known: string | null = null;

  constructor(authorization: string, watching: Watching) {
    this.authorization = authorization;
    this.#watching = watching;
  }

  /** Returns the scheme of the credentials, which a challenge may name. */
  get scheme(): string {
    return this.authorization.split(' ')[0] ?? '';
  }

  /** Returns the credentials behind the scheme. */
  get credentials(): string {
    return this.authorization.slice(this.scheme.length + 1);
  }

  /** Takes note of the session's URL, which tells later whether the credentials are still good. */
  knows(url: string): void {
    this.#known = url;
  }

  /**
   * Sends any request and returns what comes back, redirects as well. Throws NoAnswerError where
   * nothing comes in time, DeclinedError where the server serves the user no longer.
   */
  async send(url: string, request: HttpRequest = {}): Promise<HttpAnswer> {
    const { method = 'GET', authorization = this.authorization, isOnce = false } = request;
    const headers: Record<string, string | readonly string[]> = { ...request.headers };
    if (authorization !== null && headers['authorization'] === undefined)
      headers['authorization'] = authorization;
    const body = showBody(request.body);
    const { recorder, fence, wire } = this.#watching;
    fence.pass(body);
    const line = `${method} ${url}`;
    const isRepeatable = !mayWrite(body);
    const outgoing = { ...request, method, headers, isRepeatable };
    const sent = (): Promise<HttpAnswer> => exchange(url, outgoing, wire);
    const answer = isOnce ? await sent() : await askPatiently(line, wire, sent, readPause);
    const shown = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    recorder.add({
      request: { line, headers: Object.fromEntries(shown) as Record<string, string>, body },
      answer: {
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        body: answer.text,
      },
    });
    fence.hear(answer.json);
    if (headers['authorization'] === this.authorization) await this.confirm(answer.status);
    return answer;
  }

  /**
   * Throws DeclinedError where a 401 came to credentials that were good before, and the session
   * refuses them as well.
   */
  async confirm(status: number): Promise<void> {
    if (status !== 401 || this.#known === null) return;
    const { authorization } = this;
    const outgoing = { method: 'GET', headers: { authorization }, isRepeatable: true };
    const again = await exchange(this.#known, outgoing, this.#watching.wire);
    if (again.status === 401)
      throw new DeclinedError('The credentials are refused', `GET ${this.#known} answers 401`);
  }

  /** Describes a body that is no JSON: its content type and coding, and how it begins. */
  describeBody({ headers, text }: HttpAnswer): string {
    const type = headers.get('content-type') ?? 'no content type';
    const coding = headers.get('content-encoding');
    const start = this.#watching.recorder.secrets.hideStart(text, SHOWN);
    return `${type}${coding === null ? '' : ` in ${coding}`}: ${start}`;
  }

  /**
   * Sends a GET and follows redirects within the same origin, where credentials may go along
   * (RFC 8620 2.2).
   */
  async follow(url: string): Promise<HttpAnswer & { readonly url: string }> {
    let at = url;
    for (let hops = 0; ; hops += 1) {
      const answer = await this.send(at);
      const next = findTarget(answer, at);
      if (next === null || hops === 5 || next.origin !== new URL(at).origin)
        return { ...answer, url: at };
      at = next.href;
    }
  }
}

/** Sends one request and reads its answer. Throws NoAnswerError where none comes in time. */
async function exchange(url: string, outgoing: Outgoing, wire: Wire): Promise<HttpAnswer> {
  try {
    return await openRequest(url, outgoing, wire, (response) => readAnswer(response, wire));
  } catch (error) {
    // A request that can't be made at all is no silence of the server's.
    if (error instanceof TypeError) throw error;
    const words = describeSilence(error as NodeJS.ErrnoException);
    throw new NoAnswerError(`${outgoing.method} ${url}: ${words}`, { cause: error });
  }
}

/** Reads an answer to its end. Throws LongError where that is too far. */
export async function readAnswer(
  response: IncomingMessage,
  { most = MOST_OCTETS }: Wire,
): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > most) throw new LongError(most);
    chunks.push(chunk);
  }
  const octets = Buffer.concat(chunks);
  const text = octets.toString('utf8');
  const { statusCode: status = 0, rawHeaders } = response;
  return { status, headers: readHeaders(rawHeaders), octets, text, json: parseJson(text) };
}

/** Returns what of an answer can ask for a pause. */
export const readPause = ({ status, headers, json }: HttpAnswer): Paused => ({
  ...{ status, json, retryAfter: headers.get('retry-after') },
});

/** Returns the headers as they came, of which one may stand several times. */
function readHeaders(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < raw.length; at += 2) headers.append(raw[at] ?? '', raw[at + 1] ?? '');
  return headers;
}

/** Returns a body as a report shows it. */
function showBody(body: Body | undefined): string {
  if (body === undefined) return '';
  if (typeof body === 'string') return body;
  const octets = Buffer.from(body);
  const text = octets.toString('utf8');
  return Buffer.from(text).equals(octets) ? text : `(${octets.length} octets that are no text)`;
}
