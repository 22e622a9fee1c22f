import type { TransportContext } from '../call/connection.js';
import { NeedsAuthError, type RequestError, TransportError } from '../call/errors.js';
import { Backoff } from '../sync/backoff.js';
import { readEventSource } from './event-source.js';
import { readJson, readOrFail } from './http.js';
import { type JmapSocket, openSocket, type WebSocketLike } from './jmap-socket.js';
import type { Push, PushOptions } from './push.js';
import { type Attempt, KeptConnection, makePlace, type Place } from './reconnect.js';
import type { Request, Response, SendOptions, Transport } from './transport.js';

export type { WebSocketLike } from './jmap-socket.js';

export interface WebSocketOptions {
  /** By default the global one. Node 20 has none: give the one of the package `ws`. */
  readonly WebSocket?: (new (url: string, protocol: string) => WebSocketLike) | undefined;
  /**
   * By default, calls go by HTTP and push by an event source as long as there is no socket. False:
   * they fail then.
   */
  readonly fallback?: boolean | undefined;
  /**
   * After how many milliseconds without a message the client asks the server for a sign of life; by
   * default 60,000.
   */
  readonly silence?: number | undefined;
}

const WEBSOCKET = 'urn:ietf:params:jmap:websocket';
const SUBPROTOCOL = 'jmap';
const SILENCE = 60_000;
/** The server stops. */
const GOING_AWAY = 1001;
/** The server refuses the user: the token has ended. */
const POLICY = 1008;
/** How long a second refusal keeps the client from connecting, ms. */
const PAUSE = 60_000;

/** Returns the maker of a transport by WebSocket (RFC 8887), for the option of `connect`. */
export function webSocket(
  options: WebSocketOptions = {},
): (context: TransportContext) => Transport {
  return (context) => new SocketTransport(context, options);
}

/** Calls and push by one WebSocket, which is opened when there is something to send. */
class SocketTransport implements Transport {
  readonly #context: TransportContext;
  readonly #options: WebSocketOptions;
  readonly #closing = new AbortController();
  readonly #backoff = new Backoff();
  #opening: Promise<JmapSocket> | null = null;
  #socket: JmapSocket | null = null;
  /** When calls that go by HTTP may try to open the socket again. */
  #nextTry = 0;
  #refusedAt = Number.NEGATIVE_INFINITY;
  #isRefused = false;

  constructor(context: TransportContext, options: WebSocketOptions) {
    this.#context = context;
    this.#options = options;
  }

  async send(request: Request, options: SendOptions): Promise<Response> {
    if (this.#hasFallback && this.#socket?.isOpen !== true) {
      if (Date.now() >= this.#nextTry) this.#connect().catch(() => undefined);
      return this.#context.fallback.send(request, options);
    }
    const socket = await this.#connect();
    options.signal.throwIfAborted();
    return socket.request(request, options.signal);
  }

  /** A transport has one push at a time: a second one replaces the first. */
  openPush(options: PushOptions): Push {
    const place = makePlace();
    const follow = (attempt: Attempt): Promise<void> => this.#receive(place, options, attempt);
    return new KeptConnection(follow, place, options.onStatus);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#socket?.close();
  }

  get #hasFallback(): boolean {
    return this.#options.fallback !== false;
  }

  async #receive(place: Place, options: PushOptions, attempt: Attempt): Promise<void> {
    let socket: JmapSocket;
    try {
      socket = await this.#connect();
    } catch (error) {
      attempt.signal.throwIfAborted();
      if (!this.#hasFallback) throw error;
      return readEventSource(this.#context, options, place, attempt);
    }
    attempt.signal.throwIfAborted();
    void socket.closed.then((code) => {
      // Clients of a server that stops don't come back at one moment.
      place.retry = code === GOING_AWAY ? 1000 + Math.random() * 4000 : 0;
    });
    return socket.receive(place, options, attempt);
  }

  /** Resolves to the open socket; opens one where there is none. */
  async #connect(): Promise<JmapSocket> {
    if (this.#socket?.isOpen) return this.#socket;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #open(): Promise<JmapSocket> {
    try {
      if (this.#isRefused && Date.now() < this.#refusedAt + PAUSE)
        throw new NeedsAuthError('The server refuses the token.');
      this.#isRefused = false;
      const { WebSocket = globalThis.WebSocket, silence = SILENCE } = this.#options;
      if (WebSocket === undefined) throw new TransportError('There is no WebSocket here.');
      const { signal } = this.#closing;
      const url = await this.#makeUrl(signal);
      const made = await readOrFail(signal, async () => new WebSocket(url, SUBPROTOCOL));
      const socket = await openSocket(made, silence, signal);
      this.#socket = socket;
      this.#backoff.reset();
      void socket.closed.then((code) => this.#noteEnd(socket, code));
      return socket;
    } catch (error) {
      this.#nextTry = Date.now() + this.#backoff.next();
      throw error;
    }
  }

  /** Resolves to the URL of one connection: a ticket is good for one. */
  async #makeUrl(signal: AbortSignal): Promise<string> {
    const { http, session, locate } = this.#context;
    const { capabilities, apiUrl } = session();
    const place = capabilities[WEBSOCKET]?.['url'];
    if (typeof place !== 'string') throw new TransportError('The server has no WebSocket.');
    const request = { method: 'POST', signal };
    const response = await http(locate(`${apiUrl}/ticket`), request).catch(
      (error: RequestError) => {
        // Tickets are no part of RFC 8887. A page can send no token with a handshake.
        if (error.status === 404) error.message = 'The server has no tickets.';
        throw error;
      },
    );
    const { ticket } = (await readJson(response, signal)) as { readonly ticket: string };
    const url = new URL(locate(place).replace(/^http/, 'ws'));
    url.searchParams.set('ticket', ticket);
    return url.href;
  }

  /**
   * A token that has ended is asked for anew with the next ticket. The server refuses a second
   * connection too: it would refuse a third.
   */
  #noteEnd(socket: JmapSocket, code: number): void {
    if (this.#socket === socket) this.#socket = null;
    if (code !== POLICY) return;
    const now = Date.now();
    this.#isRefused = now < this.#refusedAt + PAUSE;
    this.#refusedAt = now;
  }
}
