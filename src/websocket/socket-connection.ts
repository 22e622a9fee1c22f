import type { Socket } from 'node:net';
import type { RawData } from 'ws';
import { ClientGoneError, HttpError } from '../http/reply.js';
import type { RequestError } from '../protocol/errors.js';
import { isLongText, mayPause } from '../protocol/ijson.js';
import { requestTooLarge, tooFast } from '../protocol/limits.js';
import { Serial } from '../runtime/serial.js';
import { Answers, type AnswersOptions, NOT_VALID, POLICY } from './answers.js';
import { Arrival } from './arrival.js';
import { idOf, MessageError, readMessage } from './messages.js';
import { Outgoing } from './outgoing.js';
import { SocketPush } from './socket-push.js';

/** RFC 6455 7.4.1 close codes, as RFC 8887 uses them. */
const GOING_AWAY = 1001;
const UNSUPPORTED = 1003;
const TRY_AGAIN = 1013;
const OVERLOADED = 'The server has too much to do.';
const TOO_MANY = 'Too many messages were refused.';
const MOST_REFUSALS = 1000;
/** Beats after which a peer is gone that says nothing, or takes nothing of what waits for it. */
const SILENT_BEATS = 2;
const STUCK_BEATS = 3;

export interface ConnectionOptions extends AnswersOptions {
  readonly tcp: Socket;
}

