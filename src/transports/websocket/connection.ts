import type { Socket } from 'node:net';
import type { RawData, WebSocket } from 'ws';
import type { Principal } from '../../accounts/principal.js';
import { RequestError, UnavailableError } from '../../protocol/errors.js';
import { isLongText } from '../../protocol/ijson-slices.js';
import { inSlices } from '../../protocol/slices.js';
import { requestTooLarge, tooManyRequests } from '../limits.js';
import type { Shared } from '../shared.js';
import {
  idOf,
  MessageError,
  type RequestMessage,
  readLongMessage,
  readMessage,
  requestErrorText,
  runProblem,
} from './messages.js';
import { Outgoing } from './outgoing.js';

/** RFC 6455 7.4.1 close codes, as RFC 8887 uses them. */
const GOING_AWAY = 1001;
const UNSUPPORTED = 1003;
const POLICY = 1008;
const TRY_AGAIN = 1013;
const OVERLOADED = 'The server has too much to do.';

export interface ConnectionOptions {
  readonly shared: Shared;
  readonly socket: WebSocket;
  readonly tcp: Socket;
  readonly principal: Principal;
  /** Log and fault reference of what happens on this connection. */
  readonly requestId: string;
}

/** Octets of a control frame from a client, besides its payload (RFC 6455 5.2: header and mask). */
const CONTROL_FRAME = 6;

const NOTHING = (): void => undefined;

/** The socket closed while a message was read in slices. */
class GoneError extends Error {}

