import * as http from 'node:http';
import * as https from 'node:https';
import { askSystem, Reach, type Resolve, UnreachableNameError } from './network-reach.js';
import type { Subnet } from './subnet.js';

/** An answer came, and is not the JSON that was asked for. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
}

/** No answer came. The message names the place without its query, and nothing that was sent. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

export interface JsonClientOptions {
  /** Addresses that may be reached though they are not public, and over plain HTTP. */
  readonly allow: readonly Subnet[];
  /** The variable that names them: for messages. */
  readonly variable: string;
  /** The system's resolver, unless a test names another. */
  readonly resolve?: Resolve;
  /** From the first octet to the last, ms. */
  readonly timeout?: number;
}

/** The status and the body of an answer; undefined: the body is no JSON. */
interface JsonAnswer {
  readonly status: number;
  readonly json: unknown;
}

interface Outgoing {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The means of one protocol. */
interface Transport {
  readonly send: (url: URL, options: http.RequestOptions) => http.ClientRequest;
  readonly agent: http.Agent;
  readonly freshAgent: http.Agent;
  readonly reach: Reach;
}

const TIMEOUT = 5000;
/** Octets of a body. */
const MAX_BODY = 1_000_000;
/** Connections at once to one host, and until an unused one is closed, ms. */
const HOST_SOCKETS = 32;
const IDLE = 30_000;

const ACCEPTED = Object.freeze({ Accept: 'application/json', 'Accept-Encoding': 'identity' });

/** Codes of errors of a connection that the other side had closed already. */
const CLOSED: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

/**
 * Asks other servers for JSON: over HTTPS at public addresses, at others and over HTTP where they
 * are allowed. Follows no redirect, uses no proxy, and trusts Node's authorities and those of
 * NODE_EXTRA_CA_CERTS.
 */
export class JsonClient {
  readonly #options: JsonClientOptions;
  readonly #transports: Readonly<Record<string, Transport>>;

  constructor(options: JsonClientOptions) {
    this.#options = options;
    const { allow, resolve = askSystem } = options;
    const rules = { allow, deny: [], hosts: [], resolve };
    const [open, closed] = [new Reach(rules), new Reach({ ...rules, isClosed: true })];
    const keep = { keepAlive: true, timeout: IDLE, scheduling: 'lifo' } as const;
    const shared = { noDelay: true, maxSockets: HOST_SOCKETS, maxFreeSockets: HOST_SOCKETS };
    const plain = { ...shared, lookup: closed.lookup };
    // Stronger than NODE_TLS_REJECT_UNAUTHORIZED.
    const secure = { ...shared, lookup: open.lookup, rejectUnauthorized: true };
    this.#transports = {
      'http:': {
        ...{ send: http.request, reach: closed },
        ...{ agent: new http.Agent({ ...plain, ...keep }), freshAgent: new http.Agent(plain) },
      },
      'https:': {
        ...{ send: https.request, reach: open },
        ...{ agent: new https.Agent({ ...secure, ...keep }), freshAgent: new https.Agent(secure) },
      },
    };
  }

  /**
   * Resolves to the JSON at a URL; to undefined where the answer is 404 or 410. Rejects with
   * AnswerError, and with NoAnswerError.
   */
  async readJson(url: URL): Promise<unknown> {
    const { status, json } = await this.#ask({ url, method: 'GET', headers: ACCEPTED, body: '' });
    if (status === 404 || status === 410) return undefined;
    if (status !== 200) throw new AnswerError(`${placeOf(url)} answers ${status}`);
    if (json === undefined) throw new AnswerError(`${placeOf(url)} answers no JSON`);
    return json;
  }

  /** Posts a form. Resolves to the answer, whatever its status. Rejects with NoAnswerError. */
  postForm(url: URL, form: URLSearchParams, authorization: string): Promise<JsonAnswer> {
    const headers = {
      ...ACCEPTED,
      Authorization: authorization,
      'Content-Type': 'application/x-www-form-urlencoded',
    };
    return this.#ask({ url, method: 'POST', headers, body: form.toString() });
  }

  /** Ends all connections. */
  close(): void {
    for (const { agent, freshAgent } of Object.values(this.#transports)) {
      agent.destroy();
      freshAgent.destroy();
    }
  }

  async #ask(outgoing: Outgoing): Promise<JsonAnswer> {
    const { url, method } = outgoing;
    const transport = this.#transports[url.protocol];
    if (transport === undefined || !transport.reach.mayTry(url)) {
      throw new NoAnswerError(`${method} ${placeOf(url)}: ${this.#explain(url, url.hostname)}`);
    }
    const deadline = performance.now() + (this.#options.timeout ?? TIMEOUT);
    try {
      return await this.#attempt(outgoing, transport, deadline);
    } catch (error) {
      const detail =
        error instanceof UnreachableNameError && error.inside !== null
          ? this.#explain(url, error.inside)
          : detailOf(error);
      throw new NoAnswerError(`${method} ${placeOf(url)}: ${detail}`);
    }
  }

  /** Tries once more where a kept connection had been closed by the other side. */
  async #attempt(outgoing: Outgoing, transport: Transport, deadline: number): Promise<JsonAnswer> {
    const first = await exchange(outgoing, transport.agent, transport.send, deadline);
    if (first !== 'stale') return first;
    const second = await exchange(outgoing, transport.freshAgent, transport.send, deadline);
    if (second !== 'stale') return second;
    throw new Error('A fresh connection was used before.');
  }

  #explain({ protocol }: URL, address: string): string {
    const { variable } = this.#options;
    if (protocol === 'https:') return `${address} is not public, and not in ${variable}`;
    return `${address} is not in ${variable}: other addresses are asked over https`;
  }
}

/** Resolves to `stale` where a kept connection closed without an answer. */
function exchange(
  { url, method, headers, body }: Outgoing,
  agent: http.Agent,
  send: Transport['send'],
  deadline: number,
): Promise<JsonAnswer | 'stale'> {
  return new Promise((resolve, reject) => {
    const length = body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const running = send(url, { method, agent, headers: { ...headers, ...length } });
    const timer = setTimeout(
      () => {
        // A request that waits for a connection tells of its end only once it has one.
        reject(new Error('the answer took too long'));
        running.destroy();
      },
      Math.max(0, deadline - performance.now()),
    );
    let isAnswered = false;
    running.once('close', () => {
      clearTimeout(timer);
      if (!isAnswered) reject(new Error('the connection closed'));
    });
    running.once('response', (response) => {
      isAnswered = true;
      readBody(response).then(
        (json) => resolve({ status: response.statusCode ?? 0, json }),
        (error: unknown) => {
          reject(error);
          running.destroy();
        },
      );
    });
    running.on('error', (error: NodeJS.ErrnoException) => {
      if (running.reusedSocket && !isAnswered && CLOSED.has(error.code ?? '')) resolve('stale');
      else reject(error);
    });
    running.end(body);
  });
}

/** Resolves to a body as JSON; to undefined where it is none. Rejects where it is too large. */
async function readBody(response: http.IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let octets = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    octets += chunk.length;
    if (octets > MAX_BODY) throw new Error(`the answer is larger than ${MAX_BODY} octets`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    // Its text may be anything, and belongs in no message.
    return undefined;
  }
}

/** Returns a URL for messages: a query may hold a secret. */
function placeOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

/** Node's messages of a connection name hosts, ports and certificates. */
function detailOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.map(detailOf).join('; ');
  if (!(error instanceof Error)) return 'no answer';
  const { code = '' } = error as NodeJS.ErrnoException;
  return error.message.includes(code) ? error.message : `${error.message} (${code})`;
}
