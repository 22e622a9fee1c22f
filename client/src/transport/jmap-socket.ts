import type { JsonObject } from '../../../src/protocol/json.js';
import { RequestError, TransportError } from '../call/errors.js';
import { CORE } from '../call/session.js';
import type { ChangedStates, PushOptions } from './push.js';
import type { Attempt, Place } from './reconnect.js';
import type { Request, Response } from './transport.js';

/** The part of a WebSocket that the client uses: browsers have it, and the package `ws`. */
export interface WebSocketLike {
  readonly readyState: number;
  send(text: string): void;
  close(): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { readonly code: number }) => void): void;
}

/** A message of the server (RFC 8887 4.3). */
interface Message extends JsonObject {
  readonly '@type': string;
  readonly requestId?: string | null;
}

interface Waiting {
  resolve(response: Response): void;
  reject(error: unknown): void;
}

interface Receiver {
  take(changed: ChangedStates, pushState: string): void;
  refuse(error: RequestError): void;
}

/** How long a handshake, and the answer to a sign of life, may take, ms. */
const ANSWER = 20_000;
/** The ready state of an open socket. */
const OPEN = 1;
/** The code of a connection that is lost. */
const LOST = 1006;
/** Codes of a connection that the server ends in order: normal, and the server stops. */
const ORDERLY = [1000, 1001];
/** The id of the message that asks for push. It has no answer unless it is refused. */
const PUSH = 'push';

/** Opens a connection of JMAP over a WebSocket. Rejects with a TransportError. */
export function openSocket(
  socket: WebSocketLike,
  silence: number,
  signal: AbortSignal,
): Promise<JmapSocket> {
  return new Promise((resolve, reject) => {
    const fail = (): void => {
      reject(new TransportError('The WebSocket can’t be opened.'));
      socket.close();
    };
    const timer = setTimeout(fail, ANSWER);
    signal.addEventListener('abort', fail);
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', fail);
    };
    socket.addEventListener('open', () => {
      settle();
      resolve(new JmapSocket(socket, silence));
    });
    // A socket that isn't opened is closed.
    socket.addEventListener('error', () => undefined);
    socket.addEventListener('close', () => {
      settle();
      fail();
    });
  });
}

/** An open connection of JMAP over a WebSocket (RFC 8887). */
export class JmapSocket {
  /** Resolves to the code with which it was closed. */
  readonly closed: Promise<number>;
  readonly #socket: WebSocketLike;
  /** How long the server may say nothing before the client asks for a sign of life, ms. */
  readonly #silence: number;
  readonly #waiting = new Map<string, Waiting>();
  #receiver: Receiver | null = null;
  #sent = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #end: (code: number) => void = () => undefined;
  /** Why nothing more is sent. */
  #error: TransportError | null = null;

