import { connect } from 'node:net';
import type { ApiResponse, Call } from '../../conform/src/client/answers.js';
import { asResponse } from '../../conform/src/client/connection.js';
import { type Json, type JsonMap, parseJson } from '../../conform/src/client/json.js';
import { Methods } from '../../conform/src/client/methods.js';

export {
  type ApiResponse,
  asSet,
  type Call,
  type ChangesAnswer,
  type CopyAnswer,
  type MethodResponse,
  type QueryAnswer,
  type QueryChangesAnswer,
  type SetAnswer,
} from '../../conform/src/client/answers.js';

export const CORE = 'urn:ietf:params:jmap:core';
export const BLOB = 'urn:ietf:params:jmap:blob';
export const WEBSOCKET = 'urn:ietf:params:jmap:websocket';
export const EXPLAIN = 'urn:jmapsmith:explain';
export const REFERENCE = 'urn:jmapsmith:reference';
export const SYNC = 'urn:jmapsmith:sync';
export const ONCE = 'urn:jmapsmith:once';
export const PUSH = 'urn:jmapsmith:push';
export const VAPID = 'urn:ietf:params:jmap:webpush-vapid';
export const TODOS = 'urn:example:todos';
export const NOTES = 'urn:service:notes';

type Body = NonNullable<RequestInit['body']>;

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body, null where it is no JSON. */
  readonly json: Json;
}

/**
 * A JMAP client as small as can be: it sends what it is told and checks no more than the envelope.
 */
export class Client extends Methods {
  readonly url: string;
  readonly token: string;
  readonly using: readonly string[];

  constructor(url: string, token: string, using: readonly string[] = [CORE, BLOB, TODOS, NOTES]) {
    super();
    this.url = url;
    this.token = token;
    this.using = using;
  }

  /** The same credentials with other capabilities. */
  with(using: readonly string[]): Client {
    return new Client(this.url, this.token, using);
  }

  /** An authenticated request to a path or a whole URL; headers given here win. */
  http(path: string, init: RequestInit = {}): Promise<HttpAnswer> {
    const headers = new Headers(init.headers);
    if (!headers.has('authorization')) headers.set('authorization', `Bearer ${this.token}`);
    return httpAnswer(new URL(path, this.url).href, { ...init, headers });
  }

  /** Posts a body as it is to the API endpoint. */
  post(body: Body, headers: Record<string, string> = {}): Promise<HttpAnswer> {
    return this.http('/jmap', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
  }

  override async api(calls: readonly Call[], more: object = {}): Promise<ApiResponse> {
    const body = { using: this.using, methodCalls: calls, ...more };
    const answer = await this.post(JSON.stringify(body));
    if (answer.status !== 200) throw new Error(`HTTP ${answer.status}: ${answer.text}`);
    return asResponse(answer.json);
  }

  async session(): Promise<JsonMap> {
    const answer = await this.http('/.well-known/jmap');
    if (answer.status !== 200) throw new Error(`HTTP ${answer.status}: ${answer.text}`);
    return answer.json as JsonMap;
  }

  /** Uploads octets; the answer's JSON. */
  async upload(accountId: string, body: Body, type: string): Promise<JsonMap & { blobId: string }> {
    const answer = await this.http(`/jmap/upload/${accountId}`, {
      method: 'POST',
      body,
      headers: { 'content-type': type },
    });
    if (answer.status >= 300) throw new Error(`HTTP ${answer.status}: ${answer.text}`);
    return answer.json as JsonMap & { blobId: string };
  }
}

/** A request without credentials of its own. */
export async function httpAnswer(url: string, init: RequestInit = {}): Promise<HttpAnswer> {
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parseJson(text) };
}

export interface RawAnswer {
  readonly status: number;
  /** Header lines as they came, names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/**
 * Sends octets down a socket and reads until the server closes it: for HTTP that no client would
 * write.
 */
export function rawHttp(url: string, request: string | Uint8Array): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(request));
    socket.setTimeout(60_000, () => socket.destroy(new Error('The raw request timed out.')));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.once('error', reject);
    socket.once('close', () => resolve(parseRaw(Buffer.concat(chunks).toString('utf8'))));
  });
}

function parseRaw(text: string): RawAnswer {
  const split = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, split === -1 ? undefined : split).split('\r\n');
  return {
    status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1] ?? 0),
    headers: lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
    body: split === -1 ? '' : text.slice(split + 4),
  };
}
