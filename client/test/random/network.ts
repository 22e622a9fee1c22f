import type { Random } from '../../../conform/src/random.js';
import type { Session } from '../../src/call/session.js';
import type {
  Invocation,
  Response as JmapResponse,
  Request,
} from '../../src/transport/transport.js';
import { spoil } from '../support/faulty-fetch.js';
import type { Ice } from '../tabs/doubles.js';

/** The fate of a request to the API. */
export type Fault =
  /** It never arrives. */
  | 'request'
  /** Its answer is lost. */
  | 'answer'
  /** Its answer doesn't come before the network is cut. */
  | 'hang'
  /** The server knows none of the states that it names any more. */
  | 'forget'
  /** A gateway can't reach the server. */
  | 'down'
  /** The server makes all of it, and a gateway doesn't wait for its answer. */
  | 'gateway'
  /** The server makes all of it, and answers each /set that it has no time. */
  | 'busy'
  | null;

export interface NetworkOptions {
  readonly ice: Ice;
  readonly random: Random;
  /** Decides the fate of a request. */
  readonly judge: (hasWrites: boolean) => Fault;
  readonly edit: (session: Session) => Session;
  readonly onRequest: (request: Request, fault: Fault) => void;
  /** Is told each file that is sent; null: its octets come as a stream. */
  readonly onUpload: (key: string, octets: string | null, fault: Fault) => void;
  /** Is told each answer of the server; whether the client will get it. */
  readonly onAnswer: (request: Request, answer: JmapResponse, isDelivered: boolean) => void;
}

/** The longest that a request, or an answer, takes on its way, in milliseconds. */
const SLOWEST = 8;

/** The network of one client: it delays, loses, freezes, and ends with its client. */
export class Network {
  isOnline = true;
  /** How many requests to the API have begun. */
  count = 0;
  readonly #options: NetworkOptions;
  readonly #streams = new Set<AbortController>();
  readonly #waiting = new Set<(error: Error) => void>();
  #isDead = false;
  #isHealed = false;

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  readonly fetch: typeof fetch = async (url, init) => {
    await this.#pass(init?.signal);
    const accept = new Headers(init?.headers).get('accept');
    if (accept?.includes('text/event-stream')) return this.#openStream(url, init);
    if (init?.method === 'POST')
      return isPath(url, 'upload') ? this.#upload(url, init) : this.#call(url, init);
    const response = await fetch(url, init);
    await this.#pass(init?.signal);
    if (!response.ok || isPath(url, 'download')) return response;
    return Response.json(this.#options.edit((await response.json()) as Session));
  };

  /** Ends all streams, and all requests that hang. */
  cut(): void {
    for (const stream of this.#streams) stream.abort();
    for (const reject of this.#waiting) reject(new TypeError('The network was cut.'));
    this.#waiting.clear();
  }

  /** From now on, no request hangs. */
  heal(): void {
    this.#isHealed = true;
    this.isOnline = true;
    this.cut();
  }

  /** The client is gone: nothing comes to it any more. */
  kill(): void {
    this.#isDead = true;
    for (const stream of this.#streams) stream.abort();
  }

  async #call(url: RequestInfo | URL, init: RequestInit): Promise<Response> {
    const { judge, onRequest, onAnswer } = this.#options;
    const request = JSON.parse(String(init.body)) as Request;
    const fault = judge(request.methodCalls.some(hasWrites));
    this.count += 1;
    onRequest(request, fault);
    await this.#delay();
    if (fault === 'request') throw new TypeError('The request was lost.');
    if (fault === 'down') return new Response('', { status: 502 });
    const body = fault === 'forget' ? JSON.stringify(forgetStates(request)) : init.body;
    const response = await fetch(url, { ...init, ...(body != null && { body }) });
    const text = await response.text();
    await this.#delay();
    await this.#options.ice.wait();
    const isLost = ['answer', 'hang', 'gateway', 'busy'].includes(fault ?? '');
    const isDelivered = !isLost && this.isOnline && !this.#isDead;
    if (response.ok) onAnswer(request, JSON.parse(text) as JmapResponse, isDelivered);
    await this.#pass(init.signal);
    if (fault === 'gateway') return new Response('', { status: 504 });
    if (fault === 'busy' && response.ok) return spoilAll(request, text);
    if (fault === 'hang' && !this.#isHealed) await this.#hang(init.signal);
    if (fault === 'answer' || fault === 'hang') throw new TypeError('The answer was lost.');
    const { status, headers } = response;
    return new Response(text, { status, headers: { 'content-type': readType(headers) } });
  }

  async #upload(url: RequestInfo | URL, init: RequestInit): Promise<Response> {
    const { judge, onUpload } = this.#options;
    const fault = judge(false);
    this.count += 1;
    const { body, headers } = init;
    const octets = body instanceof Blob ? await body.text() : null;
    onUpload(new Headers(headers).get('idempotency-key') ?? '', octets, fault);
    await this.#delay();
    if (fault === 'request') throw new TypeError('The request was lost.');
    if (fault === 'down') return new Response('', { status: 502 });
    const response = await fetch(url, init);
    const text = await response.text();
    await this.#delay();
    await this.#pass(init.signal);
    if (fault === 'gateway') return new Response('', { status: 504 });
    if (fault === 'hang' && !this.#isHealed) await this.#hang(init.signal);
    if (fault === 'answer' || fault === 'hang') throw new TypeError('The answer was lost.');
    return new Response(text, response);
  }

  async #openStream(url: RequestInfo | URL, init: RequestInit | undefined): Promise<Response> {
    const stream = new AbortController();
    this.#streams.add(stream);
    const signals = [stream.signal, ...(init?.signal ? [init.signal] : [])];
    return fetch(url, { ...init, signal: AbortSignal.any(signals) });
  }

  /** Lets a message through; of a client that is gone it never comes to an end. */
  async #pass(signal: AbortSignal | null | undefined): Promise<void> {
    await this.#options.ice.wait();
    if (this.#isDead) await this.#hang(signal);
    if (!this.isOnline) throw new TypeError('The client is offline.');
  }

  #hang(signal: AbortSignal | null | undefined): Promise<never> {
    return new Promise((_, reject) => {
      if (!this.#isDead) this.#waiting.add(reject);
      const end = (): void => reject(signal?.reason as Error);
      if (signal?.aborted) end();
      else signal?.addEventListener('abort', end, { once: true });
    });
  }

  async #delay(): Promise<void> {
    const { random } = this.#options;
    const time = random.chance(0.7) ? 0 : random.integer(0, SLOWEST);
    if (time > 0) await new Promise((resolve) => setTimeout(resolve, time));
  }
}

function isPath(url: RequestInfo | URL, name: string): boolean {
  return String(url).includes(`/jmap/${name}/`);
}

function readType(headers: Headers): string {
  return headers.get('content-type') ?? 'application/json';
}

/** An empty /set writes nothing. */
export function hasWrites([name, args]: Invocation): boolean {
  return name.endsWith('/set') && ['create', 'update', 'destroy'].some((kind) => kind in args);
}

function spoilAll({ methodCalls }: Request, text: string): Response {
  const answer = JSON.parse(text) as JmapResponse;
  return Response.json(spoil(answer, methodCalls.filter(hasWrites), 'serverUnavailable'));
}

/** Has a request ask for what has changed since states that the server has never had. */
function forgetStates(request: Request): Request {
  const methodCalls = request.methodCalls.map(
    ([name, args, id]) =>
      [name, { ...args, ...('sinceState' in args && { sinceState: 'forgotten' }) }, id] as const,
  );
  return { ...request, methodCalls };
}