/** One WebSocket: reads messages, runs requests, answers them (RFC 8887 4.3). */
export class Connection {
  /** Resolves when the socket is closed, however that came. */
  readonly closed: Promise<void>;
  readonly #options: ConnectionOptions;
  readonly #outgoing: Outgoing;
  readonly #unfollow: () => void;
  readonly #user: string;
  #principal: Principal;
  /** Octets of a message that is still arriving, held of the budget. */
  #arriving = 0;
  /** The same when the last beat came. */
  #arrivedAtBeat = 0;
  /** Requests without an id are answered in order: each waits for the one before. */
  #inOrder: Promise<void> = Promise.resolve();
  readonly #running = new Set<Promise<void>>();
  /** Messages that are read in slices, or wait for one that is: they are taken in order. */
  #reading: Promise<void> | null = null;
  #closing = false;
  #silentPings = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#principal = options.principal;
    this.#user = options.principal.userId;
    const { socket, tcp, shared } = options;
    this.#outgoing = new Outgoing(socket, (octets) =>
      shared.responses.hold(this.#user, octets, () => socket.terminate()),
    );
    this.#unfollow = shared.live.follow(options.principal, (current) => {
      if (current === null) socket.close(POLICY, 'The token is no longer valid.');
      else this.#principal = current;
    });
    // In front of ws's own listener: octets are counted before the message that they complete is read.
    tcp.prependListener('data', (chunk: Buffer) => this.#arrived(chunk.length));
    socket.on('message', (data, isBinary) => this.#message(data, isBinary));
    socket.on('ping', (data) => this.#forget(data.length + CONTROL_FRAME));
    socket.on('pong', (data) => this.#forget(data.length + CONTROL_FRAME));
    // ws closes the connection itself, with the code that fits (1007, 1009 ...).
    socket.on('error', (error) =>
      shared.services.log.debug({ requestId: options.requestId, err: error }, 'websocket error'),
    );
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.#unfollow();
        this.#forget(this.#arriving);
        resolve();
      });
    });
  }

  /** Called at intervals: pings the peer; drops one that was silent for two pings, or sends a message too slowly. */
  beat(): void {
    const { socket, shared } = this.#options;
    const { bodyRate, heartbeat } = shared.timings;
    const before = this.#arrivedAtBeat;
    this.#arrivedAtBeat = this.#arriving;
    const slow = before > 0 && this.#arriving - before < (bodyRate * heartbeat) / 1000;
    if (this.#silentPings >= 2 || slow) {
      socket.terminate();
      return;
    }
    // While a message waits or is read, nothing that the peer says arrives.
    if (this.#reading === null) this.#silentPings += 1;
    if (socket.readyState === socket.OPEN) socket.ping();
  }

  /** Takes no further message, lets running requests be answered, then closes with 1001. */
  async close(): Promise<void> {
    this.#closing = true;
    // What is still read runs after it.
    while (this.#running.size > 0) await Promise.all(this.#running);
    await this.#outgoing.idle();
    this.#options.socket.close(GOING_AWAY, 'The server stops.');
  }

  terminate(): void {
    this.#options.socket.terminate();
  }

  #arrived(octets: number): void {
    this.#silentPings = 0;
    const { socket, shared } = this.#options;
    if (shared.budget.take(this.#user, octets)) this.#arriving += octets;
    else if (socket.readyState === socket.OPEN) socket.close(TRY_AGAIN, OVERLOADED);
    // A peer may take its time with its half of the close, and ws would keep whatever it goes on to send.
    else socket.terminate();
  }

  #message(data: RawData, isBinary: boolean): void {
    const { socket } = this.#options;
    this.#forget(this.#arriving);
    this.#arrivedAtBeat = 0;
    // What comes once either side has begun to close is not read.
    if (this.#closing || socket.readyState !== socket.OPEN) return;
    if (isBinary) {
      socket.close(UNSUPPORTED, 'Messages are text.');
      return;
    }
    const octets = data as Buffer;
    if (this.#reading !== null || isLongText(octets.length) || this.#isTooLarge(octets)) {
      this.#readInTurn(octets);
      return;
    }
    try {
      this.#accept(readMessage(octets), octets.length);
    } catch (error) {
      if (!(error instanceof MessageError)) throw error;
      this.#refuse(error);
    }
  }

  /** For a message that takes long to read, and for those behind it. */
  #readInTurn(octets: Buffer): void {
    const { socket, shared } = this.#options;
    if (!shared.budget.take(this.#user, octets.length)) {
      socket.close(TRY_AGAIN, OVERLOADED);
      return;
    }
    const goOn = this.#outgoing.stopReading();
    const slices = inSlices(() => {
      if (socket.readyState !== socket.OPEN) throw new GoneError();
    });
    const read = async (): Promise<void> => {
      let held = octets.length;
      const isLong = isLongText(octets.length);
      // A reader who takes no answer must not keep a turn that waits for it.
      if (isLong) await this.#inOrder;
      const { requestTimeout } = shared.services.limits;
      let over = isLong ? await shared.turns.take(this.#user, requestTimeout, socket) : NOTHING;
      try {
        if (socket.readyState !== socket.OPEN) return;
        if (over === null) {
          // Which request it is only reading it would tell.
          socket.close(TRY_AGAIN, OVERLOADED);
          return;
        }
        if (this.#isTooLarge(octets)) {
          const { maxSizeRequest } = shared.services.limits;
          throw new MessageError(requestTooLarge(maxSizeRequest), await idOf(octets, slices));
        }
        const message = await readLongMessage(octets, slices);
        shared.budget.release(this.#user, held);
        held = 0;
        this.#accept(message, octets.length, isLong, over);
        // Its turn is over with its answer.
        over = NOTHING;
      } catch (error) {
        if (error instanceof MessageError) this.#refuse(error);
        else if (!(error instanceof GoneError)) throw error;
      } finally {
        shared.budget.release(this.#user, held);
        over?.();
        goOn();
      }
    };
    const reading = (this.#reading ?? Promise.resolve()).then(read);
    const done = reading.finally(() => {
      if (this.#reading === done) this.#reading = null;
      this.#running.delete(done);
    });
    this.#reading = done;
    this.#running.add(done);
  }

  #isTooLarge(octets: Buffer): boolean {
    return octets.length > this.#options.shared.services.limits.maxSizeRequest;
  }

  /** A slot is taken as the message comes in, so that what waits its turn is bounded too. */
  #accept(message: RequestMessage, octets: number, isLong = false, over = NOTHING): void {
    const { requests, budget, services } = this.#options.shared;
    if (!requests.take(this.#user)) {
      const problem = tooManyRequests(services.limits.maxConcurrentRequests);
      throw new MessageError(problem, message.id);
    }
    const held = budget.take(this.#user, octets) ? octets : 0;
    const run = (): Promise<void> => this.#run(message, isLong, over);
    const answered = message.id === null ? this.#inOrder.then(run) : run();
    if (message.id === null) this.#inOrder = answered;
    const done = answered.finally(() => {
      budget.release(this.#user, held);
      requests.release(this.#user);
      this.#running.delete(done);
    });
    this.#running.add(done);
  }

  /** In its place among the answers where it can't be told apart by an id. */
  #refuse(error: MessageError): void {
    const text = requestErrorText(error.problem.toProblem(), error.requestId);
    const send = (): Promise<void> => this.#outgoing.send([text]);
    if (error.requestId === null) this.#inOrder = this.#inOrder.then(send);
    else void send();
  }

  /** Never rejects: whatever happens is an answer. */
  async #run(message: RequestMessage, isLong: boolean, over: () => void): Promise<void> {
    const answer = await this.#answer(message, isLong);
    over();
    await this.#outgoing.send(answer);
  }

  async #answer(message: RequestMessage, isLong: boolean): Promise<readonly string[]> {
    const { shared, requestId } = this.#options;
    const first = {
      '@type': 'Response',
      ...(message.id === null ? {} : { requestId: message.id }),
    };
    try {
      const principal = await this.#currentPrincipal();
      return await shared.api.run(message.request, principal, isLong, first);
    } catch (error) {
      const known = runProblem(error);
      if (error instanceof UnavailableError) shared.services.unavailable?.(error);
      if (known !== null) return [requestErrorText(known, message.id)];
      shared.services.log.error({ requestId, err: error }, 'defect');
      const detail = `Something failed in the server; its log has the cause under ${requestId}.`;
      return [requestErrorText({ type: 'about:blank', status: 500, detail }, message.id)];
    }
  }

  /** As fresh as over HTTP: what a revoked token asks for is not run in the moment before its socket closes. */
  async #currentPrincipal(): Promise<Principal> {
    const current = await this.#options.shared.services.authenticator.refresh(
      this.#principal.tokenId,
    );
    if (current !== null) return current;
    this.#options.socket.close(POLICY, 'The token is no longer valid.');
    throw new RequestError('notRequest', 'The token is no longer valid.', { status: 401 });
  }

  #forget(octets: number): void {
    const released = Math.min(octets, this.#arriving);
    this.#arriving -= released;
    this.#options.shared.budget.release(this.#user, released);
  }
}