/** One WebSocket: reads messages, has their requests answered, closes (RFC 8887 4.3). */
export class Connection {
  /** Resolves when the socket is closed, however that came. */
  readonly closed: Promise<void>;
  readonly #options: ConnectionOptions;
  readonly #outgoing: Outgoing;
  readonly #arrival: Arrival;
  readonly #answers: Answers;
  readonly #push: SocketPush;
  readonly #user: string;
  /** Messages are read in the order in which they came. */
  readonly #reads = new Serial();
  #closing = false;
  /** Octets that had come, and that had left for the system, at the last beat. */
  #moved = { read: 0, written: 0 };
  /** Messages in a row that a rate limit has refused. */
  #refusals = 0;
  /** Beats since something has moved. */
  #stillBeats = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#user = options.principal.userId;
    const { socket, tcp, shared } = options;
    this.#arrival = new Arrival(shared, this.#user);
    this.#outgoing = new Outgoing(socket);
    this.#answers = new Answers(options, this.#outgoing);
    this.#push = new SocketPush(options, this.#outgoing);
    const unfollow = shared.live.follow(options.principal, (current) => {
      // Each request finds the newest reach of the token itself.
      if (current === null) socket.close(POLICY, NOT_VALID);
    });
    // Comes before ws's own listener, to count octets before ws reads the message in them.
    tcp.prependListener('data', (chunk: Buffer) => this.#arrived(chunk.length));
    socket.on('message', (data, isBinary) => this.#message(data, isBinary));
    socket.on('ping', (data) => this.#arrival.control(data));
    socket.on('pong', (data) => this.#arrival.control(data));
    // ws closes the connection itself, with the code that fits (1007, 1009 ...).
    socket.on('error', (error) =>
      shared.log.debug({ requestId: options.requestId, err: error }, 'websocket error'),
    );
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        unfollow();
        this.#arrival.whole();
        this.#push.close();
        resolve();
      });
    });
  }

  /**
   * Pings the peer, at intervals. Drops one that sends a message too slowly, was silent for two
   * pings, or takes nothing of what waits. One that takes something lives, however late its pong. A
   * socket tells of whole writes alone: what a peer takes of a frame shows when all of it has left.
   */
  beat(): void {
    const { socket, tcp } = this.#options;
    const isReading = !socket.isPaused;
    if (this.#isStill(isReading)) this.#stillBeats += 1;
    else this.#stillBeats = 0;
    const mostBeats = tcp.writableLength > 0 ? STUCK_BEATS : SILENT_BEATS;
    if (this.#arrival.isSlow(isReading) || this.#stillBeats >= mostBeats) {
      socket.terminate();
      return;
    }
    this.#moved = { read: tcp.bytesRead, written: tcp.bytesWritten - tcp.writableLength };
    if (socket.readyState === socket.OPEN) socket.ping();
  }

  /** Takes no further message, lets running requests be answered, then closes with 1001. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#push.close();
    // A message that is still being read may become a request: `ended` waits for it too.
    await this.#reads.idle();
    await this.#answers.ended();
    await this.#outgoing.idle();
    this.#options.socket.close(GOING_AWAY, 'The server stops.');
  }

  terminate(): void {
    this.#options.socket.terminate();
  }

  /** Returns whether the peer has not done its part since the last beat. */
  #isStill(isReading: boolean): boolean {
    const { tcp } = this.#options;
    const { read, written } = this.#moved;
    // A client that reads nothing is still even while it sends: its answers would stay in memory.
    if (tcp.writableLength > 0) return tcp.bytesWritten - tcp.writableLength === written;
    // Where nothing is read, nothing that the peer says arrives.
    return isReading && tcp.bytesRead === read;
  }

  #arrived(octets: number): void {
    const { socket } = this.#options;
    if (this.#arrival.take(octets)) return;
    if (socket.readyState === socket.OPEN) socket.close(TRY_AGAIN, OVERLOADED);
    // A peer may be slow with its half of the close, and ws would keep all that it goes on to send.
    else socket.terminate();
  }

  /**
   * Counts a message as HTTP counts a request. Resolves to the refusal; a peer that is refused
   * `MOST_REFUSALS` times in a row is cut off.
   */
  async #countMessage(): Promise<RequestError | null> {
    const { socket, shared } = this.#options;
    const { user } = shared.rates;
    if (user === null) return null;
    const { refusing, retryAfter } = await user.take(this.#user);
    this.#refusals = refusing === null ? 0 : this.#refusals + 1;
    if (this.#refusals >= MOST_REFUSALS) socket.close(POLICY, TOO_MANY);
    return refusing && tooFast(refusing, retryAfter);
  }

  #message(data: RawData, isBinary: boolean): void {
    const { socket, shared } = this.#options;
    this.#arrival.whole();
    // The server reads no message once either side has begun to close.
    if (this.#closing || socket.readyState !== socket.OPEN) return;
    if (isBinary) {
      socket.close(UNSUPPORTED, 'Messages are text.');
      return;
    }
    const octets = data as Buffer;
    if (!shared.budget.take(this.#user, octets.length)) {
      socket.close(TRY_AGAIN, OVERLOADED);
      return;
    }
    void this.#reads.run(() => this.#read(octets));
  }

  /** The octets are held of the budget until the answer to their request is sent. */
  async #read(octets: Buffer): Promise<void> {
    const { socket, shared } = this.#options;
    const { budget, conductor, limits } = shared;
    const slices = conductor.startSlices(() => {
      if (socket.readyState !== socket.OPEN) throw new ClientGoneError();
    });
    const isLong = isLongText(octets.length);
    const goOn = mayPause(octets.length) ? this.#outgoing.stopReading() : null;
    let releaseSlot: (() => void) | null = null;
    const releaseOctets = (): void => budget.release(this.#user, octets.length);
    let isAccepted = false;
    try {
      if (isLong) {
        // A reader who takes no answer must not keep a slot that waits for it.
        await this.#answers.inOrder();
        const deadline = performance.now() + limits.requestTimeout;
        releaseSlot = await shared.longRequests.take(this.#user, deadline, socket);
      }
      if (socket.readyState !== socket.OPEN) return;
      const problem = (await this.#countMessage()) ?? judgeSize(octets, limits.maxSizeRequest);
      if (problem !== null) throw new MessageError(problem, await idOf(octets, slices));
      const message = await readMessage(octets, slices);
      if (message.kind === 'request') {
        const held = { releaseSlot: () => releaseSlot?.(), releaseOctets };
        this.#answers.accept(message, isLong, held);
        isAccepted = true;
      } else await this.#push.take(message);
    } catch (error) {
      if (error instanceof MessageError) this.#answers.refuse(error);
      // It got no slot in time. Only reading the message would tell which request it is.
      else if (error instanceof HttpError) socket.close(TRY_AGAIN, OVERLOADED);
      else if (!(error instanceof ClientGoneError)) throw error;
    } finally {
      if (!isAccepted) {
        releaseSlot?.();
        releaseOctets();
      }
      goOn?.();
    }
  }
}

function judgeSize({ length }: Buffer, most: number): RequestError | null {
  return length > most ? requestTooLarge(most) : null;
}
