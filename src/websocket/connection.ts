import type { Socket } from 'node:net';
import type { RawData } from 'ws';
import { HttpError } from '../http/reply.js';
import { isLongText } from '../protocol/ijson.js';
import { requestTooLarge } from '../protocol/limits.js';
import type { Slices } from '../runtime/slices.js';
import { Answers, type AnswersOptions, NOT_VALID, POLICY } from './answers.js';
import { Arrival } from './arrival.js';
import { idOf, MessageError, readLongMessage, readMessage } from './messages.js';
import { Outgoing } from './outgoing.js';

/** RFC 6455 7.4.1 close codes, as RFC 8887 uses them. */
const GOING_AWAY = 1001;
const UNSUPPORTED = 1003;
const TRY_AGAIN = 1013;
const OVERLOADED = 'The server has too much to do.';
/** Beats for which a peer may take nothing of what waits for it, as long as it may be silent. */
const STUCK_BEATS = 2;

export interface ConnectionOptions extends AnswersOptions {
  readonly tcp: Socket;
}

/** The socket closed while a message was read in slices. */
class GoneError extends Error {}

/** One WebSocket: reads messages, has their requests answered, closes (RFC 8887 4.3). */
export class Connection {
  /** Resolves when the socket is closed, however that came. */
  readonly closed: Promise<void>;
  readonly #options: ConnectionOptions;
  readonly #outgoing: Outgoing;
  readonly #arrival: Arrival;
  readonly #answers: Answers;
  readonly #user: string;
  /** Messages that are read in slices, or wait for one that is: they are taken in order. */
  #reading: Promise<void> | null = null;
  #closing = false;
  /** Octets that had left for the system at the last beat. */
  #taken = 0;
  /** Beats since the peer has taken anything of what waits for it. */
  #stuck = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#user = options.principal.userId;
    const { socket, tcp, shared } = options;
    this.#arrival = new Arrival(shared, this.#user);
    this.#outgoing = new Outgoing(socket);
    this.#answers = new Answers(options, this.#outgoing);
    const unfollow = shared.live.follow(options.principal, (current) => {
      // Of what a token reaches each request finds the newest itself.
      if (current === null) socket.close(POLICY, NOT_VALID);
    });
    // In front of ws's own listener: octets are counted before the message that they complete is read.
    tcp.prependListener('data', (chunk: Buffer) => this.#arrived(chunk.length));
    socket.on('message', (data, isBinary) => this.#message(data, isBinary));
    socket.on('ping', (data) => this.#arrival.control(data));
    socket.on('pong', (data) => this.#arrival.control(data));
    // ws closes the connection itself, with the code that fits (1007, 1009 ...).
    socket.on('error', (error) =>
      shared.services.log.debug({ requestId: options.requestId, err: error }, 'websocket error'),
    );
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        unfollow();
        this.#arrival.whole();
        resolve();
      });
    });
  }

  /**
   * Called at intervals: pings the peer; drops one that was silent for two pings, sends a message too slowly, or takes
   * nothing of what waits for it. One that takes something lives, however long its pong lies behind; a socket tells of
   * whole writes alone, so what is taken of a frame shows when the system has room for all of it.
   */
  beat(): void {
    const { socket, tcp } = this.#options;
    const isReading = !socket.isPaused;
    const waits = tcp.writableLength > 0;
    const taken = tcp.bytesWritten - tcp.writableLength;
    // A client that reads nothing counts as stuck even while it sends: its answers would stay in memory.
    this.#stuck = waits && taken === this.#taken ? this.#stuck + 1 : 0;
    if (this.#arrival.isDead(isReading) || this.#stuck > STUCK_BEATS) {
      socket.terminate();
      return;
    }
    if (waits && taken !== this.#taken) this.#arrival.heard();
    // Where nothing is read, nothing that the peer says arrives.
    else if (waits || isReading) this.#arrival.pinged();
    this.#taken = taken;
    if (socket.readyState === socket.OPEN) socket.ping();
  }

  /** Takes no further message, lets running requests be answered, then closes with 1001. */
  async close(): Promise<void> {
    this.#closing = true;
    // What is still read runs after it.
    while (this.#reading !== null || this.#answers.isBusy) {
      await this.#reading;
      await this.#answers.ended();
    }
    await this.#outgoing.idle();
    this.#options.socket.close(GOING_AWAY, 'The server stops.');
  }

  terminate(): void {
    this.#options.socket.terminate();
  }

  #arrived(octets: number): void {
    const { socket } = this.#options;
    if (this.#arrival.take(octets)) return;
    if (socket.readyState === socket.OPEN) socket.close(TRY_AGAIN, OVERLOADED);
    // A peer may take its time with its half of the close, and ws would keep whatever it goes on to send.
    else socket.terminate();
  }

  #message(data: RawData, isBinary: boolean): void {
    const { socket } = this.#options;
    this.#arrival.whole();
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
      this.#answers.accept(readMessage(octets), octets.length, null);
    } catch (error) {
      if (!(error instanceof MessageError)) throw error;
      this.#answers.refuse(error);
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
    const slices = shared.services.conductor.startSlices(() => {
      if (socket.readyState !== socket.OPEN) throw new GoneError();
    });
    const reading = (this.#reading ?? Promise.resolve()).then(() => this.#read(octets, slices));
    const done = reading.finally(() => {
      goOn();
      if (this.#reading === done) this.#reading = null;
    });
    this.#reading = done;
  }

  /** The octets are held of the budget until they are read. */
  async #read(octets: Buffer, slices: Slices): Promise<void> {
    const { socket, shared } = this.#options;
    const { maxSizeRequest, requestTimeout } = shared.services.limits;
    const isLong = isLongText(octets.length);
    let held = octets.length;
    let over: (() => void) | null = null;
    try {
      // A reader who takes no answer must not keep a turn that waits for it.
      if (isLong) await this.#answers.inOrder;
      if (isLong) {
        const deadline = performance.now() + requestTimeout;
        over = await shared.longRequests.take(this.#user, deadline, socket);
      }
      if (socket.readyState !== socket.OPEN) return;
      if (this.#isTooLarge(octets)) {
        throw new MessageError(requestTooLarge(maxSizeRequest), await idOf(octets, slices));
      }
      const message = await readLongMessage(octets, slices);
      shared.budget.release(this.#user, held);
      held = 0;
      this.#answers.accept(message, octets.length, over);
      // Its turn is over with its answer.
      over = null;
    } catch (error) {
      if (error instanceof MessageError) this.#answers.refuse(error);
      // Its turn didn't come. Which request it is only reading it would tell.
      else if (error instanceof HttpError) socket.close(TRY_AGAIN, OVERLOADED);
      else if (!(error instanceof GoneError)) throw error;
    } finally {
      shared.budget.release(this.#user, held);
      over?.();
    }
  }

  #isTooLarge(octets: Buffer): boolean {
    return octets.length > this.#options.shared.services.limits.maxSizeRequest;
  }
}