  constructor(socket: WebSocketLike, silence: number) {
    this.#socket = socket;
    this.#silence = silence;
    this.closed = new Promise((resolve) => {
      this.#end = resolve;
    });
    void this.closed.then((code) => {
      clearTimeout(this.#timer);
      this.#error = makeClosedError(code);
      for (const { reject } of this.#waiting.values()) reject(this.#error);
      socket.close();
    });
    socket.addEventListener('message', ({ data }) => {
      this.#take(String(data));
    });
    socket.addEventListener('close', ({ code }) => this.#end(code));
  }

  get isOpen(): boolean {
    return this.#socket.readyState === OPEN;
  }

  /** Rejects with a CallError, or with the signal's reason. */
  request(request: Request, signal: AbortSignal): Promise<Response> {
    return new Promise((resolve, reject) => {
      if (this.#error !== null) throw this.#error;
      this.#sent += 1;
      const id = `${this.#sent}`;
      const abort = (): void => settle(() => reject(signal.reason as Error));
      const settle = (end: () => void): void => {
        signal.removeEventListener('abort', abort);
        this.#waiting.delete(id);
        end();
      };
      signal.addEventListener('abort', abort);
      this.#waiting.set(id, {
        resolve: (response) => settle(() => resolve(response)),
        reject: (error) => settle(() => reject(error as Error)),
      });
      this.#send({ '@type': 'Request', id, ...request });
    });
  }

  /**
   * Asks for push, which replaces the one before. Resolves when the server has ended the connection
   * in order; rejects with a CallError, or with the signal's reason.
   */
  receive(place: Place, { types, onState }: PushOptions, attempt: Attempt): Promise<void> {
    const { signal, open } = attempt;
    return new Promise((resolve, reject) => {
      const receiver: Receiver = {
        take(changed, pushState) {
          if (!signal.aborted) onState(changed);
          place.id = pushState;
        },
        refuse: reject,
      };
      this.#receiver = receiver;
      signal.addEventListener('abort', () => {
        reject(signal.reason as Error);
        if (this.#receiver !== receiver) return;
        this.#receiver = null;
        this.#send({ '@type': 'WebSocketPushDisable' });
      });
      void this.closed.then((code) => {
        if (ORDERLY.includes(code)) resolve();
        else reject(makeClosedError(code));
      });
      const dataTypes = types ?? null;
      const { id: pushState } = place;
      this.#send({ '@type': 'WebSocketPushEnable', id: PUSH, dataTypes, pushState });
      open();
    });
  }

  close(): void {
    this.#end(ORDERLY[0] ?? LOST);
  }

  #send(message: object): void {
    // It is being closed: all that waits is rejected once it is.
    if (!this.isOpen) return;
    this.#socket.send(JSON.stringify(message));
    if (this.#timer === undefined) this.#expect(this.#silence, () => this.#askForLife());
  }

  /** Calls `end` unless the server says something in time. */
  #expect(milliseconds: number, end: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = this.#isIdle ? undefined : setTimeout(end, milliseconds);
  }

  get #isIdle(): boolean {
    return this.#waiting.size === 0 && this.#receiver === null;
  }

  /** A page sees no pings of WebSockets, so it asks by a call. */
  #askForLife(): void {
    this.#expect(Math.min(ANSWER, this.#silence), () => this.#end(LOST));
    if (this.#isIdle) return;
    this.#send({
      '@type': 'Request',
      id: '0',
      using: [CORE],
      methodCalls: [['Core/echo', {}, '']],
    });
  }

  #take(text: string): void {
    try {
      this.#read(text);
    } catch {
      // It is no JSON, or its members aren't those of its type.
      this.#end(LOST);
    }
    this.#expect(this.#silence, () => this.#askForLife());
  }

  #read(text: string): void {
    const { '@type': type, requestId, ...content } = JSON.parse(text) as Message;
    if (type === 'StateChange') this.#receiver?.take(...readStates(content));
    else if (type === 'RequestError') this.#refuse(requestId, content);
    else if (type === 'Response') this.#answer(requestId, content);
    // The client can't know to what a message belongs that it can't read.
    else this.#end(LOST);
  }

  #answer(id: Message['requestId'], response: JsonObject): void {
    const waiting = this.#waiting.get(id ?? '');
    if (Array.isArray(response['methodResponses'])) waiting?.resolve(response as never);
    else waiting?.reject(new TransportError('The server gave no Response.'));
  }

  #refuse(id: Message['requestId'], problem: JsonObject): void {
    const { status, retryAfter } = problem;
    const error = new RequestError(
      Number(status ?? 400),
      problem,
      retryAfter as number | undefined,
    );
    if (id === PUSH) this.#receiver?.refuse(error);
    else if (typeof id !== 'string') this.#end(LOST);
    else this.#waiting.get(id)?.reject(error);
  }
}

function makeClosedError(code: number): TransportError {
  return new TransportError(`The WebSocket was closed (${code}).`);
}

function readStates({ changed, pushState }: JsonObject): [ChangedStates, string] {
  return [changed as ChangedStates, String(pushState)];
}
